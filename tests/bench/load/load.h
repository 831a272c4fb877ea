/* SPDX-License-Identifier: MIT */
/* Shared by the parts of bench-load: a server that it starts and observes, and
 * a connection to the server that sends one request again and again. Any
 * failure ends the program. */
#ifndef MCP_BENCH_LOAD_H
#define MCP_BENCH_LOAD_H

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

_Noreturn void die(const char *what); /* with the text of errno */
uint64_t now_ns(void);

/* --- the server: server.c ------------------------------------------------ */

typedef struct server {
  pid_t pid;
  union {
    struct sockaddr any;
    struct sockaddr_in in;
    struct sockaddr_un un;
  } address;
} server;

/* On a machine with one core, all share it. */
void stay_on_cores(int first, int count);

/* Runs a command on the first `cores`, with BENCH_BODY_LEN in its environment.
 * Returns when the command has printed its address. */
void server_start(server *s, const char *command, int cores, size_t body_len);
void server_stop(const server *s);

/* "HOST:PORT", "unix:PATH" or a URL with the first; written to. */
void server_read_address(server *s, char *line);
int server_connect(const server *s);

/* Of all its threads, by the scheduler's own account. */
uint64_t server_cpu_ns(const server *s);
long server_rss_kb(const server *s);

/* --- requests and answers: wire.c ---------------------------------------- */

/* What a request asks for. `headers` are the modern era's. */
typedef struct call {
  const char *name;
  const char *method;
  const char *params;
  const char *headers;
} call;

typedef enum framing { POST, SSE, WEBSOCKET, LINES } framing;

/* MODERN has the members of 2026-07-28, SESSION is in one of the legacy era,
 * ALONE is the same without one, and mcp-core's envelope; FRAME and BARE are
 * mcp-core's others. */
typedef enum form { MODERN, SESSION, ALONE, FRAME, BARE } form;

typedef struct manner {
  const char *name;
  framing framing;
  form form;
  const char *accept; /* of HTTP; NULL: both types */
} manner;

/* Returns NULL when there is none with that name. */
const call *call_find(const char *name);
const manner *manner_find(const char *name);

/* Returns the name of each manner in turn; NULL after the last. */
const char *manner_name(size_t i);

/* What all connections to a server send. */
typedef struct talk {
  const manner *manner;
  const call *call;
  const char *token; /* of Authorization, in POSTs; NULL: none is sent */
  char headers[256];
  char body[512];
  size_t answer_len; /* of the last answer, or the event that held it */
} talk;

/* Fills in the rest, and begins a session if the manner has one. */
void talk_prepare(talk *t, const server *s);

typedef struct conn {
  talk *talk;
  int fd;      /* where answers come */
  int post_fd; /* where requests go: the same, but of HTTP+SSE */
  uint64_t sent_ns;
  size_t len;   /* of the answer, so far */
  size_t whole; /* its length; 0: not known yet */
  size_t accepted_len;
  size_t request_len;
  char request[1024];
  char answer[4096];
  char accepted[256]; /* bytes that came on post_fd, if that is another */
} conn;

void conn_open(conn *c, talk *t, const server *s);
void conn_close(const conn *c);

/* Connects, in a session of its own, on which it listens as well. */
void conn_open_listening(conn *c, talk *t, const server *s);

/* Begin a round trip; tell whether it is over; wait until it is. */
void conn_send(conn *c);
int conn_read(conn *c);
void conn_await(conn *c);

#endif
