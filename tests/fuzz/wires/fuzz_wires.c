/* SPDX-License-Identifier: MIT */
/* The bytes of a peer on a real wire, for the programs of transcripts
 * (tests/wire/transcript.h). The first line says which wire:
 *
 *     h       a server behind an HTTP listener, with WebSockets and HTTP+SSE
 *     p d     the same for plain clients, and in the mcp-core dialect
 *     e       the same over TLS
 *     n       the same on two threads, with a server that keeps nothing
 *     t v     a server behind a socket listener: MCP, mcp-core
 *     f       a server on a pair of descriptors
 *     c m l   a client on a pair of descriptors: either era, modern, legacy
 *     a       a client that dials an address
 *     x       a client of a process, which writes all steps and then what it
 *     reads
 *
 * The rest is steps. A step goes to the program under test: over lines with a
 * line feed, over HTTP with CRLF in its head; or it begins with
 *
 *     !  a command to the program          @c  another connection
 *     =  bytes that are sent as they are   @1  back to that connection
 *     @e the peer sends no more            @t5000  time passes (ms)
 *     @g the peer resets the connection    @d  the listener is drained
 *     @u the peer updates its keys (TLS)   @r  certificates are read again
 *     @s peers stop reading                @o  they go on
 *
 * Marks: $J is "jsonrpc":"2.0", $M the modern _meta, $S the session's id, $L
 * the length of what follows the next empty line, $F says that the rest is the
 * text of a WebSocket's frame. When the peer ends, all that it has left open
 * ends too, and no descriptor is left. */
#include "../skip_time.h"
#include "../steps.h"
#include "../tls_peer.h"
#include "wire/transcript.h"

#include <mcp/call.h>
#include <mcp/http.h>
#include <mcp/socket.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_PEERS = 4, MAX_TURNS = 60, MAX_PASS_MS = 100000 };

typedef struct peer {
  int fd;   /* -1: none */
  SSL *ssl; /* NULL: in the clear */
} peer;

typedef struct scene {
  char how;
  mcp_loop *loop;
  const program *program; /* NULL: a server that keeps nothing */
  void *self;
  mcp_server *server;
  int output; /* of the process; -1: none */
  mcp_http_listener *http;
  mcp_socket_listener *socket;
  uint16_t port; /* of the listener, or of ours */
  int listener;  /* ours; -1: none */
  peer peers[MAX_PEERS];
  size_t now; /* the peer that speaks */
  char session[80];
  int is_deaf; /* peers do not read */
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
  const int room = 4096; /* soon full */
  setsockopt(fds[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
  s->peers[0].fd = fds[0];
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
  while (i < MAX_PEERS && s->peers[i].fd >= 0) {
    i++;
  }
  if (i < MAX_PEERS && (s->http != NULL || s->socket != NULL)) {
    s->peers[i].fd = open_socket();
    connect(s->peers[i].fd, (struct sockaddr *)&address, sizeof(address));
    s->peers[i].ssl = s->how == 'e' ? tls_peer_new(s->peers[i].fd) : NULL;
    s->now = i;
  }
}

static void hang_up(peer *p) {
  const struct linger at_once = {.l_onoff = 1};
  if (p->fd >= 0) {
    tls_peer_free(p->ssl);
    setsockopt(p->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    close(p->fd);
    *p = (peer){.fd = -1};
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

static ssize_t read_some(const peer *p, int is_deaf, char *bytes, size_t size) {
  if (p->fd < 0 || is_deaf) {
    return 0;
  }
  return p->ssl != NULL ? tls_peer_read(p->ssl, bytes, (int)size)
                        : read(p->fd, bytes, size);
}

/* 1: something has come. */
static int read_all(scene *s) {
  char bytes[16384];
  int count = 0;
  if (s->listener >= 0 && s->peers[0].fd < 0) {
    s->peers[0].fd =
        accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    count += s->peers[0].fd >= 0;
  }
  for (size_t i = 0; i < MAX_PEERS; i++) {
    ssize_t got = read_some(&s->peers[i], s->is_deaf, bytes, sizeof(bytes));
    if (got > 0) {
      note_session(s, mcpi_str_n(bytes, (size_t)got));
      count++;
    }
  }
  return count > 0;
}

/* Threads and processes have a time of their own. 1: something happened. */
static int wait_for_others(const scene *s) {
  struct pollfd fds[MAX_PEERS + 1] = {
      {.fd = mcp_loop_fd(s->loop), .events = POLLIN}};
  for (size_t i = 0; i < MAX_PEERS; i++) {
    fds[i + 1] = (struct pollfd){.fd = s->is_deaf ? -1 : s->peers[i].fd,
                                 .events = POLLIN};
  }
  return strchr("nx", s->how) != NULL && poll(fds, MAX_PEERS + 1, 3) > 0;
}

static void settle(scene *s) {
  for (int i = 0; i < MAX_TURNS; i++) {
    int rests = loop_rests(s->loop);
    if (!read_all(s) && rests && !wait_for_others(s)) {
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

static void send_bytes(scene *s, const char *bytes, size_t len, int is_raw) {
  const peer *p = &s->peers[s->now];
  if (p->fd < 0 || len == 0) {
    return;
  }
  if (is_raw || p->ssl == NULL) {
    send(p->fd, bytes, len, MSG_NOSIGNAL);
  } else {
    tls_peer_write(p->ssl, bytes, (int)len);
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
    send_bytes(s, crlf.data, crlf.len, 0);
    mcpi_buf_deinit(&crlf);
  } else {
    if (!is_raw) {
      mcpi_buf_putc(&whole, '\n');
    }
    send_bytes(s, whole.data, whole.len, is_raw);
  }
  mcpi_buf_deinit(&whole);
}

/* --- the program under test ----------------------------------------------- */

static void serve_http(scene *s) {
  int is_tls = s->how == 'e';
  const char *cert = is_tls ? tls_peer_cert() : NULL;
  const char *key = is_tls ? tls_peer_key() : NULL;
  const mcp_http_options http = {
      .size = sizeof(mcp_http_options),
      .legacy = s->how == 'p' ? MCP_HTTP_PLAIN : MCP_HTTP_SESSIONS,
      .dialect = s->how == 'd' ? MCP_DIALECT_MCP_CORE : MCP_DIALECT_MCP,
      .wires = MCP_HTTP_STREAMABLE | MCP_HTTP_WEBSOCKET |
               (s->how == 'd' || s->how == 'p' ? 0 : MCP_HTTP_SSE)};
  const mcp_http_listen_options options = {.size =
                                               sizeof(mcp_http_listen_options),
                                           .address = "127.0.0.1:0",
                                           .http = &http,
                                           .max_connections = 3,
                                           .max_head = 2000,
                                           .max_body = 8000,
                                           .max_queue = 20000,
                                           .threads = s->how == 'n' ? 2 : 0,
                                           .tls_cert = cert,
                                           .tls_key = key,
                                           .tls_client_ca = cert};
  s->http = mcp_server_listen_http(s->server, s->loop, &options, NULL);
  check(s->http != NULL);
  s->port = (uint16_t)strtoul(
      strrchr(mcp_http_listener_url(s->http) + 5, ':') + 1, NULL, 10);
}

static void serve_socket(scene *s) {
  const mcp_stream_options limits = {.size = sizeof(mcp_stream_options),
                                     .max_line = 4000};
  const mcp_socket_listen_options options = {
      .size = sizeof(mcp_socket_listen_options),
      .address = "127.0.0.1:0",
      .max_connections = 3,
      .dialect = s->how == 'v' ? MCP_DIALECT_MCP_CORE : MCP_DIALECT_MCP,
      .stream = &limits};
  s->socket = mcp_server_listen_socket(s->server, s->loop, &options, NULL);
  check(s->socket != NULL);
  s->port = (uint16_t)strtoul(
      strrchr(mcp_socket_listener_url(s->socket), ':') + 1, NULL, 10);
}

static int on_echo(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_progress(call, 1, 2, "half");
  return mcp_call_reply_text(call, "echo");
}

/* Its handlers run on several threads at once. */
static mcp_server *make_server(void) {
  const mcp_tool tool = {
      .size = sizeof(mcp_tool), .name = "add", .handler = on_echo};
  const mcp_tool blocking = {.size = sizeof(mcp_tool),
                             .name = "block",
                             .is_blocking = 1,
                             .handler = on_echo};
  mcp_server *server = mcp_server_new("fuzz", "1", NULL, NULL);
  check(mcp_server_add_tool(server, &tool, NULL) == 0);
  check(mcp_server_add_tool(server, &blocking, NULL) == 0);
  return server;
}

static mcp_transport *dial_us(scene *s) {
  char address[32];
  const mcp_socket_options socket = {.size = sizeof(mcp_socket_options)};
  listen_for(s);
  snprintf(address, sizeof(address), "127.0.0.1:%d", s->port);
  return mcp_transport_socket(s->loop, address, &socket, NULL);
}

static mcp_transport *use_pair(scene *s) {
  const mcp_stream_options limits = {
      .size = sizeof(mcp_stream_options), .max_line = 4000, .max_queue = 10000};
  int fd = open_pair(s);
  return mcp_transport_fd(s->loop, fd, fd, &limits, NULL);
}

/* What the process writes: it runs nothing of it. */
static void put_output(scene *s, mcpi_str steps) {
  mcpi_str text;
  s->output = memfd_create("output", MFD_CLOEXEC);
  check(s->output >= 0);
  while (next_step(&steps, &text)) {
    if (text.len > 0 && text.ptr[0] != '!' && text.ptr[0] != '@') {
      mcpi_buf line = expand_words(s, text);
      mcpi_buf_putc(&line, '\n');
      check(write(s->output, line.data, line.len) >= 0);
      mcpi_buf_deinit(&line);
    }
  }
}

static void on_stderr(mcp_transport *transport, const char *bytes, size_t len,
                      void *userdata) {
  (void)transport;
  (void)userdata;
  check(len > 0 && bytes != NULL);
}

static mcp_transport *run_process(scene *s, mcpi_str steps) {
  char path[60];
  const char *const argv[] = {"/bin/cat", "/nowhere", path, "-", NULL};
  const char *const env[] = {"FUZZ=1", "LANG=C", NULL};
  const mcp_process_options options = {.size = sizeof(mcp_process_options),
                                       .argv = argv,
                                       .env = env,
                                       .on_stderr = on_stderr,
                                       .max_restarts = 1,
                                       .term_wait_ms = 100};
  put_output(s, steps);
  snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), s->output);
  return mcp_transport_process(s->loop, &options, NULL);
}

static mcp_transport *open_end(scene *s, mcpi_str steps) {
  switch (s->how) {
  case 'a':
    return dial_us(s);
  case 'x':
    return run_process(s, steps);
  case 'f':
  case 'c':
  case 'm':
  case 'l':
    return use_pair(s);
  default:
    return NULL;
  }
}

static void start(scene *s, mcpi_str steps) {
  static char modern[] = "policy=modern";
  static char legacy[] = "policy=legacy";
  static char any[] = "policy=auto";
  char *policy = s->how == 'm' ? modern : s->how == 'l' ? legacy : any;
  int is_client = strchr("cmlax", s->how) != NULL;
  mcp_transport *end = open_end(s, steps);
  check(end != NULL || strchr("hpdentv", s->how) != NULL);
  if (s->how == 'n') {
    s->server = make_server();
  } else {
    s->program = is_client ? &client_program : &server_program;
    s->self = s->program->start(s->loop, end, NULL, &policy, 1);
    s->server = is_client ? NULL : server_program_server(s->self);
  }
  if (strchr("hpden", s->how) != NULL) {
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
  if (s->program != NULL) {
    s->program->command(s->self, line);
  }
}

static void control(scene *s, mcpi_str text) {
  char word[10] = "";
  memcpy(word, text.ptr, text.len < 9 ? text.len : 9);
  switch (word[1]) {
  case 'c':
    dial(s);
    break;
  case 'e':
    if (s->peers[s->now].fd >= 0) {
      shutdown(s->peers[s->now].fd, SHUT_WR);
    }
    break;
  case 'g':
    hang_up(&s->peers[s->now]);
    break;
  case 'u':
    if (s->peers[s->now].ssl != NULL) {
      SSL_key_update(s->peers[s->now].ssl, SSL_KEY_UPDATE_REQUESTED);
    }
    break;
  case 's':
  case 'o':
    s->is_deaf = word[1] == 's';
    break;
  case 'r':
    if (s->http != NULL) {
      mcp_http_listener_reload(s->http, NULL);
    }
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
  if (s->program != NULL) {
    s->program->stop(s->self);
  } else {
    mcp_server_free(s->server);
  }
  settle(s);
  for (size_t i = 0; i < MAX_PEERS; i++) {
    hang_up(&s->peers[i]);
  }
  mcp_loop_free(s->loop);
  close(s->listener);
  close(s->output);
}

static int lowest_free(void) {
  int fd = open_socket();
  close(fd);
  return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
  scene s = {.listener = -1, .output = -1};
  for (size_t i = 0; i < MAX_PEERS; i++) {
    s.peers[i].fd = -1;
  }
  s.how = len > 1 && data[1] == '\n' ? (char)data[0] : '\0';
  if (len > 16384 || s.how == '\0' || strchr("hpdentvfcmlax", s.how) == NULL) {
    return 0;
  }
  mcpi_str rest = mcpi_str_n((const char *)data + 2, len - 2);
  mcpi_str text;
  tls_peer_cert(); /* its descriptors stay */
  int fd = lowest_free();
  s.loop = mcp_loop_new(NULL, NULL);
  start(&s, rest);
  settle(&s);
  while (next_step(&rest, &text)) {
    step(&s, text);
  }
  stop(&s);
  check(lowest_free() == fd);
  return 0;
}
