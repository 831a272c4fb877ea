/* SPDX-License-Identifier: MIT */
/* What an endpoint answers by a request's head alone: who may ask, where, and
 * how (PROTOCOL 2.8, 3.4, 3.5, 11). */
#include "endpoint/endpoint.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/http_rig.h"
#include <stdio.h>
#include <string.h>

typedef struct bench {
  http_rig http;
  int status; /* what the hook returns */
  const char *seen;
} bench;

#define WHO(headers) "POST /mcp\nContent-Type: application/json\n" headers "\n"
#define LIST "{$J,'id':1,'method':'tools/list','params':{$M{}}}"
#define FROM(headers)                                                          \
  WHO("MCP-Protocol-Version: " NEWEST_REVISION "\nMcp-Method: tools/call\n"    \
      "Mcp-Name: who\n" headers)                                               \
  "{$J,'id':1,'method':'tools/call','params':{'name':'who',$M{}}}"
#define IS(name) JSON("200", RESULT_TEXT("1", name))
#define NOT_HOST(host)                                                         \
  JSON("403",                                                                  \
       ERROR_ALONE("-32600", "the host \\\"" host "\\\" is not served here "   \
                             "(allowed_hosts)"))
#define NOT_ORIGIN(origin)                                                     \
  JSON("403", ERROR_ALONE("-32600",                                            \
                          "pages of \\\"" origin                               \
                          "\\\" may not use this server (allowed_origins)"))

#define NOT_SERVED                                                             \
  "405 text/plain; charset=utf-8\nthis method is not served here\n"

static int on_who(mcp_call *call, void *userdata) {
  const char *principal = mcp_call_principal(call);
  (void)userdata;
  return mcp_call_reply_text(call, principal != NULL ? principal : "nobody");
}

static void begin(bench *b, const mcp_server_options *server,
                  const mcp_http_options *options) {
  const mcp_tool tool = {
      .size = MCP_TOOL_INIT, .name = "who", .handler = on_who};
  assert_int_equal(http_rig_init(&b->http, server, options, NULL), 0);
  assert_int_equal(mcp_server_add_tool(b->http.rig.server, &tool), 0);
}

static void end(bench *b) {
  http_rig_deinit(&b->http);
}

/* --- Host and Origin ---------------------------------------------------- */

static void never_respond(void *exchange, int status,
                          const mcp_http_header *headers, size_t header_count,
                          const char *body, size_t len) {
  (void)exchange, (void)status, (void)headers, (void)header_count;
  (void)body, (void)len;
  fail();
}

static void a_request_without_method_or_target_is_ignored(void **state) {
  const mcp_http_responder responder = {.size = MCP_HTTP_RESPONDER_INIT,
                                        .respond = never_respond};
  const mcp_http_request no_method = {.size = MCP_HTTP_REQUEST_INIT,
                                      .target = "/mcp"};
  const mcp_http_request no_target = {.size = MCP_HTTP_REQUEST_INIT,
                                      .method = "GET"};
  bench b;
  (void)state;
  begin(&b, NULL, NULL);
  assert_null(mcp_http_begin(b.http.http, &no_method, &responder, NULL));
  assert_null(mcp_http_begin(b.http.http, &no_target, &responder, NULL));
  end(&b);
}

static void only_names_of_the_loopback_are_served(void **state) {
  bench b = {0};
  (void)state;
  begin(&b, NULL, NULL);
  ask(&b.http, FROM("Host: localhost:8080\n"), IS("nobody"));
  ask(&b.http, FROM("Host: 127.0.0.1\n"), IS("nobody"));
  ask(&b.http, FROM("Host: [::1]:80\n"), IS("nobody"));
  ask(&b.http, FROM("Host: evil.example\n"), NOT_HOST("evil.example"));
  ask(&b.http, FROM("Host: localhost.evil.example\n"),
      NOT_HOST("localhost.evil.example"));
  ask(&b.http, FROM(""), NOT_HOST(""));
  ask(&b.http, FROM("Host: localhost\nHost: localhost\n"),
      "400 text/plain; charset=utf-8\na header came twice that may not\n");
  end(&b);
}

static void what_is_refused_is_told_as_text(void **state) {
  bench b = {0};
  (void)state;
  begin(&b, NULL, NULL);
  ask(&b.http, FROM("Host: a\xff\xc3\x28\xe2\x82\n"),
      NOT_HOST("a??"
               "(??"));
  ask(&b.http, FROM("Host: localhost\nOrigin: \x80\n"), NOT_ORIGIN("?"));
  end(&b);
}

static void expect_report(const bench *b, const char *text) {
  const rig_text *reports = &b->http.rig.reports;
  assert_true(reports->bytes != NULL && strstr(reports->bytes, text) != NULL);
}

static void refusals_are_reported_and_name_the_setting(void **state) {
  char setting[] = "--allow-host"; /* the endpoint copies it */
  const mcp_http_options named = {.size = MCP_HTTP_OPTIONS_INIT,
                                  .host_setting = setting,
                                  .origin_setting = "--allow-origin",
                                  .path_setting = "--path"};
  bench b = {0};
  (void)state;
  begin(&b, NULL, NULL);
  ask(&b.http, FROM("Host: evil.example\n"), NOT_HOST("evil.example"));
  expect_report(&b, "the host \"evil.example\" is not served here "
                    "(allowed_hosts)");
  end(&b);
  begin(&b, NULL, &named);
  memset(setting, '?', sizeof(setting) - 1);
  ask(&b.http, FROM("Host: evil.example\n"),
      JSON("403",
           ERROR_ALONE("-32600", "the host \\\"evil.example\\\" is not served "
                                 "here (--allow-host)")));
  expect_report(&b, "(--allow-host)");
  ask(&b.http, "GET /other?secret=1\nHost: localhost\n\n",
      "404 text/plain; charset=utf-8\nthere is nothing here\n");
  expect_report(&b, "the path \"/other\" is not served here (--path)");
  end(&b);
}

static void other_hosts_may_be_named(void **state) {
  static const char *const names[] = {"mcp.example.org", NULL};
  static const char *const any[] = {"mcp.example.org", "*", NULL};
  const mcp_http_options listed = {.size = MCP_HTTP_OPTIONS_INIT,
                                   .allowed_hosts = names};
  const mcp_http_options all = {.size = MCP_HTTP_OPTIONS_INIT,
                                .allowed_hosts = any};
  bench b = {0};
  (void)state;
  begin(&b, NULL, &listed);
  ask(&b.http, FROM("Host: MCP.example.org:443\n"), IS("nobody"));
  ask(&b.http, FROM("Host: localhost\n"), NOT_HOST("localhost"));
  end(&b);
  begin(&b, NULL, &all);
  ask(&b.http, FROM("Host: evil.example\n"), IS("nobody"));
  ask(&b.http, FROM(""), IS("nobody"));
  end(&b);
}

static void pages_of_other_origins_are_refused(void **state) {
  bench b = {0};
  http_trip trip = {0};
  (void)state;
  begin(&b, NULL, NULL);
  ask(&b.http, FROM("Host: localhost\nOrigin: http://evil.example\n"),
      NOT_ORIGIN("http://evil.example"));
  ask(&b.http, FROM("Host: localhost\nOrigin: null\n"), NOT_ORIGIN("null"));
  ask(&b.http, "GET /mcp\nHost: localhost\nOrigin: http://evil.example\n\n",
      NOT_ORIGIN("http://evil.example"));
  trip_send(&trip, &b.http,
            FROM("Host: localhost\nOrigin: http://localhost:3000\n"));
  came(&trip, IS("nobody"));
  assert_string_equal(trip_header(&trip, "Access-Control-Allow-Origin"),
                      "http://localhost:3000");
  assert_string_equal(trip_header(&trip, "Access-Control-Expose-Headers"),
                      "Mcp-Session-Id, WWW-Authenticate");
  assert_string_equal(trip_header(&trip, "Vary"), "Origin");
  trip_deinit(&trip);
  trip_send(&trip, &b.http, FROM("Host: localhost\n"));
  assert_null(trip_header(&trip, "Access-Control-Allow-Origin"));
  trip_deinit(&trip);
  end(&b);
}

static void pages_of_named_origins_may_ask(void **state) {
  static const char *const names[] = {"https://app.example.org", NULL};
  const mcp_http_options options = {.size = MCP_HTTP_OPTIONS_INIT,
                                    .allowed_origins = names};
  bench b = {0};
  (void)state;
  begin(&b, NULL, &options);
  ask(&b.http, FROM("Host: localhost\nOrigin: https://app.example.org\n"),
      IS("nobody"));
  ask(&b.http, FROM("Host: localhost\nOrigin: http://localhost\n"),
      NOT_ORIGIN("http://localhost"));
  end(&b);
}

static void a_preflight_is_told_all_headers(void **state) {
  bench b = {0};
  http_trip trip = {0};
  (void)state;
  begin(&b, NULL, NULL);
  trip_send(&trip, &b.http,
            "OPTIONS /mcp\nHost: localhost\nOrigin: http://localhost:3000\n"
            "Access-Control-Request-Method: POST\n"
            "Access-Control-Request-Headers: content-type,mcp-param-region, "
            "x-other ,Mcp-Param-A B,mcp-param-,,Mcp-Param-Count\n\n");
  came(&trip, "204");
  assert_string_equal(
      trip_header(&trip, "Access-Control-Allow-Headers"),
      "Content-Type, Accept, Authorization, MCP-Protocol-Version, Mcp-Method, "
      "Mcp-Name, Mcp-Session-Id, Last-Event-ID, mcp-param-region, "
      "Mcp-Param-Count");
  assert_string_equal(trip_header(&trip, "Access-Control-Allow-Methods"),
                      "POST, GET, DELETE");
  assert_string_equal(trip_header(&trip, "Access-Control-Allow-Origin"),
                      "http://localhost:3000");
  trip_deinit(&trip);
  ask(&b.http, "OPTIONS /mcp\nHost: localhost\nOrigin: http://evil.example\n\n",
      NOT_ORIGIN("http://evil.example"));
  end(&b);
}

/* --- path, method, types ------------------------------------------------ */

static void there_is_one_path(void **state) {
  const mcp_http_options options = {
      .size = MCP_HTTP_OPTIONS_INIT, .path = "/a/b", .health_path = ""};
  static const char nothing[] =
      "404 text/plain; charset=utf-8\nthere is nothing here\n";
  bench b = {0};
  (void)state;
  begin(&b, NULL, &options);
  ask(&b.http, "POST /mcp\nHost: localhost\n\n", nothing);
  ask(&b.http, "POST /a/bc\nHost: localhost\n\n", nothing);
  ask(&b.http, "POST /a/b/\nHost: localhost\n\n", nothing);
  ask(&b.http, "GET /health\nHost: localhost\n\n", nothing);
  ask(&b.http, "POST /a/b?x=1\nHost: localhost\nContent-Type: text/plain\n\n",
      "415 text/plain; charset=utf-8\n"
      "Content-Type: application/json is what is read here\n");
  end(&b);
}

static void other_methods_are_refused(void **state) {
  bench b = {0};
  http_trip trip = {0};
  (void)state;
  begin(&b, NULL, NULL);
  trip_send(&trip, &b.http, "PUT /mcp\nHost: localhost\n\n");
  came(&trip, NOT_SERVED);
  assert_string_equal(trip_header(&trip, "Allow"),
                      "POST, GET, DELETE, OPTIONS");
  trip_deinit(&trip);
  ask(&b.http, "post /mcp\nHost: localhost\n\n", NOT_SERVED);
  ask(&b.http, "HEAD /mcp\nHost: localhost\n\n", NOT_SERVED);
  end(&b);
}

static void only_json_is_read(void **state) {
  static const char refused[] =
      "415 text/plain; charset=utf-8\n"
      "Content-Type: application/json is what is read here\n";
  bench b = {0};
  (void)state;
  begin(&b, NULL, NULL);
  ask(&b.http, "POST /mcp\nHost: localhost\n\n{}", refused);
  ask(&b.http, "POST /mcp\nHost: localhost\nContent-Type: text/plain\n\n{}",
      refused);
  ask(&b.http,
      "POST /mcp\nHost: localhost\nContent-Type: application/json; "
      "charset=latin1\n\n{}",
      refused);
  ask(&b.http,
      "POST /mcp\nHost: localhost\nContent-Type: Application/JSON; "
      "charset=utf-8\nMCP-Protocol-Version: " NEWEST_REVISION "\n"
      "Mcp-Method: notifications/x\n\n"
      "{$J,'method':'notifications/x','params':{$M{}}}",
      "202");
  ask(&b.http, POST("Content-Encoding: gzip\n", "{}"),
      "415 text/plain; charset=utf-8\n"
      "Content-Encoding: no coding is read here\n");
  ask(&b.http,
      POST("Content-Encoding: Identity\nMCP-Protocol-Version: " NEWEST_REVISION
           "\n",
           "{$J,'method':'notifications/x','params':{$M{}}}"),
      "202");
  end(&b);
}

static void health_is_told(void **state) {
  bench b = {0};
  http_trip trip = {0};
  (void)state;
  begin(&b, NULL, NULL);
  ask(&b.http, "GET /health\nHost: localhost\n\n",
      "200 text/plain; charset=utf-8\nok\n");
  ask(&b.http, "HEAD /health\nHost: 127.0.0.1\n\n",
      "200 text/plain; charset=utf-8\nok\n");
  trip_send(&trip, &b.http, "POST /health\nHost: localhost\n\n");
  came(&trip, NOT_SERVED);
  assert_string_equal(trip_header(&trip, "Allow"), "GET, HEAD");
  trip_deinit(&trip);
  mcp_server_drain(b.http.rig.server, 0);
  ask(&b.http, "GET /health\nHost: localhost\n\n",
      "503 text/plain; charset=utf-8\nshutting down\n");
  end(&b);
}

/* A page could read it of whatever is on the visitor's machine. */
static void health_is_guarded(void **state) {
  bench b = {0};
  http_trip trip = {0};
  (void)state;
  begin(&b, NULL, NULL);
  ask(&b.http, "GET /health\nHost: 10.0.0.1\n\n", NOT_HOST("10.0.0.1"));
  ask(&b.http, "GET /health\nHost: localhost\nOrigin: https://example.org\n\n",
      NOT_ORIGIN("https://example.org"));
  trip_send(&trip, &b.http,
            "GET /health\nHost: localhost\nOrigin: http://localhost:1\n\n");
  came(&trip, "200 text/plain; charset=utf-8\nok\n");
  assert_string_equal(trip_header(&trip, "Access-Control-Allow-Origin"),
                      "http://localhost:1");
  trip_deinit(&trip);
  end(&b);
}

/* --- responders --------------------------------------------------------- */

/* Where nothing has begun there is nothing to end. */
static void who_cannot_break_off_answers(void **state) {
  bench b = {0};
  http_trip trip = {.cannot_abort = 1};
  (void)state;
  begin(&b, NULL, NULL);
  trip_begin(&trip, &b.http, FROM("Host: localhost\n"));
  mcp_http_free(b.http.http);
  b.http.http = NULL;
  came(&trip, "500");
  trip_deinit(&trip);
  end(&b);
}

/* --- the program's hook ------------------------------------------------- */

static int on_request(const mcp_http_request *request, const char **principal,
                      const char **reason, const char **challenge,
                      void *userdata) {
  bench *b = userdata;
  for (size_t i = 0; i < request->header_count; i++) {
    if (strcmp(request->headers[i].name, "Authorization") == 0) {
      *principal = request->headers[i].value;
      return b->status;
    }
  }
  *reason = "say who you are\n";
  *challenge = "Bearer scope=\"all\"";
  return 401;
}

static void the_program_says_who_it_is(void **state) {
  bench b = {0};
  http_trip trip = {0};
  const mcp_http_options options = {
      .size = MCP_HTTP_OPTIONS_INIT, .on_request = on_request, .userdata = &b};
  (void)state;
  begin(&b, NULL, &options);
  ask(&b.http, FROM("Host: localhost\nAuthorization: ann\n"), IS("ann"));
  trip_send(&trip, &b.http, FROM("Host: localhost\nOrigin: http://[::1]\n"));
  came(&trip, "401 text/plain; charset=utf-8\nsay who you are\n");
  assert_string_equal(trip_header(&trip, "WWW-Authenticate"),
                      "Bearer scope=\"all\"");
  assert_string_equal(trip_header(&trip, "Access-Control-Allow-Origin"),
                      "http://[::1]");
  trip_deinit(&trip);
  b.status = 403;
  ask(&b.http, FROM("Host: localhost\nAuthorization: ann\n"),
      "403 text/plain; charset=utf-8");
  ask(&b.http, "OPTIONS /mcp\nHost: localhost\n\n", "204");
  end(&b);
}

static void the_http_server_may_know_who_it_is(void **state) {
  bench b = {0};
  http_trip trip = {.principal = "cert:ann"};
  (void)state;
  begin(&b, NULL, NULL);
  trip_send(&trip, &b.http, FROM("Host: localhost\n"));
  came(&trip, IS("cert:ann"));
  trip_deinit(&trip);
  end(&b);
}

/* --- rates -------------------------------------------------------------- */

#define TOO_MANY "429 text/plain; charset=utf-8\ntoo many requests\n"

/* The status that one gets. */
static void asks(bench *b, const char *principal, int line,
                 const char *expected) {
  http_trip trip = {.principal = principal};
  trip_send(&trip, &b->http, FROM("Host: localhost\n"));
  if (strcmp(expected, TOO_MANY) == 0) {
    assert_string_equal(trip_header(&trip, "Retry-After"), "1");
  }
  trip_expect(&trip, __FILE__, line, expected);
  trip_deinit(&trip);
}

static void so_many_requests_a_second(void **state) {
  const mcp_http_options options = {.size = MCP_HTTP_OPTIONS_INIT,
                                    .max_rate = 4};
  bench b = {0};
  (void)state;
  begin(&b, NULL, &options);
  for (int i = 0; i < 4; i++) {
    asks(&b, "ann", __LINE__, IS("ann"));
  }
  asks(&b, "ann", __LINE__, TOO_MANY);
  asks(&b, "bob", __LINE__, IS("bob"));
  for (int i = 0; i < 4; i++) {
    asks(&b, NULL, __LINE__, IS("nobody"));
  }
  asks(&b, NULL, __LINE__, TOO_MANY);
  rig_pass(&b.http.rig, 250);
  asks(&b, "ann", __LINE__, IS("ann"));
  asks(&b, "ann", __LINE__, TOO_MANY);
  rig_pass(&b.http.rig, 100000);
  for (int i = 0; i < 4; i++) {
    asks(&b, "ann", __LINE__, IS("ann"));
  }
  asks(&b, "ann", __LINE__, TOO_MANY);
  end(&b);
}

static void buckets_are_bounded(void **state) {
  const uint64_t seed[2] = {1, 2};
  mcpi_http_rate rate;
  char key[16];
  (void)state;
  mcpi_http_rate_init(&rate, mcp_allocator_default(), seed);
  for (int i = 0; i < 10100; i++) {
    snprintf(key, sizeof(key), "k%d", i);
    assert_true(mcpi_http_rate_admits(&rate, mcpi_str_z(key), 1, 5));
    assert_true(rate.buckets.count <= 10000);
  }
  assert_false(mcpi_http_rate_admits(&rate, MCPI_STR("k10099"), 1, 5));
  assert_true(mcpi_http_rate_admits(&rate, MCPI_STR("x"), 1, 1005));
  assert_int_equal(rate.buckets.count, 1);
  assert_true(mcpi_http_rate_admits(&rate, MCPI_STR("big"), UINT32_MAX, 1005));
  assert_true(
      mcpi_http_rate_admits(&rate, MCPI_STR("big"), UINT32_MAX, INT64_MAX));
  mcpi_http_rate_deinit(&rate);
}

/* --- options ------------------------------------------------------------ */

static void refused(mcp_http_options options, const char *why) {
  server_rig rig;
  mcp_error err = {0};
  options.size = MCP_HTTP_OPTIONS_INIT;
  assert_int_equal(rig_init(&rig, NULL, NULL), 0);
  assert_null(mcp_http_new(rig.server, rig.loop, &options, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  assert_string_equal(err.message, why);
  rig_deinit(&rig);
}

static void options_are_checked(void **state) {
  static const char *const with_port[] = {"*", "example.org:8080", NULL};
  static const char *const host_as_url[] = {"http://example.org", NULL};
  static const char *const no_scheme[] = {"*", "null", "example.org", NULL};
  static const char *const with_path[] = {"https://example.org/", NULL};
  mcp_error err;
  (void)state;
  refused((mcp_http_options){.path = "mcp"},
          "path: \"mcp\" must begin with a slash");
  refused((mcp_http_options){.health_path = "x"},
          "health_path: \"x\" must begin with a slash");
  refused((mcp_http_options){.legacy = 3},
          "legacy: 3 is not a way to serve the legacy era; use "
          "MCP_HTTP_SESSIONS, MCP_HTTP_STATELESS or MCP_HTTP_PLAIN");
  refused((mcp_http_options){.wires = 1u << 31},
          "wires: 2147483648 has a bit that names no wire; use "
          "MCP_HTTP_STREAMABLE, MCP_HTTP_SSE and MCP_HTTP_WEBSOCKET");
  refused((mcp_http_options){.allowed_hosts = with_port},
          "allowed_hosts: \"example.org:8080\" is no host name alone, such as "
          "example.org");
  refused(
      (mcp_http_options){.allowed_hosts = host_as_url},
      "allowed_hosts: \"http://example.org\" is no host name alone, such as "
      "example.org");
  refused((mcp_http_options){.allowed_origins = no_scheme},
          "allowed_origins: \"example.org\" is no origin such as "
          "https://app.example.org");
  refused((mcp_http_options){.allowed_origins = with_path},
          "allowed_origins: \"https://example.org/\" is no origin such as "
          "https://app.example.org");
  assert_null(mcp_http_new(NULL, NULL, NULL, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  mcp_http_free(NULL);
}

static void sessions_need_random_bytes(void **state) {
  const mcp_platform platform = {.size = MCP_PLATFORM_INIT};
  const mcp_http_options stateless = {.size = MCP_HTTP_OPTIONS_INIT,
                                      .legacy = MCP_HTTP_STATELESS};
  mcp_loop *loop = mcp_loop_new_manual(&platform, NULL);
  mcp_server *server = mcp_server_new("test", "1");
  mcp_error err;
  (void)state;
  assert_null(mcp_http_new(server, loop, NULL, &err));
  assert_int_equal(err.code, MCP_ERR_PLATFORM);
  mcp_http *http = mcp_http_new(server, loop, &stateless, &err);
  assert_non_null(http);
  mcp_http_free(http);
  mcp_server_free(server);
  mcp_loop_free(loop);
}

/* --- frees -------------------------------------------------------------- */

static int free_all(const mcp_http_request *request, const char **principal,
                    const char **reason, const char **challenge,
                    void *userdata) {
  bench *b = userdata;
  (void)request;
  (void)principal;
  (void)reason;
  (void)challenge;
  if (b->status == 1) {
    mcp_http_free(b->http.http);
    b->http.http = NULL;
  }
  mcp_server_free(b->http.rig.server);
  b->http.rig.server = NULL;
  return 0;
}

static void the_hook_may_free_everything(void **state) {
  for (int how = 0; how < 2; how++) {
    bench b = {.status = how};
    http_trip trip = {0};
    const mcp_http_options options = {
        .size = MCP_HTTP_OPTIONS_INIT, .on_request = free_all, .userdata = &b};
    (void)state;
    begin(&b, NULL, &options);
    trip_begin(&trip, &b.http, FROM("Host: localhost\n"));
    trip_body(&trip);
    trip_expect(&trip, __FILE__, __LINE__,
                how == 1 ? "ABORT"
                         : "503 text/plain; charset=utf-8\nthe server is "
                           "shutting down\n");
    trip_deinit(&trip);
    end(&b);
  }
}

/* --- memory ------------------------------------------------------------- */

static int scenario(const mcp_allocator *allocator, void *userdata) {
  static const char *const hosts[] = {"localhost", "a", NULL};
  static const char *const origins[] = {"http://localhost", "http://a", NULL};
  const mcp_http_options options = {.size = MCP_HTTP_OPTIONS_INIT,
                                    .allowed_hosts = hosts,
                                    .allowed_origins = origins,
                                    .max_rate = 2};
  const mcp_tool tool = {
      .size = MCP_TOOL_INIT, .name = "who", .handler = on_who};
  http_rig http;
  (void)userdata;
  int rc = http_rig_init(&http, NULL, &options, allocator);
  if (rc != 0) {
    return rc;
  }
  rc = mcp_server_add_tool(http.rig.server, &tool);
  static const char *const requests[] = {
      FROM("Host: localhost\nOrigin: http://a\n"),
      "OPTIONS /mcp\nHost: localhost\nOrigin: http://a\n\n",
      FROM("Host: evil\n"), FROM("Host: a\nOrigin: http://b\n")};
  for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
    http_trip trip = {.principal = "ann"};
    trip_send(&trip, &http, requests[i]);
    assert_true(trip.is_over);
    trip_deinit(&trip);
  }
  http_rig_deinit(&http);
  return rc;
}

static void survives_each_failed_allocation(void **state) {
  (void)state;
  assert_true(failing_alloc_rerun(scenario, NULL) > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(refusals_are_reported_and_name_the_setting),
      cmocka_unit_test(a_request_without_method_or_target_is_ignored),
      cmocka_unit_test(only_names_of_the_loopback_are_served),
      cmocka_unit_test(what_is_refused_is_told_as_text),
      cmocka_unit_test(other_hosts_may_be_named),
      cmocka_unit_test(pages_of_other_origins_are_refused),
      cmocka_unit_test(pages_of_named_origins_may_ask),
      cmocka_unit_test(a_preflight_is_told_all_headers),
      cmocka_unit_test(there_is_one_path),
      cmocka_unit_test(other_methods_are_refused),
      cmocka_unit_test(only_json_is_read),
      cmocka_unit_test(health_is_told),
      cmocka_unit_test(health_is_guarded),
      cmocka_unit_test(who_cannot_break_off_answers),
      cmocka_unit_test(the_program_says_who_it_is),
      cmocka_unit_test(the_http_server_may_know_who_it_is),
      cmocka_unit_test(so_many_requests_a_second),
      cmocka_unit_test(buckets_are_bounded),
      cmocka_unit_test(options_are_checked),
      cmocka_unit_test(sessions_need_random_bytes),
      cmocka_unit_test(the_hook_may_free_everything),
      cmocka_unit_test(survives_each_failed_allocation),
  };
  return cmocka_run_group_tests_name("http_guard", tests, NULL, NULL);
}
