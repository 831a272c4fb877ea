/* SPDX-License-Identifier: MIT */
/* A client of any wire that does not wait: it writes what the test says to
 * sockets of its own, and gathers what comes. It runs in the server's thread,
 * so a test decides what has arrived before the loop turns, such as the end of
 * two clients at once. */
#ifndef MCP_TESTS_RAW_CLIENT_H
#define MCP_TESTS_RAW_CLIENT_H

#include <stddef.h>

typedef enum raw_wire {
  RAW_LINES,   /* a TCP or Unix socket, or one end of a socket pair */
  RAW_WS,      /* a WebSocket at /mcp */
  RAW_SSE,     /* HTTP+SSE at /sse */
  RAW_SESSION, /* Streamable HTTP, with a session of 2025-11-25 */
  RAW_MODERN,  /* Streamable HTTP, 2026-07-28 */
  RAW_ALONE,   /* Streamable HTTP, 2025-06-18 without a session */
  RAW_JSON,    /* POSTs of the mcp-core dialect, answered with JSON ... */
  RAW_EVENTS   /* ... and with events */
} raw_wire;

enum { RAW_MAX_SOCKETS = 40 };

/* One connection. With TLS what is sent waits for the handshake. */
typedef struct raw_socket {
  int fd;
  struct ssl_st *tls; /* NULL: it has none */
  char *unsent;
  size_t unsent_len;
} raw_socket;

typedef struct raw_client {
  raw_wire wire;
  const char *address; /* "tcp://HOST:PORT" or "unix:PATH" */
  int is_tls;          /* whoever the server says that it is */
  raw_socket sockets[RAW_MAX_SOCKETS];
  size_t socket_count;
  char session[64]; /* "": the server has not sent it */
  char *text;       /* what has come and was not looked at yet */
  size_t len;
  size_t cap;
} raw_client;

/* Connects where the wire has one connection for all messages. The address is
 * borrowed until raw_hang_up. */
void raw_begin(raw_client *client, raw_wire wire, const char *address,
               int is_tls);
/* The same over a descriptor, which is taken. */
void raw_begin_fd(raw_client *client, int fd);
/* Sends a message; over HTTP by a POST with a connection of its own, with these
 * values of Mcp-Method and Mcp-Name (NULL: none). When the
 * server has closed the connection, the message is lost. */
void raw_send(raw_client *client, const char *method, const char *name,
              const char *message);
/* Sends a GET or DELETE of the session. headers: lines, each with its end. */
void raw_request(raw_client *client, const char *method, const char *headers);
/* Reads what has come on all sockets, and goes on with handshakes. */
void raw_read(raw_client *client);
/* Whether a text has come; then all that has come is forgotten. */
int raw_has(raw_client *client, const char *text);
/* Closes the sockets of all requests. */
void raw_hang_up(raw_client *client);
/* Frees what it has gathered. */
void raw_deinit(raw_client *client);

#endif
