/* SPDX-License-Identifier: MIT */
/* Answers of the HTTP/1.1 server (RFC 9110 8.6, 15; RFC 9112 6, 7.1). An answer
 * is assembled in one buffer and written at once; bytes that the socket does
 * not take wait in the connection. */
#include "http1/conn.h"

#include "codec/http_value.h"
#include "platform/files.h"
#include "platform/sockets.h"

#include <errno.h>
#include <mcp/error.h>
#include <stdio.h>
#include <time.h>

enum {
  /* Longer bodies are not copied after their head: the kernel takes two pieces
   * as well, for a little more than a short copy costs. */
  COPIED_BODY = 16 * 1024,
  /* The size of the assembly buffer that is kept for the next answer. */
  SCRATCH_KEPT = 64 * 1024,
  /* Of an answer in pieces, this many bytes may wait for the next piece. */
  HELD_BYTES = 16 * 1024
};

/* --- sending ------------------------------------------------------------- */

static void take_out(mcpi_http1_conn *conn, size_t len) {
  mcpi_http1_drop(conn, &conn->out, len);
  conn->tls_waiting -= len < conn->tls_waiting ? len : conn->tls_waiting;
}

/* The application must not be called from here: the next turn calls it. */
static void conn_break_off(mcpi_http1_conn *conn) {
  conn->is_broken = 1;
  take_out(conn, conn->out.len);
  mcpi_list_remove(&conn->write_alarm.link);
  mcpi_http1_kick(conn);
}

/* An answer may have any length, but not if another one waits: then the client
 * does not read, and there is a limit. */
static int is_queue_full(const mcpi_http1_conn *conn, size_t len) {
  size_t max = conn->http1->limits.max_queue;
  size_t waiting = conn->out.len;
  return waiting > 0 && (waiting > max || len > max - waiting);
}

static void start_write_clock(mcpi_http1_conn *conn) {
  uv_update_time(conn->http1->uv->uv); /* a callback may have taken long */
  mcpi_http1_start(conn->http1, &conn->write_alarm, MCPI_HTTP1_WRITE_CLOCK);
}

/* Returns how many of the parts there was room for. */
static int keep_parts(mcpi_http1_conn *conn, const struct iovec *parts,
                      int count) {
  int kept = 0;
  while (kept < count && mcpi_http1_keep(conn, &conn->out, parts[kept].iov_base,
                                         parts[kept].iov_len) == 0) {
    kept++;
  }
  return kept;
}

static void queue(mcpi_http1_conn *conn, const struct iovec *parts, int count) {
  int was_empty = conn->out.len == 0;
  if (keep_parts(conn, parts, count) < count) {
    conn_break_off(conn);
  } else if (was_empty && conn->out.len > 0 && !conn->is_corked) {
    start_write_clock(conn);
    mcpi_http1_poll(conn);
  }
}

/* Writes waiting bytes, as many as possible. Returns 0 or MCP_ERR_IO. */
static int conn_write_out(mcpi_http1_conn *conn) {
  struct iovec part = {mcpi_blockbuf_data(&conn->out), conn->out.len};
  ssize_t written = mcpi_sock_write(conn->fd, &part, 1);
  if (written < 0 && errno != EAGAIN) {
    return MCP_ERR_IO;
  }
  if (written > 0) {
    take_out(conn, (size_t)written);
  }
  if (conn->out.len == 0) {
    mcpi_list_remove(&conn->write_alarm.link);
  } else if (written > 0 || mcpi_list_is_empty(&conn->write_alarm.link)) {
    start_write_clock(conn); /* the client reads: the limit counts from here */
  }
  return 0;
}

/* --- pieces that go together --------------------------------------------- */

/* The head of a stream, an event and the end are one write if they come while
 * the request is read. If a handler takes longer between them, each is sent. */
static int may_wait(mcpi_http1_conn *conn, size_t len) {
  int64_t now_ms = mcpi_loop_now(conn->http1->uv->loop);
  if (conn->out.len == 0) {
    conn->http1->corked_ms = now_ms;
  }
  return conn->out.len + len <= HELD_BYTES && now_ms == conn->http1->corked_ms;
}

void mcpi_http1_uncork(mcpi_http1_conn *conn) {
  int was_corked = conn->is_corked;
  conn->is_corked = 0;
  if (was_corked && conn->out.len > 0 && !conn->is_broken &&
      conn_write_out(conn) != 0) {
    conn_break_off(conn);
  }
}

static int is_held(const mcpi_http1_conn *conn) {
  return conn->is_corked && conn->answer == MCPI_HTTP1_STREAMING;
}

/* Skips what has been written. */
static void conn_advance(struct iovec *parts, int count, size_t written) {
  for (int i = 0; i < count; i++) {
    size_t step = written < parts[i].iov_len ? written : parts[i].iov_len;
    parts[i].iov_base = (char *)parts[i].iov_base + step;
    parts[i].iov_len -= step;
    written -= step;
  }
}

static size_t total(const struct iovec *parts, int count) {
  size_t len = 0;
  for (int i = 0; i < count; i++) {
    len += parts[i].iov_len;
  }
  return len;
}

/* Writes to the socket without TLS. */
static void write_or_queue(mcpi_http1_conn *conn, struct iovec *parts,
                           int count) {
  if (conn->is_broken) {
    return;
  }
  if (conn->out.len > 0) {
    queue(conn, parts, count);
    return;
  }
  ssize_t written = mcpi_sock_write(conn->fd, parts, count);
  if (written == (ssize_t)total(parts, count)) {
    return;
  }
  if (written < 0 && errno != EAGAIN) {
    conn_break_off(conn);
    return;
  }
  conn_advance(parts, count, written > 0 ? (size_t)written : 0);
  queue(conn, parts, count);
}

/* Sends bytes at once if they could wait but have no room. */
static void send_or_hold(mcpi_http1_conn *conn, struct iovec *parts,
                         int count) {
  int kept = 0;
  if (is_held(conn)) {
    kept = keep_parts(conn, parts, count);
    if (kept == count) {
      return;
    }
    mcpi_http1_uncork(conn);
  }
  write_or_queue(conn, parts + kept, count - kept);
}

void mcpi_http1_pump(mcpi_http1_conn *conn) {
  char *bytes;
  size_t len = mcpi_http1_tls_output(conn, &bytes);
  if (len > 0 && !conn->is_broken) {
    struct iovec part = {bytes, len};
    send_or_hold(conn, &part, 1);
  }
  mcpi_http1_tls_forget_output(conn, len);
}

void mcpi_http1_pump_control(mcpi_http1_conn *conn) {
  char *bytes;
  size_t len = mcpi_http1_tls_output(conn, &bytes);
  if (len == 0) {
    return;
  }
  if (is_queue_full(conn, len)) {
    conn_break_off(conn);
  }
  mcpi_http1_pump(conn);
  conn->tls_waiting = conn->out.len;
}

void mcpi_http1_send(mcpi_http1_conn *conn, struct iovec *parts, int count) {
  if (conn->is_broken) {
    return;
  }
  if (conn->tls == NULL) {
    send_or_hold(conn, parts, count);
  } else if (mcpi_http1_tls_encrypt(conn, parts, count) == 0) {
    mcpi_http1_pump(conn);
  } else {
    conn_break_off(conn);
  }
}

static void send_within_queue(mcpi_http1_conn *conn, struct iovec *parts,
                              int count) {
  size_t len = total(parts, count);
  if (is_held(conn) && !may_wait(conn, len)) {
    mcpi_http1_uncork(conn);
  }
  if (is_queue_full(conn, len)) {
    conn_break_off(conn);
  } else {
    mcpi_http1_send(conn, parts, count);
  }
}

void mcpi_http1_flush(mcpi_http1_conn *conn) {
  if (conn->out.len == 0) {
    return;
  }
  if (conn_write_out(conn) != 0) {
    mcpi_http1_lose(conn);
  } else if (conn->out.len == 0) {
    mcpi_http1_drained(conn);
  }
}

/* --- the head of an answer ----------------------------------------------- */

static const char *conn_reason_of(int status) {
  static const struct {
    int status;
    const char *text;
  } reasons[] = {
      {200, "OK"},
      {202, "Accepted"},
      {204, "No Content"},
      {304, "Not Modified"},
      {400, "Bad Request"},
      {401, "Unauthorized"},
      {403, "Forbidden"},
      {404, "Not Found"},
      {405, "Method Not Allowed"},
      {406, "Not Acceptable"},
      {408, "Request Timeout"},
      {409, "Conflict"},
      {411, "Length Required"},
      {413, "Content Too Large"},
      {414, "URI Too Long"},
      {415, "Unsupported Media Type"},
      {417, "Expectation Failed"},
      {426, "Upgrade Required"},
      {429, "Too Many Requests"},
      {431, "Request Header Fields Too Large"},
      {500, "Internal Server Error"},
      {501, "Not Implemented"},
      {503, "Service Unavailable"},
      {505, "HTTP Version Not Supported"},
  };
  for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
    if (reasons[i].status == status) {
      return reasons[i].text;
    }
  }
  return ""; /* the reason may be empty */
}

/* Writes a number without regard to the locale. */
static void put_number(mcpi_buf *buf, size_t number, unsigned base) {
  char digits[32];
  size_t at = sizeof(digits);
  do {
    digits[--at] = "0123456789abcdef"[number % base];
    number /= base;
  } while (number > 0);
  mcpi_buf_put(buf, digits + at, sizeof(digits) - at);
}

/* Names of days and months are English in every locale. */
static int format_date(char *to, size_t size, time_t now) {
  static const char days[] = "SunMonTueWedThuFriSat";
  static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
  struct tm tm;
  mcpi_utc(now, &tm);
  return snprintf(to, size, "Date: %.3s, %02d %.3s %04d %02d:%02d:%02d GMT\r\n",
                  days + 3 * tm.tm_wday, tm.tm_mday, months + 3 * tm.tm_mon,
                  tm.tm_year + 1900, tm.tm_hour, tm.tm_min, tm.tm_sec);
}

static void put_date(mcpi_http1 *http1) {
  time_t now = time(NULL);
  if (http1->date_s != (int64_t)now) {
    http1->date_s = (int64_t)now;
    http1->date_len =
        (size_t)format_date(http1->date, sizeof(http1->date), now);
  }
  mcpi_buf_put(&http1->scratch, http1->date, http1->date_len);
}

/* Whether the value has no control characters except the tab. */
static int is_value(mcpi_str value) {
  size_t i = 0;
  while (value.len - i >= 8) {
    uint64_t word = mcpi_load_word(value.ptr + i);
    if ((mcpi_word_has_less(word, 0x20) | mcpi_word_has(word, 0x7F)) != 0) {
      break;
    }
    i += 8;
  }
  for (; i < value.len; i++) {
    unsigned char byte = (unsigned char)value.ptr[i];
    if ((byte < 0x20 && byte != '\t') || byte == 0x7F) {
      return 0;
    }
  }
  return 1;
}

/* Leaves out a field that would not be one field: text that an application
 * passes on must not add lines to an answer. */
static void put_header(mcpi_buf *buf, const mcp_http_header *header) {
  mcpi_str name = mcpi_str_z(header->name);
  mcpi_str value = mcpi_str_z(header->value);
  if (mcpi_header_is_token(name) && is_value(value)) {
    mcpi_buf_puts(buf, name);
    mcpi_buf_lit(buf, ": ");
    mcpi_buf_puts(buf, value);
    mcpi_buf_lit(buf, "\r\n");
  }
}

static void conn_put_status(mcpi_http1 *http1, int status) {
  mcpi_buf *buf = &http1->scratch;
  if (status < 200 || status > 599) {
    status = 500;
  }
  mcpi_buf_lit(buf, "HTTP/1.1 ");
  put_number(buf, (size_t)status, 10);
  mcpi_buf_putc(buf, ' ');
  mcpi_buf_puts(buf, mcpi_str_z(conn_reason_of(status)));
  mcpi_buf_lit(buf, "\r\n");
  put_date(http1);
}

/* The rest of a body that the application does not read is dropped to keep the
 * connection, if it is short and certain to come. */
static int can_skip_rest(const mcpi_http1_conn *conn) {
  return conn->stage != MCPI_HTTP1_BODY ||
         (!(conn->parser.flags & F_CHUNKED) && !conn->expects_100 &&
          conn->parser.content_length <= MCPI_HTTP1_SKIP);
}

static int must_close(const mcpi_http1_conn *conn) {
  return !conn->keeps_alive || conn->http1->is_draining ||
         conn->is_input_over || !can_skip_rest(conn);
}

/* Decides whether the connection closes after this answer, and whether the
 * answer has a body. Writes everything except the length and the empty line. */
static mcpi_buf *conn_put_head(mcpi_http1_conn *conn, int status,
                               const mcp_http_header *headers, size_t count) {
  mcpi_buf *buf = &conn->http1->scratch;
  mcpi_buf_recycle(buf, SCRATCH_KEPT);
  conn->wants_close = must_close(conn) ? 1 : 0;
  conn->is_bodiless = conn->is_head || status == 204 || status == 304 ? 1 : 0;
  conn_put_status(conn->http1, status);
  for (size_t i = 0; i < count; i++) {
    put_header(buf, &headers[i]);
  }
  if (conn->wants_close) {
    mcpi_buf_lit(buf, "Connection: close\r\n");
  }
  return buf;
}

/* --- answering ----------------------------------------------------------- */

/* struct iovec is also for reading, so its pointer is not const. */
static struct iovec conn_part_of(const char *bytes, size_t len) {
  return (struct iovec){(void *)(uintptr_t)bytes, len};
}

/* Sends the scratch buffer, then the bytes, then a short end. */
static void send_scratch(mcpi_http1_conn *conn, const char *bytes, size_t len,
                         mcpi_str end) {
  mcpi_buf *buf = &conn->http1->scratch;
  if (len <= COPIED_BODY) {
    mcpi_buf_put(buf, bytes, len);
    mcpi_buf_put(buf, end.ptr, end.len);
    len = 0;
  }
  if (buf->error != 0) {
    conn_break_off(conn);
    return;
  }
  struct iovec parts[3] = {conn_part_of(buf->data, buf->len),
                           conn_part_of(bytes, len),
                           conn_part_of(end.ptr, end.len)};
  send_within_queue(conn, parts, len > 0 ? 3 : 1);
}

/* The answer has ended: the application has finished with the exchange. */
static void conn_finish(mcpi_http1_conn *conn) {
  conn->handle = NULL;
  conn->answer = MCPI_HTTP1_ANSWERED;
  if (conn->is_broken) {
    return; /* the next turn ends it */
  }
  if (conn->wants_close) {
    mcpi_http1_end(conn);
  } else if (conn->stage == MCPI_HTTP1_ANSWERING) {
    mcpi_http1_next(conn);
  }
}

static int conn_is_live(const mcpi_http1_conn *conn, mcpi_http1_answer answer) {
  return conn->stage != MCPI_HTTP1_CLOSED && conn->answer == answer;
}

static void put_length(mcpi_buf *buf, int status, size_t len) {
  if (status != 204 && status != 304) {
    mcpi_buf_lit(buf, "Content-Length: ");
    put_number(buf, len, 10);
    mcpi_buf_lit(buf, "\r\n");
  }
  mcpi_buf_lit(buf, "\r\n");
}

static void conn_respond(void *exchange, int status,
                         const mcp_http_header *headers, size_t header_count,
                         const char *body, size_t len) {
  mcpi_http1_conn *conn = exchange;
  if (!conn_is_live(conn, MCPI_HTTP1_UNANSWERED)) {
    return;
  }
  mcpi_buf *buf = conn_put_head(conn, status, headers, header_count);
  put_length(buf, status, len);
  send_scratch(conn, body, conn->is_bodiless ? 0 : len, MCPI_STR(""));
  conn_finish(conn);
}

static void conn_begin(void *exchange, int status,
                       const mcp_http_header *headers, size_t header_count) {
  mcpi_http1_conn *conn = exchange;
  if (!conn_is_live(conn, MCPI_HTTP1_UNANSWERED)) {
    return;
  }
  conn->answer = MCPI_HTTP1_STREAMING;
  mcpi_buf *buf = conn_put_head(conn, status, headers, header_count);
  conn->is_chunked = !conn->is_http10 && status != 204 && status != 304 ? 1 : 0;
  if (conn->is_chunked) {
    mcpi_buf_lit(buf, "Transfer-Encoding: chunked\r\n");
  }
  mcpi_buf_lit(buf, "\r\n");
  send_scratch(conn, NULL, 0, MCPI_STR(""));
}

static void conn_write_piece(void *exchange, const char *bytes, size_t len) {
  mcpi_http1_conn *conn = exchange;
  /* A chunk without bytes would be the last one. */
  if (!conn_is_live(conn, MCPI_HTTP1_STREAMING) || conn->is_bodiless ||
      len == 0) {
    return;
  }
  mcpi_buf *buf = &conn->http1->scratch;
  mcpi_buf_recycle(buf, SCRATCH_KEPT);
  if (conn->is_chunked) {
    put_number(buf, len, 16);
    mcpi_buf_lit(buf, "\r\n");
    send_scratch(conn, bytes, len, MCPI_STR("\r\n"));
  } else {
    send_scratch(conn, bytes, len, MCPI_STR(""));
  }
}

static void conn_end(void *exchange) {
  mcpi_http1_conn *conn = exchange;
  if (!conn_is_live(conn, MCPI_HTTP1_STREAMING)) {
    return;
  }
  if (conn->is_chunked && !conn->is_bodiless) {
    struct iovec last = conn_part_of("0\r\n\r\n", 5);
    send_within_queue(conn, &last, 1);
  }
  conn_finish(conn);
}

static void conn_close_after(void *exchange) {
  mcpi_http1_conn *conn = exchange;
  if (conn_is_live(conn, MCPI_HTTP1_STREAMING)) {
    conn->wants_close = 1;
    conn_end(conn);
  }
}

static size_t conn_queued(void *exchange) {
  const mcpi_http1_conn *conn = exchange;
  return conn->out.len;
}

/* Without chunks, only a reset distinguishes a broken answer from a complete
 * one. */
static void conn_reset(mcpi_http1_conn *conn) {
  mcpi_sock_reset(conn->fd);
}

static void conn_abort_answer(void *exchange) {
  mcpi_http1_conn *conn = exchange;
  if (!conn_is_live(conn, MCPI_HTTP1_UNANSWERED) &&
      !conn_is_live(conn, MCPI_HTTP1_STREAMING)) {
    return;
  }
  if (conn->answer == MCPI_HTTP1_STREAMING && !conn->is_chunked) {
    conn_reset(conn);
  }
  conn->handle = NULL;
  conn->answer = MCPI_HTTP1_ANSWERED;
  mcpi_http1_close(conn);
}

void mcpi_http1_responder(mcp_http_responder *responder) {
  *responder = (mcp_http_responder){
      .size = sizeof(*responder),
      .respond = conn_respond,
      .begin = conn_begin,
      .write = conn_write_piece,
      .end = conn_end,
      .queued = conn_queued,
      .abort = conn_abort_answer,
      .upgrade = mcpi_http1_upgrade,
      .close = conn_close_after,
  };
}

/* --- answers of our own -------------------------------------------------- */

void mcpi_http1_send_100(mcpi_http1_conn *conn) {
  static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";
  struct iovec part = conn_part_of(text, sizeof(text) - 1);
  send_within_queue(conn, &part, 1);
}

void mcpi_http1_send_101(mcpi_http1_conn *conn, const mcp_http_header *headers,
                         size_t count) {
  mcpi_buf *buf = &conn->http1->scratch;
  mcpi_buf_recycle(buf, SCRATCH_KEPT);
  mcpi_buf_lit(buf, "HTTP/1.1 101 Switching Protocols\r\n");
  put_date(conn->http1);
  for (size_t i = 0; i < count; i++) {
    put_header(buf, &headers[i]);
  }
  mcpi_buf_lit(buf, "\r\n");
  send_scratch(conn, NULL, 0, MCPI_STR(""));
}

void mcpi_http1_send_error(mcpi_http1_conn *conn, int status,
                           const char *text) {
  static const mcp_http_header type = {"Content-Type",
                                       "text/plain; charset=utf-8"};
  conn->keeps_alive = 0;
  mcpi_buf *buf = conn_put_head(conn, status, &type, 1);
  put_length(buf, status, strlen(text) + 1);
  send_scratch(conn, text, conn->is_bodiless ? 0 : strlen(text),
               conn->is_bodiless ? MCPI_STR("") : MCPI_STR("\n"));
}
