/* SPDX-License-Identifier: MIT */
/* A WebSocket, of a server or a client as the first byte says: what the far
 * side sends, cut as the second says, gives the same messages, and the same
 * bytes back, as in one piece; messages are valid UTF-8 and no longer than they
 * may be; and when it has ended nothing more is said. */
#include "wires/websocket/websocket.h"

#include "base/str.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_MESSAGE = 2000, CLIENT = 1, CLOSES = 2, MUTE = 4 };

typedef struct text {
  char *bytes;
  size_t len;
  size_t cap;
} text;

typedef struct side {
  mcp_loop *loop;
  mcp_transport *transport; /* NULL once it has ended */
  int mode;
  text told;
  text written;
  int is_closed; /* the channel */
} side;

static void check(int condition) {
  if (!condition) {
    abort();
  }
}

static void put(text *to, const char *bytes, size_t len) {
  if (to->cap - to->len < len + 1) {
    to->cap = 2 * to->cap + len + 1;
    to->bytes = realloc(to->bytes, to->cap);
    check(to->bytes != NULL);
  }
  if (len > 0) {
    memcpy(to->bytes + to->len, bytes, len);
  }
  to->len += len;
  to->bytes[to->len] = '\0';
}

/* --- the channel --------------------------------------------------------- */

static int write_bytes(void *channel, const struct iovec *parts, int count) {
  side *s = channel;
  check(!s->is_closed);
  for (int i = 0; i < count; i++) {
    put(&s->written, parts[i].iov_base, parts[i].iov_len);
  }
  return 0;
}

static size_t queued(void *channel) {
  const side *s = channel;
  return s->mode & MUTE ? 1 : 0;
}

static void close_channel(void *channel, int at_once) {
  side *s = channel;
  (void)at_once;
  check(!s->is_closed);
  s->is_closed = 1;
}

static const mcpi_ws_channel ops = {
    .write = write_bytes, .queued = queued, .close = close_channel};

static int no_random(void *userdata, void *buf, size_t len) {
  (void)userdata;
  memset(buf, 7, len);
  return 0;
}

/* --- the owner ----------------------------------------------------------- */

static void on_message(mcp_transport *transport, const char *message,
                       size_t len) {
  side *s = transport->owner;
  check(len <= MAX_MESSAGE);
  check(mcpi_utf8_valid_prefix(message, len) == len);
  put(&s->told, message, len);
  put(&s->told, "|", 1);
  transport->send(transport, message, len, NULL);
  if ((s->mode & CLOSES) && len == 1) {
    transport->close(transport);
  }
}

static void on_error(mcp_transport *transport, const mcp_error *err) {
  (void)transport;
  (void)err;
  abort(); /* nothing but its end */
}

static void on_close(mcp_transport *transport, const mcp_error *err) {
  side *s = transport->owner;
  put(&s->told, err != NULL ? err->message : "end",
      strlen(err != NULL ? err->message : "end"));
  s->transport = NULL;
  transport->release(transport);
}

/* --- one run ------------------------------------------------------------- */

static mcpi_websocket *open_it(side *s) {
  const mcp_platform platform = {.size = sizeof(mcp_platform),
                                 .random = no_random};
  const mcpi_websocket_options options = {.is_client = s->mode & CLIENT,
                                          .max_message = MAX_MESSAGE,
                                          .max_queue = 1000000,
                                          .ping_ms = UINT32_MAX,
                                          .pong_ms = UINT32_MAX,
                                          .message_ms = UINT32_MAX,
                                          .close_ms = 1000};
  s->loop = mcp_loop_new_manual(&platform, NULL, NULL);
  check(s->loop != NULL);
  mcp_loop_advance(s->loop, 1, 1);
  mcpi_websocket *websocket =
      mcpi_websocket_new(s->loop, &options, &ops, s, NULL);
  check(websocket != NULL);
  s->transport = mcpi_websocket_transport(websocket);
  s->transport->owner = s;
  s->transport->on_message = on_message;
  s->transport->on_error = on_error;
  s->transport->on_close = on_close;
  check(s->transport->start(s->transport, NULL) == 0);
  return websocket;
}

/* In pieces of `step` bytes. */
static void run(side *s, int mode, const char *bytes, size_t len, size_t step) {
  *s = (side){.mode = mode};
  mcpi_websocket *websocket = open_it(s);
  while (len > 0 && s->transport != NULL) {
    size_t piece = len < step ? len : step;
    char *copy = malloc(piece);
    check(copy != NULL);
    memcpy(copy, bytes, piece);
    mcpi_websocket_input(websocket, copy, piece);
    free(copy);
    bytes += piece;
    len -= piece;
  }
  if (s->transport != NULL) {
    mcpi_websocket_gone(websocket, NULL);
  }
  check(s->transport == NULL);
  mcp_loop_free(s->loop);
}

static int is_same(const text *a, const text *b) {
  return a->len == b->len &&
         (a->len == 0 || memcmp(a->bytes, b->bytes, a->len) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  side whole;
  side cut;
  if (size < 2) {
    return 0;
  }
  const char *bytes = (const char *)data + 2;
  run(&whole, data[0], bytes, size - 2, SIZE_MAX);
  run(&cut, data[0], bytes, size - 2, (size_t)data[1] + 1);
  check(is_same(&whole.told, &cut.told));
  check(is_same(&whole.written, &cut.written));
  free(whole.told.bytes);
  free(whole.written.bytes);
  free(cut.told.bytes);
  free(cut.written.bytes);
  return 0;
}
