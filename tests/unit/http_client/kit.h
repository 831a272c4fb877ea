/* SPDX-License-Identifier: MIT */
/* What the tests of the Streamable HTTP client share: a client, and a server
 * that does as each test says. It is on the same loop: our HTTP/1.1 server with
 * an application of the test's. */
#ifndef MCP_TESTS_WEB_KIT_H
#define MCP_TESTS_WEB_KIT_H

#include "http1/http1.h"
#include "platform/uv_loop.h"
#include "support/cm.h"
#include "support/libmcp/recorder.h"

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
  char proof[32];
  char host[64];
  char target[64];
  char type[64];
  char accept[64];
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
  size_t connection_count;
} fake;

static mcp_client *client;
static size_t closed_count;
static size_t error_count;
static mcp_error last_error;

static inline const char *header(const mcp_http_request *head,
                                 const char *name) {
  for (size_t i = 0; i < head->header_count; i++) {
    if (strcasecmp(head->headers[i].name, name) == 0) {
      return head->headers[i].value;
    }
  }
  return "";
}

static inline void *on_head(void *userdata, const mcp_http_request *head,
                            const mcp_http_responder *responder,
                            void *exchange) {
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
  snprintf(asked->proof, sizeof(asked->proof), "%s", header(head, "DPoP"));
  snprintf(asked->host, sizeof(asked->host), "%s", header(head, "Host"));
  snprintf(asked->type, sizeof(asked->type), "%s",
           header(head, "Content-Type"));
  snprintf(asked->accept, sizeof(asked->accept), "%s", header(head, "Accept"));
  asked->responder = responder;
  asked->exchange = exchange;
  return asked;
}

static inline void on_body(void *handle, const char *body, size_t len) {
  request *asked = handle;
  asked->body = calloc(len + 1, 1);
  assert_non_null(asked->body);
  if (len > 0) {
    memcpy(asked->body, body, len);
  }
  fake.answer(asked);
}

static inline void on_gone(void *handle) {
  request *asked = handle;
  asked->is_gone = 1;
}

static inline void on_connection(uv_poll_t *poll, int status, int events) {
  int fd = accept4(fake.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd >= 0) {
    fake.connection_count++;
    mcpi_http1_serve(fake.http1, fd, "client");
  }
}

static inline void listen_on_loopback(void) {
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

static inline void serve_fake(void) {
  const mcpi_http1_limits limits = {.max_connections = 100,
                                    .max_head = 16384,
                                    .max_headers = 100,
                                    .max_body = 1 << 20,
                                    .max_queue = 1 << 20,
                                    .max_waiting = 64 * 1024 * 1024,
                                    .head_ms = 60000,
                                    .body_ms = 60000,
                                    .idle_ms = 60000,
                                    .write_ms = 60000,
                                    .ping_ms = UINT32_MAX,
                                    .pong_ms = UINT32_MAX};
  const mcpi_http1_app app = {
      .on_head = on_head, .on_body = on_body, .on_gone = on_gone};
  fake.http1 = mcpi_http1_new(fake.loop, &limits, &app, NULL);
  assert_non_null(fake.http1);
}

static inline void begin_fake(void) {
  fake.loop = loop_begin();
  serve_fake();
  listen_on_loopback();
  mcpi_uv *uv = mcpi_uv_of(fake.loop);
  uv_poll_init(uv->uv, &fake.poll, fake.fd);
  uv_poll_start(&fake.poll, UV_READABLE, on_connection);
}

static inline void note_closed(mcp_client *closed, const mcp_error *err,
                               void *userdata) {
  closed_count++;
}

static inline void note_error(mcp_client *told, const mcp_error *err,
                              void *userdata) {
  error_count++;
  last_error = *err;
}

static inline void begin_client(uint32_t policy) {
  const mcp_client_options options = {.size = sizeof(mcp_client_options),
                                      .policy = policy,
                                      .on_closed = note_closed,
                                      .on_error = note_error};
  client = mcp_client_new(fake.loop, "test", "1", &options, NULL);
}

static inline int begin(void **state) {
  memset(&fake, 0, sizeof(fake));
  memset(&last_error, 0, sizeof(last_error));
  closed_count = 0;
  error_count = 0;
  begin_fake();
  return 0;
}

static inline void nothing(uv_handle_t *handle) {
}

static inline int end(void **state) {
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

static inline int asks(const request *asked, const char *method) {
  char text[80];
  snprintf(text, sizeof(text), "\"method\":\"%s\"", method);
  return strstr(asked->body, text) != NULL;
}

static inline unsigned long id_of(const request *asked) {
  const char *id = strstr(asked->body, "\"id\":");
  return id != NULL ? strtoul(id + 5, NULL, 10) : 0;
}

static inline void respond(request *asked, int status, const char *body) {
  asked->responder->respond(asked->exchange, status, json_type, 1, body,
                            strlen(body));
}

static inline void respond_result(request *asked, const char *result) {
  char body[1024];
  snprintf(body, sizeof(body), "{\"jsonrpc\":\"2.0\",\"id\":%lu,\"result\":%s}",
           id_of(asked), result);
  respond(asked, 200, body);
}

static const char hello[] =
    "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},"
    "\"serverInfo\":{\"name\":\"fake\",\"version\":\"1\"}}";

/* A legacy server with sessions and no stream. */
static inline void answer_legacy(request *asked) {
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
static inline void answer_modern(request *asked) {
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

static inline int connect_with(uint32_t policy, void (*answer)(request *asked),
                               const mcp_http_client_options *options,
                               mcp_error *err) {
  fake.answer = answer;
  begin_client(policy);
  return mcp_sync_connect_url(client, fake.url, options, err);
}

static inline void must_connect(uint32_t policy,
                                void (*answer)(request *asked)) {
  mcp_error err = {0};
  if (connect_with(policy, answer, NULL, &err) != 0) {
    fail_msg("%s", err.message);
  }
}

static inline request *last_asked(void) {
  assert_true(fake.count > 0);
  return &fake.requests[fake.count - 1];
}

static inline void stream(request *asked, const char *text, int is_whole) {
  asked->responder->begin(asked->exchange, 200, event_type, 1);
  asked->responder->write(asked->exchange, text, strlen(text));
  if (is_whole) {
    asked->responder->end(asked->exchange);
  }
}

static mcp_outcome ended;

static inline void note_done(mcp_client *told, const mcp_outcome *outcome,
                             void *userdata) {
  ended = *outcome;
  ended.size = 1;
}

#define WEB_TEST(name) TEST_WITH(name, begin, end)

#endif
