/* SPDX-License-Identifier: MIT */
/* Connections of the HTTP/1.1 server: sockets, their beginning and end.
 *
 * This code polls the sockets, and reads and writes them itself: libuv's
 * streams raise SIGPIPE when the client has gone. A poll reports that even
 * while the server does not read a client that sends too much early. */
#include "http1/conn.h"

#include "base/error.h"
#include "platform/sockets.h"

#include <errno.h>
#include <mcp/error.h>

/* --- the end ------------------------------------------------------------- */

static void destroy_if_done(mcpi_http1 *http1) {
  if (http1->open_handles > 0 || !http1->is_freed) {
    return;
  }
  mcpi_uv *uv = http1->uv;
  const mcpi_http1_app app = http1->app;
  mcpi_buf_deinit(&http1->scratch);
  mcpi_tls_unref(http1->tls);
  mcpi_quota_unref(http1->waiting);
  mcpi_free(&uv->allocator, http1, sizeof(*http1));
  if (app.on_end != NULL) {
    app.on_end(app.userdata);
  }
  mcpi_uv_drop(uv);
}

static void http1_on_timer_closed(uv_handle_t *handle) {
  mcpi_http1 *http1 = handle->data;
  http1->open_handles--;
  destroy_if_done(http1);
}

static void tell_drained(mcpi_http1 *http1) {
  mcpi_uv *uv = http1->uv;
  void (*told)(void *userdata) = http1->on_drained;
  if (told != NULL && http1->conn_count == 0 && !http1->is_freed) {
    http1->on_drained = NULL;
    mcpi_uv_enter(uv);
    told(http1->on_drained_userdata);
    mcpi_uv_leave(uv);
  }
}

/* Not earlier: the application may still look at the objects that it got. */
static void on_conn_closed(uv_handle_t *handle) {
  mcpi_http1_conn *conn = handle->data;
  mcpi_http1 *http1 = conn->http1;
  mcpi_http1_tls_deinit(conn);
  mcpi_blockbuf_clear(&conn->ahead);
  mcpi_blockbuf_clear(&conn->head);
  mcpi_blockbuf_clear(&conn->body);
  mcpi_blockbuf_clear(&conn->out);
  mcpi_share_deinit(&conn->share);
  mcpi_free(&http1->uv->allocator, conn, conn->size);
  tell_drained(http1);
  http1->open_handles--; /* the object exists until here, even if it is freed */
  destroy_if_done(http1);
}

static void stop_alarms(mcpi_http1_conn *conn) {
  mcpi_list_remove(&conn->phase_alarm.link);
  mcpi_list_remove(&conn->kick_alarm.link);
  mcpi_list_remove(&conn->write_alarm.link);
}

void mcpi_http1_close(mcpi_http1_conn *conn) {
  if (conn->stage == MCPI_HTTP1_CLOSED) {
    return;
  }
  mcpi_http1_uncork(conn); /* bytes that were passed before are still sent */
  conn->stage = MCPI_HTTP1_CLOSED;
  stop_alarms(conn);
  mcpi_list_remove(&conn->link);
  conn->http1->conn_count--;
  mcpi_share_disconnect(&conn->share);
  uv_close((uv_handle_t *)&conn->poll, on_conn_closed);
  mcpi_sock_close(conn->fd);
  conn->fd = -1;
}

void mcpi_http1_lose(mcpi_http1_conn *conn) {
  void *handle = conn->handle;
  void *upgraded = conn->upgraded_self;
  conn->handle = NULL;
  conn->upgraded_self = NULL;
  mcpi_http1_close(conn);
  if (handle != NULL) {
    conn->http1->app.on_gone(handle);
  }
  if (upgraded != NULL) {
    conn->upgraded->gone(upgraded);
  }
}

/* --- an orderly end ------------------------------------------------------ */

/* Without this, the client could not distinguish the server's end from an
 * attacker's. */
static void end_tls(mcpi_http1_conn *conn) {
  if (conn->tls != NULL && !conn->is_broken) {
    mcpi_http1_tls_end(conn);
    mcpi_http1_pump(conn);
  }
}

void mcpi_http1_close_idle(mcpi_http1_conn *conn) {
  end_tls(conn);
  mcpi_http1_close(conn);
}

static void shut(mcpi_http1_conn *conn) {
  if (conn->is_input_over || !conn->must_linger ||
      mcpi_sock_shut(conn->fd) != 0) {
    mcpi_http1_close(conn);
    return;
  }
  conn->stage = MCPI_HTTP1_LINGERING;
  mcpi_http1_start(conn->http1, &conn->phase_alarm, MCPI_HTTP1_LINGER_CLOCK);
  mcpi_http1_poll(conn);
}

/* A client that asked for the end itself will not send another request. */
static int may_send_more(const mcpi_http1_conn *conn) {
  return conn->stage != MCPI_HTTP1_ANSWERING || conn->keeps_alive;
}

void mcpi_http1_end(mcpi_http1_conn *conn) {
  conn->must_linger = may_send_more(conn) ? 1 : 0;
  conn->stage = MCPI_HTTP1_ENDING;
  mcpi_list_remove(&conn->phase_alarm.link);
  end_tls(conn);
  if (conn->out.len == 0) {
    shut(conn);
  }
}

/* --- reading ------------------------------------------------------------- */

/* Until the answer has been sent, further requests wait: otherwise a client
 * that only sends could fill the memory with answers. */
static int is_busy(const mcpi_http1_conn *conn) {
  return conn->stage == MCPI_HTTP1_ANSWERING ||
         (conn->stage == MCPI_HTTP1_IDLE && conn->out.len > 0);
}

static int can_parse(const mcpi_http1_conn *conn) {
  return conn->stage <= MCPI_HTTP1_BODY && !is_busy(conn);
}

static void start_idle_clock(mcpi_http1_conn *conn) {
  if (conn->stage != MCPI_HTTP1_IDLE || conn->out.len > 0) {
    return;
  }
  if (conn->http1->is_draining) {
    mcpi_http1_close_idle(conn);
  } else if (mcpi_list_is_empty(&conn->phase_alarm.link)) {
    /* an empty line before a request does not restart the clock */
    mcpi_http1_start(conn->http1, &conn->phase_alarm, MCPI_HTTP1_IDLE_CLOCK);
  }
}

/* A client that expects 100 sends its body only after it. If the body is
 * arriving already, 100 is not needed. */
static void answer_expectation(mcpi_http1_conn *conn) {
  if (conn->expects_100 && conn->stage == MCPI_HTTP1_BODY &&
      conn->answer == MCPI_HTTP1_UNANSWERED) {
    conn->expects_100 = 0;
    if (conn->body_len == 0) {
      mcpi_http1_send_100(conn);
    }
  }
}

/* Parses what can be parsed now, request after request, and returns how much
 * that was. Each call of mcpi_http1_parse parses one request or a part of
 * it. */
static size_t http1_parse_all(mcpi_http1_conn *conn, const char *bytes,
                              size_t len) {
  size_t used = 0;
  conn->is_parsing = 1;
  while (used < len && can_parse(conn)) {
    used += mcpi_http1_parse(conn, bytes + used, len - used);
  }
  conn->is_parsing = 0;
  if (used == len) {
    answer_expectation(conn);
  }
  start_idle_clock(conn);
  return used;
}

static void keep_for_later(mcpi_http1_conn *conn, const char *bytes,
                           size_t len) {
  if (len > 0 && conn->stage < MCPI_HTTP1_ENDING &&
      mcpi_http1_keep(conn, &conn->ahead, bytes, len) != 0) {
    mcpi_http1_lose(conn);
  }
}

/* Without an upgraded side the connection is ending, and its input is
 * dropped. */
static void feed_upgraded(mcpi_http1_conn *conn, const char *bytes,
                          size_t len) {
  if (conn->upgraded_self != NULL) {
    conn->upgraded->input(conn->upgraded_self, bytes, len);
  }
}

static void parse_ahead(mcpi_http1_conn *conn) {
  size_t used =
      http1_parse_all(conn, mcpi_blockbuf_data(&conn->ahead), conn->ahead.len);
  if (conn->stage == MCPI_HTTP1_UPGRADED) {
    feed_upgraded(conn, mcpi_blockbuf_data(&conn->ahead) + used,
                  conn->ahead.len - used);
    used = conn->ahead.len;
  }
  if (conn->stage != MCPI_HTTP1_CLOSED) {
    mcpi_http1_drop(conn, &conn->ahead, used);
  }
}

/* Receives bytes that were just read. */
static void http1_receive(mcpi_http1_conn *conn, const char *bytes,
                          size_t len) {
  if (conn->stage >= MCPI_HTTP1_ENDING) {
    conn->linger_len += len;
    if (conn->linger_len > MCPI_HTTP1_LINGER_BYTES) {
      mcpi_http1_close(conn);
    }
    return;
  }
  if (conn->ahead.len > 0) {
    keep_for_later(conn, bytes, len);
    return;
  }
  size_t used = http1_parse_all(conn, bytes, len);
  if (conn->stage == MCPI_HTTP1_UPGRADED) {
    feed_upgraded(conn, bytes + used, len - used);
  } else {
    keep_for_later(conn, bytes + used, len - used);
  }
}

/* A client that shuts down its side may still read an answer that is being
 * sent. But a client that shuts down while it waits for an answer counts as
 * gone: the two cannot be distinguished later. */
static void http1_end_input(mcpi_http1_conn *conn) {
  conn->is_input_over = 1;
  if (conn->out.len == 0 || conn->stage == MCPI_HTTP1_UPGRADED ||
      conn->answer == MCPI_HTTP1_UNANSWERED ||
      conn->answer == MCPI_HTTP1_STREAMING) {
    mcpi_http1_lose(conn);
  } else if (conn->stage != MCPI_HTTP1_ENDING) {
    mcpi_http1_end(conn);
  }
}

static void report_records(const mcpi_http1_conn *conn, int rc) {
  const mcpi_http1_app *app = &conn->http1->app;
  mcp_error err;
  if (rc == MCP_ERR_LIMIT && app->on_ended != NULL) {
    mcp_error_set(&err, rc,
                  "the connection was closed: the client has sent more than %d "
                  "TLS records without data, such as key updates",
                  MCPI_HTTP1_TLS_RECORDS);
    app->on_ended(app->userdata, conn->peer, &err);
  }
}

/* Reads the client's data, as far as it fits in the buffer: decrypted bytes
 * replace the encrypted ones, and are not more. Returns whether there may be
 * more. */
static int http1_decrypt(mcpi_http1_conn *conn, char *buffer) {
  size_t len;
  int rc = mcpi_http1_tls_read(conn, buffer, MCPI_READ_SIZE, &len);
  mcpi_http1_pump_control(conn);
  if (len > 0) {
    http1_receive(conn, buffer, len);
  }
  if (conn->stage == MCPI_HTTP1_CLOSED) {
    return 0;
  }
  if (rc == MCP_ERR_CLOSED) {
    http1_end_input(conn);
  } else if (rc != 0) {
    report_records(conn, rc);
    mcpi_http1_lose(conn);
  }
  return rc == 0 && len == MCPI_READ_SIZE;
}

/* For a person with a browser, or a wrong URL: says in plain HTTP what is
 * wrong. */
static void refuse_plain(mcpi_http1_conn *conn) {
  mcpi_http1_tls_deinit(conn);
  mcpi_http1_refuse(conn, 400, "The server speaks TLS here: use https.");
}

static void take_encrypted(mcpi_http1_conn *conn, char *buffer, size_t len) {
  if (mcpi_http1_tls_is_plain(conn, buffer)) {
    refuse_plain(conn);
    return;
  }
  int was_ready = mcpi_http1_tls_is_ready(conn);
  int rc = mcpi_http1_tls_input(conn, buffer, len);
  mcpi_http1_pump_control(conn); /* this may be an alert */
  if (rc != 0) {
    mcpi_http1_lose(conn);
  } else if (mcpi_http1_tls_is_ready(conn)) {
    if (!was_ready) {
      /* The clock of the handshake. */
      mcpi_list_remove(&conn->phase_alarm.link);
      start_idle_clock(conn);
    }
    while (http1_decrypt(conn, buffer)) {
    }
  }
}

static size_t room_to_read(const mcpi_http1_conn *conn) {
  if (conn->is_input_over || conn->tls_waiting > 0) {
    return 0;
  }
  if (conn->stage >= MCPI_HTTP1_ENDING ||
      (!is_busy(conn) && conn->ahead.len == 0)) {
    return MCPI_READ_SIZE;
  }
  return conn->ahead.len < MCPI_HTTP1_AHEAD ? MCPI_HTTP1_AHEAD - conn->ahead.len
                                            : 0;
}

static void http1_read_some(mcpi_http1_conn *conn) {
  char *buffer = mcpi_uv_read_buffer(conn->http1->uv);
  if (buffer == NULL) {
    mcpi_http1_lose(conn);
    return;
  }
  size_t room = room_to_read(conn);
  ssize_t got = mcpi_sock_read(conn->fd, buffer, room);
  if (got > 0 && conn->tls != NULL) {
    take_encrypted(conn, buffer, (size_t)got);
  } else if (got > 0) {
    http1_receive(conn, buffer, (size_t)got);
  } else if (got == 0) {
    http1_end_input(conn);
  } else if (errno != EAGAIN && errno != EINTR) {
    mcpi_http1_lose(conn);
  }
}

static void http1_on_poll(uv_poll_t *poll, int status, int events) {
  mcpi_http1_conn *conn = poll->data;
  mcpi_uv *uv = conn->http1->uv;
  mcpi_uv_enter(uv);
  if (status < 0) { /* libuv has stopped polling */
    conn->polled = 0;
  }
  if (events & UV_WRITABLE) {
    mcpi_http1_flush(conn);
  }
  if (conn->stage == MCPI_HTTP1_CLOSED) {
    /* flushing has closed it */
  } else if (room_to_read(conn) > 0) {
    if (status < 0 || (events & UV_READABLE)) {
      conn->is_corked = 1;
      http1_read_some(conn);
      conn->is_corked = 0;
      if (conn->stage != MCPI_HTTP1_CLOSED) {
        mcpi_http1_flush(conn);
      }
    }
  } else if (status < 0 || (events & UV_DISCONNECT)) {
    mcpi_http1_lose(conn);
  }
  mcpi_http1_poll(conn);
  mcpi_uv_leave(uv);
}

void mcpi_http1_poll(mcpi_http1_conn *conn) {
  if (conn->stage == MCPI_HTTP1_CLOSED) {
    return;
  }
  int events = conn->is_input_over ? 0 : UV_DISCONNECT;
  if (room_to_read(conn) > 0) {
    events = UV_READABLE;
  }
  if (conn->out.len > 0) {
    events |= UV_WRITABLE;
  }
  if (events != conn->polled) {
    conn->polled = events;
    uv_poll_start(&conn->poll, events, http1_on_poll);
  }
}

/* --- going on ------------------------------------------------------------ */

void mcpi_http1_kick(mcpi_http1_conn *conn) {
  mcpi_http1_start(conn->http1, &conn->kick_alarm, MCPI_HTTP1_KICK);
}

void mcpi_http1_go_on(mcpi_http1_conn *conn) {
  if (conn->is_broken) {
    mcpi_http1_lose(conn);
  } else if (conn->ahead.len > 0 &&
             (can_parse(conn) || conn->stage == MCPI_HTTP1_UPGRADED)) {
    parse_ahead(conn);
  }
  mcpi_http1_poll(conn);
}

void mcpi_http1_drained(mcpi_http1_conn *conn) {
  if (conn->stage == MCPI_HTTP1_ENDING) {
    shut(conn);
  } else if (conn->upgraded_self != NULL) {
    conn->upgraded->drained(conn->upgraded_self);
  } else if (conn->ahead.len > 0 && can_parse(conn)) {
    parse_ahead(conn);
  } else {
    start_idle_clock(conn);
  }
}

void mcpi_http1_next(mcpi_http1_conn *conn) {
  conn->stage = MCPI_HTTP1_IDLE;
  conn->answer = MCPI_HTTP1_NO_EXCHANGE;
  mcpi_list_remove(&conn->phase_alarm.link);
  if (conn->is_parsing || conn->out.len > 0) {
    return; /* the caller on the stack continues */
  }
  if (conn->ahead.len > 0) {
    mcpi_http1_kick(conn);
  } else {
    start_idle_clock(conn);
  }
}

/* --- the beginning ------------------------------------------------------- */

static mcpi_http1_conn *new_conn(mcpi_http1 *http1, int fd, const char *peer) {
  size_t peer_size = strlen(peer) + 1;
  size_t size = sizeof(mcpi_http1_conn) + peer_size;
  mcpi_http1_conn *conn = mcpi_calloc(&http1->uv->allocator, 1, size);
  if (conn == NULL) {
    return NULL;
  }
  conn->http1 = http1;
  conn->fd = fd;
  conn->size = size;
  memcpy(conn->peer, peer, peer_size);
  conn->ahead.is_secret = 1;
  conn->head.is_secret = 1;
  if (mcpi_share_init(&conn->share, http1->waiting, NULL, peer) != 0) {
    mcpi_free(&http1->uv->allocator, conn, size);
    return NULL;
  }
  http1->grammar->init(&conn->parser, HTTP_REQUEST, &http1->settings);
  conn->parser.data = conn;
  mcpi_list_init(&conn->link);
  mcpi_list_init(&conn->phase_alarm.link);
  mcpi_list_init(&conn->kick_alarm.link);
  mcpi_list_init(&conn->write_alarm.link);
  return conn;
}

/* Answers are written at once: waiting to fill a packet would only delay them.
 * A Unix socket has no such option. */
static void set_nodelay(int fd) {
  mcpi_sock_set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
}

/* The TLS handshake counts as part of the first request's head. */
static void start_first_clock(mcpi_http1_conn *conn) {
  if (conn->tls != NULL) {
    mcpi_http1_start(conn->http1, &conn->phase_alarm, MCPI_HTTP1_HEAD_CLOCK);
  } else {
    start_idle_clock(conn);
  }
}

static int add_conn(mcpi_http1 *http1, int fd, const char *peer,
                    mcp_error *err) {
  mcpi_http1_conn *conn = new_conn(http1, fd, peer);
  if (conn == NULL) {
    return MCP_ERR_NOMEM;
  }
  int rc = mcpi_share_connect(&conn->share, http1->limits.max_connections, err);
  if (rc == 0 && (mcpi_http1_tls_begin(conn) != 0 ||
                  mcpi_sock_poll_init(http1->uv->uv, &conn->poll, fd) != 0)) {
    mcpi_http1_tls_deinit(conn);
    rc = MCP_ERR_IO;
  }
  if (rc != 0) {
    mcpi_share_deinit(&conn->share);
    mcpi_free(&http1->uv->allocator, conn, conn->size);
    return rc;
  }
  conn->poll.data = conn;
  http1->open_handles++;
  http1->conn_count++;
  mcpi_list_append(&http1->conns, &conn->link);
  set_nodelay(fd);
  start_first_clock(conn);
  mcpi_http1_poll(conn);
  return 0;
}

int mcpi_http1_serve(mcpi_http1 *http1, int fd, const char *peer) {
  mcp_error err = {0};
  int rc = add_conn(http1, fd, peer, &err);
  if (rc != 0) {
    mcpi_sock_close(fd);
  }
  if (rc == MCP_ERR_LIMIT && http1->app.on_refused != NULL) {
    http1->app.on_refused(http1->app.userdata, peer, &err);
  }
  return rc;
}

mcpi_http1 *mcpi_http1_new(mcp_loop *loop, const mcpi_http1_limits *limits,
                           const mcpi_http1_app *app, mcp_error *err) {
  mcpi_uv *uv = mcpi_uv_of(loop);
  if (uv == NULL) {
    mcp_error_set(err, MCP_ERR_INVALID, "not a loop of mcp_loop_new");
    return NULL;
  }
  const mcpi_http1_grammar *grammar = mcpi_http1_grammar_get(err);
  if (grammar == NULL) {
    return NULL;
  }
  mcpi_http1 *http1 = mcpi_calloc(&uv->allocator, 1, sizeof(*http1));
  if (http1 == NULL) {
    mcpi_no_memory(err);
    return NULL;
  }
  http1->waiting =
      mcpi_quota_new(&uv->allocator, uv->loop->hash_seed, limits->max_waiting);
  if (http1->waiting == NULL) {
    mcpi_free(&uv->allocator, http1, sizeof(*http1));
    mcpi_no_memory(err);
    return NULL;
  }
  http1->uv = uv;
  http1->grammar = grammar;
  http1->limits = *limits;
  http1->app = *app;
  mcpi_http1_responder(&http1->responder);
  mcpi_http1_parser_settings(&http1->settings);
  mcpi_list_init(&http1->conns);
  mcpi_buf_init(&http1->scratch, &uv->allocator, SIZE_MAX);
  mcpi_http1_clocks_init(http1);
  mcpi_uv_hold(uv);
  return http1;
}

void mcpi_http1_set_tls(mcpi_http1 *http1, mcpi_tls *tls) {
  if (tls != NULL) {
    http1->engine = mcpi_tls_engine_get(NULL);
    mcpi_tls_ref(tls);
  }
  mcpi_tls_unref(http1->tls);
  http1->tls = tls;
}

mcpi_quota *mcpi_http1_waiting(const mcpi_http1 *http1) {
  return http1->waiting;
}

size_t mcpi_http1_connection_count(const mcpi_http1 *http1) {
  return http1->conn_count;
}

/* --- all of them --------------------------------------------------------- */

static mcpi_http1_conn *conn_at(mcpi_list *link) {
  return MCPI_CONTAINER(link, mcpi_http1_conn, link);
}

void mcpi_http1_drain(mcpi_http1 *http1, void (*on_drained)(void *userdata),
                      void *userdata) {
  http1->is_draining = 1;
  http1->on_drained = on_drained;
  http1->on_drained_userdata = userdata;
  mcpi_list *link = http1->conns.next;
  while (link != &http1->conns) {
    mcpi_http1_conn *conn = conn_at(link);
    link = link->next;
    if (!conn->is_parsing && conn->ahead.len == 0) {
      start_idle_clock(conn);
    }
  }
  tell_drained(http1);
}

void mcpi_http1_free(mcpi_http1 *http1) {
  if (http1 == NULL || http1->is_freed) {
    return;
  }
  http1->is_freed = 1;
  while (!mcpi_list_is_empty(&http1->conns)) {
    mcpi_http1_conn *conn = conn_at(http1->conns.next);
    if (conn->upgraded_self != NULL) {
      conn->upgraded->leave(conn->upgraded_self);
    }
    mcpi_http1_lose(conn);
  }
  uv_close((uv_handle_t *)&http1->timer, http1_on_timer_closed);
}
