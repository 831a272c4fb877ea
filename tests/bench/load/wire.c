/* SPDX-License-Identifier: MIT */
/* Requests and answers on each wire. */
#include "load.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MODERN_META                                                            \
  "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","     \
  "\"io.modelcontextprotocol/clientCapabilities\":{}}"

static const char initialize_body[] =
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
    "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{"
    "\"name\":\"bench\",\"version\":\"1\"}}}";

#define TOOL(name, arguments)                                                  \
  {                                                                            \
    name, "tools/call", "\"name\":\"" name "\",\"arguments\":{" arguments "}", \
        "Mcp-Method: tools/call\r\nMcp-Name: " name "\r\n"                     \
  }

static const call calls[] = {
    TOOL("add", "\"a\":2,\"b\":3"),
    TOOL("large", ""),
    TOOL("work", ""),
    {"list", "tools/list", "", "Mcp-Method: tools/list\r\n"},
};

static const manner manners[] = {
    {"modern", POST, MODERN, NULL},
    {"legacy", POST, SESSION, NULL},
    {"plain", POST, ALONE, NULL},
    {"bare", POST, BARE, NULL},
    {"events", POST, ALONE, "text/event-stream"},
    {"sse", SSE, MODERN, NULL},
    {"websocket", WEBSOCKET, MODERN, NULL},
    {"websocket-frame", WEBSOCKET, FRAME, NULL},
    {"lines", LINES, MODERN, NULL},
    {"lines-frame", LINES, FRAME, NULL},
};

const manner *manner_find(const char *name) {
  for (size_t i = 0; i < sizeof(manners) / sizeof(*manners); i++) {
    if (strcmp(manners[i].name, name) == 0) {
      return &manners[i];
    }
  }
  return NULL;
}

const call *call_find(const char *name) {
  for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
    if (strcmp(calls[i].name, name) == 0) {
      return &calls[i];
    }
  }
  return NULL;
}

const char *manner_name(size_t i) {
  return i < sizeof(manners) / sizeof(*manners) ? manners[i].name : NULL;
}

/* --- requests ------------------------------------------------------------ */

static void make_post(conn *c, const char *path, const char *more,
                      const char *text) {
  const char *accept = c->talk->manner->accept != NULL
                           ? c->talk->manner->accept
                           : "application/json, text/event-stream";
  const char *token = c->talk->token;
  c->request_len = (size_t)snprintf(
      c->request, sizeof(c->request),
      "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\n"
      "Content-Type: application/json\r\n"
      "Accept: %s\r\n%s%s%s%sContent-Length: %zu\r\n\r\n%s",
      path, accept, token != NULL ? "Authorization: Bearer " : "",
      token != NULL ? token : "", token != NULL ? "\r\n" : "", more,
      strlen(text), text);
}

/* Writes a message, masked. */
static void make_frame(conn *c) {
  static const unsigned char mask[] = {0x37, 0xfa, 0x21, 0x3d};
  const char *body = c->talk->body;
  size_t len = strlen(body);
  unsigned char *at = (unsigned char *)c->request;
  *at++ = 0x81;
  if (len < 126) {
    *at++ = (unsigned char)(0x80 | len);
  } else {
    *at++ = 0x80 | 126;
    *at++ = (unsigned char)(len >> 8);
    *at++ = (unsigned char)len;
  }
  memcpy(at, mask, sizeof(mask));
  at += sizeof(mask);
  for (size_t i = 0; i < len; i++) {
    *at++ = (unsigned char)(body[i] ^ mask[i % sizeof(mask)]);
  }
  c->request_len = (size_t)(at - (unsigned char *)c->request);
}

static void make_line(conn *c) {
  c->request_len =
      (size_t)snprintf(c->request, sizeof(c->request), "%s\n", c->talk->body);
}

/* `members` are added to the params, after those of the call. */
static void make_message(talk *t, const char *members) {
  int has_both = t->call->params[0] != '\0' && members[0] != '\0';
  snprintf(
      t->body, sizeof(t->body),
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{%s%s%s}}",
      t->call->method, t->call->params, has_both ? "," : "", members);
}

/* Sends `text`, and waits until the bytes that came contain `wanted`. */
static void exchange(conn *c, const char *text, const char *wanted) {
  size_t len = strlen(text);
  ssize_t got = send(c->fd, text, len, MSG_NOSIGNAL);
  c->answer[0] = '\0';
  for (c->len = 0; strstr(c->answer, wanted) == NULL; c->len += (size_t)got) {
    got = recv(c->fd, c->answer + c->len, sizeof(c->answer) - 1 - c->len, 0);
    if (got <= 0) {
      die("it does not open");
    }
    c->answer[c->len + (size_t)got] = '\0';
  }
}

static void open_websocket(conn *c) {
  exchange(c,
           "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
           "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
           "\r\n\r\n");
  if (memcmp(c->answer, "HTTP/1.1 101", 12) != 0) {
    die("no WebSocket");
  }
}

/* Opens the stream of HTTP+SSE. Its first event names the URL for POSTs. */
static void open_stream(conn *c, const server *s) {
  char path[256];
  exchange(c,
           "GET /sse HTTP/1.1\r\nHost: 127.0.0.1\r\n"
           "Accept: text/event-stream\r\n\r\n",
           "\n\n\r\n");
  const char *data = strstr(c->answer, "\ndata: ");
  if (data == NULL || sscanf(data + 7, "%255s", path) != 1) {
    die("no endpoint");
  }
  c->post_fd = server_connect(s);
  make_post(c, path, c->talk->headers, c->talk->body);
}

void conn_open(conn *c, talk *t, const server *s) {
  c->talk = t;
  c->fd = c->post_fd = server_connect(s);
  switch (c->talk->manner->framing) {
  case POST:
    make_post(c, "/mcp", c->talk->headers, c->talk->body);
    break;
  case SSE:
    open_stream(c, s);
    break;
  case WEBSOCKET:
    open_websocket(c);
    make_frame(c);
    break;
  case LINES:
    make_line(c);
    break;
  }
}

void conn_close(const conn *c) {
  close(c->fd);
  if (c->post_fd != c->fd) {
    close(c->post_fd);
  }
}

void conn_send(conn *c) {
  c->len = 0;
  c->whole = 0;
  c->accepted_len = 0;
  c->sent_ns = now_ns();
  if (send(c->post_fd, c->request, c->request_len, MSG_NOSIGNAL) !=
      (ssize_t)c->request_len) {
    die("send");
  }
}

/* --- answers: each learns how long one is from its beginning ------------ */

static void find_line(conn *c) {
  if (c->answer[c->len - 1] == '\n') {
    c->whole = c->len;
    c->talk->answer_len = c->len - 1;
  }
}

static void find_frame(conn *c) {
  const unsigned char *bytes = (const unsigned char *)c->answer;
  size_t more = c->len < 2 ? 0 : bytes[1] == 126 ? 2 : bytes[1] == 127 ? 8 : 0;
  if (c->len < 2 + more) {
    return;
  }
  c->talk->answer_len = more == 0 ? bytes[1] : 0;
  for (size_t i = 0; i < more; i++) {
    c->talk->answer_len = c->talk->answer_len << 8 | bytes[2 + i];
  }
  c->whole = 2 + more + c->talk->answer_len;
}

/* An event is a chunk. `end_len` is the length of the end of the answer after
 * it. */
static void find_event(conn *c, const char *chunk, size_t end_len) {
  const char *event = strstr(chunk, "\r\n");
  if (event != NULL) {
    c->talk->answer_len = strtoul(chunk, NULL, 16);
    c->whole =
        (size_t)(event + 2 - c->answer) + c->talk->answer_len + 2 + end_len;
  }
}

static void find_body(conn *c) {
  const char *end = strstr(c->answer, "\r\n\r\n");
  const char *length = strcasestr(c->answer, "\r\ncontent-length:");
  if (end == NULL) {
    return;
  }
  if (strncmp(c->answer, "HTTP/1.1 200", 12) != 0) {
    fprintf(stderr, "bench-load: not an answer: %s\n", c->answer);
    exit(1);
  }
  if (length == NULL) {
    find_event(c, end + 4, strlen("0\r\n\r\n"));
  } else {
    c->talk->answer_len = strtoul(length + 17, NULL, 10);
    c->whole = (size_t)(end + 4 - c->answer) + c->talk->answer_len;
  }
}

static void find_whole(conn *c) {
  c->answer[c->len] = '\0';
  switch (c->talk->manner->framing) {
  case POST:
    find_body(c);
    break;
  case SSE:
    find_event(c, c->answer, 0);
    break;
  case WEBSOCKET:
    find_frame(c);
    break;
  case LINES:
    find_line(c);
    break;
  }
}

/* Returns how many bytes have come; 0: none yet. */
static size_t take(int fd, char *to, size_t size) {
  ssize_t got = recv(fd, to, size, MSG_DONTWAIT);
  if (got == 0 || (got < 0 && errno != EAGAIN)) {
    die("recv");
  }
  return got > 0 ? (size_t)got : 0;
}

/* Whether the server has answered the POST, where that answer is not the
 * result. */
static int is_accepted(conn *c) {
  if (c->post_fd == c->fd) {
    return 1;
  }
  c->accepted_len += take(c->post_fd, c->accepted + c->accepted_len,
                          sizeof(c->accepted) - 1 - c->accepted_len);
  c->accepted[c->accepted_len] = '\0';
  if (strstr(c->accepted, "\r\n\r\n") == NULL) {
    return 0;
  }
  if (strncmp(c->accepted, "HTTP/1.1 202", 12) != 0) {
    die(c->accepted);
  }
  return 1;
}

/* Whether the answer is whole. Keeps only the head of a long one. */
int conn_read(conn *c) {
  static char rest[256 * 1024];
  if (c->whole == 0) {
    size_t got =
        take(c->fd, c->answer + c->len, sizeof(c->answer) - 1 - c->len);
    c->len += got;
    if (got > 0) {
      find_whole(c);
    }
  } else if (c->len < c->whole) {
    c->len += take(c->fd, rest, sizeof(rest));
  }
  return is_accepted(c) && c->whole != 0 && c->len >= c->whole;
}

void conn_await(conn *c) {
  struct pollfd fds[2] = {{.fd = c->fd, .events = POLLIN},
                          {.fd = c->post_fd, .events = POLLIN}};
  while (!conn_read(c)) {
    poll(fds, 2, -1);
  }
}

/* --- what is asked ------------------------------------------------------- */

/* Begins a session on a connection. The talk's requests belong to it from then
 * on. */
static void open_session(conn *c, talk *t, const server *s) {
  char id[64] = "";
  c->talk = t;
  c->fd = c->post_fd = server_connect(s);
  make_post(c, "/mcp", "", initialize_body);
  conn_send(c);
  conn_await(c);
  const char *found = strcasestr(c->answer, "\r\nmcp-session-id:");
  if (found == NULL || sscanf(found + 17, " %63[!-~]", id) != 1) {
    die("no session");
  }
  snprintf(t->headers, sizeof(t->headers),
           "MCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: %s\r\n", id);
}

/* All connections share one session. */
void talk_prepare(talk *t, const server *s) {
  static conn c;
  t->headers[0] = '\0';
  switch (t->manner->form) {
  case MODERN:
    if (t->manner->framing == POST) {
      snprintf(t->headers, sizeof(t->headers),
               "MCP-Protocol-Version: 2026-07-28\r\n%s", t->call->headers);
    }
    make_message(t, MODERN_META);
    break;
  case SESSION:
    open_session(&c, t, s);
    conn_close(&c);
    make_message(t, "");
    break;
  case ALONE:
    make_message(t, "");
    break;
  case FRAME:
    snprintf(t->body, sizeof(t->body), "{\"id\":1,%s}", t->call->params);
    break;
  case BARE:
    snprintf(t->body, sizeof(t->body), "{%s}", t->call->params);
    break;
  }
}

void conn_open_listening(conn *c, talk *t, const server *s) {
  char get[512];
  open_session(c, t, s);
  snprintf(get, sizeof(get),
           "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n"
           "Accept: text/event-stream\r\n%s\r\n",
           t->headers);
  exchange(c, get, "\r\n\r\n");
  if (memcmp(c->answer, "HTTP/1.1 200", 12) != 0) {
    die("no stream");
  }
}
