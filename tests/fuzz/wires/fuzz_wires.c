/* SPDX-License-Identifier: MIT */
/* The bytes of a peer on a real wire, for the programs of transcripts
 * (tests/wire/transcript.h). The first line says which wire:
 *
 *     h       a server behind an HTTP listener, with WebSockets and HTTP+SSE
 *     p d     the same for plain clients, and in the mcp-core dialect
 *     t v     a server behind a socket listener: MCP, mcp-core
 *     f       a server on a pair of descriptors
 *     c m l   a client on a pair of descriptors: either era, modern, legacy
 *     a       a client that dials an address
 *
 * The rest is steps. A step goes to the program under test: over lines with a line
 * feed, over HTTP with CRLF in its head; or it begins with
 *
 *     !  a command to the program          @c  another connection
 *     =  bytes that are sent as they are   @1  back to that connection
 *     @e the peer sends no more            @t5000  time passes (ms)
 *     @g the peer resets the connection    @d  the listener is drained
 *
 * Marks: $J is "jsonrpc":"2.0", $M the modern _meta, $S the session's id, $L the
 * length of what follows the next empty line, $F says that the rest is the text of
 * a WebSocket's frame. What the peer does not end ends with it, and no descriptor is
 * left. */
#include "../skip_time.h"
#include "../steps.h"
#include "wire/transcript.h"

#include <mcp/http.h>
#include <mcp/socket.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_PEERS = 4, MAX_TURNS = 60, MAX_PASS_MS = 100000 };

typedef struct scene {
  char how;
  mcp_loop *loop;
  const program *program;
  void *self;
  mcp_http_listener *http;
  mcp_socket_listener *socket;
  uint16_t port;        /* of the listener, or of ours */
  int listener;         /* ours; -1: none */
  int peers[MAX_PEERS]; /* -1: none */
  size_t now;           /* the peer that speaks */
  char session[80];
} scene;

/* --- what the programs of transcripts need -------------------------------- */

void transcript_saw(const char *format, ...) {
  (void)format;
}

void transcript_answered(const char *format, ...) {
  (void)format;
}

/* --- peers ---------------------------------------------------------------- */

static struct sockaddr_in loopback(uint16_t port) {
  return (struct sockaddr_in){.sin_family = AF_INET,
                              .sin_port = htons(port),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static int open_socket(void) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  check(fd >= 0);
  return fd;
}

/* The loop's side of a pair; the peer has the other. */
static int open_pair(scene *s) {
  int fds[2];
  check(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0);
  check(fcntl(fds[0], F_SETFL, O_NONBLOCK) == 0);
  s->peers[0] = fds[0];
  return fds[1];
}

static void listen_for(scene *s) {
  struct sockaddr_in address = loopback(0);
  socklen_t len = sizeof(address);
  s->listener = open_socket();
  check(bind(s->listener, (struct sockaddr *)&address, len) == 0);
  check(listen(s->listener, 4) == 0);
  check(getsockname(s->listener, (struct sockaddr *)&address, &len) == 0);
  s->port = ntohs(address.sin_port);
}

static void dial(scene *s) {
  struct sockaddr_in address = loopback(s->port);
  size_t i = 0;
  while (i < MAX_PEERS && s->peers[i] >= 0) {
    i++;
  }
  if (i < MAX_PEERS && (s->http != NULL || s->socket != NULL)) {
    s->peers[i] = open_socket();
    connect(s->peers[i], (struct sockaddr *)&address, sizeof(address));
    s->now = i;
  }
}

static void hang_up(scene *s, size_t i) {
  const struct linger at_once = {.l_onoff = 1};
  if (s->peers[i] >= 0) {
    setsockopt(s->peers[i], SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    close(s->peers[i]);
    s->peers[i] = -1;
  }
}

static void note_session(scene *s, mcpi_str text) {
  static const char *const names[] = {"Mcp-Session-Id: ", "sessionId="};
  for (size_t i = 0; i < 2; i++) {
    const char *at = memmem(text.ptr, text.len, names[i], strlen(names[i]));
    size_t len = 0;
    if (at == NULL) {
      continue;
    }
    at += strlen(names[i]);
    size_t left = (size_t)(text.ptr + text.len - at);
    while (len < left && len < sizeof(s->session) - 1 && at[len] > ' ') {
      len++;
    }
    memcpy(s->session, at, len);
    s->session[len] = '\0';
  }
}

/* 1: something has come. */
static int read_all(scene *s) {
  char bytes[16384];
  int count = 0;
  if (s->listener >= 0 && s->peers[0] < 0) {
    s->peers[0] =
        accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    count += s->peers[0] >= 0;
  }
  for (size_t i = 0; i < MAX_PEERS; i++) {
    ssize_t got =
        s->peers[i] >= 0 ? read(s->peers[i], bytes, sizeof(bytes)) : 0;
    if (got > 0) {
      note_session(s, mcpi_str_n(bytes, (size_t)got));
      count++;
    }
  }
  return count > 0;
}

static void settle(scene *s) {
  for (int i = 0; i < MAX_TURNS; i++) {
    int rests = loop_rests(s->loop);
    if (!read_all(s) && rests) {
      return;
    }
  }
}

static void pass(scene *s, int ms) {
  for (int i = 0; i < 20 && ms > 0 && mcp_loop_timeout_ms(s->loop) >= 0; i++) {
    int wait_ms = mcp_loop_timeout_ms(s->loop);
    skip_time(s->loop, ms);
    ms -= wait_ms;
    settle(s);
  }
}

/* --- what they send ------------------------------------------------------- */

static int put_word(const void *of, mcpi_buf *out, char mark, mcpi_str rest) {
  const scene *s = of;
  (void)rest;
  switch (mark) {
  case 'J':
    put_text(out, "\"jsonrpc\":\"2.0\"");
    return MARK_DONE;
  case 'M':
    put_text(out, "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
                  "\"2026-07-28\",\"io.modelcontextprotocol/"
                  "clientCapabilities\":{\"elicitation\":{}}}");
    return MARK_DONE;
  case 'S':
    put_text(out, s->session);
    return MARK_DONE;
  default:
    return MARK_UNKNOWN;
  }
}

static mcpi_buf expand_words(const scene *s, mcpi_str text) {
  mcpi_buf out;
  mcpi_buf_init(&out, mcp_allocator_default(), SIZE_MAX);
  expand(&out, text, put_word, s);
  return out;
}

static void put_length(const scene *s, mcpi_buf *out, mcpi_str rest) {
  char number[24];
  const char *blank =
      rest.len > 1 ? memmem(rest.ptr, rest.len, "\n\n", 2) : NULL;
  size_t head = blank != NULL ? (size_t)(blank + 2 - rest.ptr) : rest.len;
  mcpi_buf body = expand_words(s, mcpi_str_n(rest.ptr + head, rest.len - head));
  snprintf(number, sizeof(number), "%zu", body.len);
  put_text(out, number);
  mcpi_buf_deinit(&body);
}

/* A client's: masked, by zeros. */
static void put_frame(const scene *s, mcpi_buf *out, mcpi_str rest) {
  mcpi_buf text = expand_words(s, rest);
  size_t len = text.len < 65535 ? text.len : 65535;
  mcpi_buf_putc(out, (char)0x81);
  mcpi_buf_putc(out, (char)(0x80 | (len < 126 ? len : 126)));
  if (len >= 126) {
    mcpi_buf_putc(out, (char)(len >> 8));
    mcpi_buf_putc(out, (char)len);
  }
  mcpi_buf_put(out, "\0\0\0", 4);
  mcpi_buf_put(out, text.data, len);
  mcpi_buf_deinit(&text);
}

static int put_mark(const void *of, mcpi_buf *out, char mark, mcpi_str rest) {
  switch (mark) {
  case 'L':
    put_length(of, out, rest);
    return MARK_DONE;
  case 'F':
    put_frame(of, out, rest);
    return MARK_LAST;
  default:
    return put_word(of, out, mark, rest);
  }
}

/* The lines up to the first empty one end in CRLF. */
static mcpi_buf with_crlf(mcpi_str text) {
  mcpi_buf out;
  int in_head = 1;
  mcpi_buf_init(&out, mcp_allocator_default(), SIZE_MAX);
  for (size_t i = 0; i < text.len; i++) {
    if (in_head && text.ptr[i] == '\n') {
      mcpi_buf_putc(&out, '\r');
      in_head = i == 0 || text.ptr[i - 1] != '\n';
    }
    mcpi_buf_putc(&out, text.ptr[i]);
  }
  return out;
}

static void send_bytes(scene *s, const char *bytes, size_t len) {
  if (s->peers[s->now] >= 0 && len > 0) {
    send(s->peers[s->now], bytes, len, MSG_NOSIGNAL);
  }
}

static void send_step(scene *s, mcpi_str text) {
  int is_raw = text.len > 0 && text.ptr[0] == '=';
  mcpi_buf whole;
  mcpi_buf_init(&whole, mcp_allocator_default(), SIZE_MAX);
  text = is_raw ? mcpi_str_n(text.ptr + 1, text.len - 1) : text;
  expand(&whole, text, put_mark, s);
  if (!is_raw && s->http != NULL) {
    mcpi_buf crlf = with_crlf(mcpi_buf_str(&whole));
    send_bytes(s, crlf.data, crlf.len);
    mcpi_buf_deinit(&crlf);
  } else {
    if (!is_raw) {
      mcpi_buf_putc(&whole, '\n');
    }
    send_bytes(s, whole.data, whole.len);
  }
  mcpi_buf_deinit(&whole);
}

/* --- the program under test ----------------------------------------------- */

static void serve_http(scene *s) {
  const mcp_http_options http = {
      .size = MCP_HTTP_OPTIONS_INIT,
      .legacy = s->how == 'p' ? MCP_HTTP_PLAIN : MCP_HTTP_SESSIONS,
      .dialect = s->how == 'd' ? MCP_DIALECT_MCP_CORE : MCP_DIALECT_MCP,
      .wires = MCP_HTTP_STREAMABLE | MCP_HTTP_WEBSOCKET |
               (s->how == 'h' ? MCP_HTTP_SSE : 0)};
  const mcp_http_listen_options options = {.size = MCP_HTTP_LISTEN_OPTIONS_INIT,
                                           .address = "127.0.0.1:0",
                                           .http = &http,
                                           .max_connections = 3,
                                           .max_head = 2000,
                                           .max_body = 8000,
                                           .max_queue = 20000};
  s->http = mcp_server_listen_http(server_program_server(s->self), s->loop,
                                   &options, NULL);
  check(s->http != NULL);
  s->port = (uint16_t)strtoul(
      strrchr(mcp_http_listener_url(s->http) + 5, ':') + 1, NULL, 10);
}

static void serve_socket(scene *s) {
  const mcp_socket_listen_options options = {
      .size = MCP_SOCKET_LISTEN_OPTIONS_INIT,
      .address = "127.0.0.1:0",
      .max_connections = 3,
      .dialect = s->how == 'v' ? MCP_DIALECT_MCP_CORE : MCP_DIALECT_MCP,
      .stream = {.size = MCP_STREAM_OPTIONS_INIT, .max_line = 4000}};
  s->socket = mcp_server_listen_socket(server_program_server(s->self), s->loop,
                                       &options, NULL);
  check(s->socket != NULL);
  s->port = (uint16_t)strtoul(
      strrchr(mcp_socket_listener_url(s->socket), ':') + 1, NULL, 10);
}

static void start(scene *s) {
  static char modern[] = "policy=modern";
  static char legacy[] = "policy=legacy";
  static char any[] = "policy=auto";
  char *policy = s->how == 'm' ? modern : s->how == 'l' ? legacy : any;
  const mcp_stream_options limits = {
      .size = MCP_STREAM_OPTIONS_INIT, .max_line = 4000, .max_queue = 10000};
  const mcp_socket_options socket = {.size = MCP_SOCKET_OPTIONS_INIT};
  char address[32];
  mcp_transport *end = NULL;
  s->program =
      strchr("cmla", s->how) != NULL ? &client_program : &server_program;
  if (s->how == 'a') {
    listen_for(s);
    snprintf(address, sizeof(address), "127.0.0.1:%d", s->port);
    end = mcp_transport_socket(s->loop, address, &socket, NULL);
    check(end != NULL);
  } else if (strchr("fcml", s->how) != NULL) {
    int fd = open_pair(s);
    end = mcp_transport_fd(s->loop, fd, fd, &limits, NULL);
    check(end != NULL);
  }
  s->self = s->program->start(s->loop, end, NULL, &policy, 1);
  if (strchr("hpd", s->how) != NULL) {
    serve_http(s);
  } else if (strchr("tv", s->how) != NULL) {
    serve_socket(s);
  }
  dial(s);
}

static void drain(scene *s) {
  if (s->http != NULL) {
    mcp_http_listener_drain(s->http, NULL, NULL);
  }
  if (s->socket != NULL) {
    mcp_socket_listener_drain(s->socket, NULL, NULL);
  }
}

static void command(scene *s, mcpi_str text) {
  char line[200];
  size_t len = text.len < sizeof(line) ? text.len : sizeof(line) - 1;
  memcpy(line, text.ptr, len);
  line[len] = '\0';
  s->program->command(s->self, line);
}

static void control(scene *s, mcpi_str text) {
  char word[10] = "";
  memcpy(word, text.ptr, text.len < 9 ? text.len : 9);
  switch (word[1]) {
  case 'c':
    dial(s);
    break;
  case 'e':
    if (s->peers[s->now] >= 0) {
      shutdown(s->peers[s->now], SHUT_WR);
    }
    break;
  case 'g':
    hang_up(s, s->now);
    break;
  case 't':
    pass(s, (int)(strtoul(word + 2, NULL, 10) % MAX_PASS_MS));
    break;
  case 'd':
    drain(s);
    break;
  default:
    s->now = (size_t)(unsigned char)word[1] % MAX_PEERS;
    break;
  }
}

static void step(scene *s, mcpi_str text) {
  char kind = text.len > 0 ? text.ptr[0] : '\0';
  if (kind == '!') {
    command(s, mcpi_str_n(text.ptr + 1, text.len - 1));
  } else if (kind == '@') {
    control(s, text);
  } else {
    send_step(s, text);
  }
  settle(s);
}

static void stop(scene *s) {
  mcp_http_listener_free(s->http);
  mcp_socket_listener_free(s->socket);
  s->program->stop(s->self);
  settle(s);
  for (size_t i = 0; i < MAX_PEERS; i++) {
    hang_up(s, i);
  }
  if (s->listener >= 0) {
    close(s->listener);
  }
  mcp_loop_free(s->loop);
}

static int lowest_free(void) {
  int fd = open_socket();
  close(fd);
  return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
  scene s = {.listener = -1, .peers = {-1, -1, -1, -1}};
  s.how = len > 1 && data[1] == '\n' ? (char)data[0] : '\0';
  if (len > 16384 || s.how == '\0' || strchr("hpdtvfcmla", s.how) == NULL) {
    return 0;
  }
  mcpi_str rest = mcpi_str_n((const char *)data + 2, len - 2);
  mcpi_str text;
  int fd = lowest_free();
  s.loop = mcp_loop_new(NULL);
  start(&s);
  settle(&s);
  while (next_step(&rest, &text)) {
    step(&s, text);
  }
  stop(&s);
  check(lowest_free() == fd);
  return 0;
}
