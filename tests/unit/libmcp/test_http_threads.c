/* SPDX-License-Identifier: MIT */
/* Sessions on several loops. Each request comes on a connection of its own, so
 * that most are relayed. Run it under the thread sanitizer. */
#include "support/cm.h"

#include <mcp/http.h>
#include <mcp/mcp.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <uv.h>

enum { KEPT = 16, SIZE = 64 * 1024, LIMIT_S = 60 };

typedef struct bench {
  mcp_server *server;
  uint32_t threads;
  uv_thread_t thread; /* of the loop that accepts */
  uv_sem_t ready;
  mcp_loop *loop;
  mcp_http_listener *listener;
  mcp_http_options http;
  int port;
  int is_over; /* the loop's thread's alone */
  _Atomic(mcp_call *) kept[KEPT];
  atomic_int kept_count;
  atomic_int cancelled;
  atomic_int asked;
  atomic_int draining;
  atomic_int drained;
} bench;

static size_t max_waiting; /* of the listener; 0: the default */

/* --- the server ---------------------------------------------------------- */

static void on_cancel(mcp_call *call, void *userdata) {
  atomic_fetch_add(&((bench *)userdata)->cancelled, 1);
}

static int on_keep(mcp_call *call, void *userdata) {
  bench *b = userdata;
  int at = atomic_load(&b->kept_count);
  mcp_call_on_cancel(call, on_cancel, b);
  int rc = mcp_call_defer(call);
  atomic_store(&b->kept[at], call);
  atomic_store(&b->kept_count, at + 1);
  return rc;
}

static int on_tell(mcp_call *call, void *userdata) {
  mcp_call_progress(call, 1, 2, "half");
  mcp_call_log(call, MCP_LOG_WARNING, NULL, "\"careful\"");
  return mcp_call_reply_text(call, "told");
}

static int on_ask(mcp_call *call, void *userdata) {
  const mcp_json *reply;
  const mcp_elicitation question = {
      .size = sizeof(mcp_elicitation),
      .message = "Who?",
      .form = MCP_OBJECT(MCP_STRING("name", "yours"))};
  int rc = mcp_call_ask_elicit(call, "name", &question, &reply);
  if (rc != 0) {
    return rc;
  }
  const mcp_json *content = mcp_json_get(reply, "content");
  return mcp_call_reply_text(call,
                             mcp_json_string(mcp_json_get(content, "name")));
}

static int on_request(mcp_server *server, const mcp_http_request *request,
                      mcp_http_decision *decision, void *userdata) {
  bench *b = userdata;
  if (server == b->server) {
    atomic_fetch_add(&b->asked, 1);
  }
  return 0;
}

static void add_tool(bench *b, const char *name, mcp_call_cb handler) {
  const mcp_tool tool = {.size = sizeof(mcp_tool),
                         .name = name,
                         .handler = handler,
                         .userdata = b};
  assert_int_equal(mcp_server_add_tool(b->server, &tool, NULL), 0);
}

/* On a busy machine it may be us who let a client wait longer than write_ms. */
static void listen_on(bench *b) {
  mcp_error err = {0};
  const mcp_http_listen_options options = {.size =
                                               sizeof(mcp_http_listen_options),
                                           .address = "127.0.0.1:0",
                                           .threads = b->threads,
                                           .max_waiting = max_waiting,
                                           .write_ms = UINT32_MAX,
                                           .http = &b->http};
  b->listener = mcp_server_listen_http(b->server, b->loop, &options, &err);
  assert_string_equal(err.message, "");
  assert_non_null(b->listener);
  sscanf(mcp_http_listener_url(b->listener), "http://127.0.0.1:%d/", &b->port);
}

/* A loop that has drained would end by itself. */
static void run(void *argument) {
  bench *b = argument;
  b->loop = mcp_loop_new(NULL, NULL);
  listen_on(b);
  uv_sem_post(&b->ready);
  while (!b->is_over) {
    mcp_loop_wait(b->loop, 1000);
  }
  mcp_http_listener_free(b->listener);
}

static void begin_with(bench *b, uint32_t threads,
                       const mcp_http_options *http) {
  const mcp_resource resource = {
      .size = sizeof(mcp_resource), .uri = "a:1", .name = "a", .text = "x"};
  memset(b, 0, sizeof(*b));
  b->threads = threads;
  b->http = (mcp_http_options){.size = sizeof(mcp_http_options)};
  if (http != NULL) {
    b->http = *http;
  }
  b->http.on_request = on_request;
  b->http.userdata = b;
  b->server = mcp_server_new("test", "1", NULL, NULL);
  mcp_server_enable_logging(b->server);
  add_tool(b, "keep", on_keep);
  add_tool(b, "tell", on_tell);
  add_tool(b, "ask", on_ask);
  assert_int_equal(mcp_server_add_resource(b->server, &resource, NULL), 0);
  uv_sem_init(&b->ready, 0);
  assert_int_equal(uv_thread_create(&b->thread, run, b), 0);
  uv_sem_wait(&b->ready);
}

static void begin(bench *b, uint32_t threads) {
  begin_with(b, threads, NULL);
}

static void stop(void *argument) {
  ((bench *)argument)->is_over = 1;
}

static void end(bench *b) {
  assert_int_equal(mcp_loop_post(b->loop, stop, b), 0);
  uv_thread_join(&b->thread);
  uv_sem_destroy(&b->ready);
  mcp_server_free(b->server);
  mcp_loop_free(b->loop);
}

static void await(atomic_int *count, int wanted) {
  while (atomic_load(count) < wanted) {
    uv_sleep(1);
  }
}

/* --- a client ------------------------------------------------------------ */

typedef struct client {
  bench *b;
  char id[64]; /* of its session */
} client;

/* A connection with one request, and what came of its answer. */
typedef struct trip {
  int fd;
  size_t len;
  char text[SIZE];
} trip;

static void dial(trip *t, const bench *b) {
  const struct timeval limit = {.tv_sec = LIMIT_S};
  const struct sockaddr_in address = {.sin_family = AF_INET,
                                      .sin_port = htons((uint16_t)b->port),
                                      .sin_addr.s_addr =
                                          htonl(INADDR_LOOPBACK)};
  t->len = 0;
  t->text[0] = '\0';
  t->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_int_equal(
      setsockopt(t->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)), 0);
  assert_int_equal(
      connect(t->fd, (const struct sockaddr *)&address, sizeof(address)), 0);
}

/* Headers are lines, each with its end. */
static void send_with(trip *t, const client *c, const char *method,
                      const char *headers, const char *body) {
  char text[2000];
  char session[100] = "";
  if (c->id[0] != '\0') {
    snprintf(session, sizeof(session), "Mcp-Session-Id: %s\r\n", c->id);
  }
  int len = snprintf(text, sizeof(text),
                     "%s /mcp HTTP/1.1\r\nHost: localhost\r\n"
                     "Content-Type: application/json\r\n"
                     "Accept: application/json, text/event-stream\r\n%s%s"
                     "Connection: close\r\nContent-Length: %zu\r\n\r\n%s",
                     method, session, headers, strlen(body), body);
  dial(t, c->b);
  assert_int_equal(send(t->fd, text, (size_t)len, MSG_NOSIGNAL), len);
}

/* Reads some more. 0: the connection has ended. */
static int read_some(trip *t) {
  assert_true(t->len < SIZE - 1);
  ssize_t got = recv(t->fd, t->text + t->len, SIZE - 1 - t->len, 0);
  if (got <= 0) {
    return 0;
  }
  t->len += (size_t)got;
  t->text[t->len] = '\0';
  return 1;
}

/* Reads until that is there; asserts that it comes. */
static void expect(trip *t, const char *wanted) {
  while (memmem(t->text, t->len, wanted, strlen(wanted)) == NULL) {
    if (!read_some(t)) {
      fail_msg("\"%s\" is not in \"%s\"", wanted, t->text);
    }
  }
}

static void hang_up(trip *t) {
  close(t->fd);
}

/* A whole round, after which the answer has ended. */
static void round_with(const client *c, const char *method, const char *headers,
                       const char *body, const char *wanted) {
  static _Thread_local trip t;
  send_with(&t, c, method, headers, body);
  while (read_some(&t)) {
  }
  expect(&t, wanted);
  hang_up(&t);
}

static void post(const client *c, const char *body, const char *wanted) {
  round_with(c, "POST", "", body, wanted);
}

#define HEAD "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
#define HEAD2 "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":"
#define NOTE "{\"jsonrpc\":\"2.0\",\"method\":"
#define PING HEAD "\"ping\"}"
#define PONG "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"
#define CALL(name)                                                             \
  HEAD "\"tools/call\",\"params\":{\"name\":\"" name                           \
       "\",\"_meta\":{\"progressToken\":7}}}"

static void open_session(client *c, bench *b) {
  trip t;
  *c = (client){.b = b};
  send_with(&t, c, "POST", "",
            HEAD "\"initialize\",\"params\":{\"protocolVersion\":"
                 "\"2025-06-18\",\"capabilities\":{\"elicitation\":{}},"
                 "\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}");
  while (read_some(&t)) {
  }
  hang_up(&t);
  const char *id = strstr(t.text, "Mcp-Session-Id: ");
  assert_non_null(id);
  assert_int_equal(sscanf(id + 16, "%63[!-~]", c->id), 1);
  post(c, NOTE "\"notifications/initialized\"}", "202 Accepted");
}

static void listen_to(trip *t, const client *c, const char *headers) {
  send_with(t, c, "GET", headers, "");
  expect(t, "200 OK");
}

/* Answers the kept calls. */
static void answer(bench *b) {
  for (int i = 0; i < atomic_load(&b->kept_count); i++) {
    mcp_call *call = atomic_exchange(&b->kept[i], NULL);
    if (call != NULL) {
      mcp_call_reply_text(call, "kept");
    }
  }
}

/* --- fixtures ------------------------------------------------------------ */

static bench b;

static int set_up_2(void **state) {
  begin(&b, 2);
  return 0;
}

static int set_up_3(void **state) {
  begin(&b, 3);
  return 0;
}

static int tear_down(void **state) {
  end(&b);
  return 0;
}

#define TEST_ON_2_LOOPS(name) TEST_WITH(name, set_up_2, tear_down)
#define TEST_ON_3_LOOPS(name) TEST_WITH(name, set_up_3, tear_down)

/* --- requests ------------------------------------------------------------ */

/* Connections are dealt by turns: a session with one more than some rounds of
 * them is followed by one of the next loop. */
TEST(sessions_live_on_all_loops) {
  for (uint32_t threads = 2; threads <= 3; threads++) {
    client c;
    unsigned homes = 0;
    begin(&b, threads);
    for (uint32_t i = 0; i < threads; i++) {
      open_session(&c, &b);
      homes |= 1U << (c.id[0] - 'A');
      post(&c, PING, PONG);
      post(&c, PING, PONG);
      if (threads == 2) {
        post(&c, PING, PONG);
      }
    }
    assert_int_equal(homes, (1U << threads) - 1);
    end(&b);
  }
}

TEST_ON_3_LOOPS(each_request_reaches_its_session) {
  client c;
  open_session(&c, &b);
  int asked = atomic_load(&b.asked);
  for (int i = 0; i < 9; i++) {
    post(&c, PING, PONG);
    post(&c, CALL("none"), "unknown tool");
  }
  assert_int_equal(atomic_load(&b.asked) - asked, 18);
  round_with(&c, "DELETE", "", "", "204 No Content");
  for (int i = 0; i < 3; i++) {
    post(&c, PING, "404 Not Found");
  }
}

TEST_ON_2_LOOPS(streams_tell_progress_and_logs) {
  client c;
  open_session(&c, &b);
  for (int i = 0; i < 4; i++) {
    trip t;
    send_with(&t, &c, "POST", "", CALL("tell"));
    expect(&t, "text/event-stream");
    expect(&t, "\"progressToken\":7");
    expect(&t, "careful");
    expect(&t, "\"text\":\"told\"");
    expect(&t, "\r\n0\r\n\r\n");
    assert_true(strstr(t.text, "half") < strstr(t.text, "careful"));
    assert_true(strstr(t.text, "careful") < strstr(t.text, "told"));
    hang_up(&t);
  }
}

TEST_ON_3_LOOPS(questions_are_answered_on_another_connection) {
  client c;
  open_session(&c, &b);
  for (int i = 0; i < 3; i++) {
    char reply[300];
    trip t;
    send_with(&t, &c, "POST", "", CALL("ask"));
    expect(&t, "elicitation/create");
    expect(&t, "\n\n");
    const char *id = strstr(t.text, "\"id\":");
    assert_non_null(id);
    snprintf(reply, sizeof(reply),
             "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":{\"action\":"
             "\"accept\",\"content\":{\"name\":\"Ann\"}}}",
             (int)strcspn(id + 5, ",}"), id + 5);
    post(&c, reply, "202 Accepted");
    expect(&t, "\"text\":\"Ann\"");
    hang_up(&t);
  }
}

TEST_ON_3_LOOPS(notifications_reach_all_sessions) {
  enum { CLIENTS = 4 };
  client clients[CLIENTS];
  trip streams[CLIENTS];
  for (int i = 0; i < CLIENTS; i++) {
    open_session(&clients[i], &b);
    listen_to(&streams[i], &clients[i], "");
    post(&clients[i],
         HEAD "\"resources/subscribe\",\"params\":{\"uri\":\"a:1\"}}", PONG);
  }
  add_tool(&b, "more", on_tell);
  assert_int_equal(mcp_server_resource_updated(b.server, "a:1"), 0);
  for (int i = 0; i < CLIENTS; i++) {
    expect(&streams[i], "notifications/tools/list_changed");
    expect(&streams[i], "notifications/resources/updated");
    hang_up(&streams[i]);
  }
}

TEST_ON_3_LOOPS(modern_listens_are_told_on_all_loops) {
  enum { CLIENTS = 3 };
  trip streams[CLIENTS];
  const client nobody = {.b = &b};
  for (int i = 0; i < CLIENTS; i++) {
    send_with(&streams[i], &nobody, "POST",
              "MCP-Protocol-Version: 2026-07-28\r\n"
              "Mcp-Method: subscriptions/listen\r\n",
              HEAD "\"subscriptions/listen\",\"params\":{\"notifications\":{"
                   "\"toolsListChanged\":true},\"_meta\":{"
                   "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                   "\"io.modelcontextprotocol/clientCapabilities\":{}}}}");
    expect(&streams[i], "acknowledged");
  }
  add_tool(&b, "more", on_tell);
  for (int i = 0; i < CLIENTS; i++) {
    expect(&streams[i], "tools/list_changed");
    hang_up(&streams[i]);
  }
}

/* --- clients that go ----------------------------------------------------- */

TEST_ON_2_LOOPS(a_stream_is_resumed_elsewhere) {
  client c;
  open_session(&c, &b);
  for (int i = 0; i < 2; i++) {
    char headers[100];
    trip t;
    send_with(&t, &c, "POST", "", CALL("keep"));
    await(&b.kept_count, i + 1);
    mcp_call_progress(atomic_load(&b.kept[i]), 1, 2, "one");
    expect(&t, "\"message\":\"one\"");
    hang_up(&t);
    const char *id = strstr(t.text, "\nid: ");
    assert_non_null(id);
    snprintf(headers, sizeof(headers), "Last-Event-ID: %.*s\r\n",
             (int)strcspn(id + 5, "\n"), id + 5);
    answer(&b);
    listen_to(&t, &c, headers);
    expect(&t, "\"text\":\"kept\"");
    hang_up(&t);
  }
}

TEST_ON_2_LOOPS(a_call_is_cancelled_from_another_connection) {
  client c;
  trip t;
  open_session(&c, &b);
  send_with(&t, &c, "POST", "", CALL("keep"));
  await(&b.kept_count, 1);
  post(&c, NOTE "\"notifications/cancelled\",\"params\":{\"requestId\":1}}",
       "202 Accepted");
  await(&b.cancelled, 1);
  answer(&b);
  expect(&t, "200 OK"); /* ends without a result */
  while (read_some(&t)) {
  }
  assert_null(strstr(t.text, "kept"));
  hang_up(&t);
}

/* A session has one stream by GET: the next is refused until it is known that
 * the client of the first has left. */
TEST_ON_3_LOOPS(leaving_is_noticed_at_home) {
  client c;
  open_session(&c, &b);
  for (int i = 0; i < 9; i++) {
    trip t;
    do {
      send_with(&t, &c, "GET", "", "");
      expect(&t, "\r\n\r\n");
      hang_up(&t);
    } while (strstr(t.text, "409 Conflict") != NULL);
    assert_non_null(strstr(t.text, "200 OK"));
  }
}

/* --- a client that does not read ----------------------------------------- */

static void flood(mcp_call *call, int megabytes) {
  char *text = malloc(64 * 1024);
  memset(text, 'x', 64 * 1024);
  text[0] = '"';
  memcpy(text + 64 * 1024 - 2, "\"", 2);
  for (int i = 0; i < megabytes * 16; i++) {
    mcp_call_log(call, MCP_LOG_WARNING, NULL, text);
  }
  free(text);
}

/* Logs that it does not read are left out, others are served meanwhile, and
 * what must arrive does. */
TEST_ON_2_LOOPS(a_client_that_does_not_read_is_spared) {
  enum { MEGABYTES = 64 };
  client c;
  trip t;
  open_session(&c, &b);
  for (int i = 0; i < 2; i++) {
    size_t total = 0;
    send_with(&t, &c, "POST", "", CALL("keep"));
    await(&b.kept_count, i + 1);
    flood(atomic_load(&b.kept[i]), MEGABYTES);
    post(&c, HEAD2 "\"ping\"}", "\"id\":2,\"result\":{}");
    answer(&b);
    do { /* keeps the last bytes only */
      total += t.len;
      memmove(t.text, t.text + t.len - (t.len < 200 ? t.len : 200),
              t.len < 200 ? t.len : 200);
      t.len = t.len < 200 ? t.len : 200;
    } while (read_some(&t));
    assert_non_null(strstr(t.text, "\"text\":\"kept\""));
    assert_true(total < MEGABYTES * 1024 * 1024 / 2);
    hang_up(&t);
  }
}

/* --- the end ------------------------------------------------------------- */

static void on_drained(mcp_http_listener *listener, void *userdata) {
  bench *self = userdata;
  atomic_store(&self->drained, listener == self->listener);
}

static void drain(void *argument) {
  bench *self = argument;
  mcp_server_drain(self->server, LIMIT_S * 1000);
  mcp_http_listener_drain(self->listener, on_drained, self);
  atomic_store(&self->draining, 1);
}

static void drain_listener(void *argument) {
  bench *self = argument;
  mcp_http_listener_drain(self->listener, on_drained, self);
  atomic_store(&self->draining, 1);
}

TEST_ON_2_LOOPS(draining_waits_for_relayed_calls) {
  enum { CLIENTS = 3 };
  client clients[CLIENTS];
  trip trips[CLIENTS];
  trip stream;
  for (int i = 0; i < CLIENTS; i++) {
    open_session(&clients[i], &b);
    send_with(&trips[i], &clients[i], "POST", "", CALL("keep"));
    await(&b.kept_count, i + 1);
  }
  listen_to(&stream, &clients[0], "");
  assert_int_equal(mcp_loop_post(b.loop, drain, &b), 0);
  await(&b.draining, 1);
  answer(&b);
  for (int i = 0; i < CLIENTS; i++) {
    expect(&trips[i], "\"text\":\"kept\"");
    hang_up(&trips[i]);
  }
  expect(&stream, "\r\n0\r\n\r\n");
  hang_up(&stream);
  await(&b.drained, 1);
}

TEST(freeing_breaks_off_relayed_requests) {
  enum { CLIENTS = 6 };
  client clients[CLIENTS];
  trip calls[CLIENTS];
  trip streams[CLIENTS];
  begin(&b, 3);
  for (int i = 0; i < CLIENTS; i++) {
    open_session(&clients[i], &b);
    listen_to(&streams[i], &clients[i], "");
    send_with(&calls[i], &clients[i], "POST", "", CALL("tell"));
  }
  end(&b);
  for (int i = 0; i < CLIENTS; i++) {
    while (read_some(&calls[i]) || read_some(&streams[i])) {
    }
    hang_up(&calls[i]);
    hang_up(&streams[i]);
  }
}

static void free_server_first(void *argument) {
  bench *self = argument;
  mcp_server_free(self->server);
  self->server = NULL;
  mcp_http_listener_free(self->listener);
  self->listener = NULL;
  atomic_store(&self->drained, 1);
}

TEST_ON_3_LOOPS(the_server_may_go_before_its_listener) {
  enum { CLIENTS = 6 };
  client clients[CLIENTS];
  trip streams[CLIENTS];
  for (int i = 0; i < CLIENTS; i++) {
    open_session(&clients[i], &b);
    listen_to(&streams[i], &clients[i], "");
  }
  assert_int_equal(mcp_loop_post(b.loop, free_server_first, &b), 0);
  await(&b.drained, 1);
  for (int i = 0; i < CLIENTS; i++) {
    while (read_some(&streams[i])) {
    }
    hang_up(&streams[i]);
  }
}

/* --- limits -------------------------------------------------------------- */

TEST(each_loop_has_its_share) {
  const mcp_http_options http = {.size = sizeof(mcp_http_options),
                                 .max_sessions = 3};
  client c;
  begin_with(&b, 2, &http);
  for (int i = 0; i < 4; i++) { /* two each, rounded up */
    open_session(&c, &b);
    post(&c, PING, PONG);
  }
  const client nobody = {.b = &b};
  post(&nobody,
       HEAD "\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\","
            "\"capabilities\":{},\"clientInfo\":{\"name\":\"c\","
            "\"version\":\"1\"}}}",
       "503 Service Unavailable");
  end(&b);
}

TEST(so_has_it_of_calls) {
  const mcp_http_options http = {.size = sizeof(mcp_http_options),
                                 .max_calls = 2};
  client clients[2];
  trip trips[2];
  begin_with(&b, 2, &http);
  for (int i = 0; i < 2; i++) {
    open_session(&clients[i], &b);
    send_with(&trips[i], &clients[i], "POST", "", CALL("keep"));
    await(&b.kept_count, i + 1);
  }
  assert_int_not_equal(clients[0].id[0], clients[1].id[0]);
  for (int i = 0; i < 2; i++) {
    post(&clients[i], HEAD2 "\"ping\"}", "503 Service Unavailable");
  }
  answer(&b);
  for (int i = 0; i < 2; i++) {
    expect(&trips[i], "\"text\":\"kept\"");
    hang_up(&trips[i]);
  }
  end(&b);
}

TEST(there_are_at_most_64) {
  mcp_error err = {0};
  const mcp_http_listen_options options = {.size =
                                               sizeof(mcp_http_listen_options),
                                           .address = "127.0.0.1:0",
                                           .threads = 65};
  mcp_loop *loop = mcp_loop_new(NULL, NULL);
  mcp_server *server = mcp_server_new("test", "1", NULL, NULL);
  assert_null(mcp_server_listen_http(server, loop, &options, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  assert_string_equal(err.message, "threads: 65, at most 64");
  mcp_server_free(server);
  mcp_loop_free(loop);
}

/* --- all at once --------------------------------------------------------- */

enum { CALLERS = 4, ROUNDS = 30 };

typedef struct caller {
  uv_thread_t thread;
  client client;
  unsigned seed;
} caller;

/* Calls, and leaves some of them at any moment. */
static void call_many(void *argument) {
  caller *self = argument;
  static _Thread_local trip t;
  for (int i = 0; i < ROUNDS; i++) {
    self->seed = self->seed * 1103515245 + 12345;
    unsigned kind = (self->seed >> 16) % 4;
    if (kind == 0) {
      send_with(&t, &self->client, "POST", "", CALL("tell"));
      hang_up(&t);
    } else if (kind == 1) {
      send_with(&t, &self->client, "GET", "", "");
      hang_up(&t);
    } else {
      post(&self->client, CALL("tell"), "\"text\":\"told\"");
    }
  }
}

TEST(clients_call_and_leave_at_once) {
  caller callers[CALLERS];
  begin(&b, 3);
  for (int i = 0; i < CALLERS; i++) {
    open_session(&callers[i].client, &b);
    callers[i].seed = (unsigned)i;
    assert_int_equal(
        uv_thread_create(&callers[i].thread, call_many, &callers[i]), 0);
  }
  for (int i = 0; i < ROUNDS; i++) {
    add_tool(&b, "more", on_tell);
    assert_int_equal(mcp_server_remove_tool(b.server, "more"), 0);
  }
  for (int i = 0; i < CALLERS; i++) {
    uv_thread_join(&callers[i].thread);
    round_with(&callers[i].client, "DELETE", "", "", "204 No Content");
  }
  end(&b);
}

/* --- HTTP+SSE ------------------------------------------------------------- */

/* Where a stream of events says to post. */
static void open_stream(trip *get, const bench *self, char where[100]) {
  static const char head[] = "GET /sse HTTP/1.1\r\nHost: localhost\r\n\r\n";
  dial(get, self);
  assert_int_equal(send(get->fd, head, sizeof(head) - 1, MSG_NOSIGNAL),
                   sizeof(head) - 1);
  expect(get, "\n\n");
  const char *data = strstr(get->text, "event: endpoint\ndata: ");
  assert_non_null(data);
  assert_int_equal(sscanf(data + 22, "%99[!-~]", where), 1);
}

static void post_there(const bench *self, const char *where, const char *body,
                       const char *wanted) {
  static _Thread_local trip t;
  char text[2000];
  int len = snprintf(text, sizeof(text),
                     "POST %s HTTP/1.1\r\nHost: localhost\r\n"
                     "Content-Type: application/json\r\nConnection: close\r\n"
                     "Content-Length: %zu\r\n\r\n%s",
                     where, strlen(body), body);
  dial(&t, self);
  assert_int_equal(send(t.fd, text, (size_t)len, MSG_NOSIGNAL), len);
  while (read_some(&t)) {
  }
  expect(&t, wanted);
  hang_up(&t);
}

/* Each post comes to another loop than the one before it. */
TEST(posts_reach_their_streams) {
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .wires = MCP_HTTP_SSE};
  trip get;
  char where[100];
  unsigned homes = 0;
  begin_with(&b, 3, &options);
  for (int i = 0; i < 3; i++) {
    char result[100];
    open_stream(&get, &b, where);
    homes |= 1U << (strchr(where, '=')[1] - 'A');
    for (int id = 0; id < 6; id++) {
      char body[100];
      snprintf(body, sizeof(body),
               "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"ping\"}", id);
      snprintf(result, sizeof(result), "\"id\":%d,\"result\":{}}\n\n", id);
      post_there(&b, where, body, "202 Accepted");
      expect(&get, result);
    }
    hang_up(&get);
  }
  assert_int_equal(homes, 7);
  post_there(&b, "/messages?sessionId=Cx", PING, "404 Not Found");
  post_there(&b, "/messages?sessionId=~", PING, "404 Not Found");
  post_there(&b, "/messages", PING, "400 Bad Request");
  end(&b);
}

TEST(leaving_a_stream_cancels_its_calls) {
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .wires = MCP_HTTP_SSE};
  trip get;
  char where[100];
  begin_with(&b, 2, &options);
  open_stream(&get, &b, where);
  post_there(&b, where,
             HEAD "\"initialize\",\"params\":{\"protocolVersion\":"
                  "\"2024-11-05\",\"capabilities\":{},\"clientInfo\":{"
                  "\"name\":\"c\",\"version\":\"1\"}}}",
             "202 Accepted");
  post_there(&b, where, CALL("keep"), "202 Accepted");
  await(&b.kept_count, 1);
  hang_up(&get);
  await(&b.cancelled, 1);
  answer(&b);
  end(&b);
}

/* --- what would last ------------------------------------------------------ */

#define MODERN_META                                                            \
  "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","     \
  "\"io.modelcontextprotocol/clientCapabilities\":{}}"

static void open_websocket(trip *t, const bench *self) {
  static const char head[] =
      "GET /mcp HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
      "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  dial(t, self);
  assert_int_equal(send(t->fd, head, sizeof(head) - 1, MSG_NOSIGNAL),
                   sizeof(head) - 1);
  expect(t, "101 Switching Protocols");
  expect(t, "\r\n\r\n");
}

/* Masked by zeros. */
static void send_text(const trip *t, const char *text) {
  char frame[1000] = {'\x81'};
  size_t len = strlen(text);
  size_t head_len = len < 126 ? 6 : 8;
  frame[1] = (char)(0x80 + (len < 126 ? len : 126));
  if (len >= 126) {
    frame[2] = (char)(len / 256);
    frame[3] = (char)(len % 256);
  }
  memcpy(frame + head_len, text, len);
  len += head_len;
  assert_int_equal(send(t->fd, frame, len, MSG_NOSIGNAL), len);
}

static void send_listen(trip *t, const bench *self) {
  const client nobody = {.b = (bench *)(uintptr_t)self};
  send_with(t, &nobody, "POST",
            "MCP-Protocol-Version: 2026-07-28\r\n"
            "Mcp-Method: subscriptions/listen\r\n",
            HEAD "\"subscriptions/listen\",\"params\":{\"notifications\":{"
                 "\"toolsListChanged\":true}," MODERN_META "}}");
  expect(t, "acknowledged");
}

#define END_OF_CHUNKS "\r\n0\r\n\r\n"
#define CLOSE_1001 "\x88\x02\x03\xe9"

static void expect_end(trip *t, const char *end) {
  expect(t, end);
  hang_up(t);
}

/* One on each loop and one more, where a call is under way. */
TEST(draining_ends_what_would_last) {
  enum { THREADS = 3 };
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .wires = MCP_HTTP_STREAMABLE |
                                             MCP_HTTP_WEBSOCKET | MCP_HTTP_SSE};
  static trip sockets[THREADS + 1];
  static trip sses[THREADS + 1];
  static trip listens[THREADS];
  static trip gets[THREADS];
  for (uint32_t threads = 1; threads <= THREADS; threads += THREADS - 1) {
    client c;
    char where[100];
    begin_with(&b, threads, &options);
    for (uint32_t i = 0; i < threads; i++) {
      open_session(&c, &b);
      listen_to(&gets[i], &c, "");
      open_websocket(&sockets[i], &b);
      open_stream(&sses[i], &b, where);
      send_listen(&listens[i], &b);
    }
    open_websocket(&sockets[threads], &b);
    send_text(&sockets[threads],
              HEAD "\"tools/call\",\"params\":{\"name\":\"keep\"," //
              MODERN_META "}}");
    await(&b.kept_count, 1);
    open_stream(&sses[threads], &b, where);
    post_there(&b, where,
               HEAD "\"tools/call\",\"params\":{\"name\":\"keep\"," //
               MODERN_META "}}",
               "202 Accepted");
    await(&b.kept_count, 2);
    assert_int_equal(mcp_loop_post(b.loop, drain_listener, &b), 0);
    for (uint32_t i = 0; i < threads; i++) {
      expect_end(&gets[i], END_OF_CHUNKS);
      expect_end(&sockets[i], CLOSE_1001);
      expect_end(&sses[i], END_OF_CHUNKS);
      expect_end(&listens[i], END_OF_CHUNKS);
    }
    await(&b.draining, 1);
    assert_int_equal(atomic_load(&b.drained), 0);
    answer(&b);
    expect(&sockets[threads], "kept");
    expect_end(&sockets[threads], CLOSE_1001);
    expect(&sses[threads], "kept");
    expect_end(&sses[threads], END_OF_CHUNKS);
    await(&b.drained, 1);
    end(&b);
  }
}

/* On each loop it counts with what the connections keep. */
TEST(what_a_dialect_keeps_back_counts) {
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .wires = MCP_HTTP_WEBSOCKET,
                                    .dialect = MCP_DIALECT_MCP_CORE};
  for (uint32_t threads = 1; threads <= 2; threads++) {
    trip t;
    max_waiting = 1000;
    begin_with(&b, threads, &options);
    max_waiting = 0;
    open_websocket(&t, &b);
    send_text(&t, "{\"name\":\"keep\"}");
    for (int i = 0; i < 30;
         i++) { /* each has 40 bytes and more for an answer */
      send_text(&t, "{\"name\":\"tell\"}");
    }
    expect_end(&t, CLOSE_1001);
    await(&b.kept_count, 1);
    answer(&b);
    end(&b);
  }
}

TEST(a_websocket_has_its_age) {
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .wires = MCP_HTTP_WEBSOCKET,
                                    .session_max_ms = 1};
  trip t;
  begin_with(&b, 1, &options);
  open_websocket(&t, &b);
  expect_end(&t, CLOSE_1001);
  end(&b);
}
