/* SPDX-License-Identifier: MIT */
/* The floor under every HTTP figure: libuv and llhttp alone. It reads a request
 * with one read and writes a canned reply with one write; no limits, no
 * deadlines, no checks.
 *
 *     bench-http_floor      prints where it listens, and serves until killed
 *
 * Answers have as many bytes as BENCH_BODY_LEN in the environment says; without
 * it those of a small result. */
#include <llhttp.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <uv.h>

typedef struct conn {
  uv_tcp_t tcp;
  llhttp_t parser;
} conn;

static llhttp_settings_t settings;
static char buffer[65536];

static const char small_body[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\","
    "\"text\":\"5\"}],\"structuredContent\":{\"sum\":5},\"isError\":false,"
    "\"resultType\":\"complete\"}}";
static const char *body = small_body;
static size_t body_len = sizeof(small_body) - 1;

/* Where one buffer holds it all, one is written. */
enum { WHOLE_MAX = 8 * 1024 };

static const char *date(void) {
  static time_t then;
  static char text[64];
  time_t now = time(NULL);
  if (now != then) {
    struct tm tm;
    then = now;
    strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT",
             gmtime_r(&now, &tm));
  }
  return text;
}

static void on_written(uv_write_t *write, int status) {
  (void)status;
  free(write);
}

/* What the socket does not take at once. */
static void write_rest(conn *c, const char *rest, size_t len) {
  uv_buf_t buf = uv_buf_init((char *)(uintptr_t)rest, (unsigned)len);
  uv_write_t *write = malloc(sizeof(*write));
  if (write == NULL ||
      uv_write(write, (uv_stream_t *)&c->tcp, &buf, 1, on_written) != 0) {
    exit(1);
  }
}

static int on_request_end(llhttp_t *parser) {
  conn *c = parser->data;
  char reply[WHOLE_MAX + 256];
  size_t head_len = (size_t)snprintf(reply, sizeof(reply),
                                     "HTTP/1.1 200 OK\r\nDate: %s\r\n"
                                     "Content-Type: application/json\r\n"
                                     "Content-Length: %zu\r\n\r\n",
                                     date(), body_len);
  uv_buf_t bufs[2] = {uv_buf_init(reply, (unsigned)head_len),
                      uv_buf_init((char *)(uintptr_t)body, (unsigned)body_len)};
  if (body_len <= WHOLE_MAX) {
    memcpy(reply + head_len, body, body_len);
    bufs[0].len += body_len;
    uv_try_write((uv_stream_t *)&c->tcp, bufs, 1);
    return 0;
  }
  int put = uv_try_write((uv_stream_t *)&c->tcp, bufs, 2);
  size_t shown = put > (int)head_len ? (size_t)put - head_len : 0;
  if (put < (int)head_len) {
    exit(1); /* the head alone fills no socket's buffer */
  }
  if (shown < body_len) {
    write_rest(c, body + shown, body_len - shown);
  }
  return 0;
}

static void on_closed(uv_handle_t *handle) {
  free(handle->data);
}

static void on_alloc(uv_handle_t *handle, size_t size, uv_buf_t *buf) {
  (void)handle;
  (void)size;
  *buf = uv_buf_init(buffer, sizeof(buffer));
}

static void on_read(uv_stream_t *stream, ssize_t got, const uv_buf_t *buf) {
  conn *c = stream->data;
  if (got < 0 || (got > 0 && llhttp_execute(&c->parser, buf->base,
                                            (size_t)got) != HPE_OK)) {
    uv_close((uv_handle_t *)stream, on_closed);
  }
}

static void on_connection(uv_stream_t *listener, int status) {
  conn *c = calloc(1, sizeof(*c));
  if (c == NULL || status != 0) {
    exit(1);
  }
  uv_tcp_init(listener->loop, &c->tcp);
  c->tcp.data = c;
  llhttp_init(&c->parser, HTTP_REQUEST, &settings);
  c->parser.data = c;
  uv_accept(listener, (uv_stream_t *)&c->tcp);
  uv_tcp_nodelay(&c->tcp, 1);
  uv_read_start((uv_stream_t *)&c->tcp, on_alloc, on_read);
}

static void take_body(size_t len) {
  char *bytes = malloc(len);
  if (bytes == NULL) {
    exit(1);
  }
  memset(bytes, 'x', len);
  body = bytes;
  body_len = len;
}

int main(void) {
  uv_tcp_t listener;
  struct sockaddr_in address;
  int len = sizeof(address);
  const char *wanted = getenv("BENCH_BODY_LEN");
  if (wanted != NULL && strtoul(wanted, NULL, 10) > 0) {
    take_body(strtoul(wanted, NULL, 10));
  }
  llhttp_settings_init(&settings);
  settings.on_message_complete = on_request_end;
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
