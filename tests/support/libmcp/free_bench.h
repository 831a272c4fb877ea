/* SPDX-License-Identifier: MIT */
/* A server on one loop, whose objects are freed inside one callback, over one
 * wire.
 *
 * Every combination of wire, moment, deed and number of clients is one run of
 * the same conversation, which reaches all callbacks. A test program names its
 * wires. Its first argument selects runs by a pattern with stars:
 *
 *     unit.libmcp.free_inside '*tcp*on_cancel*'
 *
 *     free_bench.c    what is done when, and which combinations there are
 *     free_server.c   the server, its callbacks, and who listens
 *     free_store.c    its event stores
 *     free_foreign.c  an HTTP server that is not libmcp's listener
 *     free_talk.c     what clients say, and how their calls end */
#ifndef MCP_TESTS_FREE_BENCH_H
#define MCP_TESTS_FREE_BENCH_H

#include "support/cm.h"
#include "support/libmcp/raw_client.h"

#include <mcp/http.h>
#include <mcp/mcp.h>
#include <mcp/socket.h>
#include <pthread.h>
#include <stdatomic.h>

#define FREE_LIMIT_NS UINT64_C(20000000000)

enum { FREE_MAX_CLIENTS = 2, FREE_MAX_KEPT = 16 };

/* ---- the dimensions ------------------------------------------------------ */

typedef enum free_wire {
  FREE_TCP,
  FREE_UNIX,
  FREE_STREAM, /* mcp_transport_fd, traced, by mcp_server_connect */
  FREE_WS,
  FREE_SSE,
  FREE_SESSION,
  FREE_MODERN,
  FREE_ALONE,
  FREE_CUSTOM, /* a transport of the program's, by mcp_server_connect */
  FREE_FOREIGN_WS,
  FREE_FOREIGN_SSE,
  FREE_FOREIGN_SESSION,
  FREE_FOREIGN_MODERN,
  FREE_FOREIGN_ALONE,
  FREE_PLAIN,
  FREE_CORE_TCP,
  FREE_CORE_WS,
  FREE_CORE_POST,
  FREE_CORE_EVENTS,
  FREE_TLS_WS,
  FREE_TLS_SSE,
  FREE_TLS_SESSION,
  FREE_TLS_MODERN,
  FREE_WIRES
} free_wire;

/* The function that takes the connections. */
typedef enum free_carrier {
  FREE_BY_SOCKETS, /* mcp_server_listen_socket */
  FREE_BY_CONNECT, /* mcp_server_connect */
  FREE_BY_HTTP,    /* mcp_server_listen_http */
  FREE_BY_FOREIGN  /* mcp_http_new */
} free_carrier;

typedef struct free_wire_row {
  const char *name;
  free_carrier carrier;
  raw_wire raw;
  uint32_t legacy;  /* of mcp_http_options */
  uint32_t dialect; /* likewise, or of mcp_socket_listen_options */
  int is_tls;
} free_wire_row;

extern const free_wire_row free_wires[FREE_WIRES];

/* Callbacks, and what the program itself does in a turn of the loop. */
typedef enum free_place {
  IN_HANDLER,
  AFTER_REPLY,
  AFTER_PROGRESS,
  AFTER_FLUSH,
  IN_SECOND_RUN, /* of a handler that asks */
  IN_PROMPT,
  IN_COMPLETION,
  IN_RESOURCE,
  IN_METHOD,
  IN_NOTIFICATION,
  IN_REQUEST_HOOK,
  IN_REPLY_HOOK,
  IN_REPORT,
  IN_OPENED,
  IN_ROOTS,
  IN_AUTHORIZE,
  IN_TRACE_RECEIVED,
  IN_TRACE_SENT,
  IN_APPEND,
  IN_REPLAY,
  IN_FORGET,
  IN_LOST_REPORT, /* of an event that a late store could not keep */
  IN_CANCEL,
  IN_LAST_CANCEL,
  IN_CLOSED,
  IN_CONNECTION_CLOSED,
  IN_DRAINED,
  /* Functions of a transport, as in custom_function. */
  IN_START,
  IN_SEND,
  IN_CLOSE,
  IN_RELEASE,
  IN_QUEUED,
  IN_SESSION_ID,
  IN_SET_VERSION,
  /* Functions of a responder. */
  IN_RESPOND,
  IN_BEGIN,
  IN_WRITE,
  IN_END,
  IN_UNSENT, /* `queued` */
  IN_ABORT,
  IN_UPGRADE,
  IN_CLOSE_ANSWER,
  /* The program's own posts. */
  BEFORE_LATE_REPLY,
  AFTER_LATE_REPLY,
  WHILE_POOL_RUNS,
  WHILE_POOL_WAITS,
  WHILE_THREAD_RUNS,
  WHILE_THREAD_WAITS,
  BEFORE_APPENDED,
  AFTER_APPENDED,
  BEFORE_EACH,
  AFTER_EACH,
  AFTER_REPLAYED,
  FREE_PLACES
} free_place;

/* What ends the calls that are never answered. */
typedef enum free_ending {
  BY_CANCEL,
  BY_HANGING_UP,
  BY_DELETE,
  BY_AGE,
  BY_DRAINING_LISTENER,
  BY_DRAINING_SERVER,
  BY_FREEING_LISTENER,
  BY_FREEING_SERVER
} free_ending;

typedef struct free_moment {
  const char *name;
  free_place place;
  free_ending ending;
  int is_late; /* not before calls are in flight */
} free_moment;

/* What is freed there. */
typedef enum free_deed {
  FREES_SERVER,
  FREES_LISTENER, /* or the endpoint, if there is no listener */
  FREES_BOTH,
  FREES_BOTH_BACKWARDS,
  DRAINS_AND_FREES,
  FREES_AGAIN, /* each time that the callback comes */
  FREES_LOOP,
  FREE_DEEDS
} free_deed;

/* ---- a run --------------------------------------------------------------- */

typedef struct free_objects {
  mcp_server *server;           /* NULL: freed */
  mcp_http_listener *http;      /* NULL: freed, or another wire */
  mcp_socket_listener *sockets; /* likewise */
  mcp_http *endpoint;           /* likewise */
} free_objects;

typedef struct free_foreign free_foreign; /* free_foreign.c */

/* Handlers on other threads than the loop's. */
typedef struct free_workers {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int started;
  int is_released;
  pthread_t threads[FREE_MAX_CLIENTS];
  int thread_count;
} free_workers;

typedef struct free_bench {
  free_wire wire;
  const free_moment *moment;
  free_deed deed;
  int client_count;
  mcp_loop *loop;
  free_objects now;
  free_objects first; /* the same, never forgotten */
  raw_client clients[FREE_MAX_CLIENTS];
  free_foreign *foreign; /* NULL: another wire */
  free_workers workers;
  mcp_call *kept[FREE_MAX_KEPT];
  size_t kept_count;
  size_t cancelled_count;
  size_t store_waiting; /* operations of a late store */
  int is_late;          /* 1: calls are in flight; 2: the end has begun */
  int is_done;
} free_bench;

/* ---- free_bench.c -------------------------------------------------------- */

/* Runs all combinations of these wires. The return value is main's. */
int free_bench_run(const char *name, const free_wire *wires, size_t wire_count,
                   int argc, char **argv);

const free_wire_row *free_row(const free_bench *b);
/* The run's deed, if this is its moment. */
void free_at(free_bench *b, free_place where);
/* The pointers are forgotten afterwards, as most programs do, so that a free
 * inside a free is one of the same object. */
void free_server(free_bench *b);
void free_listener(free_bench *b);
/* The path of a file in the folder of the runs: the certificate and key of
 * "server" are there. One of the last eight. */
const char *free_file(const char *name);

/* ---- free_server.c ------------------------------------------------------- */

void free_make_server(free_bench *b);
void free_listen_and_connect(free_bench *b);
/* Lets handlers on other threads go on. */
void free_release_workers(free_bench *b);
void free_workers_init(free_bench *b);
/* How many handlers wait there. */
int free_workers_started(free_bench *b);
/* Waits for the program's own threads. */
void free_workers_end(free_bench *b);

/* ---- free_store.c -------------------------------------------------------- */

/* The store that the run's moment needs; NULL: the default. Valid until the
 * next call. */
const mcp_event_store *free_store(free_bench *b);

/* ---- free_foreign.c ------------------------------------------------------ */

void free_foreign_listen(free_bench *b, const char *address,
                         const mcp_http_options *options);
/* When the loop has turned since the endpoint was freed. NULL is accepted. */
void free_foreign_end(free_bench *b);

/* ---- free_talk.c --------------------------------------------------------- */

void free_settle(free_bench *b);
void free_converse(free_bench *b);
void free_replay(free_bench *b);
void free_end_calls(free_bench *b);
void free_hang_up(free_bench *b);
void free_come_late(free_bench *b);
/* Does not count time: the run's clock goes a day further. */
void free_skip_day(free_bench *b);

#endif
