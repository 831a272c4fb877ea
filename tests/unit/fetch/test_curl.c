/* SPDX-License-Identifier: MIT */
/* One request with libcurl: what it sends and to whom, and answers that no
 * proper server gives. */
#include "fetch/fetch.h"
#include "unit/fetch/kit.h"

#include <dlfcn.h>
#include <netdb.h>
#include <stdlib.h>

/* --- names ---------------------------------------------------------------- */

static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int is_asked;    /* the slow name is being looked up */
  int is_released; /* the look-up may end */
  int is_over;
} slow = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0};

typedef int (*lookup_function)(const char *, const char *,
                               const struct addrinfo *, struct addrinfo **);

#ifdef TEST_WRAPS_LOOKUP
/* A static program has nothing to look a function up in: the linker sends all
 * calls to ours. */
int __real_getaddrinfo(const char *, const char *, const struct addrinfo *,
                       struct addrinfo **);
int __wrap_getaddrinfo(const char *, const char *, const struct addrinfo *,
                       struct addrinfo **);
#define getaddrinfo __wrap_getaddrinfo

static lookup_function real_lookup(void) {
  return __real_getaddrinfo;
}
#else
static lookup_function real_lookup(void) {
  lookup_function found = NULL;
  void *symbol = dlsym(RTLD_NEXT, "getaddrinfo");
  memcpy(&found, &symbol, sizeof(found));
  return found;
}
#endif

static int look_up_slowly(void) {
  pthread_mutex_lock(&slow.lock);
  slow.is_asked = 1;
  pthread_cond_broadcast(&slow.changed);
  while (!slow.is_released) {
    pthread_cond_wait(&slow.changed, &slow.lock);
  }
  slow.is_over = 1;
  pthread_cond_broadcast(&slow.changed);
  pthread_mutex_unlock(&slow.lock);
  return EAI_AGAIN;
}

/* 127.0.0.2 and then 127.0.0.1. */
static int look_up_both(const char *service, const struct addrinfo *hints,
                        struct addrinfo **out) {
  int rc = real_lookup()("127.0.0.2", service, hints, out);
  return rc == 0 ? real_lookup()("127.0.0.1", service, hints, &(*out)->ai_next)
                 : rc;
}

/* libcurl's look-ups come here: the program's own function precedes that of the
 * C library. */
__attribute__((visibility("default"))) int
getaddrinfo(const char *restrict name, const char *restrict service,
            const struct addrinfo *restrict hints,
            struct addrinfo **restrict out) {
  if (strcmp(name, "slow.example") == 0) {
    return look_up_slowly();
  }
  if (strcmp(name, "both.example") == 0) {
    return look_up_both(service, hints, out);
  }
  return real_lookup()(name, service, hints, out);
}

/* --- requests ------------------------------------------------------------- */

static struct {
  mcpi_fetch_outcome outcome;
  char headers[4096];
  char body[4096];
  int asked_addresses;
  int stops_after_lookup;
} result;

static int is_stopped(void *owner) {
  if (!result.stops_after_lookup) {
    return 0;
  }
  pthread_mutex_lock(&slow.lock);
  int is_asked = slow.is_asked;
  pthread_mutex_unlock(&slow.lock);
  return is_asked;
}

/* 127.0.0.1 counts as public here. */
static int admits(void *owner, const uint8_t address[16]) {
  result.asked_addresses++;
  return address[12] == 127 && address[15] == 1;
}

static int admits_none(void *owner, const uint8_t address[16]) {
  result.asked_addresses++;
  return 0;
}

static void on_begin(void *owner) {
  result.headers[0] = '\0';
  result.body[0] = '\0';
}

static int append(char *to, size_t size, const char *bytes, size_t len,
                  const char *end) {
  size_t at = strlen(to);
  if (at + len + 2 > size) {
    return MCP_ERR_LIMIT;
  }
  snprintf(to + at, size - at, "%.*s%s", (int)len, bytes, end);
  return 0;
}

static int on_header(void *owner, const char *line, size_t len) {
  return append(result.headers, sizeof(result.headers), line, len, "\n");
}

static int on_body(void *owner, const char *bytes, size_t len) {
  return append(result.body, sizeof(result.body), bytes, len, "");
}

/* Copies a URL with the server's port in the place of "PORT". */
static void put_url(char *to, size_t size, const char *url) {
  const char *port = strstr(url, "PORT");
  if (port == NULL) {
    snprintf(to, size, "%s", url);
  } else {
    snprintf(to, size, "%.*s%d%s", (int)(port - url), url, raw.port, port + 4);
  }
}

static const char *url_of(const char *url) {
  static char text[200];
  put_url(text, sizeof(text), url);
  return text;
}

static mcp_fetch_request request_of(const char *url) {
  return (mcp_fetch_request){.size = sizeof(mcp_fetch_request),
                             .method = "GET",
                             .url = url,
                             .timeout_ms = 30000,
                             .max_answer = 1000,
                             .proxy = ""};
}

static void perform_with(const mcp_fetch_request *request,
                         int (*checks)(void *owner,
                                       const uint8_t address[16])) {
  static const char *const no_lines[] = {NULL};
  const mcpi_fetch_job job = {.request = request,
                              .header_lines = no_lines,
                              .is_stopped = is_stopped,
                              .admits = checks,
                              .on_begin = on_begin,
                              .on_header = on_header,
                              .on_body = on_body};
  int stops = result.stops_after_lookup;
  memset(&result, 0, sizeof(result));
  result.stops_after_lookup = stops;
  mcpi_fetch_engine_get(NULL)->perform(&job, &result.outcome);
}

static void get(const char *url) {
  mcp_fetch_request request = request_of(url_of(url));
  perform_with(&request, admits);
}

#define RAW_TEST(name) TEST_WITH(name, raw_set_up, raw_tear_down)

RAW_TEST(an_answer_comes) {
  raw_add((raw_answer){.first = RAW_OK});
  get("http://127.0.0.1:PORT/a?b");
  assert_int_equal(result.outcome.error, 0);
  assert_int_equal(result.outcome.status, 200);
  assert_string_equal(result.body, "fine");
  assert_non_null(strstr(raw.seen, "GET /a?b HTTP/1.1\r\n"));
  assert_null(strstr(raw.seen, "Accept-Encoding"));
  assert_null(strstr(raw.seen, "Authorization"));
}

/* --- redirects ------------------------------------------------------------ */

static void add_redirect(int status, const char *location) {
  static char texts[8][300];
  char *text = texts[raw.answer_count];
  char target[200];
  put_url(target, sizeof(target), location);
  snprintf(text, sizeof(texts[0]),
           "HTTP/1.1 %d Moved\r\nLocation: %s\r\nContent-Length: 0\r\n"
           "Connection: close\r\n\r\n",
           status, target);
  raw_add((raw_answer){.first = text});
}

RAW_TEST(five_kinds_of_redirect_are_followed) {
  static const int kinds[] = {301, 302, 303, 307, 308};
  for (int i = 0; i < 5; i++) {
    add_redirect(kinds[i], "/next");
  }
  raw_add((raw_answer){.first = RAW_OK});
  get("http://127.0.0.1:PORT/");
  assert_int_equal(result.outcome.status, 200);
  assert_string_equal(result.body, "fine");
  assert_int_equal(raw.requests, 6);
}

RAW_TEST(other_statuses_with_a_location_are_the_answer) {
  static const int kinds[] = {300, 304, 305, 201};
  for (int i = 0; i < 4; i++) {
    add_redirect(kinds[i], "/next");
  }
  for (int i = 0; i < 4; i++) {
    get("http://127.0.0.1:PORT/");
    assert_int_equal(result.outcome.status, kinds[i]);
    assert_int_equal(raw.requests, i + 1);
  }
}

RAW_TEST(a_redirect_with_a_user_is_the_answer) {
  add_redirect(302, "http://user:password@127.0.0.1:PORT/next");
  get("http://127.0.0.1:PORT/");
  assert_int_equal(result.outcome.status, 302);
  assert_int_equal(raw.requests, 1);
}

RAW_TEST(a_redirect_to_another_scheme_port_or_host_is_the_answer) {
  static const char *const targets[] = {
      "https://127.0.0.1:PORT/", "http://127.0.0.1/", "http://localhost:PORT/",
      "//127.0.0.2:PORT/", "file:///etc/passwd"};
  for (int i = 0; i < 5; i++) {
    add_redirect(307, targets[i]);
  }
  for (int i = 0; i < 5; i++) {
    get("http://127.0.0.1:PORT/");
    assert_int_equal(result.outcome.status, 307);
    assert_int_equal(raw.requests, i + 1);
  }
}

RAW_TEST(a_host_is_the_same_in_upper_case) {
  add_redirect(307, "http://LOCALHOST:PORT/next");
  raw_add((raw_answer){.first = RAW_OK});
  get("http://localhost:PORT/");
  assert_int_equal(result.outcome.status, 200);
}

/* --- addresses ------------------------------------------------------------ */

static mcp_fetch_request public_request(const char *url) {
  mcp_fetch_request request = request_of(url_of(url));
  request.is_public_only = 1;
  return request;
}

RAW_TEST(an_admitted_address_is_used) {
  raw_add((raw_answer){.first = RAW_OK});
  mcp_fetch_request request = public_request("http://127.0.0.1:PORT/");
  perform_with(&request, admits);
  assert_int_equal(result.outcome.status, 200);
  assert_true(result.asked_addresses > 0);
}

RAW_TEST(another_address_is_refused) {
  raw_add((raw_answer){.first = RAW_OK});
  mcp_fetch_request request = public_request("http://127.0.0.1:PORT/");
  perform_with(&request, admits_none);
  assert_int_equal(result.outcome.error, MCP_ERR_REFUSED);
  assert_int_equal(raw.connections, 0);
}

/* libcurl tries the addresses of a name in turn. */
RAW_TEST(nothing_is_sent_if_one_address_of_a_name_is_refused) {
  raw_add((raw_answer){.first = RAW_OK});
  mcp_fetch_request request = public_request("http://both.example:PORT/");
  perform_with(&request, admits);
  assert_int_equal(result.outcome.error, MCP_ERR_REFUSED);
  assert_int_equal(raw.requests, 0);
}

/* --- proxies -------------------------------------------------------------- */

static const char *const variables[] = {
    "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy",
    "ALL_PROXY",  "no_proxy",    "NO_PROXY"};

static int clear_environment(void **state) {
  for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
    unsetenv(variables[i]);
  }
  return raw_set_up(state);
}

static int restore_environment(void **state) {
  for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
    unsetenv(variables[i]);
  }
  return raw_tear_down(state);
}

#define PROXY_TEST(name) TEST_WITH(name, clear_environment, restore_environment)

/* The proxy is our server, which gives the answer itself. */
static void set_proxy(const char *variable) {
  char proxy[64];
  snprintf(proxy, sizeof(proxy), "http://127.0.0.1:%d", raw.port);
  setenv(variable, proxy, 1);
}

static int try_public(const char *url, const char *proxy) {
  mcp_fetch_request request = public_request(url);
  request.proxy = proxy;
  perform_with(&request, admits_none);
  return result.outcome.error;
}

PROXY_TEST(the_proxy_of_the_environment_may_have_any_address) {
  raw_add((raw_answer){.first = RAW_OK});
  set_proxy("http_proxy");
  assert_int_equal(try_public("http://a.example/b", NULL), 0);
  assert_non_null(strstr(raw.seen, "GET http://a.example/b HTTP/1.1\r\n"));
  unsetenv("http_proxy");
  set_proxy("all_proxy");
  assert_int_equal(try_public("http://a.example/b", NULL), 0);
}

/* Else the variable would make an unchecked way to all addresses. */
PROXY_TEST(a_proxy_for_another_scheme_admits_no_address) {
  raw_add((raw_answer){.first = RAW_OK});
  set_proxy("https_proxy");
  assert_int_equal(try_public("http://127.0.0.1:PORT/", NULL), MCP_ERR_REFUSED);
  set_proxy("HTTP_PROXY"); /* a CGI's client sets this one */
  assert_int_equal(try_public("http://127.0.0.1:PORT/", NULL), MCP_ERR_REFUSED);
  unsetenv("HTTP_PROXY");
  assert_int_equal(raw.connections, 0);
}

PROXY_TEST(a_server_that_no_proxy_names_is_checked) {
  static const char *const lists[] = {"localhost", "*", "a.example, LOCALHOST",
                                      "x,.localhost", "localhost."};
  raw_add((raw_answer){.first = RAW_OK});
  set_proxy("http_proxy");
  for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
    setenv("no_proxy", lists[i], 1);
    assert_int_equal(try_public("http://localhost:PORT/", NULL),
                     MCP_ERR_REFUSED);
  }
  unsetenv("no_proxy");
  setenv("NO_PROXY", "localhost", 1);
  assert_int_equal(try_public("http://localhost:PORT/", NULL), MCP_ERR_REFUSED);
  /* libcurl looks at the list for a proxy that the program names, too */
  assert_int_equal(try_public("http://localhost:PORT/", getenv("http_proxy")),
                   MCP_ERR_REFUSED);
  assert_int_equal(raw.connections, 0);
}

PROXY_TEST(an_empty_proxy_is_none) {
  raw_add((raw_answer){.first = RAW_OK});
  set_proxy("http_proxy");
  assert_int_equal(try_public("http://127.0.0.1:PORT/", ""), MCP_ERR_REFUSED);
  setenv("http_proxy", "", 1);
  assert_int_equal(try_public("http://127.0.0.1:PORT/", NULL), MCP_ERR_REFUSED);
}

PROXY_TEST(an_address_in_the_url_is_checked_before_a_proxy_gets_it) {
  raw_add((raw_answer){.first = RAW_OK});
  set_proxy("http_proxy");
  assert_int_equal(try_public("http://169.254.169.254/", NULL),
                   MCP_ERR_REFUSED);
  assert_int_equal(try_public("http://[::1]/", NULL), MCP_ERR_REFUSED);
  assert_int_equal(raw.connections, 0);
}

/* Nothing listens at the port of the proxy. */
PROXY_TEST(a_request_to_this_machine_goes_past_the_proxy) {
  static const char *const urls[] = {"http://127.0.0.1:PORT/a",
                                     "http://localhost:PORT/a"};
  setenv("http_proxy", "http://127.0.0.1:1", 1);
  for (size_t i = 0; i < 4; i++) {
    raw_add((raw_answer){.first = RAW_OK});
    mcp_fetch_request request = request_of(url_of(urls[i % 2]));
    request.proxy = i < 2 ? NULL : "http://127.0.0.1:1";
    perform_with(&request, admits);
    assert_int_equal(result.outcome.error, 0);
    assert_non_null(strstr(raw.seen, "GET /a HTTP/1.1\r\n"));
  }
  assert_int_equal(raw.requests, 4);
}

/* --- odd answers ---------------------------------------------------------- */

RAW_TEST(interim_answers_are_forgotten) {
  raw_add((raw_answer){.first = "HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n"
                                "HTTP/1.1 200 OK\r\nC: d\r\n"
                                "Content-Length: 4\r\n\r\nfine"});
  get("http://127.0.0.1:PORT/");
  assert_int_equal(result.outcome.status, 200);
  assert_string_equal(result.headers, "C: d\nContent-Length: 4\n");
  assert_string_equal(result.body, "fine");
}

RAW_TEST(trailers_are_no_headers) {
  raw_add((raw_answer){.first = "HTTP/1.1 200 OK\r\n"
                                "Transfer-Encoding: chunked\r\n\r\n"
                                "4\r\nfine\r\n0\r\nA: b\r\n"
                                "HTTP/1.1: x\r\n\r\n"});
  get("http://127.0.0.1:PORT/");
  assert_int_equal(result.outcome.status, 200);
  assert_string_equal(result.headers, "Transfer-Encoding: chunked\n");
  assert_string_equal(result.body, "fine");
}

RAW_TEST(a_header_that_looks_like_a_status_begins_nothing) {
  raw_add((raw_answer){.first = "HTTP/1.1 200 OK\r\nA: b\r\nHTTP/1.1: x\r\n"
                                "Content-Length: 4\r\n\r\nfine"});
  get("http://127.0.0.1:PORT/");
  assert_int_equal(result.outcome.status, 200);
  assert_non_null(strstr(result.headers, "A: b\nHTTP/1.1: x\n"));
}

RAW_TEST(compressed_bodies_are_not_unpacked) {
  raw_add((raw_answer){.first = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n"
                                "Content-Length: 4\r\n\r\nfine"});
  get("http://127.0.0.1:PORT/");
  assert_string_equal(result.body, "fine");
}

RAW_TEST(other_protocols_are_errors) {
  static const char short_body[] = "HTTP/1.1 200 OK\r\n"
                                   "Content-Length: 9\r\n\r\nfine";
  static const char *const texts[] = {
      "", "SSH-2.0-x\r\n", "fine", "HTTP/1.1 200 OK\r\nA: b\r\n", short_body};
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    raw_add((raw_answer){.first = texts[i][0] != '\0' ? texts[i] : NULL});
  }
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    get("http://127.0.0.1:PORT/?secret");
    assert_int_equal(result.outcome.error, MCP_ERR_IO);
    assert_int_equal(result.outcome.status, 0);
    assert_true(strlen(result.outcome.why) > 0);
    assert_null(strstr(result.outcome.why, "secret"));
  }
}

RAW_TEST(an_error_of_a_callback_ends_the_request) {
  raw_add((raw_answer){.first = "HTTP/1.1 200 OK\r\n\r\n",
                       .repeated = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"});
  get("http://127.0.0.1:PORT/");
  assert_int_equal(result.outcome.error, MCP_ERR_LIMIT);
}

RAW_TEST(a_server_that_drips_is_waited_for_until_the_limit) {
  raw_add((raw_answer){
      .first = "HTTP/1.1 200 OK\r\n\r\n", .repeated = "a", .pause_ms = 10});
  mcp_fetch_request request = request_of(url_of("http://127.0.0.1:PORT/"));
  request.timeout_ms = 300;
  perform_with(&request, admits);
  assert_int_equal(result.outcome.error, MCP_ERR_TIMEOUT);
}

/* --- the end -------------------------------------------------------------- */

TEST(a_request_ends_while_its_name_is_looked_up) {
  result.stops_after_lookup = 1;
  mcp_fetch_request request = request_of("http://slow.example/");
  perform_with(&request, admits);
  result.stops_after_lookup = 0;
  assert_int_equal(result.outcome.error, MCP_ERR_CANCELLED);
  pthread_mutex_lock(&slow.lock);
  assert_true(slow.is_asked);
  assert_false(slow.is_over);
  slow.is_released = 1;
  pthread_cond_broadcast(&slow.changed);
  while (!slow.is_over) {
    pthread_cond_wait(&slow.changed, &slow.lock);
  }
  pthread_mutex_unlock(&slow.lock);
}
