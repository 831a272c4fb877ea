/* SPDX-License-Identifier: MIT */
/* Endpoints that demand tokens. A double stands for the verifier
 * (support/verifier_double.h). */
#include "endpoint/protect.h"

#include "endpoint/channel.h"
#include "endpoint/endpoint.h"
#include "endpoint/life.h"
#include "support/http_bench.h"
#include "support/verifier_double.h"
#include <stdio.h>
#include <string.h>

#define ANNA "Authorization: Bearer anna read\n"
#define BERT "Authorization: Bearer bert read\n"
#define LATER "Authorization: Bearer later anna read\n"
#define CALL_AS(who, id, name)                                                 \
  MODERN("tools/call", who "Mcp-Name: " name "\n",                             \
         "{$J,'id':" id ",'method':'tools/call','params':{'name':'" name       \
         "',$M{}}}")
#define HELLO(id) JSON("200", RESULT_TEXT(id, "hello"))
#define PLAIN(status, text) status " text/plain; charset=utf-8\n" text
#define METADATA "/.well-known/oauth-protected-resource"
#define AT "\nHost: localhost:80\n"

static mcp_protect_options protect = MCP_PROTECT_OPTIONS_INIT;
static mcp_http_options options = MCP_HTTP_OPTIONS_INIT;

static int on_who(mcp_call *call, void *userdata) {
  char sub[64];
  const mcp_json *claim = mcp_json_get(mcp_call_claims(call), "sub");
  snprintf(sub, sizeof(sub), "%s",
           claim != NULL ? mcp_json_string(claim) : "-");
  return mcp_call_reply_textf(call, "%s, %s, %s, %d", mcp_call_principal(call),
                              mcp_call_scopes(call), sub,
                              mcp_call_has_scopes(call, "read") +
                                  2 * mcp_call_has_scopes(call, "read write"));
}

static int set_up(void **state) {
  verifier_double_reset();
  protect = (mcp_protect_options)MCP_PROTECT_OPTIONS_INIT;
  options = (mcp_http_options)MCP_HTTP_OPTIONS_INIT;
  options.protect = &protect;
  return http_bench_set_up(state);
}

static int tear_down(void **state) {
  int rc = http_bench_tear_down(state);
  assert_int_equal(verifier_seen.waiting, 0);
  return rc;
}

#define PROTECT_TEST(name) TEST_WITH(name, set_up, tear_down)

static http_bench *begin(void **state) {
  http_bench *b = *state;
  http_bench_restart(b, &options);
  http_bench_add_tool(b, "who", on_who, NULL);
  return b;
}

/* A tool, "write", that needs the scope of that name. */
static void add_write(http_bench *b) {
  const mcp_tool tool = {.size = sizeof(mcp_tool),
                         .name = "write",
                         .handler = on_who,
                         .input =
                             &(mcp_schema){.size = sizeof(mcp_schema),
                                           .text = "{\"type\":\"object\","
                                                   "\"required\":[\"x\"]}"},
                         .scopes = "write"};
  assert_int_equal(mcp_server_add_tool(b->http.rig.server, &tool, NULL), 0);
}

static void header_is(http_trip *trip, const char *name, const char *value) {
  const char *found = trip_header(trip, name);
  if (value == NULL) {
    assert_null(found);
  } else {
    assert_non_null(found);
    assert_string_equal(found, value);
  }
}

/* ---- answers at once ---------------------------------------------------- */

PROTECT_TEST(a_request_without_a_token_is_refused) {
  http_bench *b = begin(state);
  http_trip *trip = &b->trips[0];
  trip_send(trip, &b->http, CALL("1", "hello"));
  came(trip, PLAIN("401", "no\n"));
  header_is(trip, "WWW-Authenticate", "Bearer");
  header_is(trip, "DPoP-Nonce", NULL);
}

PROTECT_TEST(a_token_gives_its_principal_scopes_and_claims) {
  http_bench *b = begin(state);
  verifier_seen.claims = "{\"sub\":\"a\"}";
  ask(&b->http, CALL_AS(ANNA, "1", "who"),
      JSON("200", RESULT_TEXT("1", "anna, read, a, 1")));
  verifier_seen.claims = NULL;
  ask(&b->http, CALL_AS("Authorization: Bearer anna write read\n", "1", "who"),
      JSON("200", RESULT_TEXT("1", "anna, write read, -, 3")));
}

PROTECT_TEST(without_protection_there_are_no_scopes_to_check) {
  http_bench *b = *state;
  http_bench_add_tool(b, "who", on_who, NULL);
  add_write(b);
  b->trips[0].principal = "x";
  trip_send(&b->trips[0], &b->http, CALL_AS(ANNA, "1", "who"));
  came(&b->trips[0], JSON("200", RESULT_TEXT("1", "x, , -, 3")));
  ask(&b->http,
      MODERN("tools/call", "Mcp-Name: write\n",
             "{$J,'id':1,'method':'tools/call','params':{'name':'write',"
             "'arguments':{'x':1},$M{}}}"),
      JSON("200", RESULT_TEXT("1", "(null), , -, 3")));
  assert_null(mcp_call_claims(NULL));
  assert_null(mcp_call_scopes(NULL));
  assert_int_equal(mcp_call_has_scopes(NULL, NULL), 0);
}

/* Each other test of this file shows that the endpoint then lends the grant. */
PROTECT_TEST(all_callers_of_a_protected_endpoint_demand_tokens) {
  http_bench *b = *state;
  assert_false(mcpi_endpoint_rules(b->http.http).demands_token);
  b = begin(state);
  assert_true(mcpi_endpoint_rules(b->http.http).demands_token);
}

PROTECT_TEST(each_status_of_a_refusal_is_sent) {
  static const int statuses[] = {400, 401, 403, 503};
  http_bench *b = begin(state);
  verifier_seen.nonce = "n-1";
  for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
    char request[600];
    char expected[128];
    http_trip *trip = &b->trips[0];
    snprintf(request, sizeof(request),
             POST("Authorization: Refuse %d\n", "{$J,'id':1}"), statuses[i]);
    snprintf(expected, sizeof(expected), PLAIN("%d", "%s\n"), statuses[i],
             statuses[i] == 503
                 ? "the token cannot be checked now; try again later"
                 : "no");
    trip_send(trip, &b->http, request);
    came(trip, expected);
    header_is(trip, "WWW-Authenticate", "Bearer error=\"e\"");
    header_is(trip, "DPoP-Nonce", "n-1");
    trip_deinit(trip);
  }
  assert_string_equal(b->http.rig.reports.bytes,
                      "a token could not be checked: no");
}

/* A browser shows a page only the headers that the server lists. */
PROTECT_TEST(a_page_can_read_why_it_is_refused) {
  static const char *const requests[] = {
      CALL_AS("Origin: http://localhost:5\n", "1", "hello"),
      CALL_AS("Origin: http://localhost:5\n" ANNA, "1", "write")};
  static const char *const statuses[] = {"401", "403"};
  http_bench *b = begin(state);
  add_write(b);
  for (size_t i = 0; i < 2; i++) {
    http_trip *trip = &b->trips[0];
    trip_send(trip, &b->http, requests[i]);
    assert_memory_equal(trip->answer.bytes, statuses[i], 3);
    trip_forget(trip);
    assert_non_null(trip_header(trip, "WWW-Authenticate"));
    header_is(trip, "Access-Control-Allow-Origin", "http://localhost:5");
    header_is(trip, "Access-Control-Expose-Headers",
              "Mcp-Session-Id, WWW-Authenticate, DPoP-Nonce");
    trip_deinit(trip);
  }
}

/* Requests that are refused do not count for the client that they name. */
PROTECT_TEST(a_client_has_its_rate_with_each_of_its_tokens) {
  static const char other[] =
      CALL_AS("Authorization: Bearer anna\n", "1", "hello");
  options.max_rate = 2;
  http_bench *b = begin(state);
  for (int i = 0; i < 5; i++) {
    ask(&b->http, CALL("1", "hello"), PLAIN("401", "no\n"));
  }
  ask(&b->http, CALL_AS(ANNA, "1", "hello"), HELLO("1"));
  ask(&b->http, other, HELLO("1"));
  ask(&b->http, other, PLAIN("429", "too many requests\n"));
  ask(&b->http, CALL_AS(ANNA, "1", "hello"),
      PLAIN("429", "too many requests\n"));
  ask(&b->http, CALL_AS(BERT, "1", "hello"), HELLO("1")); /* same address */
  rig_pass(&b->http.rig, 1000);
  ask(&b->http, CALL_AS(ANNA, "1", "hello"), HELLO("1"));
}

/* 401 before 400, 404, 405 of the protocol: nothing is read of a request before
 * its token. */
PROTECT_TEST(the_token_comes_before_the_protocol) {
  http_bench *b = begin(state);
  ask(&b->http, POST("", "{"), PLAIN("401", "no\n"));
  ask(&b->http, POST("MCP-Protocol-Version: 1999-01-01\n", "{}"),
      PLAIN("401", "no\n"));
  ask(&b->http, "GET /mcp\nHost: localhost\nAccept: text/event-stream\n\n",
      PLAIN("401", "no\n"));
  ask(&b->http, "DELETE /mcp\nHost: localhost\nMcp-Session-Id: x\n\n",
      PLAIN("401", "no\n"));
  assert_string_equal(verifier_seen.method, "DELETE");
}

PROTECT_TEST(every_path_demands_a_token) {
  options.wires = MCP_HTTP_STREAMABLE | MCP_HTTP_SSE;
  http_bench *b = begin(state);
  ask(&b->http, "GET /sse\nHost: localhost\nAccept: text/event-stream\n\n",
      PLAIN("401", "no\n"));
  assert_string_equal(verifier_seen.resource, "http://localhost/sse");
  ask(&b->http,
      "POST /messages?sessionId=x\nHost: localhost\n"
      "Content-Type: application/json\n\n{}",
      PLAIN("401", "no\n"));
  assert_string_equal(verifier_seen.resource, "http://localhost/sse");
  ask(&b->http, "GET /health\nHost: localhost\n\n", PLAIN("200", "ok\n"));
  ask(&b->http, "GET /elsewhere\nHost: localhost\n\n",
      PLAIN("404", "there is nothing here\n"));
  assert_int_equal(verifier_seen.checks, 2);
}

PROTECT_TEST(method_and_host_are_checked_before_the_token) {
  http_bench *b = begin(state);
  ask(&b->http, "PUT /mcp\nHost: localhost\n\n",
      PLAIN("405", "this method is not served here\n"));
  ask(&b->http, "POST /mcp\nHost: evil.example\n" ANNA "\n",
      JSON("403", ERROR_ALONE("-32600", "the host \\\"evil.example\\\" is not "
                                        "served here (allowed_hosts)")));
  assert_int_equal(verifier_seen.checks, 0);
}

PROTECT_TEST(types_are_checked_after_the_token) {
  http_bench *b = begin(state);
  ask(&b->http, "POST /mcp\nHost: localhost\n\n", PLAIN("401", "no\n"));
  ask(&b->http, "POST /mcp\nHost: localhost\n" ANNA "\n",
      PLAIN("415", "Content-Type must be application/json\n"));
  ask(&b->http,
      "POST /mcp\nHost: localhost\nContent-Type: application/json\n"
      "Accept: text/plain\n" ANNA "\n{}",
      PLAIN("406", "answers are application/json or text/event-stream: accept "
                   "both\n"));
}

PROTECT_TEST(an_accepted_request_may_bring_a_nonce) {
  http_bench *b = begin(state);
  http_trip *trip = &b->trips[0];
  verifier_seen.nonce = "n-2";
  trip_send(trip, &b->http, CALL_AS(ANNA, "1", "hello"));
  came(trip, HELLO("1"));
  header_is(trip, "DPoP-Nonce", "n-2");
  trip_deinit(trip);
  verifier_seen.nonce = NULL;
  trip_send(trip, &b->http, CALL_AS(ANNA, "1", "hello"));
  came(trip, HELLO("1"));
  header_is(trip, "DPoP-Nonce", NULL);
}

/* ---- what is checked ---------------------------------------------------- */

PROTECT_TEST(the_host_makes_the_url_of_the_server) {
  http_bench *b = begin(state);
  ask(&b->http, "GET /mcp\nHost: LocalHost:8080\n\n", PLAIN("401", "no\n"));
  assert_string_equal(verifier_seen.resource, "http://localhost:8080/mcp");
  ask(&b->http, "GET /mcp\nHost: 127.0.0.1:80\n\n", PLAIN("401", "no\n"));
  assert_string_equal(verifier_seen.resource, "http://127.0.0.1/mcp");
  mcpi_endpoint_set_secure(b->http.http);
  ask(&b->http, "GET /mcp?x=1\nHost: [::1]:443\n\n", PLAIN("401", "no\n"));
  assert_string_equal(verifier_seen.resource, "https://[::1]/mcp");
}

/* Otherwise another local server could send us the tokens of its clients. */
PROTECT_TEST(the_port_of_the_url_is_that_of_the_server) {
  http_bench *b = begin(state);
  mcpi_endpoint_set_address(b->http.http, "0.0.0.0:8080");
  ask(&b->http, "GET /mcp\nHost: localhost:9999\n\n", PLAIN("401", "no\n"));
  assert_string_equal(verifier_seen.resource, "http://localhost:8080/mcp");
  ask(&b->http, "GET /mcp\nHost: [::1]\n\n", PLAIN("401", "no\n"));
  assert_string_equal(verifier_seen.resource, "http://[::1]:8080/mcp");
  mcpi_endpoint_set_address(b->http.http, "0.0.0.0:80");
  ask(&b->http, "GET /mcp\nHost: localhost:8080\n\n", PLAIN("401", "no\n"));
  assert_string_equal(verifier_seen.resource, "http://localhost/mcp");
}

/* Another server of this machine may have the others. */
PROTECT_TEST(the_address_of_the_url_is_that_of_the_server) {
  static const char *const hosts[] = {"127.0.0.1:8080", "127.0.0.2:8080",
                                      "[::1]:8080", "127.0.0.1"};
  http_bench *b = begin(state);
  mcpi_endpoint_set_address(b->http.http, "127.0.0.1:8080");
  for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
    char request[64];
    snprintf(request, sizeof(request), "GET /mcp\nHost: %s\n\n", hosts[i]);
    ask(&b->http, request, PLAIN("401", "no\n"));
    assert_string_equal(verifier_seen.resource, "http://127.0.0.1:8080/mcp");
  }
  ask(&b->http, "GET /mcp\nHost: LocalHost:8080\n\n", PLAIN("401", "no\n"));
  assert_string_equal(verifier_seen.resource, "http://localhost:8080/mcp");
  mcpi_endpoint_set_address(b->http.http, "[::1]:8080");
  ask(&b->http, "GET /mcp\nHost: 127.0.0.1:8080\n\n", PLAIN("401", "no\n"));
  assert_string_equal(verifier_seen.resource, "http://[::1]:8080/mcp");
}

PROTECT_TEST(without_a_port_the_url_must_be_given) {
  static const char *const audiences[] = {"a", NULL};
  http_bench *b = *state;
  mcp_server *server = b->http.rig.server;
  mcp_loop *loop = b->http.rig.loop;
  mcp_error err;
  protect.issuer = "https://as.example";
  assert_null(mcp_http_new(server, loop, &options, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  assert_non_null(strstr(err.message, "resource: set the URL"));
  protect.audiences = audiences;
  mcp_http *http = mcp_http_new(server, loop, &options, &err);
  assert_non_null(http);
  mcp_http_free(http);
  protect.audiences = NULL;
  protect.resource = "https://example.com/mcp";
  http = mcp_http_new(server, loop, &options, &err);
  assert_non_null(http);
  mcp_http_free(http);
}

PROTECT_TEST(a_repeated_header_is_reported) {
  http_bench *b = begin(state);
  ask(&b->http, CALL_AS(ANNA, "1", "hello"), HELLO("1"));
  assert_int_equal(verifier_seen.is_repeated, 0);
  ask(&b->http, CALL_AS(ANNA "AUTHORIZATION: Bearer x\n", "1", "who"),
      JSON("200", RESULT_TEXT("1", "x, , -, 0")));
  assert_int_equal(verifier_seen.is_repeated, 1);
  ask(&b->http, CALL_AS(ANNA "DPoP: 1\ndpop: 2\n", "1", "hello"), HELLO("1"));
  assert_int_equal(verifier_seen.is_repeated, 1);
  assert_string_equal(verifier_seen.dpop, "2");
}

PROTECT_TEST(a_check_counts_for_the_certificate_and_the_address) {
  http_bench *b = begin(state);
  b->trips[0].principal = "CN=a";
  trip_send(&b->trips[0], &b->http, CALL_AS(ANNA, "1", "hello"));
  came(&b->trips[0], HELLO("1"));
  assert_string_equal(verifier_seen.principal, "CN=a");
  assert_string_equal(verifier_seen.peer, "127.0.0.1:4711");
  ask(&b->http, CALL_AS(ANNA, "1", "hello"), HELLO("1"));
  assert_string_equal(verifier_seen.principal, "");
}

PROTECT_TEST(a_proof_is_for_the_url_of_the_request) {
  options.wires = MCP_HTTP_STREAMABLE | MCP_HTTP_SSE;
  protect.resource = "https://example.com/api/mcp";
  options.allowed_hosts = (const char *const[]){"example.com", NULL};
  http_bench *b = begin(state);
  ask(&b->http, "GET /mcp\nHost: example.com\nDPoP: p\n\n",
      PLAIN("401", "no\n"));
  assert_string_equal(verifier_seen.url, ""); /* that of the resource */
  ask(&b->http, "GET /sse?x\nHost: example.com\n\n", PLAIN("401", "no\n"));
  assert_string_equal(verifier_seen.url, ""); /* there is no proof */
  ask(&b->http, "GET /sse?x\nHost: example.com\nDPoP: p\n\n",
      PLAIN("401", "no\n"));
  assert_string_equal(verifier_seen.url, "https://example.com/sse");
}

PROTECT_TEST(proofs_of_http_sse_without_a_fixed_url) {
  options.wires = MCP_HTTP_SSE;
  http_bench *b = begin(state);
  ask(&b->http, "GET /sse\nHost: localhost\nDPoP: p\n\n", PLAIN("401", "no\n"));
  assert_string_equal(verifier_seen.url, "");
  ask(&b->http,
      "POST /messages?sessionId=x\nHost: localhost\nDPoP: p\n"
      "Content-Type: application/json\n\n{}",
      PLAIN("401", "no\n"));
  assert_string_equal(verifier_seen.url, "http://localhost/messages");
}

/* ---- the rate of checks -------------------------------------------------- */

#define GUESS "GET /mcp\nHost: localhost\nAuthorization: Guess\n\n"
#define TOO_MANY PLAIN("429", "too many requests\n")

static void guess_from(http_bench *b, const char *peer, const char *expected) {
  http_trip *trip = &b->trips[0];
  b->http.peer = peer;
  trip_send(trip, &b->http, GUESS);
  came(trip, expected);
  trip_deinit(trip);
}

PROTECT_TEST(refused_tokens_count_for_the_address) {
  options.max_rate = 2;
  http_bench *b = begin(state);
  http_trip *trip = &b->trips[0];
  guess_from(b, "192.0.2.1:1", PLAIN("401", "no\n"));
  guess_from(b, "192.0.2.1:2", PLAIN("401", "no\n"));
  b->http.peer = "192.0.2.1:3";
  trip_send(trip, &b->http, GUESS);
  came(trip, TOO_MANY);
  header_is(trip, "Retry-After", "1");
  header_is(trip, "WWW-Authenticate", NULL);
  trip_deinit(trip);
  guess_from(b, "192.0.2.2:1", PLAIN("401", "no\n"));
  rig_pass(&b->http.rig, 500);
  guess_from(b, "192.0.2.1:4", PLAIN("401", "no\n"));
  guess_from(b, "192.0.2.1:5", TOO_MANY);
  assert_string_equal(b->http.rig.reports.bytes, "");
}

/* Many clients may have the address of a proxy. */
PROTECT_TEST(guesses_do_not_concern_a_token_that_is_known) {
  options.max_rate = 1;
  http_bench *b = begin(state);
  ask(&b->http, GUESS, PLAIN("401", "no\n"));
  ask(&b->http, GUESS, TOO_MANY);
  ask(&b->http, CALL_AS(ANNA, "1", "hello"), HELLO("1"));
  ask(&b->http, CALL_AS(BERT, "1", "hello"), HELLO("1"));
  ask(&b->http, CALL_AS(ANNA, "1", "hello"), TOO_MANY);
}

PROTECT_TEST(accepted_tokens_do_not_count_for_the_address) {
  static const char *const calls[] = {
      CALL_AS("Authorization: Bearer later anna\n", "1", "hello"),
      CALL_AS("Authorization: Bearer later bert\n", "1", "hello"),
      CALL_AS("Authorization: Bearer later carl\n", "1", "hello")};
  options.max_rate = 1;
  http_bench *b = begin(state);
  for (size_t i = 0; i < 3; i++) {
    trip_send(&b->trips[0], &b->http, calls[i]);
    verifier_double_end(1);
    came(&b->trips[0], HELLO("1"));
    trip_deinit(&b->trips[0]);
  }
  ask(&b->http, GUESS, PLAIN("401", "no\n"));
  ask(&b->http, calls[0], TOO_MANY);
}

PROTECT_TEST(tokens_that_are_being_checked_do_not_count) {
  options.max_rate = 1;
  http_bench *b = begin(state);
  for (size_t i = 0; i < 3; i++) {
    trip_send(&b->trips[i], &b->http, CALL_AS(LATER, "1", "hello"));
  }
  verifier_double_end(0);
  came(&b->trips[0], PLAIN("401", "no\n"));
  ask(&b->http, GUESS, TOO_MANY);
  verifier_double_end(0);
  came(&b->trips[1], PLAIN("401", "no\n"));
  verifier_double_end(1);
  came(&b->trips[2], HELLO("1"));
  rig_pass(&b->http.rig, 1000);
  ask(&b->http, GUESS, TOO_MANY); /* two were refused */
  rig_pass(&b->http.rig, 1000);
  ask(&b->http, GUESS, PLAIN("401", "no\n"));
}

PROTECT_TEST(a_check_whose_client_leaves_counts) {
  options.max_rate = 1;
  http_bench *b = begin(state);
  http_trip *trip = &b->trips[0];
  trip_begin(trip, &b->http, CALL_AS(LATER, "1", "hello"));
  trip_gone(trip);
  trip_deinit(trip);
  ask(&b->http, GUESS, TOO_MANY);
}

/* ---- options ------------------------------------------------------------ */

static void refuses_options(http_bench *b, const char *message) {
  mcp_error err;
  assert_null(
      mcp_http_new(b->http.rig.server, b->http.rig.loop, &options, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  assert_string_equal(err.message, message);
}

PROTECT_TEST(other_hosts_need_a_fixed_url) {
  http_bench *b = *state;
  options.allowed_hosts = (const char *const[]){"localhost", "a.example", NULL};
  options.host_setting = "--allow-host";
  refuses_options(b, "resource: the server is not only for this machine "
                     "(--allow-host: \"a.example\"), so set the URL by which "
                     "its clients know it");
  options.allowed_hosts = (const char *const[]){"*", NULL};
  refuses_options(b, "resource: the server is not only for this machine "
                     "(--allow-host: \"*\"), so set the URL by which its "
                     "clients know it");
  protect.token_file = "x";
  refuses_options(b, "token_file: not here");
}

PROTECT_TEST(the_verifier_is_freed_with_the_endpoint) {
  http_bench *b = begin(state);
  assert_null(b->http.http->options.protect);
  size_t before = verifier_seen.freed;
  http_bench_free_endpoint(b);
  assert_int_equal(verifier_seen.freed, before + 1);
}

PROTECT_TEST(endpoints_of_one_address_share_their_proofs) {
  http_bench *b = begin(state);
  mcp_http *second =
      mcp_http_new(b->http.rig.server, b->http.rig.loop, &options, NULL);
  mcpi_endpoint_share_proofs(second, b->http.http);
  assert_int_equal(verifier_seen.shared, 1);
  mcp_http_free(second);
  mcp_http *bare =
      mcp_http_new(b->http.rig.server, b->http.rig.loop, NULL, NULL);
  mcpi_endpoint_share_proofs(bare, bare);
  assert_int_equal(verifier_seen.shared, 1);
  mcp_http_free(bare);
}

/* ---- the program's hook ------------------------------------------------- */

static char hook_saw[64];
static int hook_status;
static const char *hook_principal;

static int on_request(mcp_server *server, const mcp_http_request *request,
                      mcp_http_decision *decision, void *userdata) {
  snprintf(hook_saw, sizeof(hook_saw), "%s %s", request->method,
           request->principal);
  assert_string_equal(decision->principal, request->principal);
  if (hook_principal != NULL) {
    decision->principal = hook_principal;
  }
  decision->reason = "not you";
  return hook_status;
}

PROTECT_TEST(the_hook_is_asked_after_the_token) {
  options.on_request = on_request;
  hook_status = 0;
  hook_principal = NULL;
  hook_saw[0] = '\0';
  http_bench *b = begin(state);
  ask(&b->http, CALL("1", "hello"), PLAIN("401", "no\n"));
  assert_string_equal(hook_saw, "");
  b->trips[0].principal = "CN=proxy";
  trip_send(&b->trips[0], &b->http, CALL_AS(ANNA, "1", "who"));
  came(&b->trips[0], JSON("200", RESULT_TEXT("1", "anna, read, -, 1")));
  assert_string_equal(hook_saw, "POST anna");
  hook_principal = "anna@here";
  ask(&b->http, CALL_AS(ANNA, "1", "who"),
      JSON("200", RESULT_TEXT("1", "anna@here, read, -, 1")));
  hook_status = 403;
  ask(&b->http, CALL_AS(ANNA, "1", "hello"), PLAIN("403", "not you"));
}

/* ---- answers later ------------------------------------------------------ */

PROTECT_TEST(a_check_may_end_before_the_body_comes) {
  http_bench *b = begin(state);
  http_trip *trip = &b->trips[0];
  trip_begin(trip, &b->http, CALL_AS(LATER, "1", "hello"));
  came(trip, "");
  verifier_double_end(1);
  came(trip, "");
  trip_body(trip);
  came(trip, HELLO("1"));
}

PROTECT_TEST(a_check_may_end_after_the_body_has_come) {
  http_bench *b = begin(state);
  http_trip *trip = &b->trips[0];
  mcpi_quota *waiting = b->http.http->waiting;
  trip_begin(trip, &b->http, CALL_AS(LATER, "1", "who"));
  assert_int_equal(mcpi_quota_used(waiting), 0);
  trip_body(trip); /* frees the request */
  came(trip, "");
  assert_true(mcpi_quota_used(waiting) > 0);
  verifier_double_end(1);
  came(trip, JSON("200", RESULT_TEXT("1", "anna, read, -, 1")));
  assert_int_equal(mcpi_quota_used(waiting), 0);
}

PROTECT_TEST(a_check_may_refuse_later) {
  http_bench *b = begin(state);
  for (int with_body = 0; with_body < 2; with_body++) {
    http_trip *trip = &b->trips[0];
    trip_begin(trip, &b->http, CALL_AS(LATER, "1", "hello"));
    if (with_body) {
      trip_body(trip);
    }
    verifier_double_end(0);
    came(trip, PLAIN("401", "no\n"));
    header_is(trip, "WWW-Authenticate", "Bearer error=\"invalid_token\"");
    trip_deinit(trip);
  }
  assert_int_equal(mcpi_quota_used(b->http.http->waiting), 0);
}

/* What headers say of the answer, and which they mirror, is known after the
 * HTTP server has taken the head back. */
PROTECT_TEST(a_kept_request_has_its_headers) {
  options.on_request = on_request;
  hook_status = 0;
  hook_principal = NULL;
  http_bench *b = begin(state);
  http_trip *trip = &b->trips[0];
  trip_send(trip, &b->http,
            "POST /mcp\nHost: localhost\nContent-Type: application/json\n"
            "Accept: text/event-stream\nOrigin: http://localhost:5\n"
            "MCP-Protocol-Version: " NEWEST_REVISION "\n" LATER
            "Mcp-Method: tools/call\nMcp-Name: hello\n\n"
            "{$J,'id':1,'method':'tools/call','params':{'name':'hello',$M{}}}");
  verifier_double_end(1);
  came(trip, EVENTS(EVENT(RESULT_TEXT("1", "hello")) "END"));
  header_is(trip, "Access-Control-Allow-Origin", "http://localhost:5");
  assert_string_equal(hook_saw, "POST anna");
  trip_deinit(trip);
  trip_send(trip, &b->http,
            MODERN("tools/call", LATER "Mcp-Name: other\n",
                   "{$J,'id':1,'method':'tools/call','params':{'name':'hello',"
                   "$M{}}}"));
  verifier_double_end(1);
  rig_turn(&b->http.rig);
  assert_memory_equal(trip->answer.bytes, "400", 3);
  trip_forget(trip);
}

PROTECT_TEST(a_client_may_leave_while_its_token_is_checked) {
  http_bench *b = begin(state);
  http_trip *trip = &b->trips[0];
  for (int with_body = 0; with_body < 2; with_body++) {
    trip_begin(trip, &b->http, CALL_AS(LATER, "1", "hello"));
    if (with_body) {
      trip_body(trip);
    }
    trip_gone(trip);
    assert_int_equal(verifier_seen.waiting, 0);
    trip_deinit(trip);
  }
  assert_int_equal(verifier_seen.cancelled, 2);
  assert_int_equal(mcpi_quota_used(b->http.http->waiting), 0);
}

PROTECT_TEST(the_endpoint_may_be_freed_while_a_token_is_checked) {
  for (int with_body = 0; with_body < 2; with_body++) {
    http_bench *b = begin(state);
    http_trip *trip = &b->trips[0];
    trip_begin(trip, &b->http, CALL_AS(LATER, "1", "hello"));
    if (with_body) {
      trip_body(trip);
    }
    http_bench_free_endpoint(b);
    came(trip, "ABORT");
    assert_int_equal(verifier_seen.waiting, 0);
  }
}

PROTECT_TEST(a_responder_without_abort_gets_a_status) {
  http_bench *b = begin(state);
  b->trips[0].cannot_abort = 1;
  trip_send(&b->trips[0], &b->http, CALL_AS(LATER, "1", "hello"));
  http_bench_free_endpoint(b);
  came(&b->trips[0], "500");
}

PROTECT_TEST(a_server_that_drains_begins_nothing_after_a_check) {
  http_bench *b = begin(state);
  trip_send(&b->trips[0], &b->http, CALL_AS(LATER, "1", "hello"));
  trip_begin(&b->trips[1], &b->http, CALL_AS(LATER, "2", "hello"));
  mcpi_endpoint_drain(b->http.http);
  came(&b->trips[0], "");
  verifier_double_end(1);
  came(&b->trips[0], PLAIN("503", "the server is shutting down\n"));
  verifier_double_end(1);
  came(&b->trips[1], "");
  trip_body(&b->trips[1]);
  came(&b->trips[1], PLAIN("503", "the server is shutting down\n"));
  assert_int_equal(mcpi_quota_used(b->http.http->waiting), 0);
}

PROTECT_TEST(a_body_that_comes_while_the_server_drains_ends_its_check) {
  http_bench *b = begin(state);
  trip_begin(&b->trips[0], &b->http, CALL_AS(LATER, "1", "hello"));
  mcpi_endpoint_drain(b->http.http);
  trip_body(&b->trips[0]);
  came(&b->trips[0], PLAIN("503", "the server is shutting down\n"));
  assert_int_equal(verifier_seen.cancelled, 1);
}

PROTECT_TEST(requests_that_wait_for_checks_are_limited) {
  http_bench *b = begin(state);
  mcpi_quota *waiting = b->http.http->waiting;
  trip_send(&b->trips[0], &b->http, CALL_AS(LATER, "1", "hello"));
  size_t size = mcpi_quota_used(waiting);
  trip_deinit(&b->trips[0]);
  /* Half is for other clients, and half of its own for its other
   * connections. */
  waiting->max = 4 * size;
  trip_send(&b->trips[0], &b->http, CALL_AS(LATER, "1", "hello"));
  came(&b->trips[0], "");
  verifier_double_end(1);
  came(&b->trips[0], HELLO("1"));
  waiting->max = 4 * size - 4;
  trip_send(&b->trips[1], &b->http, CALL_AS(LATER, "1", "hello"));
  came(&b->trips[1],
       PLAIN("503", "too many requests wait for the check of their token\n"));
  assert_int_equal(mcpi_quota_used(waiting), 0);
  assert_int_equal(verifier_seen.waiting, 0);
}

typedef struct cutter {
  http_bench *b;
  int what;
} cutter;

static void on_check(void *userdata) {
  const cutter *c = userdata;
  if (c->what == 0) {
    http_bench_free_endpoint(c->b);
  } else {
    http_bench_free_server(c->b);
  }
}

/* check_token of the program runs in there. */
PROTECT_TEST(a_check_may_free_everything) {
  static const char *const who[] = {CALL_AS(ANNA, "1", "hello"),
                                    CALL_AS(LATER, "1", "hello")};
  for (int i = 0; i < 4; i++) {
    http_bench *b = begin(state);
    cutter c = {b, i / 2};
    verifier_seen.on_check = on_check;
    verifier_seen.userdata = &c;
    trip_send(&b->trips[0], &b->http, who[i % 2]);
    verifier_double_end(1);
    verifier_seen.on_check = NULL;
    rig_turn(&b->http.rig);
    assert_true(b->trips[0].is_over);
    trip_forget(&b->trips[0]);
  }
}

/* ---- sessions ----------------------------------------------------------- */

#define NO_SESSION                                                             \
  JSON("404", ERROR_ALONE("-32600", "no such session: send initialize again"))

static void open_session(http_bench *b) {
  session_initialize(&b->http,
                     POST(ANNA,
                          "{$J,'id':0,'method':'initialize','params':{"
                          "'protocolVersion':'2025-11-25','capabilities':{},"
                          "'clientInfo':{'name':'c','version':'2'}}}"),
                     NULL);
}

PROTECT_TEST(a_session_belongs_to_the_principal_of_its_token) {
  http_bench *b = begin(state);
  open_session(b);
  session_send(&b->http, &b->trips[0], "POST", BERT, LEGACY_CALL("1", "hello"));
  came(&b->trips[0],
       JSON("404",
            ERROR("1", "-32600", "no such session: send initialize again")));
  trip_deinit(&b->trips[0]);
  session_send(&b->http, &b->trips[0], "GET", BERT, "");
  came(&b->trips[0], NO_SESSION);
  trip_deinit(&b->trips[0]);
  session_send(&b->http, &b->trips[0], "DELETE", BERT, "");
  came(&b->trips[0], NO_SESSION);
  trip_deinit(&b->trips[0]);
  session_send(&b->http, &b->trips[0], "POST", "", LEGACY_CALL("1", "hello"));
  came(&b->trips[0], PLAIN("401", "no\n"));
  trip_deinit(&b->trips[0]);
  session_send(&b->http, &b->trips[0], "POST", ANNA, LEGACY_CALL("1", "hello"));
  came(&b->trips[0], JSON("200", LEGACY_TEXT("1", "hello")));
}

#define NEEDS_WRITE(id)                                                        \
  "{$J,'id':" id ",'error':{'code':-32600,'message':'the tool \\\"write\\\" "  \
  "needs a token with the scopes \\\"write\\\"','data':{'error':"              \
  "'insufficient_scope','scope':'write'}}}"

PROTECT_TEST(a_session_may_get_a_token_with_more_scopes) {
  static const char call[] =
      "{$J,'id':1,'method':'tools/call','params':{'name':'write',"
      "'arguments':{'x':1}}}";
  http_bench *b = begin(state);
  add_write(b);
  open_session(b);
  session_send(&b->http, &b->trips[0], "POST", ANNA, call);
  came(&b->trips[0], JSON("403", NEEDS_WRITE("1")));
  header_is(&b->trips[0], "WWW-Authenticate",
            "Bearer error=\"insufficient_scope\", scope=\"write\", "
            "resource_metadata=\"of http://localhost/mcp\"");
  header_is(&b->trips[0], "Mcp-Session-Id", b->http.session_id);
  trip_deinit(&b->trips[0]);
  session_send(&b->http, &b->trips[0], "POST",
               "Authorization: Bearer anna write\n", call);
  came(&b->trips[0], JSON("200", LEGACY_TEXT("1", "anna, write, -, 0")));
  trip_deinit(&b->trips[0]);
  session_send(&b->http, &b->trips[0], "POST", ANNA, call);
  came(&b->trips[0], JSON("403", NEEDS_WRITE("1")));
}

/* ---- scopes ------------------------------------------------------------- */

PROTECT_TEST(a_lack_of_scopes_comes_before_the_arguments) {
  protect.resource = "https://example.com/mcp";
  http_bench *b = begin(state);
  http_trip *trip = &b->trips[0];
  add_write(b);
  trip_send(trip, &b->http, CALL_AS(ANNA, "7", "write"));
  came(trip, JSON("403", NEEDS_WRITE("7")));
  header_is(trip, "WWW-Authenticate",
            "Bearer error=\"insufficient_scope\", scope=\"write\", "
            "resource_metadata=\"of https://example.com/mcp\"");
}

PROTECT_TEST(a_challenge_names_the_scopes_of_each_request_too) {
  protect.scopes = "mcp write";
  http_bench *b = begin(state);
  http_trip *trip = &b->trips[0];
  add_write(b);
  trip_send(trip, &b->http, CALL_AS(ANNA, "1", "write"));
  came(trip, JSON("403", NEEDS_WRITE("1")));
  header_is(trip, "WWW-Authenticate",
            "Bearer error=\"insufficient_scope\", scope=\"mcp write\", "
            "resource_metadata=\"of http://localhost/mcp\"");
}

PROTECT_TEST(the_status_comes_whatever_the_client_accepts) {
  http_bench *b = begin(state);
  add_write(b);
  ask(&b->http,
      "POST /mcp\nHost: localhost\nContent-Type: application/json\n"
      "Accept: text/event-stream\nMCP-Protocol-Version: " NEWEST_REVISION
      "\n" ANNA "Mcp-Method: tools/call\nMcp-Name: write\n\n"
      "{$J,'id':1,'method':'tools/call','params':{'name':'write',$M{}}}",
      JSON("403", NEEDS_WRITE("1")));
}

PROTECT_TEST(in_a_batch_a_lack_of_scopes_is_an_error_alone) {
  http_bench *b = begin(state);
  add_write(b);
  session_initialize(&b->http,
                     POST(ANNA,
                          "{$J,'id':0,'method':'initialize','params':{"
                          "'protocolVersion':'2025-03-26','capabilities':{},"
                          "'clientInfo':{'name':'c','version':'2'}}}"),
                     NULL);
  session_send(&b->http, &b->trips[0], "POST", ANNA,
               "[" LEGACY_CALL("1", "write") "," LEGACY_CALL("2", "hello") "]");
  came(&b->trips[0],
       JSON("200", "[" NEEDS_WRITE("1") "," LEGACY_TEXT("2", "hello") "]"));
}

PROTECT_TEST(an_endpoint_without_sessions_checks_scopes) {
  options.legacy = MCP_HTTP_STATELESS;
  http_bench *b = begin(state);
  add_write(b);
  ask(&b->http, POST(ANNA, LEGACY_CALL("1", "write")),
      JSON("403", NEEDS_WRITE("1")));
  ask(&b->http, POST(ANNA, LEGACY_CALL("1", "who")),
      JSON("200", LEGACY_TEXT("1", "anna, read, -, 1")));
}

/* A build without the dialect skips the test. */
static http_bench *begin_mcp_core(void **state) {
  http_bench *b = *state;
  mcp_error err;
  options.dialect = MCP_DIALECT_MCP_CORE;
  mcp_http *http =
      mcp_http_new(b->http.rig.server, b->http.rig.loop, &options, &err);
  if (http == NULL && err.code == MCP_ERR_UNSUPPORTED) {
    skip();
  }
  mcp_http_free(http);
  return begin(state);
}

PROTECT_TEST(the_mcp_core_dialect_checks_scopes) {
  http_bench *b = begin_mcp_core(state);
  http_trip *trip = &b->trips[0];
  add_write(b);
  ask(&b->http, POST("", "{'name':'hello'}"), JSON("401", "{'error':'no'}"));
  trip_send(trip, &b->http, POST(ANNA, "{'name':'write'}"));
  came(trip, JSON("403", "{'error':'the tool \\\"write\\\" needs a token with "
                         "the scopes \\\"write\\\"'}"));
  header_is(trip, "WWW-Authenticate",
            "Bearer error=\"insufficient_scope\", scope=\"write\", "
            "resource_metadata=\"of http://localhost/mcp\"");
}

PROTECT_TEST(the_mcp_core_dialect_has_the_status_whatever_is_accepted) {
  http_bench *b = begin_mcp_core(state);
  http_trip *trip = &b->trips[0];
  add_write(b);
  trip_send(trip, &b->http,
            "POST /mcp\nHost: localhost\nContent-Type: application/json\n"
            "Accept: text/event-stream\n" ANNA "\n" LEGACY_CALL("1", "write"));
  rig_turn(&b->http.rig);
  assert_memory_equal(trip->answer.bytes, "403 application/json\n", 21);
  header_is(trip, "WWW-Authenticate",
            "Bearer error=\"insufficient_scope\", scope=\"write\", "
            "resource_metadata=\"of http://localhost/mcp\"");
  trip_forget(trip);
}

/* ---- HTTP+SSE and WebSockets -------------------------------------------- */

static void post_message(http_bench *b, http_trip *trip, const char *who,
                         const char *body) {
  char request[1000];
  snprintf(request, sizeof(request),
           "POST /messages?sessionId=%s\n" HTTP_JSON "%s\n%s",
           b->http.session_id, who, body);
  trip_send(trip, &b->http, request);
}

/* Notes the id that the first event names. */
static void open_sse(http_bench *b, http_trip *trip) {
  trip_send(trip, &b->http,
            "GET /sse\nHost: localhost\nAccept: text/event-stream\n" ANNA "\n");
  const char *id = strstr(trip->answer.bytes, "sessionId=");
  assert_non_null(id);
  id += strlen("sessionId=");
  snprintf(b->http.session_id, sizeof(b->http.session_id), "%.*s",
           (int)strcspn(id, "\n"), id);
  trip_forget(trip);
}

PROTECT_TEST(messages_of_http_sse_have_their_own_tokens) {
  options.wires = MCP_HTTP_SSE;
  http_bench *b = begin(state);
  http_trip *sse = &b->trips[0];
  http_trip *posted = &b->trips[1];
  add_write(b);
  open_sse(b, sse);
  post_message(b, posted, BERT, MODERN_CALL("1", "who"));
  came(posted,
       JSON("404", ERROR("1", "-32600",
                         "no such session: open a new stream of events")));
  trip_deinit(posted);
  post_message(b, posted, "Authorization: Bearer anna x\n",
               MODERN_CALL("1", "who"));
  came(posted, "202");
  came(sse, "event: message\n" EVENT(RESULT_TEXT("1", "anna, x, -, 0")));
  trip_deinit(posted);
  post_message(b, posted, ANNA, MODERN_CALL("2", "write"));
  came(posted, "202");
  came(sse, "event: message\n" EVENT(NEEDS_WRITE("2")));
  trip_deinit(posted);
  post_message(b, posted, LATER, MODERN_CALL("3", "who"));
  came(sse, "");
  verifier_double_end(1);
  came(posted, "202");
  came(sse, "event: message\n" EVENT(RESULT_TEXT("3", "anna, read, -, 1")));
}

static rig_wire socket_wire;

static mcp_transport *on_upgrade(http_trip *trip, size_t max_message) {
  assert_int_equal(wire_begin(&socket_wire, &trip->rig->rig), 0);
  return socket_wire.server_end;
}

#define UPGRADE_AS(who)                                                        \
  "GET /mcp\nHost: localhost\nUpgrade: websocket\nConnection: upgrade\n" who   \
  "\n"

static void send_upgrade(http_bench *b, const char *request) {
  b->trips[0].upgrade = on_upgrade;
  trip_send(&b->trips[0], &b->http, request);
}

PROTECT_TEST(a_websocket_uses_the_token_that_began_it) {
  options.wires = MCP_HTTP_WEBSOCKET;
  http_bench *b = begin(state);
  add_write(b);
  send_upgrade(b, UPGRADE_AS(""));
  came(&b->trips[0], PLAIN("401", "no\n"));
  trip_deinit(&b->trips[0]);
  send_upgrade(b, UPGRADE_AS(ANNA));
  exchange(&socket_wire, MODERN_CALL("1", "who"),
           RESULT_TEXT("1", "anna, read, -, 1"));
  exchange(&socket_wire, MODERN_CALL("2", "write"), NEEDS_WRITE("2"));
  wire_initialize(&socket_wire, "2025-11-25", "{}");
  exchange(&socket_wire, LEGACY_CALL("3", "write"), NEEDS_WRITE("3"));
  wire_deinit(&socket_wire);
}

PROTECT_TEST(an_upgrade_waits_for_its_check) {
  options.wires = MCP_HTTP_WEBSOCKET;
  http_bench *b = begin(state);
  send_upgrade(b, UPGRADE_AS(LATER));
  came(&b->trips[0], "");
  verifier_double_end(1);
  assert_true(b->trips[0].is_over);
  exchange(&socket_wire, MODERN_CALL("1", "who"),
           RESULT_TEXT("1", "anna, read, -, 1"));
  wire_deinit(&socket_wire);
}

PROTECT_TEST(a_websocket_ends_with_its_token) {
  options.wires = MCP_HTTP_WEBSOCKET;
  http_bench *b = begin(state);
  verifier_seen.expires_ms = b->http.rig.wall_ms + 5000;
  send_upgrade(b, UPGRADE_AS(ANNA));
  exchange(&socket_wire, MODERN_CALL("1", "hello"), RESULT_TEXT("1", "hello"));
  rig_pass(&b->http.rig, 4999);
  assert_false(socket_wire.is_closed);
  rig_pass(&b->http.rig, 1);
  assert_true(socket_wire.is_closed);
  assert_string_equal(b->http.rig.reports.bytes,
                      "127.0.0.1:4711: its token has expired");
  wire_deinit(&socket_wire);
}

/* Longer than a timer can wait at once. */
PROTECT_TEST(a_websocket_may_have_a_token_for_long) {
  options.wires = MCP_HTTP_WEBSOCKET;
  options.session_max_ms = UINT32_MAX;
  http_bench *b = begin(state);
  verifier_seen.expires_ms = b->http.rig.wall_ms + INT32_MAX + INT64_C(1000);
  send_upgrade(b, UPGRADE_AS(ANNA));
  exchange(&socket_wire, MODERN_CALL("1", "hello"), RESULT_TEXT("1", "hello"));
  rig_pass(&b->http.rig, INT32_MAX);
  assert_false(socket_wire.is_closed);
  rig_pass(&b->http.rig, 1000);
  assert_true(socket_wire.is_closed);
  wire_deinit(&socket_wire);
}

/* ---- streams, and the end of their tokens ------------------------------- */

/* The tokens of all requests from now on expire after this time. */
static void expire_after(http_bench *b, int64_t time_ms) {
  verifier_seen.expires_ms = b->http.rig.wall_ms + time_ms;
}

PROTECT_TEST(a_websocket_ends_when_its_token_must_be_asked_about_again) {
  options.wires = MCP_HTTP_WEBSOCKET;
  http_bench *b = begin(state);
  verifier_seen.stream_ms = 5000;
  send_upgrade(b, UPGRADE_AS(ANNA));
  exchange(&socket_wire, MODERN_CALL("1", "hello"), RESULT_TEXT("1", "hello"));
  rig_pass(&b->http.rig, 4999);
  assert_false(socket_wire.is_closed);
  rig_pass(&b->http.rig, 1);
  assert_true(socket_wire.is_closed);
  assert_string_equal(
      b->http.rig.reports.bytes,
      "127.0.0.1:4711: its token must be checked again (stream_ms)");
  wire_deinit(&socket_wire);
}

PROTECT_TEST(http_sse_ends_with_the_token_that_began_it) {
  options.wires = MCP_HTTP_SSE;
  http_bench *b = begin(state);
  expire_after(b, 5000);
  open_sse(b, &b->trips[0]);
  expire_after(b, 60000); /* messages have tokens of their own */
  rig_pass(&b->http.rig, 4999);
  post_message(b, &b->trips[1], ANNA, MODERN_CALL("1", "hello"));
  came(&b->trips[1], "202");
  came(&b->trips[0], "event: message\n" EVENT(RESULT_TEXT("1", "hello")));
  trip_deinit(&b->trips[1]);
  rig_pass(&b->http.rig, 1);
  came(&b->trips[0], "END");
  assert_string_equal(b->http.rig.reports.bytes,
                      "127.0.0.1:4711: its token has expired");
  post_message(b, &b->trips[1], ANNA, MODERN_CALL("2", "hello"));
  came(&b->trips[1],
       JSON("404", ERROR("2", "-32600",
                         "no such session: open a new stream of events")));
}

#define CHANGED "{$J,'method':'notifications/tools/list_changed'}"

static void get_after(http_bench *b, http_trip *trip, const char *who,
                      const char *event) {
  char headers[200];
  snprintf(headers, sizeof(headers), "%sAccept: text/event-stream\n%s%s%s", who,
           event != NULL ? "Last-Event-ID: " : "", event != NULL ? event : "",
           event != NULL ? "\n" : "");
  session_send(&b->http, trip, "GET", headers, "");
}

/* Opens the session as well. */
static void open_stream(http_bench *b, http_trip *trip) {
  open_session(b);
  session_send(&b->http, trip, "POST", ANNA, LEGACY_CALL("1", "hello"));
  trip_deinit(trip);
  get_after(b, trip, ANNA, NULL);
  mcp_server_remove_tool(b->http.rig.server, "tell");
  came(trip, EVENTS(PRIMED("0-0-1") KEPT_EVENT("0-1", CHANGED)));
}

PROTECT_TEST(a_get_ends_with_its_token_and_may_be_resumed) {
  http_bench *b = begin(state);
  expire_after(b, 5000);
  open_stream(b, &b->trips[0]);
  rig_pass(&b->http.rig, 4999);
  came(&b->trips[0], "");
  rig_pass(&b->http.rig, 1);
  came(&b->trips[0], "END");
  mcp_server_remove_tool(b->http.rig.server, "who");
  rig_turn(&b->http.rig);
  expire_after(b, 5000);
  get_after(b, &b->trips[1], ANNA, "0-1");
  came(&b->trips[1], EVENTS(PRIMED("0-1-2") KEPT_EVENT("0-2", CHANGED)));
  rig_pass(&b->http.rig, 5000);
  came(&b->trips[1], "END");
}

PROTECT_TEST(updates_need_the_scopes_of_the_token_of_the_get) {
  const mcp_resource resource = {.size = sizeof(mcp_resource),
                                 .uri = "a:1",
                                 .name = "a",
                                 .handler = on_who,
                                 .scopes = "read"};
  http_bench *b = begin(state);
  assert_int_equal(mcp_server_add_resource(b->http.rig.server, &resource, NULL),
                   0);
  open_stream(b, &b->trips[0]);
  trip_gone(&b->trips[0]);
  session_send(&b->http, &b->trips[1], "POST", ANNA,
               "{$J,'id':2,'method':'resources/subscribe','params':{'uri':"
               "'a:1'}}");
  static const char *const who[] = {"Authorization: Bearer anna\n", ANNA};
  for (size_t i = 0; i < 2; i++) {
    http_trip *trip = &b->trips[2 + i];
    get_after(b, trip, who[i], NULL);
    mcp_server_resource_updated(b->http.rig.server, "a:1");
    rig_turn(&b->http.rig);
    assert_int_equal(strstr(trip->answer.bytes, "a:1") != NULL, i);
    trip_forget(trip);
    trip_gone(trip);
  }
}

PROTECT_TEST(the_events_of_a_session_are_for_its_principal) {
  http_bench *b = begin(state);
  open_stream(b, &b->trips[0]);
  get_after(b, &b->trips[1], BERT, "0-0");
  came(&b->trips[1], NO_SESSION);
  assert_false(b->trips[0].is_over); /* nobody has taken it over */
  get_after(b, &b->trips[2], ANNA, "0-0");
  came(&b->trips[2], EVENTS(PRIMED("0-0-2") KEPT_EVENT("0-1", CHANGED)));
  came(&b->trips[0], "END");
}

/* The call goes on when the token of the GET expires that shows its answer. */
PROTECT_TEST(a_get_of_an_answer_ends_with_its_token) {
  http_bench *b = begin(state);
  open_session(b);
  session_send(&b->http, &b->trips[0], "POST", ANNA, LEGACY_CALL("1", "keep"));
  rig_pass(&b->http.rig, 10000);
  trip_forget(&b->trips[0]);
  trip_gone(&b->trips[0]);
  expire_after(b, 5000);
  get_after(b, &b->trips[1], ANNA, "1-0");
  trip_forget(&b->trips[1]);
  rig_pass(&b->http.rig, 5000);
  came(&b->trips[1], "END");
  assert_int_equal(b->cancelled, 0);
  http_bench_answer(b);
  expire_after(b, 5000);
  get_after(b, &b->trips[2], ANNA, "1-0");
  rig_turn(&b->http.rig);
  assert_non_null(strstr(b->trips[2].answer.bytes, "kept"));
  trip_forget(&b->trips[2]);
}

#define LISTEN_AS(who)                                                         \
  MODERN("subscriptions/listen", who,                                          \
         "{$J,'id':1,'method':'subscriptions/listen','params':{"               \
         "'notifications':{'toolsListChanged':true},$M{}}}")

PROTECT_TEST(a_listen_ends_with_its_token) {
  http_bench *b = begin(state);
  http_trip *trip = &b->trips[0];
  expire_after(b, 5000);
  trip_send(trip, &b->http, LISTEN_AS(ANNA));
  assert_non_null(strstr(trip->answer.bytes, "subscriptions/acknowledged"));
  trip_forget(trip);
  rig_pass(&b->http.rig, 4999);
  came(trip, "");
  rig_pass(&b->http.rig, 1);
  assert_non_null(strstr(trip->answer.bytes, "\"resultType\":\"complete\""));
  assert_non_null(strstr(trip->answer.bytes, "END"));
  trip_forget(trip);
  assert_string_equal(b->http.rig.reports.bytes, "");
}

PROTECT_TEST(a_stream_without_an_expiry_stays_open) {
  http_bench *b = begin(state);
  http_trip *trip = &b->trips[0];
  trip_send(trip, &b->http, LISTEN_AS(ANNA));
  for (int day = 0; day < 100; day++) {
    rig_pass(&b->http.rig, 86400000);
  }
  assert_false(trip->is_over);
  trip_forget(trip);
}

PROTECT_TEST(a_client_may_leave_before_its_token_expires) {
  http_bench *b = begin(state);
  expire_after(b, 5000);
  open_stream(b, &b->trips[0]);
  trip_send(&b->trips[1], &b->http, LISTEN_AS(ANNA));
  trip_forget(&b->trips[1]);
  trip_gone(&b->trips[0]);
  trip_gone(&b->trips[1]);
  rig_pass(&b->http.rig, 5000);
  came(&b->trips[0], "");
  came(&b->trips[1], "");
}

PROTECT_TEST(a_call_outlives_its_token) {
  http_bench *b = begin(state);
  expire_after(b, 5000);
  trip_send(&b->trips[0], &b->http, CALL_AS(ANNA, "1", "keep"));
  open_session(b);
  session_send(&b->http, &b->trips[1], "POST", ANNA, LEGACY_CALL("1", "keep"));
  rig_pass(&b->http.rig, 20000); /* events have begun */
  assert_true(b->trips[0].has_begun && b->trips[1].has_begun);
  trip_forget(&b->trips[0]);
  trip_forget(&b->trips[1]);
  http_bench_answer(b);
  came(&b->trips[0], EVENT(RESULT_TEXT("1", "kept")) "END");
  assert_non_null(strstr(b->trips[1].answer.bytes, "kept"));
  trip_forget(&b->trips[1]);
}

/* ---- metadata ----------------------------------------------------------- */

PROTECT_TEST(the_metadata_are_at_both_places) {
  http_bench *b = begin(state);
  http_trip *trip = &b->trips[0];
  ask(&b->http, "GET " METADATA "/mcp" AT "\n",
      JSON("200", "{'resource':'http://localhost/mcp'}"));
  ask(&b->http, "HEAD " METADATA "?x=y" AT "\n",
      JSON("200", "{'resource':'http://localhost/mcp'}"));
  trip_send(trip, &b->http,
            "GET " METADATA AT "Origin: https://any.example\n\n");
  came(trip, JSON("200", "{'resource':'http://localhost/mcp'}"));
  header_is(trip, "Access-Control-Allow-Origin", "*");
  header_is(trip, "Cache-Control", "public, max-age=3600");
  assert_int_equal(verifier_seen.checks, 0);
}

PROTECT_TEST(a_page_may_ask_before_it_reads_metadata) {
  http_bench *b = begin(state);
  http_trip *trip = &b->trips[0];
  trip_send(trip, &b->http,
            "OPTIONS " METADATA AT "Origin: https://any.example\n\n");
  came(trip, "204");
  header_is(trip, "Access-Control-Allow-Origin", "*");
  header_is(trip, "Access-Control-Allow-Methods", "GET, HEAD");
  header_is(trip, "Access-Control-Allow-Headers", "*");
  ask(&b->http, "POST " METADATA AT "\n",
      PLAIN("405", "this method is not served here\n"));
}

PROTECT_TEST(metadata_are_for_the_hosts_that_are_served) {
  http_bench *b = begin(state);
  ask(&b->http, "GET " METADATA "\nHost: evil.example\n\n",
      JSON("403", ERROR_ALONE("-32600", "the host \\\"evil.example\\\" is not "
                                        "served here (allowed_hosts)")));
  ask(&b->http, "GET " METADATA "\nHost: localhost\nHost: localhost\n\n",
      PLAIN("400", "a header occurs twice that must occur once\n"));
}

PROTECT_TEST(other_paths_have_no_metadata) {
  http_bench *b = begin(state);
  ask(&b->http, "GET " METADATA "/other" AT "\n",
      PLAIN("404", "there is nothing here\n"));
  ask(&b->http, "GET " METADATA "x" AT "\n",
      PLAIN("404", "there is nothing here\n"));
  ask(&b->http, "GET " METADATA "/sse" AT "\n",
      PLAIN("404", "there is nothing here\n"));
}

PROTECT_TEST(without_protection_there_are_no_metadata) {
  http_bench *b = *state;
  ask(&b->http, "GET " METADATA AT "\n",
      PLAIN("404", "there is nothing here\n"));
}

PROTECT_TEST(a_server_without_an_issuer_has_no_metadata) {
  verifier_seen.has_no_metadata = 1;
  http_bench *b = begin(state);
  ask(&b->http, "GET " METADATA AT "\n",
      PLAIN("404", "there is nothing here\n"));
}

PROTECT_TEST(metadata_name_the_url_of_the_options) {
  protect.resource = "https://example.com/api/mcp";
  http_bench *b = begin(state);
  static const char *const at[] = {"", "/", "/mcp", "/api/mcp"};
  for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
    char request[200];
    snprintf(request, sizeof(request), "GET " METADATA "%s" AT "\n", at[i]);
    ask(&b->http, request,
        JSON("200", "{'resource':'https://example.com/api/mcp'}"));
  }
}

/* The URL of a challenge leaves the slash out. */
PROTECT_TEST(a_slash_at_the_end_of_the_url_does_not_count) {
  static const char *const at[] = {"/api", "/api/"};
  protect.resource = "https://example.com/api/";
  http_bench *b = begin(state);
  for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
    char request[200];
    snprintf(request, sizeof(request), "GET " METADATA "%s" AT "\n", at[i]);
    ask(&b->http, request,
        JSON("200", "{'resource':'https://example.com/api/'}"));
  }
}

PROTECT_TEST(http_sse_has_metadata_of_its_own) {
  options.wires = MCP_HTTP_STREAMABLE | MCP_HTTP_SSE;
  http_bench *b = begin(state);
  ask(&b->http, "GET " METADATA "/sse" AT "\n",
      JSON("200", "{'resource':'http://localhost/sse'}"));
  ask(&b->http, "GET " METADATA AT "\n",
      JSON("200", "{'resource':'http://localhost/mcp'}"));
  options.wires = MCP_HTTP_SSE;
  begin(state);
  ask(&b->http, "GET " METADATA AT "\n",
      JSON("200", "{'resource':'http://localhost/sse'}"));
  ask(&b->http, "GET " METADATA "/mcp" AT "\n",
      PLAIN("404", "there is nothing here\n"));
}

/* ---- without memory ----------------------------------------------------- */

/* A server without memory answers with a status, or not at all. */
static int scenario(const mcp_allocator *allocator, void *userdata) {
  static const char *const requests[] = {
      CALL_AS(ANNA, "1", "hello"), CALL_AS(LATER, "1", "hello"),
      CALL_AS(ANNA, "1", "write"), CALL("1", "hello"), "GET " METADATA AT "\n"};
  static const char *const statuses[] = {"200", "200", "403", "401", "200"};
  http_bench *b = userdata;
  int rc = http_rig_init(&b->http, NULL, &options, allocator);
  if (rc != 0) {
    return rc;
  }
  const mcp_tool hello = {
      .size = sizeof(mcp_tool), .name = "hello", .handler = on_who};
  const mcp_tool write = {.size = sizeof(mcp_tool),
                          .name = "write",
                          .handler = on_who,
                          .scopes = "write"};
  rc = mcp_server_add_tool(b->http.rig.server, &hello, NULL);
  rc = rc == 0 ? mcp_server_add_tool(b->http.rig.server, &write, NULL) : rc;
  verifier_seen.nonce = "n";
  for (size_t i = 0; rc == 0 && i < sizeof(requests) / sizeof(requests[0]);
       i++) {
    http_trip trip = {0};
    trip_begin(&trip, &b->http, requests[i]);
    trip_body(&trip);
    verifier_double_end(1);
    rig_turn(&b->http.rig);
    if (memcmp(trip.answer.bytes, statuses[i], 3) != 0) {
      assert_null(strstr(trip.answer.bytes, "result")); /* never accepted */
      rc = MCP_ERR_NOMEM;
    }
    trip_deinit(&trip);
  }
  http_rig_deinit(&b->http);
  return rc;
}

PROTECT_TEST(every_lack_of_memory_is_survived) {
  http_bench b = {0};
  failing_alloc_rerun_least(20, scenario, &b);
}

/* Whether the stream ends with its token, whatever there was no memory for. */
static int ends_in_time(http_bench *b, http_trip *trip) {
  int has_begun = trip->has_begun;
  rig_pass(&b->http.rig, 5000);
  assert_true(trip->is_over);
  trip_deinit(trip);
  return has_begun;
}

static int streams_scenario(const mcp_allocator *allocator, void *userdata) {
  http_bench *b = userdata;
  http_trip trip = {0};
  int rc = http_rig_init(&b->http, NULL, &options, allocator);
  if (rc != 0) {
    return rc;
  }
  const mcp_tool tool = {
      .size = sizeof(mcp_tool), .name = "hello", .handler = on_who};
  rc = mcp_server_add_tool(b->http.rig.server, &tool, NULL);
  expire_after(b, 5000);
  trip_send(&trip, &b->http, LISTEN_AS(ANNA));
  int begun = ends_in_time(b, &trip);
  expire_after(b, 5000);
  trip_send(&trip, &b->http,
            "GET /sse\nHost: localhost\nAccept: text/event-stream\n" ANNA "\n");
  begun += ends_in_time(b, &trip);
  expire_after(b, 5000);
  b->http.session_id[0] = '\0';
  open_session(b);
  get_after(b, &trip, ANNA, NULL);
  begun += ends_in_time(b, &trip);
  http_rig_deinit(&b->http);
  return rc == 0 && begun == 3 ? 0 : MCP_ERR_NOMEM;
}

PROTECT_TEST(streams_end_without_memory_too) {
  http_bench b = {0};
  options.wires = MCP_HTTP_STREAMABLE | MCP_HTTP_SSE;
  failing_alloc_rerun_least(20, streams_scenario, &b);
}
