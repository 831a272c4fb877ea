/* SPDX-License-Identifier: MIT */
/* The HTTP server of web transcripts: see web_side.h. */
#include "web_side.h"

#include "marks.h"
#include "wires/websocket/handshake.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
  MAX_WIRES = 16,
  MAX_ASKED = 200,
  HIDDEN = MAX_ASKED - 1 /* the place of a request that is not shown */
};

/* A connection. */
typedef struct wire {
  int fd; /* -1: there is none */
  text_buf in;
  size_t request;                   /* the one that has no whole answer */
  int is_busy;                      /* there is such a request */
  char accept[MCPI_WS_ACCEPT_SIZE]; /* what opens a WebSocket here; or "" */
  int is_websocket;                 /* it is open, or nearly so */
} wire;

/* What became of a request. */
typedef enum asked_state {
  ASKED_NOTHING, /* there is no such request, or it has its answer */
  ASKED_WAITS,
  ASKED_STREAMS /* its answer has begun, and has no end yet */
} asked_state;

typedef struct asked {
  asked_state state;
  size_t wire;
} asked;

static struct {
  int fd;
  char host[32];
  web_manner manner;
  int with_headers;
  wire wires[MAX_WIRES];
  asked all[MAX_ASKED]; /* 0: the GET stream of a hidden handshake */
  size_t count;
} side = {.fd = -1};

/* ---- connections --------------------------------------------------------- */

void web_side_start(void) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t len = sizeof address;
  memset(&side, 0, sizeof side);
  for (size_t i = 0; i < MAX_WIRES; i++) {
    side.wires[i].fd = -1;
  }
  side.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (bind(side.fd, (struct sockaddr *)&address, len) != 0 ||
      listen(side.fd, MAX_WIRES) != 0 ||
      getsockname(side.fd, (struct sockaddr *)&address, &len) != 0) {
    perror("web: listen");
    exit(2);
  }
  snprintf(side.host, sizeof side.host, "127.0.0.1:%d",
           ntohs(address.sin_port));
}

const char *web_side_host(void) {
  return side.host;
}

void web_side_behave(web_manner manner, int with_headers) {
  side.manner = manner;
  side.with_headers = with_headers;
}

/* Ports are free at once. */
static void wire_reset(wire *w) {
  const struct linger at_once = {.l_onoff = 1};
  setsockopt(w->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close(w->fd);
  free(w->in.bytes);
  *w = (wire){.fd = -1};
}

/* The client has closed the connection. */
static void wire_gone(wire *w) {
  size_t request = w->request;
  int is_busy = w->is_busy;
  wire_reset(w);
  if (is_busy) {
    side.all[request].state = ASKED_NOTHING;
    web_side_asked(request, "gone");
  }
}

static int accept_all(void) {
  int count = 0;
  for (size_t i = 0; i < MAX_WIRES; i++) {
    const int on = 1;
    if (side.wires[i].fd >= 0) {
      continue;
    }
    int fd = accept4(side.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
      break;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    side.wires[i] = (wire){.fd = fd};
    count++;
  }
  return count;
}

/* What a client does not take is lost: it has gone, or reads too slowly. */
static void wire_send(wire *w, const char *bytes, size_t len) {
  if (w->fd >= 0 && send(w->fd, bytes, len, MSG_NOSIGNAL) < (ssize_t)len) {
    wire_gone(w);
  }
}

/* ---- answers ------------------------------------------------------------- */

static void end_answer(size_t number) {
  side.wires[side.all[number].wire].is_busy = 0;
  side.all[number].state = ASKED_NOTHING;
}

static void begin_stream(size_t number) {
  static const char head[] =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
      "Transfer-Encoding: chunked\r\n\r\n";
  side.all[number].state = ASKED_STREAMS;
  wire_send(&side.wires[side.all[number].wire], head, sizeof head - 1);
}

static void send_chunk(size_t number, const char *text) {
  char *chunk = NULL;
  int len = asprintf(&chunk, "%zx\r\n%s\r\n", strlen(text), text);
  if (len > 0) {
    wire_send(&side.wires[side.all[number].wire], chunk, (size_t)len);
    free(chunk);
  }
}

/* Each byte in a chunk of its own; \r and \n are the ends of lines. */
static void send_bytes(size_t number, const char *text) {
  for (; *text != '\0'; text++) {
    char byte[2] = {*text, '\0'};
    if (strncmp(text, "\\r", 2) == 0 || strncmp(text, "\\n", 2) == 0) {
      byte[0] = *++text == 'r' ? '\r' : '\n';
    }
    send_chunk(number, byte);
  }
}

/* A line of an event stream; an object is a whole event. */
static void send_line(size_t number, const char *line) {
  char *text = NULL;
  int is_event = line[0] == '{';
  if (asprintf(&text, "%s%s%s", is_event ? "data: " : "", line,
               is_event ? "\n\n" : "\n") >= 0) {
    send_chunk(number, text);
    free(text);
  }
}

/* "Name: value" */
static int is_header(const char *text) {
  size_t len = strcspn(text, ": \"{<");
  return len > 0 && strncmp(text + len, ": ", 2) == 0;
}

/* "STATUS", then headers and a body, separated by " // ". A body is JSON unless
 * a header says otherwise. An answer with a Content-Length of its own has no
 * end. */
static void respond(size_t number, const char *line) {
  text_buf answer = {NULL, 0, 0};
  char word[80];
  const char *body = line + strcspn(line, " ");
  int has_type = 0;
  int has_length = 0;
  snprintf(word, sizeof word, "HTTP/1.1 %d Status\r\n", atoi(line));
  text_adds(&answer, word);
  body += *body == ' ';
  while (is_header(body)) {
    const char *next = strstr(body, " // ");
    size_t len = next != NULL ? (size_t)(next - body) : strlen(body);
    has_type |= strncasecmp(body, "Content-Type", 12) == 0;
    has_length |= strncasecmp(body, "Content-Length", 14) == 0;
    text_add(&answer, body, len);
    text_adds(&answer, "\r\n");
    body += len + (next != NULL ? 4 : 0);
  }
  if (!has_type && *body != '\0') {
    text_adds(&answer, "Content-Type: application/json\r\n");
  }
  snprintf(word, sizeof word, "Content-Length: %zu\r\n", strlen(body));
  text_adds(&answer, has_length || atoi(line) == 204 ? "" : word);
  text_adds(&answer, "\r\n");
  text_adds(&answer, body);
  if (has_length) {
    side.all[number].state = ASKED_STREAMS;
  } else {
    end_answer(number);
  }
  wire_send(&side.wires[side.all[number].wire], answer.bytes, answer.len);
  free(answer.bytes);
}

/* ---- WebSockets ---------------------------------------------------------- */

/* A frame without a mask, as a server's are. */
static void send_frame(wire *w, unsigned first, const char *text, size_t len) {
  unsigned char head[4] = {(unsigned char)first, (unsigned char)len};
  size_t head_len = 2;
  if (len > 125) {
    head[1] = 126;
    head[2] = (unsigned char)(len >> 8);
    head[3] = (unsigned char)len;
    head_len = 4;
  }
  wire_send(w, (const char *)head, head_len);
  wire_send(w, text, len);
}

/* "close CODE REASON" */
static void send_close(wire *w, const char *line) {
  char *reason;
  unsigned long code = strtoul(line, &reason, 10);
  char text[126] = {(char)(code >> 8), (char)code};
  reason += *reason == ' ';
  snprintf(text + 2, sizeof text - 2, "%s", reason);
  send_frame(w, 0x88, text, 2 + strlen(text + 2));
}

static void answer_websocket(wire *w, const char *line) {
  if (strncmp(line, "close ", 6) == 0) {
    send_close(w, line + 6);
  } else {
    send_frame(w, 0x81, line, strlen(line));
  }
}

/* Bytes as they are: \r, \n and \xNN stand for one, and {accept} for what the
 * key of the request calls for. */
static void send_raw(wire *w, const char *line) {
  text_buf bytes = {NULL, 0, 0};
  for (; *line != '\0'; line++) {
    char byte = *line;
    unsigned code;
    if (strncmp(line, "{accept}", 8) == 0) {
      text_adds(&bytes, w->accept);
      line += 7;
      continue;
    }
    if (sscanf(line, "\\x%2x", &code) == 1) {
      byte = (char)code;
      line += 3;
    } else if (strncmp(line, "\\r", 2) == 0 || strncmp(line, "\\n", 2) == 0) {
      byte = *++line == 'r' ? '\r' : '\n';
    }
    text_add(&bytes, &byte, 1);
  }
  w->is_websocket = w->accept[0] != '\0';
  wire_send(w, bytes.bytes, bytes.len);
  free(bytes.bytes);
}

/* Shows the client's next frame, which is masked. 0: it has not come whole. */
static int next_frame(size_t at) {
  wire *w = &side.wires[at];
  unsigned char *bytes = (unsigned char *)w->in.bytes;
  size_t head = w->in.len > 1 && (bytes[1] & 127) == 126 ? 8 : 6;
  char line[8192];
  const char *name = "";
  if (w->in.len < head) {
    return 0;
  }
  size_t len = head == 8 ? (size_t)(bytes[2] << 8 | bytes[3]) : bytes[1] & 127U;
  if (w->in.len < head + len) {
    return 0;
  }
  for (size_t i = 0; i < len; i++) {
    bytes[head + i] ^= bytes[head - 4 + i % 4];
  }
  size_t skip = 0;
  char code[16] = "";
  if (bytes[0] == 0x88) {
    name = "close ";
    skip = len < 2 ? len : 2;
    snprintf(code, sizeof code, "%d ",
             len < 2 ? 0 : bytes[head] << 8 | bytes[head + 1]);
  } else if (bytes[0] == 0x89) {
    name = "ping ";
  } else if (bytes[0] == 0x8a) {
    name = "pong ";
  }
  snprintf(line, sizeof line, "%s%s%.*s", name, code, (int)(len - skip),
           (const char *)bytes + head + skip);
  w->in.len -= head + len;
  memmove(bytes, bytes + head + len, w->in.len + 1);
  web_side_asked(w->request, line);
  return 1;
}

/* ---- all of them --------------------------------------------------------- */

int web_side_answer(size_t number, const char *line) {
  if (number >= MAX_ASKED || side.all[number].state == ASKED_NOTHING) {
    return 0;
  }
  if (strcmp(line, "reset") == 0) {
    side.all[number].state = ASKED_NOTHING;
    wire_reset(&side.wires[side.all[number].wire]);
  } else if (strncmp(line, "raw ", 4) == 0) {
    send_raw(&side.wires[side.all[number].wire], line + 4);
  } else if (side.wires[side.all[number].wire].is_websocket) {
    answer_websocket(&side.wires[side.all[number].wire], line);
  } else if (side.all[number].state == ASKED_STREAMS &&
             strcmp(line, "end") == 0) {
    end_answer(number);
    wire_send(&side.wires[side.all[number].wire], "0\r\n\r\n", 5);
  } else if (side.all[number].state == ASKED_STREAMS &&
             strncmp(line, "bytes ", 6) == 0) {
    send_bytes(number, line + 6);
  } else if (side.all[number].state == ASKED_STREAMS) {
    send_line(number, line);
  } else if (strcmp(line, "stream") == 0) {
    begin_stream(number);
  } else {
    respond(number, line);
  }
  return 1;
}

/* ---- hidden handshakes --------------------------------------------------- */

#define CAN "\"capabilities\":{\"tools\":{\"listChanged\":true}}"

/* The result of a handshake's request; NULL: it is a notification. */
static const char *handshake_result(const char *body) {
  if (strstr(body, "\"server/discover\"") != NULL) {
    return "{\"resultType\":\"complete\",\"supportedVersions\":["
           "\"2026-07-28\"]," CAN ",\"ttlMs\":0,\"cacheScope\":\"private\"}";
  }
  if (strstr(body, "\"initialize\"") == NULL) {
    return NULL;
  }
  return side.manner == WEB_PLAIN
             ? "{\"protocolVersion\":\"2025-06-18\"," CAN
               ",\"serverInfo\":{\"name\":\"s\",\"version\":\"2\"}}"
             : "{\"protocolVersion\":\"2025-11-25\"," CAN
               ",\"serverInfo\":{\"name\":\"s\",\"version\":\"2\"}}";
}

/* Answers the request that is not shown. */
static void shake_hands(const char *body) {
  char line[700];
  const char *result = handshake_result(body);
  int has_session = side.manner == WEB_LEGACY || side.manner == WEB_STREAMS;
  snprintf(line, sizeof line,
           "200 %s{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":%s}",
           has_session ? "Mcp-Session-Id: s-1 // " : "",
           result != NULL ? result : "");
  if (*body == '\0') {
    respond(HIDDEN, "405"); /* a GET */
  } else if (side.manner == WEB_SSE || result == NULL) {
    respond(HIDDEN, side.manner == WEB_PLAIN ? "204" : "202");
  } else {
    respond(HIDDEN, line);
  }
  if (side.manner == WEB_SSE && result != NULL) {
    send_line(0, line + 4);
  }
}

/* ---- requests ------------------------------------------------------------ */

/* Headers that say nothing, because each request has them. */
static int is_shown(const char *header) {
  static const char *const hidden[] = {
      "Host:",   "User-Agent:",   "Content-Length:",
      "Accept:", "Content-Type:", "Accept-Encoding:"};
  for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++) {
    if (strncasecmp(header, hidden[i], strlen(hidden[i])) == 0) {
      return side.with_headers && (i == 0 || i == 3 || i == 4);
    }
  }
  return 1;
}

/* The key is another one each time. */
static void take_key(size_t number, const char *key) {
  wire *w = &side.wires[side.all[number].wire];
  if (mcpi_ws_is_key(key)) {
    mcpi_ws_accept(key, w->accept);
    web_side_asked(number, "Sec-WebSocket-Key: {key}");
  }
}

/* Hands over each line of a request that has come; its head is cut. */
static void show(size_t number, char *head, const char *body) {
  static const char key[] = "Sec-WebSocket-Key: ";
  char *line = head;
  char *version = strstr(head, " HTTP/1.1\r\n");
  if (version != NULL) {
    *version = '\0';
    web_side_asked(number, line);
    line = version + strlen(" HTTP/1.1\r\n");
  }
  for (char *next; line != NULL && *line != '\0'; line = next) {
    next = strstr(line, "\r\n");
    if (next != NULL) {
      *next = '\0';
      next += 2;
    }
    if (strncmp(line, key, strlen(key)) == 0) {
      take_key(number, line + strlen(key));
    } else if (*line != '\0' && is_shown(line)) {
      web_side_asked(number, line);
    }
  }
  if (*body != '\0') {
    web_side_asked(number, body);
  }
}

static void take_request(size_t at, char *head, const char *body) {
  wire *w = &side.wires[at];
  int is_get = strncmp(head, "GET ", 4) == 0;
  int has_stream = side.manner == WEB_SSE || side.manner == WEB_STREAMS;
  size_t number = side.manner == WEB_SILENT ? side.count + 1
                  : is_get && has_stream    ? 0
                                            : HIDDEN;
  if (side.manner == WEB_SILENT && number == HIDDEN) {
    wire_reset(w); /* there are too many */
    return;
  }
  w->request = number;
  w->is_busy = 1;
  side.all[number] = (asked){ASKED_WAITS, at};
  if (number == HIDDEN) {
    shake_hands(body);
  } else if (number > 0) {
    side.count = number;
    show(number, head, body);
  } else {
    begin_stream(0);
    send_chunk(0, side.manner == WEB_SSE
                      ? "event: endpoint\ndata: /post?session=1\n\n"
                      : ": open\n\n");
  }
}

/* Takes a whole request out of what has come. 0: it has not come whole. */
static int next_request(size_t at) {
  wire *w = &side.wires[at];
  char *blank = w->in.len > 0 ? strstr(w->in.bytes, "\r\n\r\n") : NULL;
  if (blank == NULL) {
    return 0;
  }
  size_t head_len = (size_t)(blank + 4 - w->in.bytes);
  const char *field = strcasestr(w->in.bytes, "\r\nContent-Length: ");
  size_t body_len =
      field != NULL && field < blank
          ? strtoul(field + strlen("\r\nContent-Length: "), NULL, 10)
          : 0;
  if (w->in.len - head_len < body_len) {
    return 0;
  }
  char *head = strndup(w->in.bytes, head_len - 2);
  char *body = strndup(w->in.bytes + head_len, body_len);
  size_t used = head_len + body_len;
  w->in.len -= used;
  memmove(w->in.bytes, w->in.bytes + used, w->in.len + 1);
  take_request(at, head, body);
  free(head);
  free(body);
  return 1;
}

static int wire_read(size_t at) {
  wire *w = &side.wires[at];
  char bytes[65536];
  ssize_t got = read(w->fd, bytes, sizeof bytes);
  if (got == 0 || (got < 0 && errno != EAGAIN)) {
    wire_gone(w);
    return 1;
  }
  if (got > 0) {
    text_add(&w->in, bytes, (size_t)got);
    while (w->fd >= 0 &&
           (w->is_websocket ? next_frame(at) : next_request(at))) {
    }
  }
  return got > 0;
}

int web_side_work(void) {
  int count = accept_all();
  for (size_t i = 0; i < MAX_WIRES; i++) {
    count += side.wires[i].fd >= 0 && wire_read(i);
  }
  return count > 0;
}

size_t web_side_connection_count(void) {
  size_t count = 0;
  for (size_t i = 0; i < MAX_WIRES; i++) {
    count += side.wires[i].fd >= 0;
  }
  return count;
}

size_t web_side_hang_up(void) {
  size_t count = web_side_connection_count();
  for (size_t i = 0; i < MAX_WIRES; i++) {
    if (side.wires[i].fd >= 0) {
      wire_reset(&side.wires[i]);
    }
  }
  return count;
}

void web_side_stop(void) {
  web_side_hang_up();
  close(side.fd);
  side.fd = -1;
}
