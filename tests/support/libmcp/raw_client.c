/* SPDX-License-Identifier: MIT */
#include "support/libmcp/raw_client.h"

#include "support/cm.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
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

static void write_all(int fd, const char *bytes, size_t len) {
  while (len > 0) {
    ssize_t sent = send(fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent <= 0) {
      return;
    }
    bytes += sent;
    len -= (size_t)sent;
  }
}

/* --- TLS ----------------------------------------------------------------- */

/* Of all clients; never freed. */
static SSL_CTX *tls_context(void) {
  static SSL_CTX *context;
  if (context == NULL) {
    context = SSL_CTX_new(TLS_client_method());
    assert_non_null(context);
  }
  return context;
}

static void tls_flush(const raw_socket *to) {
  char bytes[4096];
  int len;
  while ((len = BIO_read(SSL_get_wbio(to->tls), bytes, sizeof(bytes))) > 0) {
    write_all(to->fd, bytes, (size_t)len);
  }
}

static void tls_begin(raw_socket *to) {
  to->tls = SSL_new(tls_context());
  assert_non_null(to->tls);
  SSL_set_bio(to->tls, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  SSL_set_connect_state(to->tls);
  SSL_do_handshake(to->tls);
  tls_flush(to);
}

static void tls_put_unsent(raw_socket *to, const char *bytes, size_t len) {
  to->unsent = realloc(to->unsent, to->unsent_len + len);
  assert_non_null(to->unsent);
  memcpy(to->unsent + to->unsent_len, bytes, len);
  to->unsent_len += len;
}

/* Goes as far as it can without more from the server. */
static void tls_send_unsent(raw_socket *to) {
  if (SSL_do_handshake(to->tls) == 1 && to->unsent_len > 0) {
    SSL_write(to->tls, to->unsent, (int)to->unsent_len);
    to->unsent_len = 0;
  }
  tls_flush(to);
}

static void tls_end(raw_socket *of) {
  SSL_free(of->tls);
  free(of->unsent);
}

/* --- bytes --------------------------------------------------------------- */

/* NULL: nobody listens any more. */
static raw_socket *add_socket(raw_client *client) {
  int port = 0;
  int fd = sscanf(client->address, "tcp://127.0.0.1:%d", &port) == 1
               ? dial_tcp(port)
               : dial_unix(client->address + strlen("unix:"));
  if (fd < 0) {
    return NULL;
  }
  assert_true(client->socket_count < RAW_MAX_SOCKETS);
  raw_socket *added = &client->sockets[client->socket_count++];
  *added = (raw_socket){.fd = fd};
  if (client->is_tls) {
    tls_begin(added);
  }
  return added;
}

static void put_bytes(raw_socket *to, const char *bytes, size_t len) {
  if (to != NULL && to->tls != NULL) {
    tls_put_unsent(to, bytes, len);
    tls_send_unsent(to);
  } else if (to != NULL) {
    write_all(to->fd, bytes, len);
  }
}

static void put_text(raw_socket *to, const char *text) {
  put_bytes(to, text, strlen(text));
}

/* --- beginning ----------------------------------------------------------- */

static const char open_ws[] =
    "GET /mcp HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
    "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
static const char open_sse[] = "GET /sse HTTP/1.1\r\nHost: localhost\r\n"
                               "Accept: text/event-stream\r\n\r\n";

void raw_begin(raw_client *client, raw_wire wire, const char *address,
               int is_tls) {
  *client = (raw_client){.wire = wire, .address = address, .is_tls = is_tls};
  if (wire == RAW_LINES) {
    add_socket(client);
  } else if (wire == RAW_WS) {
    put_text(add_socket(client), open_ws);
  } else if (wire == RAW_SSE) {
    put_text(add_socket(client), open_sse);
  }
}

void raw_begin_fd(raw_client *client, int fd) {
  *client = (raw_client){
      .wire = RAW_LINES, .sockets = {{.fd = fd}}, .socket_count = 1};
}

/* --- sending ------------------------------------------------------------- */

/* In one piece: TCP would hold a second one back. */
static void send_line(raw_socket *to, const char *message) {
  char line[4096];
  int len = snprintf(line, sizeof(line), "%s\n", message);
  assert_true(len > 0 && (size_t)len < sizeof(line));
  put_bytes(to, line, (size_t)len);
}

/* Masked by zeros. */
static void send_frame(raw_socket *to, const char *message) {
  size_t len = strlen(message);
  unsigned char head[8] = {0x81};
  size_t head_len = len < 126 ? 6 : 8;
  assert_true(len < 65536);
  head[1] = (unsigned char)(0x80 | (len < 126 ? len : 126));
  if (len >= 126) {
    head[2] = (unsigned char)(len >> 8);
    head[3] = (unsigned char)len;
  }
  put_bytes(to, (const char *)head, head_len);
  put_bytes(to, message, len); /* a Unix socket holds nothing back */
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
  int len =
      snprintf(text, sizeof(text),
               "POST %s HTTP/1.1\r\nHost: localhost\r\n"
               "Content-Type: application/json\r\n"
               "Accept: application/json%s\r\n%s"
               "Content-Length: %zu\r\n\r\n%s",
               path, client->wire == RAW_JSON ? "" : ", text/event-stream", era,
               strlen(message), message);
  assert_true(len > 0 && (size_t)len < sizeof(text));
  put_bytes(add_socket(client), text, (size_t)len);
}

void raw_send(raw_client *client, const char *method, const char *name,
              const char *message) {
  if (client->wire == RAW_LINES && client->socket_count > 0) {
    send_line(&client->sockets[0], message);
  } else if (client->wire == RAW_WS && client->socket_count > 0) {
    send_frame(&client->sockets[0], message);
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
  put_text(add_socket(client), text);
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

static void read_plain(raw_client *client, raw_socket *from) {
  char bytes[4096];
  ssize_t got;
  while ((got = recv(from->fd, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0) {
    put(client, bytes, (size_t)got);
  }
}

static void read_tls(raw_client *client, raw_socket *from) {
  char bytes[4096];
  ssize_t got;
  int len;
  while ((got = recv(from->fd, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0) {
    BIO_write(SSL_get_rbio(from->tls), bytes, (int)got);
  }
  tls_send_unsent(from);
  while ((len = SSL_read(from->tls, bytes, sizeof(bytes))) > 0) {
    put(client, bytes, (size_t)len);
  }
  tls_flush(from);
}

void raw_read(raw_client *client) {
  size_t before = client->len;
  for (size_t i = 0; i < client->socket_count; i++) {
    raw_socket *from = &client->sockets[i];
    if (from->tls != NULL) {
      read_tls(client, from);
    } else {
      read_plain(client, from);
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
  for (size_t i = 0; i < client->socket_count; i++) {
    close(client->sockets[i].fd);
    tls_end(&client->sockets[i]);
  }
  client->socket_count = 0;
}

void raw_deinit(raw_client *client) {
  raw_hang_up(client);
  free(client->text);
  client->text = NULL;
}
