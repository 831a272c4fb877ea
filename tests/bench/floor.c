/* SPDX-License-Identifier: MIT */
/* The floor under the figures of each wire: libuv, and what reads the wire's
 * framing, alone. It reads a request with one read and answers with canned
 * bytes by one write; no limits, no deadlines, no checks.
 *
 *     bench-floor WIRE [unix:PATH]   says where it listens; serves until killed
 *
 * WIRE is lines; http (llhttp; a JSON answer); events (llhttp; the answer is
 * the one event of a stream); sse (llhttp; the HTTP+SSE of 2024-11-05, a POST
 * is answered with 202, and by an event on the stream of its session); or
 * websocket (wslay; any request opens one). Answers, or the events that hold
 * them, have as many bytes as BENCH_BODY_LEN in the environment says. */
#include <llhttp.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>
#include <wslay/wslay.h>

typedef struct conn {
  union {
    uv_handle_t handle;
    uv_stream_t stream;
    uv_tcp_t tcp;
    uv_pipe_t pipe;
  } at;
  llhttp_t parser;
  wslay_event_context_ptr wslay; /* NULL: it has not been opened */
  struct conn **session;         /* of an HTTP+SSE stream, or of a POST; NULL */
} conn;

/* Writes one buffer where one holds the whole answer. */
enum { SMALL_LEN = 155, WHOLE_MAX = 8 * 1024, MAX_SESSIONS = 65536 };

static const char *pipe_path; /* NULL: TCP */
static llhttp_settings_t settings;
static char buffer[65536];
static char *body;
static size_t body_len = SMALL_LEN;

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

/* --- writing ------------------------------------------------------------- */

static void on_written(uv_write_t *write, int status) {
  (void)status;
  free(write);
}

/* Writes the bytes that the socket did not take at once. */
static void write_rest(conn *c, const char *rest, size_t len) {
  uv_buf_t buf = uv_buf_init((char *)(uintptr_t)rest, (unsigned)len);
  uv_write_t *write = malloc(sizeof(*write));
  if (write == NULL ||
      uv_write(write, &c->at.stream, &buf, 1, on_written) != 0) {
    exit(1);
  }
}

static void put(conn *c, const void *bytes, size_t len) {
  uv_buf_t buf = uv_buf_init((char *)(uintptr_t)bytes, (unsigned)len);
  int sent = uv_try_write(&c->at.stream, &buf, 1);
  if (sent >= 0 && sent < (int)len) {
    exit(1); /* a small answer fills no socket's buffer */
  }
}

/* Writes the answer between `head` and `tail`. `tail` of a long one must be
 * empty. */
static void put_answer(conn *c, const char *head, const char *tail) {
  static char whole[WHOLE_MAX + 1024];
  size_t head_len = strlen(head);
  size_t tail_len = strlen(tail);
  if (body_len <= WHOLE_MAX) {
    memcpy(whole, head, head_len);
    memcpy(whole + head_len, body, body_len);
    memcpy(whole + head_len + body_len, tail, tail_len);
    put(c, whole, head_len + body_len + tail_len);
    return;
  }
  uv_buf_t bufs[2] = {
      uv_buf_init((char *)(uintptr_t)head, (unsigned)head_len),
      uv_buf_init(body, (unsigned)body_len),
  };
  int sent = uv_try_write(&c->at.stream, bufs, 2);
  if (sent < (int)head_len || tail_len > 0) {
    exit(1);
  }
  size_t shown = (size_t)sent - head_len;
  if (shown < body_len) {
    write_rest(c, body + shown, body_len - shown);
  }
}

/* --- lines --------------------------------------------------------------- */

static void take_lines(conn *c, const char *bytes, size_t len) {
  const char *end = bytes + len;
  while ((bytes = memchr(bytes, '\n', (size_t)(end - bytes))) != NULL) {
    bytes++;
    put_answer(c, "", "\n");
  }
}

/* --- HTTP ---------------------------------------------------------------- */

#define STREAM_HEAD                                                            \
  "HTTP/1.1 200 OK\r\nDate: %s\r\nContent-Type: text/event-stream\r\n"         \
  "Cache-Control: no-cache, no-transform\r\nX-Accel-Buffering: no\r\n"         \
  "Transfer-Encoding: chunked\r\n\r\n"

static void take_http(conn *c, const char *bytes, size_t len) {
  if (llhttp_execute(&c->parser, bytes, len) != HPE_OK) {
    exit(1);
  }
}

static int answer_json(llhttp_t *parser) {
  char head[512];
  snprintf(head, sizeof(head),
           "HTTP/1.1 200 OK\r\nDate: %s\r\nContent-Type: application/json\r\n"
           "Content-Length: %zu\r\n\r\n",
           date(), body_len);
  put_answer(parser->data, head, "");
  return 0;
}

static int answer_events(llhttp_t *parser) {
  char head[512];
  snprintf(head, sizeof(head), STREAM_HEAD "%zx\r\n", date(), body_len);
  put_answer(parser->data, head, "\r\n0\r\n\r\n");
  return 0;
}

/* Streams by their numbers, which are their sessions' ids. NULL: the stream has
 * ended. */
static conn *sessions[MAX_SESSIONS];
static int session_count;

/* The session of a POST. One read delivers a whole request. */
static int on_url(llhttp_t *parser, const char *at, size_t len) {
  conn *c = parser->data;
  const char *id = memchr(at, '=', len);
  if (id != NULL) {
    c->session = &sessions[atoi(id + 1) % MAX_SESSIONS];
  }
  return 0;
}

static int answer_sse(llhttp_t *parser) {
  conn *c = parser->data;
  char head[512];
  if (parser->method == HTTP_GET) {
    c->session = &sessions[session_count % MAX_SESSIONS];
    *c->session = c;
    snprintf(head, sizeof(head),
             STREAM_HEAD "4c\r\nevent: endpoint\ndata: /messages?"
                         "sessionId=%032d\n\n\r\n",
             date(), session_count++);
    put(c, head, strlen(head));
    return 0;
  }
  snprintf(head, sizeof(head),
           "HTTP/1.1 202 Accepted\r\nDate: %s\r\nContent-Length: 0\r\n\r\n",
           date());
  put(c, head, strlen(head));
  snprintf(head, sizeof(head), "%zx\r\n", body_len);
  if (c->session != NULL && *c->session != NULL) {
    put_answer(*c->session, head, "\r\n");
  }
  return 0;
}

/* --- WebSocket ----------------------------------------------------------- */

static const char *in;
static size_t in_len;
static uint8_t out[WHOLE_MAX];
static size_t out_len;

static ssize_t on_recv(wslay_event_context_ptr wslay, uint8_t *to, size_t size,
                       int flags, void *userdata) {
  size_t len = in_len < size ? in_len : size;
  (void)flags;
  (void)userdata;
  if (len == 0) {
    wslay_event_set_error(wslay, WSLAY_ERR_WOULDBLOCK);
    return -1;
  }
  memcpy(to, in, len);
  in += len;
  in_len -= len;
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
  const struct wslay_event_msg reply = {WSLAY_TEXT_FRAME, (uint8_t *)body,
                                        body_len};
  (void)userdata;
  if (!wslay_is_ctrl_frame(arg->opcode)) {
    wslay_event_queue_msg(wslay, &reply);
  }
}

static const struct wslay_event_callbacks callbacks = {.recv_callback = on_recv,
                                                       .send_callback = on_send,
                                                       .on_msg_recv_callback =
                                                           on_message};

static void take_websocket(conn *c, const char *bytes, size_t len) {
  static const char opened[] =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
      "Connection: Upgrade\r\n\r\n";
  if (c->wslay == NULL) {
    wslay_event_context_server_init(&c->wslay, &callbacks, c);
    put(c, opened, sizeof(opened) - 1);
    return;
  }
  in = bytes;
  in_len = len;
  out_len = 0;
  wslay_event_recv(c->wslay);
  wslay_event_send(c->wslay);
  put(c, out, out_len);
}

/* --- connections --------------------------------------------------------- */

static const struct wire {
  const char *name;
  void (*take)(conn *c, const char *bytes, size_t len);
  llhttp_cb answer; /* NULL: this wire has no HTTP requests */
} wires[] = {
    {"lines", take_lines, NULL},          {"http", take_http, answer_json},
    {"events", take_http, answer_events}, {"sse", take_http, answer_sse},
    {"websocket", take_websocket, NULL},
};
static const struct wire *wire;

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
  if (got > 0) {
    wire->take(c, buf->base, (size_t)got);
  } else if (got < 0) {
    if (c->session != NULL && *c->session == c) {
      *c->session = NULL;
    }
    uv_close(&c->at.handle, on_closed);
  }
}

static void init_stream(conn *c) {
  if (pipe_path != NULL) {
    uv_pipe_init(uv_default_loop(), &c->at.pipe, 0);
  } else {
    uv_tcp_init(uv_default_loop(), &c->at.tcp);
  }
  c->at.handle.data = c;
}

static void on_connection(uv_stream_t *listener, int status) {
  conn *c = calloc(1, sizeof(*c));
  if (c == NULL || status != 0) {
    exit(1);
  }
  init_stream(c);
  llhttp_init(&c->parser, HTTP_REQUEST, &settings);
  c->parser.data = c;
  uv_accept(listener, &c->at.stream);
  if (pipe_path == NULL) {
    uv_tcp_nodelay(&c->at.tcp, 1);
  }
  uv_read_start(&c->at.stream, on_alloc, on_read);
}

static int serve(conn *listener) {
  struct sockaddr_in address;
  int len = sizeof(address);
  init_stream(listener);
  if (pipe_path != NULL) {
    unlink(pipe_path);
    uv_pipe_bind(&listener->at.pipe, pipe_path);
  } else {
    uv_ip4_addr("127.0.0.1", 0, &address);
    uv_tcp_bind(&listener->at.tcp, (const struct sockaddr *)&address, 0);
  }
  if (uv_listen(&listener->at.stream, 511, on_connection) != 0) {
    return 1;
  }
  if (pipe_path != NULL) {
    printf("unix:%s\n", pipe_path);
  } else {
    uv_tcp_getsockname(&listener->at.tcp, (struct sockaddr *)&address, &len);
    printf("127.0.0.1:%d\n", ntohs(address.sin_port));
  }
  fflush(stdout);
  return uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}

static void make_body(void) {
  const char *wanted = getenv("BENCH_BODY_LEN");
  if (wanted != NULL && strtoul(wanted, NULL, 10) > 0) {
    body_len = strtoul(wanted, NULL, 10);
  }
  body = malloc(body_len);
  if (body == NULL) {
    exit(1);
  }
  memset(body, 'x', body_len);
}

int main(int argc, char **argv) {
  static conn listener;
  for (size_t i = 0; argc > 1 && i < sizeof(wires) / sizeof(*wires); i++) {
    wire = strcmp(argv[1], wires[i].name) == 0 ? &wires[i] : wire;
  }
  if (wire == NULL || (argc > 2 && strncmp(argv[2], "unix:", 5) != 0)) {
    fprintf(stderr, "usage: bench-floor lines|http|events|sse|websocket "
                    "[unix:PATH]\n");
    return 1;
  }
  signal(SIGPIPE, SIG_IGN);
  pipe_path = argc > 2 ? argv[2] + 5 : NULL;
  llhttp_settings_init(&settings);
  settings.on_url = wire->answer == answer_sse ? on_url : NULL;
  settings.on_message_complete = wire->answer;
  make_body();
  return serve(&listener);
}
