/* SPDX-License-Identifier: MIT */
/* A connection that becomes a WebSocket (RFC 6455, 4.2): its handshake, and
 * then its bytes. The socket, TLS, the queue and the time limits stay those of
 * the connection. */
#include "http1/conn.h"

#include "codec/http_value.h"
#include "wires/websocket/framing.h"
#include "wires/websocket/handshake.h"
#include "wires/websocket/websocket.h"

#include <mcp/error.h>

/* --- the handshake ------------------------------------------------------- */

/* The headers of the handshake; NULL: absent. */
typedef struct opening {
  const char *key;
  const char *version;
  int is_repeated; /* a header came twice */
  int wants_upgrade;
  int offers_mcp;
} opening;

static void upgrade_read_once(opening *o, const char **place,
                              const char *value) {
  o->is_repeated |= *place != NULL;
  *place = value;
}

/* Names of subprotocols are case-sensitive. */
static int offers_mcp(mcpi_str list) {
  const mcpi_str mcp = MCPI_STR(MCPI_WS_PROTOCOL);
  mcpi_str name;
  while (mcpi_header_next(&list, &name)) {
    if (mcpi_str_eq(name, mcp)) {
      return 1;
    }
  }
  return 0;
}

static void upgrade_read_header(opening *o, const mcp_http_header *header) {
  mcpi_str name = mcpi_str_z(header->name);
  mcpi_str value = mcpi_str_z(header->value);
  if (mcpi_header_eq_nocase(name, MCPI_STR("Connection"))) {
    o->wants_upgrade |= mcpi_header_lists(value, MCPI_STR("upgrade"));
  } else if (mcpi_header_eq_nocase(name, MCPI_STR("Sec-WebSocket-Key"))) {
    upgrade_read_once(o, &o->key, header->value);
  } else if (mcpi_header_eq_nocase(name, MCPI_STR("Sec-WebSocket-Version"))) {
    upgrade_read_once(o, &o->version, header->value);
  } else if (mcpi_header_eq_nocase(name, MCPI_STR("Sec-WebSocket-Protocol"))) {
    o->offers_mcp |= offers_mcp(value);
  }
}

static int upgrade_refuse(const char **text, int status, const char *why) {
  *text = why;
  return status;
}

/* Returns 0, or the status that refuses the handshake and why. The caller has
 * checked that it is a GET that asks for a WebSocket. */
static int upgrade_check(const mcpi_http1_conn *conn, const opening *o,
                         const char **text) {
  if (conn->is_http10) {
    return upgrade_refuse(text, 400, "WebSocket: HTTP/1.1 is needed\n");
  }
  if (!o->wants_upgrade) {
    return upgrade_refuse(text, 400,
                          "WebSocket: Connection: Upgrade is missing\n");
  }
  if (conn->body_len > 0) {
    return upgrade_refuse(text, 400, "WebSocket: the request has a body\n");
  }
  if (o->is_repeated) {
    return upgrade_refuse(
        text, 400, "WebSocket: a header occurs twice that must occur once\n");
  }
  if (o->version == NULL || strcmp(o->version, MCPI_WS_VERSION) != 0) {
    return upgrade_refuse(text, 426,
                          "WebSocket: Sec-WebSocket-Version must be 13\n");
  }
  if (o->key == NULL || !mcpi_ws_is_key(o->key)) {
    return upgrade_refuse(text, 400,
                          "WebSocket: Sec-WebSocket-Key is not 16 bytes in "
                          "Base64\n");
  }
  return 0;
}

/* --- the channel --------------------------------------------------------- */

static int upgrade_write_bytes(void *channel, const struct iovec *parts,
                               int count) {
  mcpi_http1_conn *conn = channel;
  struct iovec copy[2]; /* the copies advance as bytes are written */
  memcpy(copy, parts, (size_t)count * sizeof(copy[0]));
  mcpi_http1_send(conn, copy, count);
  return conn->is_broken ? MCP_ERR_CLOSED : 0;
}

static size_t upgrade_queued(void *channel) {
  const mcpi_http1_conn *conn = channel;
  return conn->out.len;
}

static int upgrade_keep(void *channel, size_t len) {
  return mcpi_http1_note_kept(channel, len);
}

static void upgrade_close(void *channel, int at_once) {
  mcpi_http1_conn *conn = channel;
  conn->upgraded_self = NULL;
  if (at_once || conn->is_broken) {
    mcpi_http1_close(conn);
  } else {
    mcpi_http1_end(conn);
  }
}

static const mcpi_ws_channel channel_ops = {.write = upgrade_write_bytes,
                                            .queued = upgrade_queued,
                                            .keep = upgrade_keep,
                                            .close = upgrade_close};

static void input(void *self, const char *bytes, size_t len) {
  mcpi_websocket_input(self, bytes, len);
}

static void drained(void *self) {
  mcpi_websocket_drained(self);
}

static void upgrade_leave(void *self) {
  mcpi_websocket_leave(self);
}

static void gone(void *self) {
  mcpi_websocket_gone(self, NULL);
}

static const mcpi_http1_upgraded upgraded_ops = {
    .input = input, .drained = drained, .leave = upgrade_leave, .gone = gone};

/* --- upgrading ----------------------------------------------------------- */

static mcpi_websocket *upgrade_make(mcpi_http1_conn *conn, size_t max_message) {
  const mcpi_http1_limits *limits = &conn->http1->limits;
  const mcpi_websocket_options options = {
      .max_message =
          max_message < limits->max_body ? max_message : limits->max_body,
      .max_queue = limits->max_queue,
      .ping_ms = limits->ping_ms,
      .pong_ms = limits->pong_ms,
      .message_ms = limits->body_ms,
      .close_ms = MCPI_HTTP1_LINGER_MS,
  };
  return mcpi_websocket_new(conn->http1->uv->loop, &options, &channel_ops, conn,
                            NULL);
}

static mcp_transport *accept_it(mcpi_http1_conn *conn, const opening *o,
                                size_t max_message) {
  char accept[MCPI_WS_ACCEPT_SIZE];
  mcpi_websocket *websocket = upgrade_make(conn, max_message);
  if (websocket == NULL) {
    conn->http1->responder.respond(conn, 503, NULL, 0, NULL, 0);
    return NULL;
  }
  mcpi_ws_accept(o->key, accept);
  const mcp_http_header headers[] = {
      {"Upgrade", "websocket"},
      {"Connection", "Upgrade"},
      {"Sec-WebSocket-Accept", accept},
      {"Sec-WebSocket-Protocol", MCPI_WS_PROTOCOL}};
  conn->handle = NULL;
  conn->answer = MCPI_HTTP1_ANSWERED;
  conn->stage = MCPI_HTTP1_UPGRADED;
  conn->upgraded = &upgraded_ops;
  conn->upgraded_self = websocket;
  mcpi_http1_send_101(conn, headers, o->offers_mcp ? 4 : 3);
  if (!conn->is_parsing) { /* the endpoint has waited with its decision */
    mcpi_http1_release_head(conn);
    mcpi_http1_kick(conn); /* for what the client has sent meanwhile */
  }
  return mcpi_websocket_transport(websocket);
}

static mcp_transport *upgrade(void *exchange, size_t max_message) {
  static const mcp_http_header headers[] = {
      {"Content-Type", "text/plain; charset=utf-8"},
      {"Upgrade", "websocket"},
      {"Connection", "Upgrade"},
      {"Sec-WebSocket-Version", MCPI_WS_VERSION}};
  mcpi_http1_conn *conn = exchange;
  const char *why = NULL;
  opening o = {.key = NULL};
  if (conn->stage != MCPI_HTTP1_ANSWERING ||
      conn->answer != MCPI_HTTP1_UNANSWERED) {
    return NULL;
  }
  const mcp_http_request *request = conn->request;
  /* NULL: it has no Upgrade, and the head has been dropped. */
  for (size_t i = 0; request != NULL && i < request->header_count; i++) {
    upgrade_read_header(&o, &request->headers[i]);
  }
  int status = upgrade_check(conn, &o, &why);
  if (status == 0) {
    return accept_it(conn, &o, max_message);
  }
  conn->http1->responder.respond(conn, status, headers, status == 426 ? 4 : 1,
                                 why, strlen(why));
  return NULL;
}

int mcpi_http1_load_websocket(mcp_error *err) {
  return mcpi_ws_framing_get(err) != NULL ? 0 : MCP_ERR_PLATFORM;
}

mcp_transport *(*const mcpi_http1_upgrade)(void *exchange,
                                           size_t max_message) = upgrade;
