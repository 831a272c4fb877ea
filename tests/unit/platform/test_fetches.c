/* SPDX-License-Identifier: MIT */
#include "platform/fetches.h"

#include "http1/http1.h"
#include "net/listener.h"
#include "platform/uv_loop.h"
#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/libmcp/certs.h"
#include "unit/fetch/kit.h"
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- a server on the same loop -------------------------------------------- */

enum { LONG = 100000 };

static struct {
  mcp_loop *loop;
  mcpi_http1 *http1;
  mcpi_listener *listener;
  char origin[64];
  int count;       /* of requests */
  char seen[4096]; /* "METHOD TARGET\nName: value\n...\nbody" of the last */
  int is_ended;
} server;

static char long_text[LONG + 1];

static void answer(const mcp_http_responder *responder, void *exchange,
                   int status, const char *location, const char *body) {
  const mcp_http_header headers[] = {
      {"X-Test", "  one  "}, {"X-Empty", ""}, {"Location", location}};
  responder->respond(exchange, status, headers, location != NULL ? 3 : 2, body,
                     strlen(body));
}

typedef struct asked {
  const mcp_http_responder *responder;
  void *exchange;
  char target[64];
} asked;

static asked last;

static void *on_head(void *userdata, const mcp_http_request *request,
                     const mcp_http_responder *responder, void *exchange) {
  size_t len = (size_t)snprintf(server.seen, sizeof(server.seen), "%s %s\n",
                                request->method, request->target);
  server.count++;
  for (size_t i = 0; i < request->header_count; i++) {
    len += (size_t)snprintf(server.seen + len, sizeof(server.seen) - len,
                            "%s: %s\n", request->headers[i].name,
                            request->headers[i].value);
  }
  last = (asked){responder, exchange, ""};
  snprintf(last.target, sizeof(last.target), "%s", request->target);
  return &last;
}

/* What each path does. */
static void on_body(void *handle, const char *body, size_t len) {
  char other[80];
  const mcp_http_responder *r = last.responder;
  strncat(server.seen, body != NULL ? body : "", len);
  snprintf(other, sizeof(other), "http://localhost:%d/fine",
           atoi(strrchr(server.origin, ':') + 1));
  if (strncmp(last.target, "/hop", 4) == 0) { /* /hop5 leads to /hop4 ... */
    char next[] = "/hop0";
    next[4] = (char)(last.target[4] - 1);
    answer(r, last.exchange, 302, last.target[4] == '0' ? "/fine" : next, "");
  } else if (strcmp(last.target, "/loop") == 0) {
    answer(r, last.exchange, 307, "/loop", "");
  } else if (strcmp(last.target, "/away") == 0) {
    answer(r, last.exchange, 302, other, "away");
  } else if (strcmp(last.target, "/long") == 0) {
    answer(r, last.exchange, 200, NULL, long_text);
  } else if (strcmp(last.target, "/missing") == 0) {
    answer(r, last.exchange, 404, NULL, "missing");
  } else if (strcmp(last.target, "/silent") != 0) {
    answer(r, last.exchange, 200, NULL, "fine");
  }
}

static void on_gone(void *handle) {
}

static void on_end(void *userdata) {
  server.is_ended = 1;
}

static void on_connection(int fd, const char *peer, void *userdata) {
  mcpi_http1_serve(server.http1, fd, peer);
}

static int set_up(void **state) {
  static const mcpi_http1_limits limits = {.max_connections = 100,
                                           .max_head = 16384,
                                           .max_headers = 100,
                                           .max_body = 65536,
                                           .max_queue = 1 << 20,
                                           .max_waiting = 1 << 20,
                                           .head_ms = 60000,
                                           .body_ms = 60000,
                                           .idle_ms = 60000,
                                           .write_ms = 60000,
                                           .ping_ms = UINT32_MAX,
                                           .pong_ms = UINT32_MAX};
  const mcpi_http1_app app = {.on_head = on_head,
                              .on_body = on_body,
                              .on_gone = on_gone,
                              .on_end = on_end};
  memset(&server, 0, sizeof(server));
  memset(long_text, 'a', LONG);
  server.loop = mcp_loop_new(NULL, NULL);
  server.http1 = mcpi_http1_new(server.loop, &limits, &app, NULL);
  server.listener = mcpi_listener_new(server.loop, "127.0.0.1:0", 0,
                                      on_connection, NULL, NULL);
  snprintf(server.origin, sizeof(server.origin), "http://%s",
           mcpi_listener_address(server.listener));
  return 0;
}

static int tear_down(void **state) {
  mcpi_listener_free(server.listener);
  mcpi_http1_free(server.http1);
  for (int i = 0; i < 1000 && !server.is_ended; i++) {
    mcp_loop_wait(server.loop, 10);
  }
  mcp_loop_free(server.loop);
  return 0;
}

#define FETCH_TEST(name) TEST_WITH(name, set_up, tear_down)

/* --- requests ------------------------------------------------------------- */

typedef struct got {
  int count;
  int error;
  int status;
  char why[300];
  size_t header_count;
  char headers[20000];
  char body[LONG + 1];
  size_t body_len;
} got;

static got result;

static void on_done(const mcp_fetch_answer *answered, void *argument) {
  got *to = argument;
  size_t len = 0;
  to->count++;
  to->error = answered->error;
  to->status = answered->status;
  snprintf(to->why, sizeof(to->why), "%s", answered->why);
  to->header_count = answered->header_count;
  for (size_t i = 0; i < answered->header_count; i++) {
    len += (size_t)snprintf(to->headers + len, sizeof(to->headers) - len,
                            "%s=%s\n", answered->headers[i].name,
                            answered->headers[i].value);
  }
  to->body_len = answered->body_len;
  assert_true(answered->body_len <= LONG);
  if (answered->body_len > 0) {
    memcpy(to->body, answered->body, answered->body_len);
  }
  to->body[to->body_len] = '\0';
}

static mcp_fetch_request request_of(const char *method, const char *url) {
  return (mcp_fetch_request){.size = sizeof(mcp_fetch_request),
                             .method = method,
                             .url = url,
                             .timeout_ms = 30000,
                             .max_answer = LONG,
                             .proxy = ""};
}

static int start(const mcp_fetch_request *request, got *to, mcp_fetch **out) {
  const mcp_platform *platform = &server.loop->platform;
  return platform->fetch(platform->userdata, request, on_done, to, out);
}

static void wait_for(const int *count, int wanted) {
  for (int i = 0; i < 3000 && *count < wanted; i++) {
    mcp_loop_wait(server.loop, 10);
  }
  assert_int_equal(*count, wanted);
}

static void fetch(const mcp_fetch_request *request) {
  mcp_fetch *out;
  memset(&result, 0, sizeof(result));
  assert_int_equal(start(request, &result, &out), 0);
  assert_int_equal(result.count, 0);
  wait_for(&result.count, 1);
}

static void get(const char *path) {
  char url[100];
  snprintf(url, sizeof(url), "%s%s", server.origin, path);
  mcp_fetch_request request = request_of("GET", url);
  fetch(&request);
}

/* --- answers -------------------------------------------------------------- */

FETCH_TEST(an_answer_comes_with_its_headers) {
  get("/fine?x=y");
  assert_int_equal(result.error, 0);
  assert_int_equal(result.status, 200);
  assert_string_equal(result.body, "fine");
  assert_non_null(strstr(result.headers, "X-Test=one\n"));
  assert_non_null(strstr(result.headers, "X-Empty=\n"));
  assert_non_null(strstr(server.seen, "GET /fine?x=y\n"));
  get("/missing");
  assert_int_equal(result.error, 0);
  assert_int_equal(result.status, 404);
  assert_string_equal(result.body, "missing");
}

FETCH_TEST(a_post_has_headers_and_a_body) {
  char url[100];
  const mcp_http_header headers[] = {{"Authorization", "Basic abc"},
                                     {"Content-Type", "text/x"},
                                     {"X-None", ""}};
  snprintf(url, sizeof(url), "%s/fine", server.origin);
  mcp_fetch_request request = request_of("POST", url);
  request.headers = headers;
  request.header_count = 3;
  request.body = "a=b&c=d";
  request.body_len = 7;
  fetch(&request);
  assert_int_equal(result.status, 200);
  assert_non_null(strstr(server.seen, "POST /fine\n"));
  assert_non_null(strstr(server.seen, "Authorization: Basic abc\n"));
  assert_non_null(strstr(server.seen, "Content-Type: text/x\n"));
  assert_non_null(strstr(server.seen, "X-None: \n"));
  assert_null(strstr(server.seen, "Expect"));
  assert_non_null(strstr(server.seen, "\na=b&c=d"));
  request.body_len = 0;
  request.header_count = 0;
  fetch(&request);
  assert_non_null(strstr(server.seen, "Content-Length: 0\n"));
}

/* --- redirects ------------------------------------------------------------ */

FETCH_TEST(redirects_of_a_get_are_followed_five_times) {
  get("/hop4");
  assert_int_equal(result.status, 200);
  assert_string_equal(result.body, "fine");
  assert_int_equal(server.count, 6);
  get("/hop5");
  assert_int_equal(result.status, 302);
  get("/loop");
  assert_int_equal(result.status, 307);
}

FETCH_TEST(a_redirect_to_another_origin_is_the_answer) {
  get("/away");
  assert_int_equal(result.error, 0);
  assert_int_equal(result.status, 302);
  assert_string_equal(result.body, "away");
  assert_int_equal(server.count, 1);
}

FETCH_TEST(a_redirect_of_a_post_is_the_answer) {
  char url[100];
  snprintf(url, sizeof(url), "%s/loop", server.origin);
  mcp_fetch_request request = request_of("POST", url);
  fetch(&request);
  assert_int_equal(result.status, 307);
  assert_int_equal(server.count, 1);
}

/* --- limits --------------------------------------------------------------- */

FETCH_TEST(an_answer_has_a_limit) {
  char url[100];
  snprintf(url, sizeof(url), "%s/long", server.origin);
  mcp_fetch_request request = request_of("GET", url);
  fetch(&request);
  assert_int_equal(result.error, 0);
  assert_int_equal(result.body_len, LONG);
  request.max_answer = LONG - 1;
  fetch(&request);
  assert_int_equal(result.error, MCP_ERR_LIMIT);
  assert_int_equal(result.status, 0);
  assert_string_equal(result.why, "the answer is too long");
}

FETCH_TEST(a_silent_server_is_waited_for_until_the_limit) {
  char url[100];
  snprintf(url, sizeof(url), "%s/silent", server.origin);
  mcp_fetch_request request = request_of("GET", url);
  request.timeout_ms = 200;
  fetch(&request);
  assert_int_equal(result.error, MCP_ERR_TIMEOUT);
}

FETCH_TEST(a_refused_connection_is_an_error) {
  char url[100];
  snprintf(url, sizeof(url), "%s/fine?secret", server.origin);
  mcpi_listener_free(server.listener);
  server.listener = NULL;
  mcp_fetch_request request = request_of("GET", url);
  fetch(&request);
  assert_int_equal(result.error, MCP_ERR_IO);
  assert_true(strlen(result.why) > 0);
  assert_null(strstr(result.why, "secret"));
}

FETCH_TEST(a_private_address_is_refused_before_anything_is_sent) {
  char url[100];
  int port = atoi(strrchr(server.origin, ':') + 1);
  const char *const hosts[] = {"127.0.0.1", "localhost", "127.1"};
  for (size_t i = 0; i < 3; i++) {
    snprintf(url, sizeof(url), "http://%s:%d/fine", hosts[i], port);
    mcp_fetch_request request = request_of("GET", url);
    request.is_public_only = 1;
    fetch(&request);
    assert_int_equal(result.error, MCP_ERR_REFUSED);
    assert_string_equal(result.why, "its address is not public");
  }
  assert_int_equal(server.count, 0);
}

FETCH_TEST(wrong_requests_are_refused) {
  static const char *const urls[] = {
      "",    "ftp://a/",     "file:///etc/passwd", "localhost/",
      "//a", "http://u:p@a", "http://a/#b"};
  mcp_fetch *out;
  for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
    mcp_fetch_request request = request_of("GET", urls[i]);
    assert_int_equal(start(&request, &result, &out), MCP_ERR_INVALID);
  }
  mcp_fetch_request request = request_of("PUT", "http://a/");
  assert_int_equal(start(&request, &result, &out), MCP_ERR_INVALID);
  request = request_of("GET", "http://a/");
  request.timeout_ms = 0;
  assert_int_equal(start(&request, &result, &out), MCP_ERR_INVALID);
  request = request_of("GET", "http://a/");
  request.max_answer = 0;
  assert_int_equal(start(&request, &result, &out), MCP_ERR_INVALID);
}

/* --- answers without end -------------------------------------------------- */

static int set_up_raw(void **state) {
  raw_set_up(state);
  return set_up(state);
}

static int tear_down_raw(void **state) {
  tear_down(state);
  return raw_tear_down(state);
}

#define RAW_TEST(name) TEST_WITH(name, set_up_raw, tear_down_raw)

static void get_raw(raw_answer answer) {
  char url[100];
  raw_add(answer);
  snprintf(url, sizeof(url), "http://127.0.0.1:%d/", raw.port);
  mcp_fetch_request request = request_of("GET", url);
  fetch(&request);
}

RAW_TEST(a_body_without_end_is_cut_off) {
  get_raw((raw_answer){.first = "HTTP/1.1 200 OK\r\n\r\n",
                       .repeated = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"});
  assert_int_equal(result.error, MCP_ERR_LIMIT);
  assert_int_equal(result.header_count, 0);
}

RAW_TEST(headers_without_end_are_cut_off) {
  get_raw((raw_answer){.first = "HTTP/1.1 200 OK\r\n", .repeated = "A: b\r\n"});
  assert_int_equal(result.error, MCP_ERR_LIMIT);
}

RAW_TEST(a_header_without_end_is_cut_off) {
  get_raw((raw_answer){.first = "HTTP/1.1 200 OK\r\nA: b",
                       .repeated = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"});
  assert_int_equal(result.error, MCP_ERR_LIMIT);
}

RAW_TEST(a_status_line_without_end_is_cut_off) {
  get_raw((raw_answer){.first = "HTTP/1.1 200 O",
                       .repeated = "OOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOO"});
  assert_int_equal(result.error, MCP_ERR_LIMIT);
}

/* An answer with such a number of lines, and bytes in all of them. Each line
 * counts with one byte for its end. */
static const char *answer_with(int lines, size_t bytes) {
  static char texts[2][40000]; /* the server may still send the other one */
  static int next;
  char *text = texts[next++ % 2];
  char *at = text + sprintf(text, "HTTP/1.1 200 OK\r\n");
  for (int i = 1; i < lines; i++) {
    at += sprintf(at, "A: b\r\n");
    bytes -= 5;
  }
  at += sprintf(at, "A: ");
  memset(at, 'b', bytes - 4);
  strcpy(at + bytes - 4, "\r\n\r\n");
  return text;
}

RAW_TEST(the_headers_have_16_kb) {
  get_raw((raw_answer){.first = answer_with(2, 16384)});
  assert_int_equal(result.error, 0);
  assert_int_equal(result.header_count, 2);
  get_raw((raw_answer){.first = answer_with(2, 16385)});
  assert_int_equal(result.error, MCP_ERR_LIMIT);
}

RAW_TEST(there_are_100_headers) {
  get_raw((raw_answer){.first = answer_with(100, 1000)});
  assert_int_equal(result.error, 0);
  assert_int_equal(result.header_count, 100);
  get_raw((raw_answer){.first = answer_with(101, 1000)});
  assert_int_equal(result.error, MCP_ERR_LIMIT);
}

RAW_TEST(the_environments_proxy_makes_no_way_to_private_addresses) {
  char url[100];
  setenv("https_proxy", server.origin, 1);
  snprintf(url, sizeof(url), "%s/fine", server.origin);
  mcp_fetch_request request = request_of("GET", url);
  request.is_public_only = 1;
  request.proxy = NULL;
  fetch(&request);
  unsetenv("https_proxy");
  assert_int_equal(result.error, MCP_ERR_REFUSED);
  assert_int_equal(server.count, 0);
}

/* --- HTTPS ---------------------------------------------------------------- */

static int set_up_tls(void **state) {
  make_all(state);
  return set_up(state);
}

static int tear_down_tls(void **state) {
  tear_down(state);
  return remove_all(state);
}

static int fetch_by_tls(const char *name, const char *authority) {
  char url[100];
  mcpi_tls *tls = tls_of(name, NULL);
  mcpi_http1_set_tls(server.http1, tls);
  mcpi_tls_unref(tls);
  snprintf(url, sizeof(url), "https:%s/fine", strchr(server.origin, '/'));
  mcp_fetch_request request = request_of("GET", url);
  request.ca_file = authority;
  fetch(&request);
  return result.error;
}

TEST_WITH(certificates_are_always_checked, set_up_tls, tear_down_tls) {
  assert_int_equal(fetch_by_tls("server", NULL), MCP_ERR_IO);
  assert_non_null(strstr(result.why, "certificate"));
  assert_int_equal(fetch_by_tls("server", in_folder("other.crt")), MCP_ERR_IO);
  assert_int_equal(fetch_by_tls("other", in_folder("other.crt")), MCP_ERR_IO);
  assert_int_equal(server.count, 0);
  assert_int_equal(fetch_by_tls("server", in_folder("server.crt")), 0);
  assert_string_equal(result.body, "fine");
}

TEST_WITH(old_tls_is_refused, set_up_tls, tear_down_tls) {
  char url[100];
  mcpi_tls *tls = tls_of("server", NULL);
  SSL_CTX_set_security_level(tls, 0);
  SSL_CTX_set_min_proto_version(tls, TLS1_VERSION);
  SSL_CTX_set_max_proto_version(tls, TLS1_1_VERSION);
  SSL_CTX_set_cipher_list(tls, "ALL:@SECLEVEL=0");
  mcpi_http1_set_tls(server.http1, tls);
  mcpi_tls_unref(tls);
  snprintf(url, sizeof(url), "https:%s/fine", strchr(server.origin, '/'));
  mcp_fetch_request request = request_of("GET", url);
  request.ca_file = in_folder("server.crt");
  fetch(&request);
  assert_int_equal(result.error, MCP_ERR_IO);
  assert_int_equal(server.count, 0);
}

/* --- the end -------------------------------------------------------------- */

FETCH_TEST(a_cancelled_request_reports_nothing) {
  char url[100];
  mcp_fetch *out;
  const mcp_platform *platform = &server.loop->platform;
  snprintf(url, sizeof(url), "%s/silent", server.origin);
  mcp_fetch_request request = request_of("GET", url);
  memset(&result, 0, sizeof(result));
  assert_int_equal(start(&request, &result, &out), 0);
  platform->fetch_cancel(platform->userdata, out);
  assert_int_equal(start(&request, &result, &out), 0);
  wait_for(&server.count, 1);
  platform->fetch_cancel(platform->userdata, out);
  get("/fine");
  assert_int_equal(result.count, 1);
}

static struct {
  char url[100];
  mcp_fetch *other;
  int calls;
  got got;
} chain;

/* Cancels another request, and starts two. */
static void go_on(const mcp_fetch_answer *answered, void *argument) {
  const mcp_platform *platform = &server.loop->platform;
  mcp_fetch *out;
  mcp_fetch_request request = request_of("GET", chain.url);
  assert_int_equal(answered->status, 200);
  chain.calls++;
  platform->fetch_cancel(platform->userdata, chain.other);
  assert_int_equal(start(&request, &chain.got, &out), 0);
  assert_int_equal(start(&request, &chain.got, &out), 0);
  platform->fetch_cancel(platform->userdata, out);
  assert_int_equal(chain.got.count, 0);
}

FETCH_TEST(a_callback_starts_and_cancels_requests) {
  char url[100];
  mcp_fetch *out;
  const mcp_platform *platform = &server.loop->platform;
  memset(&chain, 0, sizeof(chain));
  memset(&result, 0, sizeof(result));
  snprintf(chain.url, sizeof(chain.url), "%s/fine", server.origin);
  snprintf(url, sizeof(url), "%s/silent", server.origin);
  mcp_fetch_request silent = request_of("GET", url);
  mcp_fetch_request request = request_of("GET", chain.url);
  assert_int_equal(start(&silent, &result, &chain.other), 0);
  assert_int_equal(
      platform->fetch(platform->userdata, &request, go_on, NULL, &out), 0);
  wait_for(&chain.got.count, 1);
  assert_int_equal(chain.calls, 1);
  assert_int_equal(chain.got.status, 200);
  assert_int_equal(result.count, 0);
}

FETCH_TEST(an_answer_that_has_come_is_cancelled_too) {
  char url[100];
  mcp_fetch *outs[2];
  got gots[2];
  snprintf(url, sizeof(url), "%s/fine", server.origin);
  mcp_fetch_request request = request_of("GET", url);
  memset(gots, 0, sizeof(gots));
  for (int i = 0; i < 2; i++) {
    assert_int_equal(start(&request, &gots[i], &outs[i]), 0);
  }
  for (int i = 0; i < 3000 && gots[0].count + gots[1].count == 0; i++) {
    mcp_loop_wait(server.loop, 10);
  }
  const mcp_platform *platform = &server.loop->platform;
  int left = gots[0].count != 0 ? 1 : 0;
  int count = gots[left].count;
  if (count == 0) {
    platform->fetch_cancel(platform->userdata, outs[left]);
  }
  get("/fine");
  assert_int_equal(gots[left].count, count);
}

FETCH_TEST(a_loop_can_be_freed_while_requests_run) {
  char url[100];
  mcp_fetch *out;
  mcp_loop *own = mcp_loop_new(NULL, NULL);
  const mcp_platform *platform = &own->platform;
  snprintf(url, sizeof(url), "%s/silent", server.origin);
  mcp_fetch_request request = request_of("GET", url);
  memset(&result, 0, sizeof(result));
  for (int i = 0; i < 20; i++) {
    assert_int_equal(
        platform->fetch(platform->userdata, &request, on_done, &result, &out),
        0);
  }
  mcp_loop_free(own);
  assert_int_equal(result.count, 0);
}

FETCH_TEST(many_requests_run_at_once) {
  static got results[50];
  char url[100];
  mcp_fetch *out;
  int done = 0;
  snprintf(url, sizeof(url), "%s/fine", server.origin);
  mcp_fetch_request request = request_of("GET", url);
  memset(results, 0, sizeof(results));
  for (int i = 0; i < 50; i++) {
    assert_int_equal(start(&request, &results[i], &out), 0);
  }
  for (int turn = 0; turn < 3000 && done < 50; turn++) {
    mcp_loop_wait(server.loop, 10);
    done = 0;
    for (int i = 0; i < 50; i++) {
      done += results[i].count;
    }
  }
  for (int i = 0; i < 50; i++) {
    assert_int_equal(results[i].count, 1);
    assert_int_equal(results[i].status, 200);
  }
}

enum { THREADS = 8 };

static got held[2 * THREADS];

/* Starts requests without an answer: as many as there are threads. */
static void hold_threads(uint32_t group, uint32_t timeout_ms, got *results) {
  char url[100];
  mcp_fetch *out;
  snprintf(url, sizeof(url), "%s/silent", server.origin);
  mcp_fetch_request request = request_of("GET", url);
  request.group = group;
  request.timeout_ms = timeout_ms;
  for (int i = 0; i < THREADS; i++) {
    assert_int_equal(start(&request, &results[i], &out), 0);
  }
}

static void wait_for_answer(const got *expected) {
  for (int turn = 0; turn < 3000 && expected->count == 0; turn++) {
    mcp_loop_wait(server.loop, 10);
  }
  assert_int_equal(expected->count, 1);
}

FETCH_TEST(the_time_in_the_queue_counts) {
  char url[100];
  mcp_fetch *out;
  got result_of_last = {0};
  memset(held, 0, sizeof(held));
  hold_threads(0, 300, held);
  snprintf(url, sizeof(url), "%s/fine", server.origin);
  mcp_fetch_request request = request_of("GET", url);
  request.timeout_ms = 50;
  assert_int_equal(start(&request, &result_of_last, &out), 0);
  wait_for_answer(&result_of_last);
  assert_int_equal(result_of_last.error, MCP_ERR_TIMEOUT);
  assert_string_equal(result_of_last.why,
                      "no answer in time: too many requests wait");
}

/* The last request does not wait for those of another client that came
 * before. */
FETCH_TEST(clients_take_turns) {
  char url[100];
  mcp_fetch *out;
  got result_of_last = {0};
  memset(held, 0, sizeof(held));
  hold_threads(1, 200, held);
  hold_threads(1, 60000, held + THREADS);
  snprintf(url, sizeof(url), "%s/fine", server.origin);
  mcp_fetch_request request = request_of("GET", url);
  request.group = 2;
  assert_int_equal(start(&request, &result_of_last, &out), 0);
  wait_for_answer(&result_of_last);
  assert_int_equal(result_of_last.error, 0);
  assert_int_equal(result_of_last.status, 200);
}

/* A request keeps the loop running, as a blocking call does. */
static void stop_loop(const mcp_fetch_answer *answered, void *argument) {
  int *count = argument;
  ++*count;
}

TEST(a_loop_runs_until_its_requests_have_ended) {
  mcp_loop *own = mcp_loop_new(NULL, NULL);
  const mcp_platform *platform = &own->platform;
  mcp_fetch *out;
  int count = 0;
  mcp_fetch_request request = request_of("GET", "http://127.0.0.1:1/");
  assert_int_equal(
      platform->fetch(platform->userdata, &request, stop_loop, &count, &out),
      0);
  assert_int_equal(mcp_loop_run(own), 0);
  assert_int_equal(count, 1);
  mcp_loop_free(own);
}

static int start_and_cancel(const mcp_allocator *allocator, void *userdata) {
  mcp_error err = {0};
  const mcp_loop_options options = {.size = sizeof(options),
                                    .allocator = allocator};
  const mcp_http_header header = {"A", "b"};
  mcp_loop *own = mcp_loop_new(&options, &err);
  mcp_fetch *out;
  if (own == NULL) {
    return err.code;
  }
  mcp_fetch_request request = request_of("POST", "http://127.0.0.1:1/");
  request.headers = &header;
  request.header_count = 1;
  request.body = "b";
  request.body_len = 1;
  int rc = own->platform.fetch(own->platform.userdata, &request, on_done,
                               &result, &out);
  if (rc == 0) {
    own->platform.fetch_cancel(own->platform.userdata, out);
  }
  mcp_loop_free(own);
  return rc;
}

TEST(failures_are_survived) {
  failing_alloc_rerun_least(8, start_and_cancel, NULL);
}
