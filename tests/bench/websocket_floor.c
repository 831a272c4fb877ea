/* SPDX-License-Identifier: MIT */
/* The floor under every figure of WebSockets: libuv and wslay alone. It reads a
 * message with one read and writes a canned one with one write; no limits, no
 * deadlines, no checks, and an opening that any request does.
 *
 *     bench-websocket_floor      prints where it listens, and serves until killed
 *
 * Messages have as many bytes as BENCH_BODY_LEN in the environment says; without
 * it those of a small result. */
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>
#include <wslay/wslay.h>

typedef struct conn {
  uv_tcp_t tcp;
  wslay_event_context_ptr wslay; /* NULL: it has not been opened */
  const uint8_t *in;
  size_t in_len;
} conn;

enum { SMALL_LEN = 155 };

static char buffer[65536];
static uint8_t out[65536 + 16];
static size_t out_len;
static uint8_t *message;
static size_t message_len = SMALL_LEN;

static ssize_t on_recv(wslay_event_context_ptr wslay, uint8_t *to, size_t size,
                       int flags, void *userdata) {
  conn *c = userdata;
  size_t len = c->in_len < size ? c->in_len : size;
  (void)flags;
  if (len == 0) {
    wslay_event_set_error(wslay, WSLAY_ERR_WOULDBLOCK);
    return -1;
  }
  memcpy(to, c->in, len);
  c->in += len;
  c->in_len -= len;
  return (ssize_t)len;
}

static ssize_t on_send(wslay_event_context_ptr wslay, const uint8_t *bytes,
                       size_t len, int flags, void *userdata) {
  (void)wslay;
  (void)flags;
  (void)userdata;
  if (len > sizeof(out) - out_len) {
    exit(1);
  }
  memcpy(out + out_len, bytes, len);
  out_len += len;
  return (ssize_t)len;
}

static void on_message(wslay_event_context_ptr wslay,
                       const struct wslay_event_on_msg_recv_arg *arg,
                       void *userdata) {
  const struct wslay_event_msg reply = {WSLAY_TEXT_FRAME, message, message_len};
  (void)userdata;
  if (!wslay_is_ctrl_frame(arg->opcode)) {
    wslay_event_queue_msg(wslay, &reply);
  }
}

static const struct wslay_event_callbacks callbacks = {.recv_callback = on_recv,
                                                       .send_callback = on_send,
                                                       .on_msg_recv_callback =
                                                           on_message};

static void put(conn *c, const void *bytes, size_t len) {
  uv_buf_t buf = uv_buf_init((char *)(uintptr_t)bytes, (unsigned)len);
  if (uv_try_write((uv_stream_t *)&c->tcp, &buf, 1) != (int)len) {
    exit(1);
  }
}

static void open_it(conn *c) {
  static const char answer[] =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
      "Connection: Upgrade\r\n\r\n";
  wslay_event_context_server_init(&c->wslay, &callbacks, c);
  put(c, answer, sizeof(answer) - 1);
}

static void on_closed(uv_handle_t *handle) {
  conn *c = handle->data;
  wslay_event_context_free(c->wslay);
  free(c);
}

static void on_alloc(uv_handle_t *handle, size_t size, uv_buf_t *buf) {
  (void)handle;
  (void)size;
  *buf = uv_buf_init(buffer, sizeof(buffer));
}

static void on_read(uv_stream_t *stream, ssize_t got, const uv_buf_t *buf) {
  conn *c = stream->data;
  if (got < 0) {
    uv_close((uv_handle_t *)stream, on_closed);
  } else if (got > 0 && c->wslay == NULL) {
    open_it(c);
  } else if (got > 0) {
    c->in = (const uint8_t *)buf->base;
    c->in_len = (size_t)got;
    out_len = 0;
    wslay_event_recv(c->wslay);
    wslay_event_send(c->wslay);
    put(c, out, out_len);
  }
}

static void on_connection(uv_stream_t *listener, int status) {
  conn *c = calloc(1, sizeof(*c));
  if (c == NULL || status != 0) {
    exit(1);
  }
  uv_tcp_init(listener->loop, &c->tcp);
  c->tcp.data = c;
  uv_accept(listener, (uv_stream_t *)&c->tcp);
  uv_tcp_nodelay(&c->tcp, 1);
  uv_read_start((uv_stream_t *)&c->tcp, on_alloc, on_read);
}

static void make_message(void) {
  const char *wanted = getenv("BENCH_BODY_LEN");
  if (wanted != NULL && strtoul(wanted, NULL, 10) > 0) {
    message_len = strtoul(wanted, NULL, 10);
  }
  message = malloc(message_len);
  if (message == NULL) {
    exit(1);
  }
  memset(message, 'x', message_len);
}

int main(void) {
  uv_tcp_t listener;
  struct sockaddr_in address;
  int len = sizeof(address);
  make_message();
  uv_ip4_addr("127.0.0.1", 0, &address);
  uv_tcp_init(uv_default_loop(), &listener);
  uv_tcp_bind(&listener, (const struct sockaddr *)&address, 0);
  if (uv_listen((uv_stream_t *)&listener, 511, on_connection) != 0 ||
      uv_tcp_getsockname(&listener, (struct sockaddr *)&address, &len) != 0) {
    return 1;
  }
  printf("127.0.0.1:%d\n", ntohs(address.sin_port));
  fflush(stdout);
  return uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}
