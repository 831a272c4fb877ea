/* SPDX-License-Identifier: MIT */
#include "support/transport/raw_client.h"

#include "support/cm.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* --- sockets ------------------------------------------------------------- */

static int dial_unix(const char *path) {
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_true(fd >= 0);
  if (connect(fd, (const struct sockaddr *)&to, sizeof(to)) != 0) {
    close(fd);
    return -1;
  }
  return fd;
}

static int dial_tcp(int port) {
  const struct sockaddr_in to = {.sin_family = AF_INET,
                                 .sin_port = htons((uint16_t)port),
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int on = 1;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_true(fd >= 0);
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  if (connect(fd, (const struct sockaddr *)&to, sizeof(to)) != 0) {
    close(fd);
    return -1;
  }
  return fd;
}

/* -1: nobody listens any more. */
static int add_socket(raw_client *client) {
  int port = 0;
  int fd = sscanf(client->address, "tcp://127.0.0.1:%d", &port) == 1
               ? dial_tcp(port)
               : dial_unix(client->address + strlen("unix:"));
  if (fd >= 0) {
    assert_true(client->fd_count < RAW_MAX_SOCKETS);
    client->fds[client->fd_count++] = fd;
  }
  return fd;
}

static void write_all(int fd, const char *bytes, size_t len) {
  while (fd >= 0 && len > 0) {
    ssize_t sent = send(fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent <= 0) {
      return;
    }
    bytes += sent;
    len -= (size_t)sent;
  }
}

static void write_text(int fd, const char *text) {
  write_all(fd, text, strlen(text));
}

/* --- beginning ----------------------------------------------------------- */

static const char open_ws[] =
    "GET /mcp HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
    "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
static const char open_sse[] = "GET /sse HTTP/1.1\r\nHost: localhost\r\n"
                               "Accept: text/event-stream\r\n\r\n";

void raw_begin(raw_client *client, raw_wire wire, const char *address) {
  *client = (raw_client){.wire = wire, .address = address};
  if (wire == RAW_LINES) {
    add_socket(client);
  } else if (wire == RAW_WS) {
    write_text(add_socket(client), open_ws);
  } else if (wire == RAW_SSE) {
    write_text(add_socket(client), open_sse);
  }
}

void raw_begin_fd(raw_client *client, int fd) {
  *client = (raw_client){.wire = RAW_LINES, .fds = {fd}, .fd_count = 1};
}

/* --- sending ------------------------------------------------------------- */

/* In one piece: TCP would hold a second one back. */
static void send_line(int fd, const char *message) {
  char line[4096];
  int len = snprintf(line, sizeof(line), "%s\n", message);
  assert_true(len > 0 && (size_t)len < sizeof(line));
  write_all(fd, line, (size_t)len);
}

/* Masked by zeros. */
static void send_frame(int fd, const char *message) {
  size_t len = strlen(message);
  unsigned char head[8] = {0x81};
  size_t head_len = len < 126 ? 6 : 8;
  assert_true(len < 65536);
  head[1] = (unsigned char)(0x80 | (len < 126 ? len : 126));
  if (len >= 126) {
    head[2] = (unsigned char)(len >> 8);
    head[3] = (unsigned char)len;
  }
  write_all(fd, (const char *)head, head_len);
  write_all(fd, message,
            len); /* over a Unix socket, which holds nothing back */
}

static void put_era(char *to, size_t size, const raw_client *client,
                    const char *method, const char *name) {
  if (client->wire == RAW_MODERN && name != NULL) {
    snprintf(to, size,
             "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: %s\r\n"
             "Mcp-Name: %s\r\n",
             method, name);
  } else if (client->wire == RAW_MODERN) {
    snprintf(to, size, "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: %s\r\n",
             method);
  } else if (client->wire == RAW_ALONE) {
    snprintf(to, size, "MCP-Protocol-Version: 2025-06-18\r\n");
  } else if (client->session[0] != '\0') {
    snprintf(to, size, "Mcp-Session-Id: %s\r\n", client->session);
  } else {
    to[0] = '\0';
  }
}

static void post(raw_client *client, const char *method, const char *name,
                 const char *message) {
  char era[256];
  char path[96] = "/mcp";
  char text[4096];
  if (client->wire == RAW_SSE) {
    snprintf(path, sizeof(path), "/messages?sessionId=%s", client->session);
    era[0] = '\0';
  } else {
    put_era(era, sizeof(era), client, method, name);
  }
  int len = snprintf(text, sizeof(text),
                     "POST %s HTTP/1.1\r\nHost: localhost\r\n"
                     "Content-Type: application/json\r\n"
                     "Accept: application/json, text/event-stream\r\n%s"
                     "Content-Length: %zu\r\n\r\n%s",
                     path, era, strlen(message), message);
  assert_true(len > 0 && (size_t)len < sizeof(text));
  write_all(add_socket(client), text, (size_t)len);
}

void raw_send(raw_client *client, const char *method, const char *name,
              const char *message) {
  if (client->wire == RAW_LINES && client->fd_count > 0) {
    send_line(client->fds[0], message);
  } else if (client->wire == RAW_WS && client->fd_count > 0) {
    send_frame(client->fds[0], message);
  } else if (client->wire >= RAW_SSE) {
    post(client, method, name, message);
  }
}

void raw_request(raw_client *client, const char *method, const char *headers) {
  char era[256];
  char text[1024];
  put_era(era, sizeof(era), client, method, NULL);
  snprintf(text, sizeof(text),
           "%s /mcp HTTP/1.1\r\nHost: localhost\r\n"
           "Accept: text/event-stream\r\n%s%s\r\n",
           method, era, headers);
  write_text(add_socket(client), text);
}

/* --- what comes ---------------------------------------------------------- */

static void find_session(raw_client *client) {
  const char *named = strstr(client->text, "Mcp-Session-Id: ");
  const char *asked = strstr(client->text, "sessionId=");
  if (named != NULL) {
    sscanf(named, "Mcp-Session-Id: %63[A-Za-z0-9_-]", client->session);
  } else if (asked != NULL) {
    sscanf(asked, "sessionId=%63[A-Za-z0-9_-]", client->session);
  }
}

/* The frames of a WebSocket have zeros in their heads. */
static void put(raw_client *client, const char *bytes, size_t len) {
  if (client->cap - client->len <= len) {
    client->cap = 2 * client->cap + len + 1;
    client->text = realloc(client->text, client->cap);
    assert_non_null(client->text);
  }
  for (size_t i = 0; i < len; i++) {
    client->text[client->len++] = bytes[i] != '\0' ? bytes[i] : ' ';
  }
  client->text[client->len] = '\0';
}

void raw_read(raw_client *client) {
  char bytes[4096];
  size_t before = client->len;
  for (size_t i = 0; i < client->fd_count; i++) {
    ssize_t got;
    while ((got = recv(client->fds[i], bytes, sizeof(bytes), MSG_DONTWAIT)) >
           0) {
      put(client, bytes, (size_t)got);
    }
  }
  if (client->len > before && client->session[0] == '\0') {
    find_session(client);
  }
}

int raw_has(raw_client *client, const char *text) {
  if (client->len == 0 || strstr(client->text, text) == NULL) {
    return 0;
  }
  client->len = 0;
  return 1;
}

/* --- the end ------------------------------------------------------------- */

void raw_hang_up(raw_client *client) {
  for (size_t i = 0; i < client->fd_count; i++) {
    close(client->fds[i]);
  }
  client->fd_count = 0;
}

void raw_deinit(raw_client *client) {
  raw_hang_up(client);
  free(client->text);
  client->text = NULL;
}
