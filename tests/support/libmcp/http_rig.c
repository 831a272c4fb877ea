/* SPDX-License-Identifier: MIT */
#include "support/libmcp/http_rig.h"

#include "support/libmcp/recorder.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <mcp/error.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static size_t descriptors_before;

/* --- the application ----------------------------------------------------- */

static void note(http_rig *rig, const char *bytes, size_t len) {
  if (rig->log_cap - rig->log_len <= len) {
    rig->log_cap = 2 * rig->log_cap + len + 1;
    rig->log = realloc(rig->log, rig->log_cap);
    assert_non_null(rig->log);
  }
  memcpy(rig->log + rig->log_len, bytes, len);
  rig->log_len += len;
  rig->log[rig->log_len] = '\0';
}

static void note_text(http_rig *rig, const char *text) {
  note(rig, text, strlen(text));
}

static void note_head(http_rig *rig, const mcp_http_request *request) {
  note_text(rig, request->method);
  note_text(rig, " ");
  note_text(rig, request->target);
  for (size_t i = 0; i < request->header_count; i++) {
    note_text(rig, "|");
    note_text(rig, request->headers[i].name);
    note_text(rig, "=");
    note_text(rig, request->headers[i].value);
  }
  note_text(rig, "|");
}

void http_answer(http_rig *rig, int status, const char *body) {
  static const mcp_http_header type = {"Content-Type", "text/plain"};
  rig->responder->respond(rig->exchange, status, &type, 1, body, strlen(body));
}

static void *on_head(void *userdata, const mcp_http_request *request,
                     const mcp_http_responder *responder, void *exchange) {
  http_rig *rig = userdata;
  void *handle = rig;
  rig->head_count++;
  rig->responder = responder;
  rig->exchange = exchange;
  assert_int_equal(request->size, sizeof(mcp_http_request));
  assert_non_null(request->peer);
  snprintf(rig->principal, sizeof(rig->principal), "%s",
           request->principal != NULL ? request->principal : "");
  note_head(rig, request);
  if (rig->mode == HTTP_REFUSE) {
    http_answer(rig, 403, "no");
    handle = NULL;
  } else if (rig->mode == HTTP_MUTE) {
    handle = NULL;
  }
  if (rig->in_head != NULL) {
    rig->in_head(rig);
  }
  return handle;
}

static void on_body(void *handle, const char *body, size_t len) {
  http_rig *rig = handle;
  rig->body_count++;
  note_text(rig, "{");
  note(rig, body, len);
  note_text(rig, "}\n");
  if (rig->in_body != NULL) {
    rig->in_body(rig);
  }
  if (rig->mode == HTTP_ECHO && rig->http1 != NULL) {
    rig->responder->respond(rig->exchange, 200, NULL, 0, body, len);
  }
}

static void on_gone(void *handle) {
  http_rig *rig = handle;
  rig->gone_count++;
  if (rig->in_gone != NULL) {
    rig->in_gone(rig);
  }
}

static void on_refused(void *userdata, const char *peer, const mcp_error *err) {
  http_rig *rig = userdata;
  rig->refused_count++;
  snprintf(rig->refused, sizeof(rig->refused), "%s: %s", peer, err->message);
}

static void on_ended(void *userdata, const char *peer, const mcp_error *err) {
  http_rig *rig = userdata;
  rig->ended_count++;
  snprintf(rig->ended, sizeof(rig->ended), "%s: %s", peer, err->message);
}

/* --- the server ---------------------------------------------------------- */

void http_rig_begin(http_rig *rig) {
  const uint32_t long_ms = 60 * 1000;
  loop_end(loop_begin()); /* what libuv opens once for the process */
  descriptors_before = count_descriptors();
  *rig = (http_rig){.client = -1};
  failing_alloc_init(&rig->alloc);
  mcp_loop_options options = {.size = sizeof(mcp_loop_options),
                              .allocator = &rig->alloc.allocator};
  rig->loop = mcp_loop_new(&options, NULL);
  assert_non_null(rig->loop);
  rig->limits = (mcpi_http1_limits){.max_connections = 10,
                                    .max_head = 16 * 1024,
                                    .max_headers = 100,
                                    .max_body = 4 * 1024 * 1024,
                                    .max_queue = 16 * 1024 * 1024,
                                    .max_waiting = 256 * 1024 * 1024,
                                    .head_ms = long_ms,
                                    .body_ms = long_ms,
                                    .idle_ms = long_ms,
                                    .write_ms = long_ms,
                                    .ping_ms = UINT32_MAX,
                                    .pong_ms = UINT32_MAX};
}

int http_rig_make_server(http_rig *rig) {
  mcpi_http1_app app = {.userdata = rig,
                        .on_head = on_head,
                        .on_body = on_body,
                        .on_gone = on_gone,
                        .on_refused = on_refused,
                        .on_ended = on_ended};
  if (rig->http1 == NULL) {
    rig->http1 = mcpi_http1_new(rig->loop, &rig->limits, &app, NULL);
  }
  return rig->http1 != NULL ? 0 : MCP_ERR_NOMEM;
}

void http_rig_use(http_rig *rig, int fd) {
  http_close_client(rig);
  rig->client = fd;
  rig->is_over = 0;
  rig->is_reset = 0;
  rig->got_len = 0;
  rig->got = realloc(rig->got, 1);
  rig->got[0] = '\0';
  fcntl(fd, F_SETFL, O_NONBLOCK);
}

void http_rig_connect(http_rig *rig) {
  http_rig_connect_from(rig, "unix");
}

void http_rig_connect_from(http_rig *rig, const char *peer) {
  int fds[2];
  assert_int_equal(http_rig_make_server(rig), 0);
  make_socketpair(fds);
  http_rig_use(rig, fds[0]);
  assert_int_equal(mcpi_http1_serve(rig->http1, fds[1], peer), 0);
}

void http_rig_connect_tcp(http_rig *rig) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t len = sizeof(address);
  assert_int_equal(http_rig_make_server(rig), 0);
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_int_equal(bind(listener, (struct sockaddr *)&address, len), 0);
  assert_int_equal(listen(listener, 1), 0);
  assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
  int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_int_equal(connect(client, (struct sockaddr *)&address, len), 0);
  int fd = accept(listener, NULL, NULL);
  assert_true(fd >= 0);
  close(listener);
  http_rig_use(rig, client);
  assert_int_equal(mcpi_http1_serve(rig->http1, fd, "127.0.0.1:1"), 0);
}

void http_rig_free_server(http_rig *rig) {
  mcpi_http1 *http1 = rig->http1;
  rig->http1 = NULL;
  mcpi_http1_free(http1);
}

void http_rig_end(http_rig *rig) {
  http_rig_free_server(rig);
  http_close_client(rig);
  mcp_loop_free(rig->loop);
  assert_int_equal(rig->alloc.live_blocks, 0);
  assert_int_equal(count_descriptors(), descriptors_before);
  free(rig->log);
  free(rig->got);
}

/* --- the client ---------------------------------------------------------- */

static void read_available(http_rig *rig) {
  char bytes[65536];
  while (rig->client >= 0 && !rig->is_over && !rig->is_deaf) {
    ssize_t got = read(rig->client, bytes, sizeof(bytes));
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
      return;
    }
    if (got <= 0) {
      rig->is_over = 1;
      rig->is_reset = got < 0;
      return;
    }
    rig->got = realloc(rig->got, rig->got_len + (size_t)got + 1);
    assert_non_null(rig->got);
    memcpy(rig->got + rig->got_len, bytes, (size_t)got);
    rig->got_len += (size_t)got;
    rig->got[rig->got_len] = '\0';
  }
}

void http_step(http_rig *rig) {
  assert_int_equal(mcp_loop_wait(rig->loop, 2), 0);
  read_available(rig);
}

void http_turn(http_rig *rig) {
  for (int i = 0; i < 4; i++) {
    assert_int_equal(mcp_loop_step(rig->loop), 0);
  }
}

void http_send_n(http_rig *rig, const char *bytes, size_t len) {
  while (len > 0) {
    ssize_t sent = send(rig->client, bytes, len, MSG_NOSIGNAL);
    if (sent < 0 && errno == EAGAIN) {
      http_step(rig);
      continue;
    }
    if (sent < 0) {
      return; /* the answer tells why */
    }
    bytes += sent;
    len -= (size_t)sent;
  }
}

void http_send(http_rig *rig, const char *text) {
  http_send_n(rig, text, strlen(text));
}

void http_expect(http_rig *rig, const char *text) {
  HTTP_WAIT(rig, strstr(rig->got, text) != NULL || rig->is_over);
  char *found = strstr(rig->got, text);
  if (found == NULL) {
    fail_msg("\"%s\" did not come, but \"%s\"", text, rig->got);
  }
  size_t len = (size_t)(found - rig->got) + strlen(text);
  memmove(rig->got, rig->got + len, rig->got_len - len + 1);
  rig->got_len -= len;
}

void http_expect_end(http_rig *rig, const char *text) {
  HTTP_WAIT(rig, rig->is_over);
  assert_string_equal(rig->got, text);
}

void http_expect_refusal(http_rig *rig, int status) {
  char line[32];
  snprintf(line, sizeof(line), "HTTP/1.1 %d ", status);
  HTTP_WAIT(rig, rig->is_over);
  http_expect(rig, line);
  http_expect(rig, "Connection: close\r\n");
  assert_false(rig->is_reset);
}

void http_close_client(http_rig *rig) {
  if (rig->client >= 0) {
    close(rig->client);
    rig->client = -1;
  }
}

void http_reset_client(http_rig *rig) {
  struct linger at_once = {.l_onoff = 1};
  setsockopt(rig->client, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  http_close_client(rig);
}
