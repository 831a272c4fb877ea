/* SPDX-License-Identifier: MIT */
/* A server on a manual loop whose time and platform the test holds in its
 * hands, and any number of client ends that note every byte.
 *
 * Messages are written with marks: ' for a quote, $J for "jsonrpc":"2.0", $M
 * and an object for the modern _meta with these client capabilities, $C for
 * what a complete modern result ends with, $I for its _meta alone. Several
 * messages that come are a line each. */
#ifndef MCP_TESTS_SERVER_RIG_H
#define MCP_TESTS_SERVER_RIG_H

#include <mcp/mcp.h>

/* A text that grows. */
typedef struct rig_text {
  char *bytes;
  size_t len;
  size_t cap;
} rig_text;

void rig_text_put(rig_text *text, const char *bytes, size_t len);
void rig_text_puts(rig_text *text, const char *string);
/* Of one that something was put into. */
void rig_text_clear(rig_text *text);
/* Asserts that it is what is expected, which has marks, and clears it. */
void rig_text_expect(rig_text *text, const char *file, int line,
                     const char *expected);

typedef struct server_rig {
  mcp_platform platform; /* seals by a toy cipher; no threads */
  mcp_loop *loop;
  mcp_server *server;
  int64_t now_ms;
  int64_t wall_ms;
  uint32_t seed;                /* what its random bytes begin with */
  uint32_t dialect;             /* of wires that are connected from now on */
  int refuses_work;             /* the pool's queue is full */
  void (*work)(void *argument); /* waits for rig_work */
  void *work_argument;
  rig_text reports; /* what the server reported, a line each */
} server_rig;

/* One client's end. */
typedef struct rig_wire {
  server_rig *rig;
  mcp_transport *end;
  mcp_transport *server_end;  /* until the connection has ended */
  mcp_connection *connection; /* the server's; NULL once it has ended */
  rig_text text;              /* what came and was not looked at yet */
  int is_closed;
  int close_count; /* how often the server reported the end */
} rig_wire;

/* A server called test, version 1; options may be NULL. 0 or MCP_ERR_NOMEM,
 * and then nothing is left. */
int rig_init(server_rig *rig, const mcp_server_options *options,
             const mcp_allocator *allocator);
/* Frees the server, if it was not, and what is left. */
void rig_deinit(server_rig *rig);
/* Turns the loop until it is quiet. */
void rig_turn(server_rig *rig);
/* Lets time pass, on both clocks. */
void rig_pass(server_rig *rig, int64_t ms);
/* Runs the work that waits for the pool, as if on its thread. */
void rig_work(server_rig *rig);

/* Makes both ends, of which the server's is taken by whoever connects it. 0 or
 * MCP_ERR_NOMEM. */
int wire_begin(rig_wire *wire, server_rig *rig);
/* Connects an end, which connection options may say more of. 0 or what
 * mcp_server_connect returned. */
int wire_connect(rig_wire *wire, server_rig *rig,
                 const mcp_connection_options *options);
void wire_deinit(rig_wire *wire);
/* Sends a message with marks. 0, or what the transport returned. */
int wire_send(rig_wire *wire, const char *message);
/* Looks away from what has come. */
void wire_forget(rig_wire *wire);
/* Asserts what has come since the last time. */
void wire_expect(rig_wire *wire, const char *file, int line,
                 const char *expected);
/* Sends, turns, and asserts what came. */
#define exchange(wire, message, expected)                                      \
  do {                                                                         \
    wire_send(wire, message);                                                  \
    rig_turn((wire)->rig);                                                     \
    wire_expect(wire, __FILE__, __LINE__, expected);                           \
  } while (0)
/* Turns, and asserts what came. */
#define expect(wire, expected)                                                 \
  do {                                                                         \
    rig_turn((wire)->rig);                                                     \
    wire_expect(wire, __FILE__, __LINE__, expected);                           \
  } while (0)
/* Opens a legacy session with these client capabilities. */
void wire_initialize(rig_wire *wire, const char *revision,
                     const char *capabilities);
/* Replaces the marks. Owned: free it. */
char *rig_expand(const char *marked);

#endif
