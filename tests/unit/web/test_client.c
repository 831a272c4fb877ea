/* SPDX-License-Identifier: MIT */
/* The Streamable HTTP client against a server that does as each test says. It is
 * on the same loop: our HTTP/1.1 server with an application of the test's. */
#include "support/cm.h"
#include "support/transport/recorder.h"
#include "transport/http1.h"
#include "transport/uv_loop.h"

#include <arpa/inet.h>
#include <mcp/http_client.h>
#include <mcp/sync.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* --- the server ---------------------------------------------------------- */

enum { MAX_REQUESTS = 64 };

/* One request, and how it is answered. */
typedef struct request {
  char method[8];
  char session[64];
  char version[32];
  char last_id[64];
  char mirror[160]; /* "Mcp-Method Mcp-Name" */
  char secret[64];
  char param[64]; /* Mcp-Param-City */
  char target[64];
  char *body;
  const mcp_http_responder *responder;
  void *exchange;
  int is_gone;
} request;

static struct fake {
  mcp_loop *loop;
  mcpi_http1 *http1;
  uv_poll_t poll;
  int fd;
  char url[64];
  void (*answer)(request *asked);
  request requests[MAX_REQUESTS];
  size_t count;
} fake;

static mcp_client *client;
static size_t closed_count;
static mcp_error last_error;

static const char *header(const mcp_http_request *head, const char *name) {
  for (size_t i = 0; i < head->header_count; i++) {
    if (strcasecmp(head->headers[i].name, name) == 0) {
      return head->headers[i].value;
    }
  }
  return "";
}

static void *on_head(void *userdata, const mcp_http_request *head,
                     const mcp_http_responder *responder, void *exchange) {
  (void)userdata;
  assert_true(fake.count < MAX_REQUESTS);
  request *asked = &fake.requests[fake.count++];
  snprintf(asked->method, sizeof(asked->method), "%s", head->method);
  snprintf(asked->target, sizeof(asked->target), "%s", head->target);
  snprintf(asked->session, sizeof(asked->session), "%s",
           header(head, "Mcp-Session-Id"));
  snprintf(asked->version, sizeof(asked->version), "%s",
           header(head, "MCP-Protocol-Version"));
  snprintf(asked->last_id, sizeof(asked->last_id), "%s",
           header(head, "Last-Event-ID"));
  snprintf(asked->mirror, sizeof(asked->mirror), "%s %s",
           header(head, "Mcp-Method"), header(head, "Mcp-Name"));
  snprintf(asked->secret, sizeof(asked->secret), "%s",
           header(head, "Authorization"));
  snprintf(asked->param, sizeof(asked->param), "%s",
           header(head, "Mcp-Param-City"));
  asked->responder = responder;
  asked->exchange = exchange;
  return asked;
}

static void on_body(void *handle, const char *body, size_t len) {
  request *asked = handle;
  asked->body = calloc(len + 1, 1);
  assert_non_null(asked->body);
  if (len > 0) {
    memcpy(asked->body, body, len);
  }
  fake.answer(asked);
}

static void on_gone(void *handle) {
  request *asked = handle;
  asked->is_gone = 1;
}

static void on_connection(uv_poll_t *poll, int status, int events) {
  (void)poll;
  (void)status;
  (void)events;
  int fd = accept4(fake.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd >= 0) {
    mcpi_http1_serve(fake.http1, fd, "client");
  }
}

static void listen_on_loopback(void) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t len = sizeof(address);
  fake.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  assert_int_equal(bind(fake.fd, (struct sockaddr *)&address, len), 0);
  assert_int_equal(listen(fake.fd, 16), 0);
  assert_int_equal(getsockname(fake.fd, (struct sockaddr *)&address, &len), 0);
  snprintf(fake.url, sizeof(fake.url), "http://127.0.0.1:%d/mcp?key=secret",
           ntohs(address.sin_port));
}

static void begin_fake(void) {
  const mcpi_http1_limits limits = {.max_connections = 100,
                                    .max_head = 16384,
                                    .max_headers = 100,
                                    .max_body = 1 << 20,
                                    .max_queue = 1 << 20,
                                    .max_waiting = 64 * 1024 * 1024,
                                    .head_ms = 60000,
                                    .body_ms = 60000,
                                    .idle_ms = 60000,
                                    .write_ms = 60000};
  const mcpi_http_app app = {NULL, on_head, on_body, on_gone};
  fake.loop = loop_begin();
  fake.http1 = mcpi_http1_new(fake.loop, &limits, &app);
  assert_non_null(fake.http1);
  listen_on_loopback();
  mcpi_uv *uv = mcpi_uv_of(fake.loop);
  uv_poll_init(uv->uv, &fake.poll, fake.fd);
  uv_poll_start(&fake.poll, UV_READABLE, on_connection);
}

static void note_closed(mcp_client *closed, const mcp_error *err,
                        void *userdata) {
  (void)closed;
  (void)err;
  (void)userdata;
  closed_count++;
}

static void note_error(mcp_client *told, const mcp_error *err, void *userdata) {
  (void)told;
  (void)userdata;
  last_error = *err;
}

static void begin_client(uint32_t policy) {
  const mcp_client_options options = {MCP_CLIENT_OPTIONS_INIT, .policy = policy,
                                      .on_closed = note_closed,
                                      .on_error = note_error};
  client = mcp_client_new(fake.loop, "test", "1");
  assert_int_equal(mcp_client_configure(client, &options, NULL), 0);
}

static int begin(void **state) {
  (void)state;
  memset(&fake, 0, sizeof(fake));
  memset(&last_error, 0, sizeof(last_error));
  closed_count = 0;
  begin_fake();
  return 0;
}

static void nothing(uv_handle_t *handle) {
  (void)handle;
}

static int end(void **state) {
  (void)state;
  if (client != NULL) {
    mcp_sync_close(client);
  }
  mcp_client_free(client);
  client = NULL;
  mcpi_http1_free(fake.http1);
  uv_close((uv_handle_t *)&fake.poll, nothing);
  mcp_loop_wait(fake.loop, 0);
  close(fake.fd);
  loop_end(fake.loop);
  for (size_t i = 0; i < fake.count; i++) {
    free(fake.requests[i].body);
  }
  return 0;
}

/* --- answers ------------------------------------------------------------- */

static const mcp_http_header json_type[] = {
    {"Content-Type", "application/json"}};
static const mcp_http_header with_session[] = {
    {"Content-Type", "application/json"}, {"Mcp-Session-Id", "s-1"}};
static const mcp_http_header event_type[] = {
    {"Content-Type", "text/event-stream"}};

static int asks(const request *asked, const char *method) {
  char text[80];
  snprintf(text, sizeof(text), "\"method\":\"%s\"", method);
  return strstr(asked->body, text) != NULL;
}

static unsigned long id_of(const request *asked) {
  const char *id = strstr(asked->body, "\"id\":");
  return id != NULL ? strtoul(id + 5, NULL, 10) : 0;
}

static void respond(request *asked, int status, const char *body) {
  asked->responder->respond(asked->exchange, status, json_type, 1, body,
                            strlen(body));
}

static void respond_result(request *asked, const char *result) {
  char body[1024];
  snprintf(body, sizeof(body), "{\"jsonrpc\":\"2.0\",\"id\":%lu,\"result\":%s}",
           id_of(asked), result);
  respond(asked, 200, body);
}

static const char hello[] =
    "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},"
    "\"serverInfo\":{\"name\":\"fake\",\"version\":\"1\"}}";

/* A legacy server with sessions and no stream. */
static void answer_legacy(request *asked) {
  char body[1024];
  if (strcmp(asked->method, "POST") != 0) {
    respond(asked, strcmp(asked->method, "GET") == 0 ? 405 : 200, "");
  } else if (asks(asked, "server/discover")) {
    respond(asked, 400, "what?");
  } else if (asks(asked, "initialize")) {
    snprintf(body, sizeof(body),
             "{\"jsonrpc\":\"2.0\",\"id\":%lu,\"result\":%s}", id_of(asked),
             hello);
    asked->responder->respond(asked->exchange, 200, with_session, 2, body,
                              strlen(body));
  } else if (id_of(asked) == 0) {
    asked->responder->respond(asked->exchange, 202, NULL, 0, NULL, 0);
  } else {
    respond_result(asked, "{\"tools\":[]}");
  }
}

/* A modern server. */
static void answer_modern(request *asked) {
  if (asks(asked, "server/discover")) {
    respond_result(asked, "{\"resultType\":\"complete\",\"supportedVersions\":["
                          "\"2026-07-28\"],\"capabilities\":{\"tools\":{}},"
                          "\"ttlMs\":0,\"cacheScope\":\"private\"}");
  } else {
    respond_result(asked, "{\"resultType\":\"complete\",\"tools\":[],"
                          "\"content\":[],\"ttlMs\":0,"
                          "\"cacheScope\":\"private\"}");
  }
}

static int connect_with(uint32_t policy, void (*answer)(request *asked),
                        const mcp_http_client_options *options,
                        mcp_error *err) {
  fake.answer = answer;
  begin_client(policy);
  return mcp_sync_connect_url(client, fake.url, options, err);
}

static void must_connect(uint32_t policy, void (*answer)(request *asked)) {
  mcp_error err = {0};
  if (connect_with(policy, answer, NULL, &err) != 0) {
    fail_msg("%s", err.message);
  }
}

static request *last_asked(void) {
  assert_true(fake.count > 0);
  return &fake.requests[fake.count - 1];
}

/* --- eras ---------------------------------------------------------------- */

static void a_legacy_server_is_found_out(void **state) {
  (void)state;
  must_connect(MCP_POLICY_AUTO, answer_legacy);
  assert_string_equal(mcp_client_revision(client), "2025-11-25");
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL), 0);
  assert_string_equal(last_asked()->session, "s-1");
  assert_string_equal(last_asked()->version, "2025-11-25");
  assert_string_equal(last_asked()->mirror, " ");
  mcp_sync_close(client);
  assert_string_equal(last_asked()->method, "DELETE");
  assert_string_equal(last_asked()->session, "s-1");
  assert_int_equal(closed_count, 1);
}

static void the_first_request_waits_for_the_handshake(void **state) {
  (void)state;
  must_connect(MCP_POLICY_LEGACY, answer_legacy);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL), 0);
  assert_true(asks(&fake.requests[1], "notifications/initialized"));
  assert_string_equal(fake.requests[2].method, "GET");
  assert_true(asks(&fake.requests[3], "tools/list"));
}

static void a_modern_server_sees_mirrored_headers(void **state) {
  (void)state;
  must_connect(MCP_POLICY_AUTO, answer_modern);
  assert_string_equal(mcp_client_verdict(client), "modern 2026-07-28");
  assert_int_equal(mcp_sync_call_tool(client, " \xc3\xa4 ", NULL, NULL, NULL),
                   0);
  assert_string_equal(last_asked()->mirror, "tools/call =?base64?IMOkIA==?=");
  assert_string_equal(last_asked()->version, "2026-07-28");
  assert_string_equal(last_asked()->session, "");
}

static void answer_unauthorized(request *asked) {
  respond(asked, 401, "");
}

static void a_refused_client_learns_nothing_of_the_era(void **state) {
  (void)state;
  mcp_error err = {0};
  assert_int_equal(
      connect_with(MCP_POLICY_AUTO, answer_unauthorized, NULL, &err),
      MCP_ERR_REFUSED);
  assert_int_equal(err.status, 401);
  assert_int_equal(fake.count, 1);
  assert_non_null(strstr(err.message, "HTTP 401"));
  assert_non_null(strstr(err.message, "http://127.0.0.1:"));
  assert_null(strstr(err.message, "secret"));
}

static void a_server_that_is_not_there_is_told_of(void **state) {
  (void)state;
  mcp_error err = {0};
  begin_client(MCP_POLICY_AUTO);
  assert_int_equal(
      mcp_sync_connect_url(client, "http://127.0.0.1:1/", NULL, &err),
      MCP_ERR_IO);
  assert_non_null(strstr(err.message, "http://127.0.0.1:1/"));
}

/* --- errors -------------------------------------------------------------- */

static void answer_error(request *asked) {
  if (!asks(asked, "tools/list")) {
    answer_modern(asked);
  } else {
    respond(asked, 404,
            "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":"
            "-32601,\"message\":\"no such thing\"}}");
  }
}

static void an_error_without_id_is_the_requests(void **state) {
  (void)state;
  mcp_error err = {0};
  must_connect(MCP_POLICY_AUTO, answer_error);
  assert_int_equal(mcp_sync_list_tools(client, NULL, &err), MCP_ERR_REMOTE);
  assert_int_equal(err.status, -32601);
  assert_string_equal(err.message, "no such thing");
}

static void answer_broken(request *asked) {
  if (!asks(asked, "tools/list")) {
    answer_modern(asked);
  } else {
    respond(asked, 503,
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,"
            "\"message\":\"come back later\"}}");
  }
}

static void a_failure_ends_its_request_alone(void **state) {
  (void)state;
  mcp_error err = {0};
  must_connect(MCP_POLICY_AUTO, answer_broken);
  assert_int_equal(mcp_sync_list_tools(client, NULL, &err), MCP_ERR_IO);
  assert_int_equal(err.status, 503);
  assert_non_null(strstr(err.message, "come back later"));
  assert_int_equal(mcp_sync_call_tool(client, "a", NULL, NULL, NULL), 0);
}

static void answer_nonsense(request *asked) {
  if (!asks(asked, "tools/list")) {
    answer_modern(asked);
  } else {
    respond(asked, 200, "{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}");
  }
}

static void an_answer_to_something_else_is_none(void **state) {
  (void)state;
  mcp_error err = {0};
  must_connect(MCP_POLICY_AUTO, answer_nonsense);
  assert_int_equal(mcp_sync_list_tools(client, NULL, &err), MCP_ERR_PROTOCOL);
}

/* --- streams ------------------------------------------------------------- */

static void stream(request *asked, const char *text, int is_whole) {
  asked->responder->begin(asked->exchange, 200, event_type, 1);
  asked->responder->write(asked->exchange, text, strlen(text));
  if (is_whole) {
    asked->responder->end(asked->exchange);
  }
}

static void answer_cut(request *asked) {
  char text[160];
  if (!asks(asked, "tools/list")) {
    answer_modern(asked);
    return;
  }
  int len = snprintf(text, sizeof(text),
                     ": hello\r\nid: 1\r\n\r\ndata: {\"jsonrpc\":\"2.0\","
                     "\"id\":%lu,\r\ndata: \"result\":{\"tools\":[]}}\r\n\r\n",
                     id_of(asked));
  asked->responder->begin(asked->exchange, 200, event_type, 1);
  for (int i = 0; i < len; i++) {
    asked->responder->write(asked->exchange, text + i, 1);
  }
  asked->responder->end(asked->exchange);
}

static void an_answer_may_come_in_pieces(void **state) {
  (void)state;
  must_connect(MCP_POLICY_AUTO, answer_cut);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL), 0);
}

static void answer_short(request *asked) {
  if (!asks(asked, "tools/list")) {
    answer_modern(asked);
  } else {
    stream(asked, "id: 1\nretry: 1\ndata:\n\n", 1);
  }
}

static void a_broken_modern_stream_ends_the_request(void **state) {
  (void)state;
  mcp_error err = {0};
  must_connect(MCP_POLICY_AUTO, answer_short);
  size_t before = fake.count;
  assert_int_equal(mcp_sync_list_tools(client, NULL, &err), MCP_ERR_IO);
  assert_int_equal(fake.count, before + 1);
}

static unsigned long resumed;

static void answer_polling(request *asked) {
  char text[160];
  if (strcmp(asked->method, "POST") == 0 && asks(asked, "tools/list")) {
    resumed = id_of(asked);
    stream(asked, "id: e-1\nretry: 20\ndata:\n\n", 1);
  } else if (strcmp(asked->method, "GET") == 0 && asked->last_id[0] != '\0') {
    snprintf(text, sizeof(text),
             "data: {\"jsonrpc\":\"2.0\",\"id\":%lu,\"result\":{\"tools\":[]}}"
             "\n\n",
             resumed);
    stream(asked, text, 1);
  } else {
    answer_legacy(asked);
  }
}

static void a_legacy_stream_is_taken_up_again(void **state) {
  (void)state;
  must_connect(MCP_POLICY_LEGACY, answer_polling);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL), 0);
  assert_string_equal(last_asked()->method, "GET");
  assert_string_equal(last_asked()->last_id, "e-1");
  assert_string_equal(last_asked()->session, "s-1");
}

static int resume_status;

static void answer_deaf(request *asked) {
  if (strcmp(asked->method, "POST") == 0 && asks(asked, "tools/list")) {
    stream(asked, "id: e-1\nretry: 1\ndata:\n\n", 1);
  } else if (asked->last_id[0] != '\0') {
    respond(asked, resume_status, "");
  } else {
    answer_legacy(asked);
  }
}

static size_t count_resumes(void) {
  size_t count = 0;
  for (size_t i = 0; i < fake.count; i++) {
    count += fake.requests[i].last_id[0] != '\0';
  }
  return count;
}

static void taking_up_is_given_up(void **state) {
  (void)state;
  mcp_error err = {0};
  must_connect(MCP_POLICY_LEGACY, answer_deaf);
  resume_status = 503;
  assert_int_equal(mcp_sync_list_tools(client, NULL, &err), MCP_ERR_IO);
  assert_int_equal(count_resumes(), 5);
  resume_status = 405;
  assert_int_equal(mcp_sync_list_tools(client, NULL, &err), MCP_ERR_PROTOCOL);
  assert_int_equal(count_resumes(), 6);
}

static void answer_long(request *asked) {
  char text[600];
  memset(text, 'x', sizeof(text));
  text[sizeof(text) - 1] = '\0';
  if (asks(asked, "tools/list")) {
    respond(asked, 200, text);
  } else {
    answer_modern(asked);
  }
}

static void a_bad_answer_ends_the_request(void **state) {
  (void)state;
  mcp_error err = {0};
  must_connect(MCP_POLICY_AUTO, answer_long);
  assert_int_equal(mcp_sync_list_tools(client, NULL, &err), MCP_ERR_PROTOCOL);
  assert_int_equal(last_error.code, MCP_ERR_PARSE);
}

/* --- sessions ------------------------------------------------------------ */

static int is_session_over;

static void answer_forgetful(request *asked) {
  if (is_session_over && strcmp(asked->method, "POST") == 0 &&
      asked->session[0] != '\0') {
    is_session_over = 0;
    respond(asked, 404, "");
  } else {
    answer_legacy(asked);
  }
}

static void a_lost_session_is_begun_anew(void **state) {
  (void)state;
  mcp_error err = {0};
  is_session_over = 0;
  must_connect(MCP_POLICY_LEGACY, answer_forgetful);
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL), 0);
  is_session_over = 1;
  assert_int_equal(mcp_sync_list_tools(client, NULL, &err), MCP_ERR_CLOSED);
  assert_int_equal(last_error.code, MCP_ERR_CLOSED);
  while (mcp_sync_list_tools(client, NULL, NULL) == MCP_ERR_CLOSED) {
    mcp_loop_wait(fake.loop, 10);
  }
  assert_int_equal(mcp_sync_list_tools(client, NULL, NULL), 0);
  assert_int_equal(closed_count, 0);
}

/* --- limits and options --------------------------------------------------- */

static void answer_never(request *asked) {
  if (!asks(asked, "tools/list")) {
    answer_modern(asked);
  }
}

static void a_silent_server_is_given_up(void **state) {
  (void)state;
  mcp_error err = {0};
  const mcp_http_client_options options = {MCP_HTTP_CLIENT_OPTIONS_INIT,
                                           .request_timeout_ms = 100};
  assert_int_equal(connect_with(MCP_POLICY_AUTO, answer_never, &options, &err),
                   0);
  assert_int_equal(mcp_sync_list_tools(client, NULL, &err), MCP_ERR_TIMEOUT);
  assert_int_equal(mcp_sync_call_tool(client, "a", NULL, NULL, NULL), 0);
}

static mcp_outcome ended;

static void note_done(mcp_client *told, const mcp_outcome *outcome,
                      void *userdata) {
  (void)told;
  (void)userdata;
  ended = *outcome;
  ended.size = 1;
}

static void cancelling_closes_the_stream(void **state) {
  (void)state;
  uint64_t number = 0;
  const mcp_request_options options = {MCP_REQUEST_OPTIONS_INIT,
                                       .request = &number};
  ended.size = 0;
  must_connect(MCP_POLICY_AUTO, answer_never);
  size_t before = fake.count;
  assert_int_equal(mcp_client_list_tools(client, &options, note_done, NULL), 0);
  while (fake.count == before) {
    mcp_loop_wait(fake.loop, 10);
  }
  assert_int_equal(mcp_client_cancel(client, number, NULL), 0);
  while (ended.size == 0 || !last_asked()->is_gone) {
    mcp_loop_wait(fake.loop, 10);
  }
  assert_int_equal(ended.status, MCP_ERR_CANCELLED);
}

static void headers_are_sent_and_checked(void **state) {
  (void)state;
  const char *const good[] = {"Authorization: Bearer abc", NULL};
  const char *const bad[][2] = {{"x", NULL},
                                {"a b: c", NULL},
                                {"X: a\r\nY: b", NULL},
                                {"mcp-session-id: x", NULL}};
  mcp_http_client_options options = {MCP_HTTP_CLIENT_OPTIONS_INIT,
                                     .headers = good};
  mcp_error err = {0};
  assert_int_equal(connect_with(MCP_POLICY_AUTO, answer_modern, &options, &err),
                   0);
  assert_string_equal(last_asked()->secret, "Bearer abc");
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    options.headers = bad[i];
    assert_null(mcp_transport_http(fake.loop, fake.url, &options, &err));
    assert_int_equal(err.code, MCP_ERR_INVALID);
  }
}

static void urls_are_checked(void **state) {
  (void)state;
  const char *const bad[] = {"", "mcp", "ftp://x/", "file:///etc/passwd",
                             "http://"};
  mcp_error err = {0};
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    assert_null(mcp_transport_http(fake.loop, bad[i], NULL, &err));
    assert_int_equal(err.code, MCP_ERR_INVALID);
  }
  assert_null(mcp_transport_http(fake.loop, NULL, NULL, &err));
  mcp_transport *never = mcp_transport_http(fake.loop, fake.url, NULL, &err);
  assert_non_null(never);
  mcp_transport_free(never);
}

/* --- arguments in headers ------------------------------------------------- */

static int mismatches; /* how often a call's headers are refused */

static void answer_annotated(request *asked) {
  if (asks(asked, "tools/list")) {
    respond_result(
        asked,
        "{\"resultType\":\"complete\",\"ttlMs\":0,\"cacheScope\":\"private\","
        "\"tools\":[{\"name\":\"bad\",\"inputSchema\":{\"type\":\"object\","
        "\"properties\":{\"a\":{\"type\":\"number\",\"x-mcp-header\":\"A\"}}}},"
        "{\"name\":\"good\",\"inputSchema\":{\"type\":\"object\","
        "\"properties\":{\"city\":{\"type\":\"string\","
        "\"x-mcp-header\":\"City\"}}}}]}");
  } else if (asks(asked, "tools/call") && mismatches > 0) {
    mismatches--;
    respond(asked, 400,
            "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32020,"
            "\"message\":\"headers\"}}");
  } else {
    answer_modern(asked);
  }
}

static void arguments_travel_in_headers(void **state) {
  (void)state;
  mcp_result *tools = NULL;
  mismatches = 0;
  must_connect(MCP_POLICY_AUTO, answer_annotated);
  mcp_sync_call_tool(client, "good", "{\"city\":\"Oslo\"}", NULL, NULL);
  assert_string_equal(last_asked()->param, "");
  assert_int_equal(mcp_sync_list_tools(client, &tools, NULL), 0);
  assert_int_equal(mcp_result_count(tools), 1);
  assert_non_null(strstr(last_error.message, "\"bad\""));
  mcp_result_unref(tools);
  mcp_sync_call_tool(client, "good", "{\"city\":\"Oslo\"}", NULL, NULL);
  assert_string_equal(last_asked()->param, "Oslo");
  mcp_sync_call_tool(client, "good", "{\"city\":null}", NULL, NULL);
  assert_string_equal(last_asked()->param, "");
}

static void refused_headers_are_learned_anew_once(void **state) {
  (void)state;
  mcp_error err = {0};
  must_connect(MCP_POLICY_AUTO, answer_annotated);
  mismatches = 1;
  assert_int_equal(
      mcp_sync_call_tool(client, "good", "{\"city\":\"Oslo\"}", NULL, &err), 0);
  assert_string_equal(last_asked()->param, "Oslo");
  assert_true(asks(&fake.requests[fake.count - 2], "tools/list"));
  mismatches = 2;
  assert_int_equal(mcp_sync_call_tool(client, "good", "{}", NULL, &err),
                   MCP_ERR_REMOTE);
  assert_int_equal(err.status, MCP_RPC_HEADER_MISMATCH);
}

/* --- redirects ----------------------------------------------------------- */

static const char *location;

static void answer_elsewhere(request *asked) {
  const mcp_http_header headers[] = {{"Location", location}};
  if (strncmp(asked->target, "/mcp?", 5) == 0) {
    asked->responder->respond(asked->exchange, 307, headers, 1, NULL, 0);
  } else {
    answer_modern(asked);
  }
}

static void redirects_stay_within_the_origin(void **state) {
  (void)state;
  mcp_error err = {0};
  location = "/mcp/";
  must_connect(MCP_POLICY_MODERN, answer_elsewhere);
  assert_string_equal(last_asked()->target, "/mcp/");
  mcp_sync_close(client);
  mcp_client_free(client);
  location = "http://localhost:1/mcp/";
  assert_int_equal(
      connect_with(MCP_POLICY_MODERN, answer_elsewhere, NULL, &err),
      MCP_ERR_PROTOCOL);
  assert_int_equal(err.status, 307);
}

/* --- the end ------------------------------------------------------------- */

static void free_client(mcp_client *told, const mcp_outcome *outcome,
                        void *userdata) {
  (void)outcome;
  (void)userdata;
  mcp_client_free(told);
  client = NULL;
}

static void a_client_may_be_freed_in_a_completion(void **state) {
  (void)state;
  must_connect(MCP_POLICY_LEGACY, answer_legacy);
  mcp_client_list_tools(client, NULL, free_client, NULL);
  while (client != NULL) {
    mcp_loop_wait(fake.loop, 10);
  }
}

#define WEB_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
  const struct CMUnitTest tests[] = {
      WEB_TEST(a_legacy_server_is_found_out),
      WEB_TEST(the_first_request_waits_for_the_handshake),
      WEB_TEST(a_modern_server_sees_mirrored_headers),
      WEB_TEST(a_refused_client_learns_nothing_of_the_era),
      WEB_TEST(a_server_that_is_not_there_is_told_of),
      WEB_TEST(an_error_without_id_is_the_requests),
      WEB_TEST(a_failure_ends_its_request_alone),
      WEB_TEST(an_answer_to_something_else_is_none),
      WEB_TEST(an_answer_may_come_in_pieces),
      WEB_TEST(a_broken_modern_stream_ends_the_request),
      WEB_TEST(a_legacy_stream_is_taken_up_again),
      WEB_TEST(taking_up_is_given_up),
      WEB_TEST(a_bad_answer_ends_the_request),
      WEB_TEST(a_lost_session_is_begun_anew),
      WEB_TEST(a_silent_server_is_given_up),
      WEB_TEST(cancelling_closes_the_stream),
      WEB_TEST(headers_are_sent_and_checked),
      WEB_TEST(urls_are_checked),
      WEB_TEST(arguments_travel_in_headers),
      WEB_TEST(refused_headers_are_learned_anew_once),
      WEB_TEST(redirects_stay_within_the_origin),
      WEB_TEST(a_client_may_be_freed_in_a_completion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
