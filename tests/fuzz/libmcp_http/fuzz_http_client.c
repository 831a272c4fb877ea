/* SPDX-License-Identifier: MIT */
/* A client of libmcp-http and a server whose answers are the input. The first
 * line says how the client connects and what it does:
 *
 *     h m l   Streamable HTTP: either era, modern, legacy
 *     s       HTTP+SSE              p d r   plain POSTs: MCP, mcp-core, its
 *     JSON-RPC w v     a WebSocket: MCP, mcp-core
 *
 * and then a letter for each deed (`deeds`), which waits for the end of the one
 * before it unless a "+" stands between them. The rest is steps: an answer for
 * each HTTP request, in their order; requests past the last are not answered.
 * The server replaces the marks of an answer and sends the rest as it is:
 *
 *     $J "jsonrpc":"2.0"          $I the id of the request, or of the last one
 *     $L Content-Length and the length of what follows the next empty line
 *     $K a head of JSON           $E a head of an event stream
 *     $O the server's origin      $A what answers the key of a WebSocket
 *     $T the rest is the text of a frame
 *     $W the client does all that it can do before the rest is sent
 *     $X the server sends no more $R it resets the connection
 *
 * Time passes when nothing else happens. Each request completes once, each
 * client reports its end at most once, and no descriptor is left. */
#include "../skip_time.h"
#include "../steps.h"
#include "wires/websocket/handshake.h"

#include <mcp/http_client.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_WIRES = 16, MAX_TURNS = 300, MAX_SKIPS = 40, MAX_DEEDS = 16 };

typedef struct wire {
  int fd; /* -1: free */
  mcpi_buf in;
  mcpi_str rest; /* of the answer */
  char id[24];
  char key[64];
  int is_websocket;
} wire;

typedef struct scene {
  mcp_loop *loop;
  mcp_client *client;
  char how;
  mcpi_str deeds;
  uint64_t last; /* request */
  int started;
  int completed;
  int closed;
  mcpi_str steps;
  wire wires[MAX_WIRES];
  char last_id[24];
} scene;

/* --- the server ----------------------------------------------------------- */

static int listener = -1;
static char origin[40];

static void listen_once(void) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t len = sizeof(address);
  if (listener >= 0) {
    return;
  }
  listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  check(bind(listener, (struct sockaddr *)&address, len) == 0);
  check(listen(listener, 128) == 0);
  check(getsockname(listener, (struct sockaddr *)&address, &len) == 0);
  snprintf(origin, sizeof(origin), "127.0.0.1:%d", ntohs(address.sin_port));
}

/* Without a wait for what may be under way: ports are free at once. */
static void hang_up(wire *w) {
  const struct linger at_once = {.l_onoff = 1};
  setsockopt(w->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  close(w->fd);
  mcpi_buf_deinit(&w->in);
  w->fd = -1;
}

static int accept_all(scene *s) {
  int count = 0;
  for (size_t i = 0; i < MAX_WIRES; i++) {
    wire *w = &s->wires[i];
    if (w->fd >= 0) {
      continue;
    }
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
      break;
    }
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    *w = (wire){.fd = fd};
    mcpi_buf_init(&w->in, mcp_allocator_default(), SIZE_MAX);
    count++;
  }
  return count;
}

/* --- answers -------------------------------------------------------------- */

static int put_word(const void *of, mcpi_buf *out, char mark, mcpi_str rest) {
  const wire *w = of;
  (void)rest;
  switch (mark) {
  case 'J':
    put_text(out, "\"jsonrpc\":\"2.0\"");
    return MARK_DONE;
  case 'I':
    put_text(out, w->id);
    return MARK_DONE;
  case 'E':
    put_text(out, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
    return MARK_DONE;
  case 'O':
    put_text(out, origin);
    return MARK_DONE;
  default:
    return MARK_UNKNOWN;
  }
}

static mcpi_buf expand_words(const wire *w, mcpi_str text) {
  mcpi_buf out;
  mcpi_buf_init(&out, mcp_allocator_default(), SIZE_MAX);
  expand(&out, text, put_word, w);
  return out;
}

static void put_length(mcpi_buf *out, size_t len) {
  char line[40];
  snprintf(line, sizeof(line), "Content-Length: %zu", len);
  put_text(out, line);
}

/* Of what follows the next empty line. */
static void put_length_of_rest(const wire *w, mcpi_buf *out, mcpi_str rest) {
  const char *blank =
      rest.len > 1 ? memmem(rest.ptr, rest.len, "\n\n", 2) : NULL;
  size_t head = blank != NULL ? (size_t)(blank + 2 - rest.ptr) : rest.len;
  mcpi_buf body = expand_words(w, mcpi_str_n(rest.ptr + head, rest.len - head));
  put_length(out, body.len);
  mcpi_buf_deinit(&body);
}

static void put_frame(const wire *w, mcpi_buf *out, mcpi_str rest) {
  mcpi_buf text = expand_words(w, rest);
  size_t len = text.len < 65535 ? text.len : 65535;
  mcpi_buf_putc(out, (char)0x81);
  if (len < 126) {
    mcpi_buf_putc(out, (char)len);
  } else {
    mcpi_buf_putc(out, 126);
    mcpi_buf_putc(out, (char)(len >> 8));
    mcpi_buf_putc(out, (char)len);
  }
  mcpi_buf_put(out, text.data, len);
  mcpi_buf_deinit(&text);
}

static void put_json(const wire *w, mcpi_buf *out, mcpi_str rest) {
  mcpi_buf body = expand_words(w, rest);
  put_text(out, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n");
  put_length(out, body.len);
  put_text(out, "\r\n\r\n");
  mcpi_buf_put(out, body.data, body.len);
  mcpi_buf_deinit(&body);
}

static void put_accept(const wire *w, mcpi_buf *out) {
  char accept[MCPI_WS_ACCEPT_SIZE];
  mcpi_ws_accept(w->key, accept);
  put_text(out, accept);
}

static int put_mark(const void *of, mcpi_buf *out, char mark, mcpi_str rest) {
  const wire *w = of;
  switch (mark) {
  case 'L':
    put_length_of_rest(w, out, rest);
    return MARK_DONE;
  case 'A':
    put_accept(w, out);
    return MARK_DONE;
  case 'K':
    put_json(w, out, rest);
    return MARK_LAST;
  case 'T':
    put_frame(w, out, rest);
    return MARK_LAST;
  default:
    return put_word(of, out, mark, rest);
  }
}

/* Sends the answer up to the next mark that says to wait or to end. */
static void send_part(wire *w) {
  mcpi_str rest = w->rest;
  size_t len = 0;
  while (len + 1 < rest.len && (rest.ptr[len] != '$' ||
                                memchr("WXR", rest.ptr[len + 1], 3) == NULL)) {
    len++;
  }
  char mark = len + 1 < rest.len ? rest.ptr[len + 1] : '\0';
  size_t used = mark != '\0' ? len + 2 : rest.len;
  mcpi_buf out;
  mcpi_buf_init(&out, mcp_allocator_default(), SIZE_MAX);
  expand(&out, mcpi_str_n(rest.ptr, mark != '\0' ? len : rest.len), put_mark,
         w);
  if (out.len > 0 &&
      send(w->fd, out.data, out.len, MSG_NOSIGNAL) < (ssize_t)out.len) {
    mark = 'R'; /* it has gone, or does not read */
  }
  mcpi_buf_deinit(&out);
  w->rest = mcpi_str_n(rest.ptr + used, rest.len - used);
  if (mark == 'X') {
    shutdown(w->fd, SHUT_WR);
  } else if (mark == 'R') {
    hang_up(w);
  }
}

/* --- requests ------------------------------------------------------------- */

/* The value of a header, or of the member of an object that has no depth. */
static void find(mcpi_str text, const char *name, const char *end, char *out,
                 size_t size) {
  const char *at = memmem(text.ptr, text.len, name, strlen(name));
  size_t len = 0;
  if (at != NULL) {
    at += strlen(name);
    size_t left = (size_t)(text.ptr + text.len - at);
    while (len < left && len < size - 1 && strchr(end, at[len]) == NULL) {
      len++;
    }
    memcpy(out, at, len);
  }
  out[len] = '\0';
}

/* Bytes of the request that has come, or 0. */
static size_t whole_request(mcpi_str in) {
  char number[24];
  const char *end = in.len > 3 ? memmem(in.ptr, in.len, "\r\n\r\n", 4) : NULL;
  if (end == NULL) {
    return 0;
  }
  size_t head = (size_t)(end + 4 - in.ptr);
  find(mcpi_str_n(in.ptr, head), "Content-Length: ", "\r", number,
       sizeof(number));
  size_t len = head + strtoul(number, NULL, 10);
  return len <= in.len ? len : 0;
}

static void answer(scene *s, wire *w, mcpi_str request) {
  find(request, "\"id\":", ",}", w->id, sizeof(w->id));
  find(request, "Sec-WebSocket-Key: ", "\r", w->key, sizeof(w->key));
  w->is_websocket = w->key[0] != '\0';
  if (w->id[0] != '\0') {
    memcpy(s->last_id, w->id, sizeof(w->id));
  }
  if (!next_step(&s->steps, &w->rest)) {
    hang_up(w);
    return;
  }
  send_part(w);
}

static int serve(scene *s, wire *w) {
  char bytes[4096];
  ssize_t got = read(w->fd, bytes, sizeof(bytes));
  if (got == 0 || (got < 0 && errno != EAGAIN)) {
    hang_up(w);
    return 1;
  }
  if (got < 0 || w->is_websocket) {
    return got > 0;
  }
  mcpi_buf_put(&w->in, bytes, (size_t)got);
  size_t len = whole_request(mcpi_buf_str(&w->in));
  if (len > 0) {
    answer(s, w, mcpi_str_n(w->in.data, len));
  }
  if (len > 0 && w->fd >= 0) {
    mcpi_buf_drop(&w->in, len);
  }
  return 1;
}

static int serve_all(scene *s) {
  int count = accept_all(s);
  for (size_t i = 0; i < MAX_WIRES; i++) {
    count += s->wires[i].fd >= 0 && serve(s, &s->wires[i]);
  }
  return count > 0;
}

/* Goes on with an answer that waits. */
static int go_on(scene *s) {
  for (size_t i = 0; i < MAX_WIRES; i++) {
    wire *w = &s->wires[i];
    if (w->fd >= 0 && w->rest.len > 0) {
      if (w->id[0] == '\0') {
        memcpy(w->id, s->last_id, sizeof(w->id));
      }
      send_part(w);
      return 1;
    }
  }
  return 0;
}

/* --- the client ----------------------------------------------------------- */

static void do_deeds(scene *s);

static void on_done(mcp_client *client, const mcp_outcome *outcome,
                    void *userdata) {
  scene *s = userdata;
  (void)client;
  check(outcome->status == 0 || outcome->error->message[0] != '\0');
  check(++s->completed <= s->started);
  if (client == s->client) {
    do_deeds(s);
  }
}

static void on_closed(mcp_client *client, const mcp_error *err,
                      void *userdata) {
  scene *s = userdata;
  (void)client;
  (void)err;
  check(++s->closed == 1);
}

static void on_error(mcp_client *client, const mcp_error *err, void *userdata) {
  (void)client;
  (void)userdata;
  check(err->code != 0 && err->message[0] != '\0');
}

static void on_question(mcp_question *question, void *userdata) {
  (void)userdata;
  if (strcmp(mcp_question_method(question), "elicitation/create") != 0 ||
      mcp_question_accept(question, "{\"name\":\"Ann\"}", NULL) != 0) {
    mcp_question_fail(question, MCP_RPC_INTERNAL_ERROR, "no");
  }
}

static mcp_transport *make_post(const scene *s, const char *url,
                                mcp_http_client_options *options) {
  options->dialect = s->how == 'p'   ? MCP_DIALECT_MCP
                     : s->how == 'd' ? MCP_DIALECT_MCP_CORE
                                     : MCP_DIALECT_MCP_CORE_RPC;
  return mcp_transport_post(s->loop, url, options, NULL);
}

static int connect_client(scene *s) {
  mcp_http_client_options options = {
      .size = sizeof(mcp_http_client_options),
      .proxy = "",
      .max_message = 4096,
      .silence_timeout_ms = 50000,
      .headers = (const char *const[]){"Authorization: Bearer t", NULL}};
  char url[80];
  mcp_transport *transport;
  snprintf(url, sizeof(url), "%s://%s/mcp?key=1",
           s->how == 'w' || s->how == 'v' ? "ws"
           : s->how == 's'                ? "sse+http"
                                          : "http",
           origin);
  switch (s->how) {
  case 'p':
  case 'd':
  case 'r':
    transport = make_post(s, url, &options);
    return mcp_client_connect(s->client, transport, on_done, s, NULL);
  case 'v':
    options.dialect = MCP_DIALECT_MCP_CORE;
    break;
  default:
    break;
  }
  return mcp_client_connect_url(s->client, url, &options, on_done, s, NULL);
}

/* 0, or why nothing was begun. */
static int open_client(scene *s) {
  const mcp_client_options options = {
      .size = sizeof(mcp_client_options),
      .policy = s->how == 'm'                   ? MCP_POLICY_MODERN
                : strchr("lsp", s->how) != NULL ? MCP_POLICY_LEGACY
                                                : MCP_POLICY_AUTO,
      .userdata = s,
      .can_elicit_url = 1,
      .on_elicit = on_question,
      .on_sample = on_question,
      .on_roots = on_question,
      .on_error = on_error,
      .on_closed = on_closed};
  s->closed = 0;
  s->client = mcp_client_new(s->loop, "c", "1", &options, NULL);
  return connect_client(s);
}

static void close_client(scene *s) {
  mcp_client *client = s->client;
  s->client = NULL;
  mcp_client_free(client);
}

/* 0: it has begun; MCP_PENDING: it needs no wait; else why not. */
static int deed(scene *s, char what) {
  static const char *const uris[] = {"note://a", NULL};
  const mcp_listen_filter filter = {
      .size = sizeof(mcp_listen_filter), .tools = 1, .uris = uris};
  const mcp_request_options twice = {.size = sizeof(mcp_request_options),
                                     .request = &s->last,
                                     .is_idempotent = 1};
  mcp_client *c = s->client;
  switch (what) {
  case 't':
    return mcp_client_list_tools(c, NULL, on_done, s, NULL);
  case 'c':
    return mcp_client_call_tool(c, "echo", "{\"city\":\"Bern\"}", NULL, on_done,
                                s, NULL);
  case 'i':
    return mcp_client_call_tool(c, "echo", NULL, &twice, on_done, s, NULL);
  case 'r':
    return mcp_client_read_resource(c, "note://a", &twice, on_done, s, NULL);
  case 'l':
    return mcp_client_listen(c, &filter, NULL, NULL, on_done, s, NULL);
  case 'g':
    return mcp_client_ping(c, NULL, on_done, s, NULL);
  case 'u':
    return mcp_client_subscribe(c, "note://a", NULL, on_done, s, NULL);
  case 'n':
    mcp_client_notify(c, "com.example/n", "{\"a\":1}", NULL);
    return MCP_PENDING;
  case 'x':
    mcp_client_cancel(c, s->last, "enough");
    return MCP_PENDING;
  case 'k':
    mcp_client_close(c);
    return MCP_PENDING;
  default:
    return MCP_PENDING;
  }
}

static void do_deeds(scene *s) {
  while (s->deeds.len > 0 && s->deeds.ptr[0] != 'o') {
    char what = s->deeds.ptr[0];
    s->deeds = mcpi_str_n(s->deeds.ptr + 1, s->deeds.len - 1);
    s->started++; /* it may complete inside */
    int rc = deed(s, what);
    s->started -= rc != 0;
    if (rc == 0 && (s->deeds.len == 0 || s->deeds.ptr[0] != '+')) {
      return;
    }
  }
}

/* --- the scene ------------------------------------------------------------ */

/* Lets everything happen that happens by itself. */
static void run(scene *s) {
  int skips = 0;
  for (int turns = 0; turns < MAX_TURNS && skips < MAX_SKIPS; turns++) {
    int rests = loop_rests(s->loop);
    if (serve_all(s) || !rests || go_on(s)) {
      continue;
    }
    if (mcp_loop_timeout_ms(s->loop) < 0) {
      return;
    }
    skip_time(s->loop, 600000);
    skips++;
  }
}

/* One client after another, each where the letter "o" begins. */
static void run_clients(scene *s) {
  do {
    if (s->deeds.len > 0 && s->deeds.ptr[0] == 'o') {
      s->deeds = mcpi_str_n(s->deeds.ptr + 1, s->deeds.len - 1);
    }
    s->started++;
    if (open_client(s) != 0) {
      s->started--;
    }
    run(s);
    mcp_client_close(s->client);
    run(s);
    close_client(s);
    check(s->completed == s->started);
  } while (s->deeds.len > 0 && s->deeds.ptr[0] == 'o');
}

static int lowest_free(void) {
  int fd = dup(listener);
  close(fd);
  return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
  scene s = {.how = len > 0 ? (char)data[0] : '\0'};
  listen_once();
  const char *line = len > 0 ? memchr(data, '\n', len) : NULL;
  if (len > 16384 || line == NULL || strchr("hmlspdrwv", s.how) == NULL) {
    return 0;
  }
  const char *first = (const char *)data + 1;
  s.deeds = mcpi_str_n(first, line > first ? (size_t)(line - first) : 0);
  s.deeds.len = s.deeds.len < MAX_DEEDS ? s.deeds.len : MAX_DEEDS;
  s.steps = mcpi_str_n(line + 1, len - (size_t)(line + 1 - (const char *)data));
  for (size_t i = 0; i < MAX_WIRES; i++) {
    s.wires[i].fd = -1;
  }
  int fd = lowest_free();
  s.loop = mcp_loop_new(NULL, NULL);
  run_clients(&s);
  mcp_loop_free(s.loop);
  accept_all(&s);
  for (size_t i = 0; i < MAX_WIRES; i++) {
    if (s.wires[i].fd >= 0) {
      hang_up(&s.wires[i]);
    }
  }
  check(lowest_free() == fd);
  return 0;
}
