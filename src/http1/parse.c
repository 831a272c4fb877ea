/* SPDX-License-Identifier: MIT */
/* From bytes to requests, with llhttp (RFC 9112). Its lenient switches stay
 * off: if two programs can read the same bytes in two ways, an attacker can
 * smuggle requests past one of them. The limits are ours; llhttp has none. */
#include "http1/conn.h"

#include <mcp/error.h>

static mcpi_http1_conn *conn_of(llhttp_t *parser) {
  return parser->data;
}

/* --- refusing ------------------------------------------------------------ */

void mcpi_http1_refuse(mcpi_http1_conn *conn, int status, const char *text) {
  void *handle = conn->handle;
  mcpi_http1_answer answer = conn->answer;
  if (!mcpi_http1_tls_is_ready(conn)) {
    mcpi_http1_close(conn);
    return;
  }
  conn->handle = NULL;
  conn->answer = MCPI_HTTP1_ANSWERED;
  if (handle != NULL) {
    conn->http1->app.on_gone(handle);
  }
  if (conn->stage >= MCPI_HTTP1_ENDING) {
    return; /* the application has refused it */
  }
  if (answer == MCPI_HTTP1_STREAMING) {
    mcpi_http1_close(conn);
    return;
  }
  if (answer != MCPI_HTTP1_ANSWERED) {
    mcpi_http1_send_error(conn, status, text);
  }
  mcpi_http1_end(conn);
}

/* For callbacks of the parser: the parser stops, and then the request is
 * refused. */
static int stop_with(mcpi_http1_conn *conn, int status, const char *text) {
  conn->refused_status = status;
  conn->refused_text = text;
  return HPE_USER;
}

static int stop_for_memory(mcpi_http1_conn *conn) {
  return stop_with(conn, 503, "The server is out of memory.");
}

/* --- the head ------------------------------------------------------------ */

void mcpi_http1_release_head(mcpi_http1_conn *conn) {
  conn->request = NULL;
  mcpi_blockbuf_clear(&conn->head);
}

static void begin_request(mcpi_http1_conn *conn) {
  conn->stage = MCPI_HTTP1_HEAD;
  conn->answer = MCPI_HTTP1_NO_EXCHANGE;
  conn->head_len = 0;
  conn->ignored_len = 0;
  conn->body_len = 0;
  conn->header_count = 0;
  conn->line = MCPI_HTTP1_BEFORE_LINE;
  conn->line_blanks = 0;
  conn->whole_body = NULL;
  conn->has_target = 0;
  conn->is_head = 0;
  conn->is_http10 = 0;
  conn->keeps_alive = 0;
  conn->expects_100 = 0;
  if (conn->request != NULL) {
    mcpi_http1_release_head(conn); /* see release_request */
  }
  mcpi_http1_start(conn->http1, &conn->phase_alarm, MCPI_HTTP1_HEAD_CLOCK);
}

static int add_text(mcpi_http1_conn *conn, const char *bytes, size_t len) {
  return mcpi_blockbuf_put(&conn->head, mcpi_http1_pool(conn), bytes, len) == 0
             ? 0
             : stop_for_memory(conn);
}

static int end_text(mcpi_http1_conn *conn) {
  char *to = mcpi_blockbuf_reserve(&conn->head, mcpi_http1_pool(conn), 1);
  if (to == NULL) {
    return stop_for_memory(conn);
  }
  *to = '\0';
  conn->head.len++;
  return 0;
}

static int on_target(llhttp_t *parser, const char *bytes, size_t len) {
  return add_text(conn_of(parser), bytes, len);
}

static int on_target_end(llhttp_t *parser) {
  mcpi_http1_conn *conn = conn_of(parser);
  conn->has_target = 1;
  return end_text(conn);
}

/* Limits what chunked bodies may have besides data: extensions of chunks, and
 * fields after the last chunk. The application has no use for it. */
static int on_ignored(llhttp_t *parser, const char *bytes, size_t len) {
  mcpi_http1_conn *conn = conn_of(parser);
  (void)bytes;
  conn->ignored_len += len;
  if (conn->ignored_len > conn->http1->limits.max_head) {
    return stop_with(conn, 431, "The request's trailer is too long.");
  }
  return 0;
}

static int is_trailer(const mcpi_http1_conn *conn) {
  return conn->stage != MCPI_HTTP1_HEAD;
}

static int on_text(llhttp_t *parser, const char *bytes, size_t len) {
  mcpi_http1_conn *conn = conn_of(parser);
  return is_trailer(conn) ? on_ignored(parser, bytes, len)
                          : add_text(conn, bytes, len);
}

static int on_name_end(llhttp_t *parser) {
  mcpi_http1_conn *conn = conn_of(parser);
  if (is_trailer(conn)) {
    return 0;
  }
  if (++conn->header_count > conn->http1->limits.max_headers) {
    return stop_with(conn, 431, "The request has too many headers.");
  }
  return end_text(conn);
}

static int is_blank(char byte) {
  return byte == ' ' || byte == '\t';
}

/* The end of a value is known only now. */
static int on_value_end(llhttp_t *parser) {
  mcpi_http1_conn *conn = conn_of(parser);
  if (is_trailer(conn)) {
    return 0;
  }
  mcpi_blockbuf *head = &conn->head;
  const char *text = mcpi_blockbuf_data(head);
  while (is_blank(text[head->len - 1])) {
    head->len--;
  }
  return end_text(conn);
}

/* Writes the request after the texts that it refers to. */
static mcp_http_request *lay_out(mcpi_http1_conn *conn) {
  size_t align = _Alignof(max_align_t);
  size_t from = (conn->head.len + align - 1) / align * align;
  size_t size =
      sizeof(mcp_http_request) + conn->header_count * sizeof(mcp_http_header);
  char *end = mcpi_blockbuf_reserve(&conn->head, mcpi_http1_pool(conn),
                                    from - conn->head.len + size);
  if (end == NULL) {
    return NULL;
  }
  return (void *)(mcpi_blockbuf_data(&conn->head) + from);
}

static int make_request(mcpi_http1_conn *conn) {
  mcp_http_request *request = lay_out(conn);
  if (request == NULL) {
    return MCP_ERR_NOMEM;
  }
  const char *text = mcpi_blockbuf_data(&conn->head);
  mcp_http_header *headers = (void *)(request + 1);
  *request = (mcp_http_request){
      .size = sizeof(*request),
      .method = conn->http1->grammar->method_name(conn->parser.method),
      .target = text,
      .headers = headers,
      .header_count = conn->header_count,
      .peer = conn->peer,
      .principal = conn->principal,
  };
  for (uint32_t i = 0; i < conn->header_count; i++) {
    headers[i].name = text + strlen(text) + 1;
    headers[i].value = headers[i].name + strlen(headers[i].name) + 1;
    text = headers[i].value;
  }
  conn->request = request;
  return 0;
}

/* The application may answer inside this call, or free everything. */
static void ask_application(mcpi_http1_conn *conn) {
  mcpi_http1 *http1 = conn->http1;
  void *handle = http1->app.on_head(http1->app.userdata, conn->request,
                                    &http1->responder, conn);
  if (conn->answer == MCPI_HTTP1_ANSWERED) {
    return;
  }
  if (conn->stage != MCPI_HTTP1_CLOSED) {
    conn->handle = handle;
  } else if (handle != NULL) {
    /* The application has freed the listener. Closing the connection could not
     * call on_gone, because the handle was not known yet. */
    http1->app.on_gone(handle);
  }
}

static int on_head_end(llhttp_t *parser) {
  mcpi_http1_conn *conn = conn_of(parser);
  conn->asks_upgrade = (parser->flags & F_UPGRADE) != 0;
  parser->upgrade = 0; /* http1/websocket/upgrade.c handles it */
  conn->is_head = parser->method == HTTP_HEAD;
  conn->keeps_alive = conn->http1->grammar->should_keep_alive(parser) != 0;
  conn->content_len = parser->content_length;
  if (make_request(conn) != 0) {
    return stop_for_memory(conn);
  }
  const char *text = NULL;
  int status = mcpi_http1_check(conn, &text);
  if (status != 0) {
    return stop_with(conn, status, text);
  }
  conn->stage = MCPI_HTTP1_BODY;
  conn->answer = MCPI_HTTP1_UNANSWERED;
  mcpi_http1_start(conn->http1, &conn->phase_alarm, MCPI_HTTP1_BODY_CLOCK);
  ask_application(conn);
  if (conn->stage != MCPI_HTTP1_BODY) {
    return HPE_USER; /* ended meanwhile */
  }
  if (conn->handle == NULL && conn->answer != MCPI_HTTP1_ANSWERED) {
    return stop_with(conn, 500, "The server did not answer.");
  }
  return 0;
}

/* --- the body ------------------------------------------------------------ */

/* A body that arrives in one piece is not copied. */
static int parser_collect(mcpi_http1_conn *conn, const char *bytes,
                          size_t len) {
  if (len == conn->content_len && !(conn->parser.flags & F_CHUNKED)) {
    conn->whole_body = bytes;
    return 0;
  }
  int rc = mcpi_http1_keep(conn, &conn->body, bytes, len);
  if (rc == MCP_ERR_LIMIT) {
    return stop_with(conn, 503, "The server has too many bodies to read.");
  }
  return rc == 0 ? 0 : stop_for_memory(conn);
}

static int parser_on_body(llhttp_t *parser, const char *bytes, size_t len) {
  mcpi_http1_conn *conn = conn_of(parser);
  if (len > conn->http1->limits.max_body - conn->body_len) {
    return stop_with(conn, 413, "The request's body is too long.");
  }
  conn->body_len += len;
  return conn->handle != NULL ? parser_collect(conn, bytes, len) : 0;
}

/* Refuses a chunk that would not fit before it arrives. */
static int on_chunk_size(llhttp_t *parser) {
  mcpi_http1_conn *conn = conn_of(parser);
  return parser->content_length > conn->http1->limits.max_body - conn->body_len
             ? stop_with(conn, 413, "The request's body is too long.")
             : 0;
}

static void parser_hand_over_body(mcpi_http1_conn *conn) {
  const char *body = conn->whole_body != NULL ? conn->whole_body
                                              : mcpi_blockbuf_data(&conn->body);
  conn->http1->app.on_body(conn->handle, conn->body_len > 0 ? body : "",
                           conn->body_len);
}

/* Releases what the application has borrowed. If it has not decided yet about a
 * request for a WebSocket, the head stays: the handshake is in it. */
static void release_request(mcpi_http1_conn *conn) {
  conn->whole_body = NULL;
  if (conn->body.len > 0) {
    mcpi_http1_drop(conn, &conn->body, conn->body.len);
  }
  if (!conn->asks_upgrade || conn->answer != MCPI_HTTP1_UNANSWERED) {
    mcpi_http1_release_head(conn);
  }
}

static int on_request_end(llhttp_t *parser) {
  mcpi_http1_conn *conn = conn_of(parser);
  conn->stage = MCPI_HTTP1_ANSWERING;
  mcpi_list_remove(&conn->phase_alarm.link);
  if (conn->handle != NULL) {
    parser_hand_over_body(conn);
  } else {
    mcpi_http1_next(conn);
  }
  if (conn->stage != MCPI_HTTP1_CLOSED) {
    release_request(conn);
  }
  return HPE_PAUSED;
}

void mcpi_http1_parser_settings(llhttp_settings_t *settings) {
  *settings = (llhttp_settings_t){.on_url = on_target,
                                  .on_url_complete = on_target_end,
                                  .on_header_field = on_text,
                                  .on_header_field_complete = on_name_end,
                                  .on_header_value = on_text,
                                  .on_header_value_complete = on_value_end,
                                  .on_headers_complete = on_head_end,
                                  .on_chunk_header = on_chunk_size,
                                  .on_chunk_extension_name = on_ignored,
                                  .on_chunk_extension_value = on_ignored,
                                  .on_body = parser_on_body,
                                  .on_message_complete = on_request_end};
}

/* --- what has been read -------------------------------------------------- */

static void refuse_long_head(mcpi_http1_conn *conn) {
  if (conn->has_target) {
    mcpi_http1_refuse(conn, 431, "The request's headers are too long.");
  } else {
    mcpi_http1_refuse(conn, 414, "The request's target is too long.");
  }
}

/* Whether the parser failed at a method that it does not know. */
static int is_unknown_method(const char *at) {
  return (*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z') ||
         *at == ' ' || *at == '-';
}

/* Whether the version is not HTTP/1. llhttp reports the same error for our
 * version with wrong bytes after it. */
static int is_unknown_version(const llhttp_t *parser) {
  return parser->http_major != 1 || parser->http_minor > 1;
}

static void refuse_malformed(mcpi_http1_conn *conn, llhttp_errno_t error) {
  llhttp_t *parser = &conn->parser;
  if (error == HPE_INVALID_METHOD && is_unknown_method(parser->error_pos)) {
    mcpi_http1_refuse(conn, 501, "The server does not know this method.");
  } else if (error == HPE_PAUSED_H2_UPGRADE ||
             (error == HPE_INVALID_VERSION && is_unknown_version(parser))) {
    mcpi_http1_refuse(conn, 505, "The server speaks HTTP/1.1.");
  } else {
    mcpi_http1_refuse(conn, 400, "The request is malformed.");
  }
}

static void stop_parsing(mcpi_http1_conn *conn, llhttp_errno_t error) {
  if (conn->refused_status != 0) {
    mcpi_http1_refuse(conn, conn->refused_status, conn->refused_text);
  } else {
    refuse_malformed(conn, error);
  }
}

/* The head gets only as many bytes as it may have, so it cannot be longer. */
static size_t portion(const mcpi_http1_conn *conn, size_t len) {
  size_t left = conn->http1->limits.max_head - conn->head_len;
  return conn->stage == MCPI_HTTP1_HEAD && len > left ? left : len;
}

static void count_head(mcpi_http1_conn *conn, size_t len) {
  if (conn->stage == MCPI_HTTP1_HEAD) {
    conn->head_len += len;
    if (conn->head_len >= conn->http1->limits.max_head) {
      refuse_long_head(conn);
    }
  }
}

/* Empty lines before a request are not part of it (RFC 9112, 2.2): some clients
 * send one after a body. */
static int is_blank_line(const char *bytes, size_t len) {
  size_t i = 0;
  while (i < len && (bytes[i] == '\r' || bytes[i] == '\n')) {
    i++;
  }
  return i == len;
}

/* Returns the number of blanks in the request line so far. RFC 9112, 3 allows
 * two. llhttp accepts more, and then two programs may disagree where the target
 * begins. */
static uint32_t count_blanks(mcpi_http1_conn *conn, const char *bytes,
                             size_t len) {
  mcpi_http1_line line = conn->line;
  uint32_t blanks = conn->line_blanks;
  for (size_t i = 0; i < len && line != MCPI_HTTP1_AFTER_LINE; i++) {
    int is_end = bytes[i] == '\r' || bytes[i] == '\n';
    if (!is_end) {
      line = MCPI_HTTP1_IN_LINE;
    } else if (line == MCPI_HTTP1_IN_LINE) {
      line = MCPI_HTTP1_AFTER_LINE;
    }
    blanks += bytes[i] == ' ';
  }
  conn->line = line;
  conn->line_blanks = blanks;
  return blanks;
}

size_t mcpi_http1_parse(mcpi_http1_conn *conn, const char *bytes, size_t len) {
  if (conn->stage == MCPI_HTTP1_IDLE) {
    if (is_blank_line(bytes, len)) {
      return len;
    }
    begin_request(conn);
  }
  len = portion(conn, len);
  if (conn->stage == MCPI_HTTP1_HEAD && count_blanks(conn, bytes, len) > 2) {
    mcpi_http1_refuse(conn, 400,
                      "The request line has more than two blanks in it.");
    return len;
  }
  const mcpi_http1_grammar *grammar = conn->http1->grammar;
  llhttp_errno_t error = grammar->execute(&conn->parser, bytes, len);
  if (conn->stage >= MCPI_HTTP1_ENDING) {
    return len;
  }
  if (error == HPE_PAUSED) { /* at the end of a request */
    len = (size_t)(conn->parser.error_pos - bytes);
    grammar->resume(&conn->parser);
  } else if (error == HPE_OK) {
    count_head(conn, len);
  } else {
    stop_parsing(conn, error);
  }
  return len;
}
