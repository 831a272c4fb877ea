/* SPDX-License-Identifier: MIT */
/* A WebSocket's channel for a client: libcurl connects, through a proxy and
 * with TLS if needed, and passes the connection on; from then on this code uses
 * it.
 *
 *     NEW -> CONNECTING -> UPGRADING -> OPEN -> FLUSHING -> CLOSED
 *      |       ^  ^           |
 *      v       |  |           | 401, 403
 *     AWAITING-'  `-----------+
 *      ^                      |
 *      `----------------------'
 *
 * AWAITING waits for authorization; there is no connection then. Each stage may
 * become CLOSED.
 *
 * This code polls libcurl's socket, and libcurl's functions read and write, as
 * they handle TLS. Bytes that libcurl could not write must be offered again
 * unchanged, so they are in a block that does not move. */
#include "wires/websocket/websocket.h"

#include "base/blockbuf.h"
#include "base/error.h"
#include "http_client/authorization.h"
#include "platform/uv_loop.h"
#include "wires/websocket_client/opening.h"

enum {
  /* The bytes that libcurl is offered at once. */
  CHUNK_SIZE = 16 * 1024,
  /* The number of reads in a turn, so that others get theirs. */
  MAX_READS = 16
};

typedef enum stage {
  NEW,
  AWAITING,
  CONNECTING,
  UPGRADING,
  OPEN,
  FLUSHING,
  CLOSED
} stage;

typedef struct dial {
  mcp_loop *loop;
  mcpi_uv *uv;
  mcpi_curl_options options;
  mcpi_websocket *websocket; /* NULL: it is closed */
  stage stage;
  mcpi_ws_opening opening;

  mcpi_authorizer authorizer;
  mcpi_authorization authorization; /* of the request to upgrade */
  mcpi_multi *multi;
  mcpi_transfer transfer; /* ends when libcurl has connected, or failed */

  uint32_t open_handles;
  uv_timer_t timer; /* limits the time of the stage */
  /* Due at once: there is more to read, or writing has failed. */
  uv_timer_t again;
  /* From UPGRADING on, and of this connection alone; otherwise NULL. Freed when
   * it has been closed. */
  uv_poll_t *poll;
  int is_broken;     /* writing has failed: `again` ends it */
  mcpi_blockbuf out; /* bytes that wait for room in the chunk */
  mcpi_block *chunk; /* NULL: libcurl is offered nothing */
  size_t chunk_len;
  size_t chunk_sent;
} dial;

/* --- the end ------------------------------------------------------------- */

static void ws_channel_destroy(dial *d) {
  mcp_loop *loop = d->loop;
  mcpi_authorization_deinit(&d->authorization);
  mcpi_ws_opening_deinit(&d->opening);
  mcpi_curl_options_deinit(&d->options, &loop->allocator);
  mcpi_block_unref(d->chunk);
  mcpi_blockbuf_clear(&d->out);
  mcpi_free(&loop->allocator, d, sizeof(*d));
}

static void ws_channel_drop_handle(dial *d) {
  mcpi_uv *uv = d->uv;
  if (--d->open_handles == 0) {
    ws_channel_destroy(d);
    mcpi_uv_drop(uv);
  }
}

static void ws_channel_on_handle_closed(uv_handle_t *handle) {
  ws_channel_drop_handle(handle->data);
}

static void ws_channel_on_poll_closed(uv_handle_t *handle) {
  dial *d = handle->data;
  mcpi_free(&d->loop->allocator, handle, sizeof(uv_poll_t));
  ws_channel_drop_handle(d);
}

/* libcurl closes the socket, after polling has stopped. */
static void ws_channel_disconnect(dial *d) {
  if (d->poll != NULL) {
    uv_poll_stop(d->poll);
    uv_close((uv_handle_t *)d->poll, ws_channel_on_poll_closed);
    d->poll = NULL;
  }
  d->is_broken = 0;
  mcpi_transfer_stop(&d->transfer, d->multi);
}

static void ws_channel_close_all(dial *d) {
  if (d->stage == CLOSED) {
    return;
  }
  d->stage = CLOSED;
  uv_close((uv_handle_t *)&d->timer, ws_channel_on_handle_closed);
  uv_close((uv_handle_t *)&d->again, ws_channel_on_handle_closed);
  mcpi_authorization_deinit(&d->authorization);
  ws_channel_disconnect(d);
  mcpi_multi_free(d->multi);
}

static void ws_channel_fail(dial *d, const mcp_error *err) {
  mcpi_websocket *websocket = d->websocket;
  d->websocket = NULL;
  ws_channel_close_all(d);
  if (websocket != NULL) {
    mcpi_websocket_gone(websocket, err);
  }
}

static void fail_with(dial *d, int code, const char *what) {
  mcp_error err;
  mcp_error_set(&err, code, "%s: %s", d->options.shown, what);
  ws_channel_fail(d, &err);
}

static void ws_channel_fail_by_curl(dial *d, CURLcode result) {
  const char *why;
  d->transfer.result = result;
  int code = mcpi_transfer_failure(&d->transfer, &why);
  fail_with(d, code, why);
}

/* --- writing ------------------------------------------------------------- */

static size_t ws_channel_queued(void *channel) {
  const dial *d = channel;
  return d->out.len + d->chunk_len - d->chunk_sent;
}

static void ws_channel_on_poll(uv_poll_t *poll, int status, int events);

static void poll_for_more(dial *d) {
  int events = UV_READABLE | (ws_channel_queued(d) > 0 ? UV_WRITABLE : 0);
  uv_poll_start(d->poll, events, ws_channel_on_poll);
}

/* Fills the chunk with the next waiting bytes. Returns 0 or MCP_ERR_NOMEM. */
static int fill_chunk(dial *d) {
  size_t len = d->out.len < CHUNK_SIZE ? d->out.len : CHUNK_SIZE;
  if (d->chunk == NULL) {
    d->chunk = mcpi_block_take(&d->loop->pool, CHUNK_SIZE);
  }
  if (d->chunk == NULL) {
    return MCP_ERR_NOMEM;
  }
  memcpy(mcpi_block_data(d->chunk), mcpi_blockbuf_data(&d->out), len);
  mcpi_blockbuf_take(&d->out, len);
  d->chunk_len = len;
  d->chunk_sent = 0;
  return 0;
}

static void drop_chunk(dial *d) {
  mcpi_block_unref(d->chunk);
  d->chunk = NULL;
  d->chunk_len = 0;
  d->chunk_sent = 0;
}

/* Returns 0 when everything possible has been written; otherwise the connection
 * is broken. */
static int ws_channel_write_some(dial *d) {
  CURLcode result = CURLE_OK;
  while (result == CURLE_OK && ws_channel_queued(d) > 0) {
    size_t sent = 0;
    if (d->chunk_sent == d->chunk_len && fill_chunk(d) != 0) {
      return MCP_ERR_NOMEM;
    }
    result = curl_easy_send(d->transfer.easy,
                            (char *)mcpi_block_data(d->chunk) + d->chunk_sent,
                            d->chunk_len - d->chunk_sent, &sent);
    d->chunk_sent += sent;
  }
  if (ws_channel_queued(d) == 0) {
    drop_chunk(d);
  }
  return result == CURLE_OK || result == CURLE_AGAIN ? 0 : MCP_ERR_IO;
}

static void ws_channel_on_again(uv_timer_t *timer);

/* The websocket must not be called from here: the next turn calls it. */
static int ws_channel_break_off(dial *d) {
  d->is_broken = 1;
  uv_timer_start(&d->again, ws_channel_on_again, 0, 0);
  return MCP_ERR_CLOSED;
}

static int ws_channel_write_bytes(void *channel, const struct iovec *parts,
                                  int count) {
  dial *d = channel;
  for (int i = 0; i < count; i++) {
    if (d->is_broken ||
        mcpi_blockbuf_put(&d->out, &d->loop->pool, parts[i].iov_base,
                          parts[i].iov_len) != 0) {
      return ws_channel_break_off(d);
    }
  }
  if (ws_channel_write_some(d) != 0) {
    return ws_channel_break_off(d);
  }
  poll_for_more(d);
  return 0;
}

/* --- reading ------------------------------------------------------------- */

static void ws_channel_take(dial *d, const char *bytes, size_t len);

static int ws_channel_take_line(void *owner, mcpi_str line) {
  dial *d = owner;
  return mcpi_authorization_take(&d->authorization, line);
}

static void ws_channel_await(dial *d);
static void ws_channel_connect_again(dial *d);

/* Returns what mcpi_authorization_refused returns. Without a status there is no
 * complete head. */
static int ws_channel_authorize(dial *d, int status, mcp_error *err) {
  if (status == 0) {
    return MCP_ERR_NOT_FOUND;
  }
  if (mcpi_ws_opening_each_line(&d->opening, ws_channel_take_line, d) != 0) {
    return mcpi_no_memory(err);
  }
  return mcpi_authorization_refused(&d->authorization, status, NULL, err);
}

/* The WebSocket cannot be opened, for that reason. */
static void on_refused(dial *d, const mcp_error *why) {
  mcp_error err;
  switch (ws_channel_authorize(d, why->status, &err)) {
  case 0:
    ws_channel_disconnect(d);
    ws_channel_connect_again(d);
    break;
  case MCP_PENDING:
    ws_channel_disconnect(d);
    ws_channel_await(d);
    break;
  case MCP_ERR_NOT_FOUND:
    ws_channel_fail(d, why);
    break;
  default:
    ws_channel_fail(d, &err);
    break;
  }
}

static int show_line(void *owner, mcpi_str line) {
  dial *d = owner;
  mcpi_answer_take_line(&d->transfer.answer, line, d->transfer.headers);
  return 0;
}

/* Shows the program a complete head. */
static void show_answer(dial *d) {
  mcpi_ws_opening_each_line(&d->opening, show_line, d);
  mcpi_answer_end(&d->transfer.answer, d->transfer.headers);
}

/* After the answer come frames. */
static void read_answer(dial *d, const char *bytes, size_t len) {
  mcp_error err;
  int rc = mcpi_ws_opening_read(&d->opening, &bytes, &len, &err);
  if (rc > 0 || (rc < 0 && err.status != 0)) {
    show_answer(d); /* the head is complete */
  }
  if (rc < 0) {
    on_refused(d, &err);
  } else if (rc > 0) {
    mcpi_ws_opening_each_line(&d->opening, ws_channel_take_line, d);
    mcpi_ws_opening_deinit(&d->opening);
    d->stage = OPEN;
    uv_timer_stop(&d->timer);
    mcpi_websocket_opened(d->websocket);
    ws_channel_take(d, bytes, len);
  }
}

static void ws_channel_take(dial *d, const char *bytes, size_t len) {
  if (d->stage == UPGRADING) {
    read_answer(d, bytes, len);
  } else if (d->websocket != NULL) {
    mcpi_websocket_input(d->websocket, bytes, len);
  }
}

/* Returns 0: there are no further bytes, or the websocket is closed. */
static int ws_channel_read_once(dial *d) {
  char *buffer = mcpi_uv_read_buffer(d->uv);
  size_t len = 0;
  if (buffer == NULL) {
    fail_with(d, MCP_ERR_NOMEM, "out of memory");
    return 0;
  }
  CURLcode result =
      curl_easy_recv(d->transfer.easy, buffer, MCPI_READ_SIZE, &len);
  if (result == CURLE_AGAIN) {
    return 0;
  }
  if (result != CURLE_OK) {
    ws_channel_fail_by_curl(d, result);
    return 0;
  }
  if (len == 0) {
    fail_with(d, MCP_ERR_CLOSED,
              d->stage == UPGRADING
                  ? "the server ended the connection, and answered nothing"
                  : "the server ended the connection");
    return 0;
  }
  ws_channel_take(d, buffer, len);
  return d->poll != NULL;
}

/* TLS may have more in its buffer than a poll of the socket shows. */
static void ws_channel_read_some(dial *d) {
  int left = MAX_READS;
  while (left > 0 && d->poll != NULL && ws_channel_read_once(d)) {
    left--;
  }
  if (left == 0) {
    uv_timer_start(&d->again, ws_channel_on_again, 0, 0);
  }
}

static void ws_channel_on_again(uv_timer_t *timer) {
  dial *d = timer->data;
  mcpi_uv *uv = d->uv;
  mcpi_uv_enter(uv);
  ws_channel_read_some(d);
  if (d->is_broken && d->stage != CLOSED) {
    fail_with(d, MCP_ERR_CLOSED, "the connection broke");
  }
  mcpi_uv_leave(uv);
}

/* All waiting bytes may have been sent. */
static void go_on_writing(dial *d) {
  size_t waited = ws_channel_queued(d);
  if (ws_channel_write_some(d) != 0) {
    fail_with(d, MCP_ERR_CLOSED, "the connection broke");
    return;
  }
  if (waited > 0 && ws_channel_queued(d) == 0) {
    if (d->stage == FLUSHING) {
      ws_channel_close_all(d);
      return;
    }
    if (d->stage == OPEN && d->websocket != NULL) {
      mcpi_websocket_drained(d->websocket);
    }
  }
  if (d->stage != CLOSED) {
    poll_for_more(d);
  }
}

static void ws_channel_on_poll(uv_poll_t *poll, int status, int events) {
  dial *d = poll->data;
  mcpi_uv *uv = d->uv;
  mcpi_uv_enter(uv);
  if ((events & UV_READABLE) != 0 || status < 0) {
    ws_channel_read_some(d);
  }
  if (d->poll == poll && ((events & UV_WRITABLE) != 0 || status < 0)) {
    go_on_writing(d);
  }
  mcpi_uv_leave(uv);
}

/* --- connecting ---------------------------------------------------------- */

static void on_time(uv_timer_t *timer) {
  dial *d = timer->data;
  mcpi_uv *uv = d->uv;
  mcpi_uv_enter(uv);
  if (d->stage == FLUSHING) {
    ws_channel_close_all(d);
  } else {
    fail_with(d, MCP_ERR_TIMEOUT, "the WebSocket did not open in time");
  }
  mcpi_uv_leave(uv);
}

static int begin_polling(dial *d) {
  curl_socket_t fd = CURL_SOCKET_BAD;
  curl_easy_getinfo(d->transfer.easy, CURLINFO_ACTIVESOCKET, &fd);
  uv_poll_t *poll = mcpi_alloc(&d->loop->allocator, sizeof(*poll));
  if (poll == NULL) {
    return MCP_ERR_NOMEM;
  }
  if (fd == CURL_SOCKET_BAD || uv_poll_init_socket(d->uv->uv, poll, fd) != 0) {
    mcpi_free(&d->loop->allocator, poll, sizeof(*poll));
    return MCP_ERR_IO;
  }
  poll->data = d;
  d->poll = poll;
  d->open_handles++;
  return 0;
}

static void begin_upgrade(dial *d) {
  mcpi_buf request;
  int rc = begin_polling(d);
  if (rc != 0) {
    fail_with(d, rc,
              rc == MCP_ERR_NOMEM ? "out of memory"
                                  : "the connection cannot be polled");
    return;
  }
  mcpi_buf_init_secret(&request, &d->loop->allocator, SIZE_MAX);
  d->stage = UPGRADING;
  rc = mcpi_ws_opening_put(&d->opening, &d->loop->platform, d->transfer.headers,
                           &request);
  const struct iovec part = {request.data, request.len};
  if (rc == 0) {
    rc = ws_channel_write_bytes(d, &part, 1);
  }
  mcpi_buf_deinit(&request);
  if (rc != 0 && !d->is_broken) {
    fail_with(d, rc, mcp_error_text(rc));
  }
}

static void ws_channel_on_done(void *owner, CURL *easy, CURLcode result) {
  dial *d = owner;
  (void)easy;
  d->transfer.is_done = 1;
  d->transfer.result = result;
}

static void ws_channel_on_turn(void *owner) {
  dial *d = owner;
  if (d->stage != CONNECTING || !d->transfer.is_done) {
    return;
  }
  if (d->transfer.result == CURLE_OK) {
    begin_upgrade(d);
  } else {
    ws_channel_fail_by_curl(d, d->transfer.result);
  }
}

static const mcpi_multi_events multi_events = {.on_done = ws_channel_on_done,
                                               .on_turn = ws_channel_on_turn};

/* The request to upgrade has the headers of the transfer. Through a proxy there
 * is a tunnel, since only a tunnel can be upgraded; the proxy does not get the
 * headers. Returns 0, MCP_PENDING or MCP_ERR_NOMEM. */
static int connect_by_curl(dial *d) {
  mcpi_transfer *transfer = &d->transfer;
  int rc = mcpi_transfer_prepare(transfer, d->multi, &d->options,
                                 d->options.url, NULL);
  if (rc == 0) {
    rc = mcpi_authorization_prepare(&d->authorization, transfer, "GET",
                                    d->options.url);
  }
  if (rc != 0) {
    return rc;
  }
  CURL *easy = transfer->easy;
  curl_easy_setopt(easy, CURLOPT_CONNECT_ONLY, 1L);
  curl_easy_setopt(easy, CURLOPT_HTTPPROXYTUNNEL, 1L);
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
  curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
  return mcpi_transfer_start(transfer, d->multi);
}

static void ws_channel_init_timer(dial *d, uv_timer_t *timer) {
  uv_timer_init(d->uv->uv, timer);
  timer->data = d;
  d->open_handles++;
}

static void ws_channel_start_timer(dial *d, uint32_t ms) {
  uv_update_time(d->uv->uv);
  if (ms != UINT32_MAX) {
    uv_timer_start(&d->timer, on_time, ms, 0);
  }
}

/* The user may need minutes to log in. */
static void ws_channel_await(dial *d) {
  mcpi_transfer_stop(&d->transfer, d->multi);
  uv_timer_stop(&d->timer);
  d->stage = AWAITING;
}

/* Forgets what an earlier connection has left. Returns 0 or MCP_ERR_NOMEM. */
static int ws_channel_connect(dial *d) {
  mcpi_blockbuf_clear(&d->out);
  drop_chunk(d);
  mcpi_ws_opening_deinit(&d->opening);
  mcpi_ws_opening_init(&d->opening, &d->options, &d->loop->allocator);
  d->stage = CONNECTING;
  int rc = connect_by_curl(d);
  if (rc == MCP_PENDING) {
    ws_channel_await(d);
    return 0;
  }
  if (rc == 0) {
    ws_channel_start_timer(d, d->options.given.connect_timeout_ms);
  }
  return rc;
}

static void ws_channel_connect_again(dial *d) {
  if (ws_channel_connect(d) != 0) {
    fail_with(d, MCP_ERR_NOMEM, "out of memory");
  }
}

static void ws_channel_on_ready(mcpi_authorizer *authorizer,
                                mcpi_authorization *a, const mcp_error *err) {
  dial *d = MCPI_CONTAINER(authorizer, dial, authorizer);
  mcpi_uv *uv = d->uv;
  (void)a;
  mcpi_uv_enter(uv);
  if (err == NULL) {
    ws_channel_connect_again(d);
  } else {
    ws_channel_fail(d, err);
  }
  mcpi_uv_leave(uv);
}

static int open_channel(void *channel, mcp_error *err) {
  dial *d = channel;
  ws_channel_init_timer(d, &d->timer);
  ws_channel_init_timer(d, &d->again);
  mcpi_uv_hold(d->uv);
  d->stage = CONNECTING;
  d->multi = mcpi_multi_new(d->uv, &multi_events, d);
  if (d->multi == NULL || ws_channel_connect(d) != 0) {
    return mcpi_no_memory(err);
  }
  return 0;
}

static void ws_channel_close(void *channel, int at_once) {
  dial *d = channel;
  d->websocket = NULL;
  if (d->stage == NEW) {
    ws_channel_destroy(d);
  } else if (at_once || d->is_broken || d->stage != OPEN ||
             ws_channel_queued(d) == 0) {
    ws_channel_close_all(d);
  } else {
    d->stage = FLUSHING;
    ws_channel_start_timer(d, d->options.given.close_wait_ms);
  }
}

static const mcpi_ws_channel channel_ops = {.open = open_channel,
                                            .write = ws_channel_write_bytes,
                                            .queued = ws_channel_queued,
                                            .close = ws_channel_close};

/* --- making one ---------------------------------------------------------- */

/* People see the URL of a WebSocket again: "http" becomes "ws". */
static int show_as_websocket(char **url, const mcp_allocator *allocator) {
  char *copy = mcpi_strdup(allocator, *url + 2);
  if (copy == NULL) {
    return MCP_ERR_NOMEM;
  }
  copy[0] = 'w';
  copy[1] = 's';
  mcpi_strfree(allocator, *url);
  *url = copy;
  return 0;
}

/* libcurl sees the URL of a page: "wss" becomes "https". */
static int ws_channel_take_url(dial *d, const char *url,
                               const mcp_http_client_options *options,
                               mcp_error *err) {
  const mcp_allocator *allocator = &d->loop->allocator;
  mcpi_buf page;
  if (url == NULL ||
      (!curl_strnequal(url, "ws://", 5) && !curl_strnequal(url, "wss://", 6))) {
    return mcpi_curl_refuse_url(url, "is not a ws:// or wss:// URL", err);
  }
  mcpi_buf_init(&page, allocator, SIZE_MAX);
  mcpi_buf_lit(&page, "http");
  mcpi_buf_puts(&page, mcpi_str_z(url + 2));
  mcpi_buf_putc(&page, '\0');
  int rc = page.error != 0 ? mcpi_no_memory(err)
                           : mcpi_curl_options_init(&d->options, page.data, url,
                                                    options, d->loop, err);
  mcpi_buf_deinit(&page);
  if (rc == 0 && (show_as_websocket(&d->options.shown, allocator) != 0 ||
                  show_as_websocket(&d->options.origin, allocator) != 0)) {
    rc = mcpi_no_memory(err);
  }
  return rc;
}

static mcpi_websocket *ws_channel_make(dial *d, mcp_error *err) {
  const mcp_http_client_options *given = &d->options.given;
  const mcpi_websocket_options options = {
      .is_client = 1,
      .max_message = given->max_message,
      .max_queue = given->max_queue,
      .ping_ms = given->ping_ms,
      .pong_ms = given->pong_ms,
      .message_ms = UINT32_MAX,
      .close_ms = given->close_wait_ms,
      .origin = d->options.origin,
  };
  return mcpi_websocket_new(d->loop, &options, &channel_ops, d, err);
}

mcp_transport *mcp_transport_websocket(mcp_loop *loop, const char *url,
                                       const mcp_http_client_options *options,
                                       mcp_error *err) {
  mcpi_uv *uv = mcpi_uv_of(loop);
  if (uv == NULL) {
    mcp_error_set(err, MCP_ERR_INVALID, "not a loop of mcp_loop_new");
    return NULL;
  }
  dial *d = mcpi_calloc(&loop->allocator, 1, sizeof(*d));
  if (d == NULL) {
    mcpi_no_memory(err);
    return NULL;
  }
  d->loop = loop;
  d->uv = uv;
  mcpi_transfer_init(&d->transfer, d);
  mcpi_ws_opening_init(&d->opening, &d->options, &loop->allocator);
  if (ws_channel_take_url(d, url, options, err) != 0) {
    ws_channel_destroy(d);
    return NULL;
  }
  uint32_t dialect = d->options.given.dialect;
  d->websocket = ws_channel_make(d, err);
  if (d->websocket == NULL) {
    ws_channel_destroy(d);
    return NULL;
  }
  d->authorizer =
      (mcpi_authorizer){.server = d->options.auth,
                        .options = &d->options,
                        .loop = loop,
                        .transport = mcpi_websocket_transport(d->websocket),
                        .on_ready = ws_channel_on_ready};
  mcpi_authorization_init(&d->authorization, &d->authorizer);
  return mcp_transport_dialect(loop, mcpi_websocket_transport(d->websocket),
                               dialect, 0, err);
}
