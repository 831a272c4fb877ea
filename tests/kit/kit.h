/* SPDX-License-Identifier: MIT */
/* The transport test kit: one script of scenarios, run over any transport.
 *
 * It needs libmcp's public headers and nothing else, so that you can use it for
 * a transport of your own: write a file like kit_custom.c, which fills in a
 * kit_transport, and name it in kit_main.c. docs/TRANSPORTS.md has the contract
 * that the kit tests. */
#ifndef MCP_TESTS_KIT_H
#define MCP_TESTS_KIT_H

#include <mcp/mcp.h>

/* The limits that make_pair sets, where the transport has them. */
typedef struct kit_limits {
  size_t max_message; /* bytes of one message; 0: the default */
  size_t max_queue;   /* bytes in the send queue; 0: the default */
} kit_limits;

/* The transport has no limit of its own on the size of a message. */
#define KIT_NO_MESSAGE_LIMIT 1u
/* The limit of its send queue cannot be set. */
#define KIT_NO_QUEUE_LIMIT 2u
/* Only the transport learns of the end of its input: it does not call
 * on_end. */
#define KIT_NO_HALF_CLOSE 4u
/* It cannot tell the server that the client has cancelled a call: the call runs
 * on. */
#define KIT_NO_CANCELLING 8u
/* It cannot tell the server that a client has left: its calls run on. */
#define KIT_NO_FAREWELL 16u

typedef struct kit_transport {
  const char *name;
  /** KIT_*, or 0. */
  uint32_t flags;
  /** MCP_POLICY_* of the clients; 0: MCP_POLICY_AUTO. */
  uint32_t policy;
  /* Makes two linked ends that have not started. Returns 0 or MCP_ERR_*. NULL:
   * the transport has `serve` instead. */
  int (*make_pair)(mcp_loop *loop, const kit_limits *limits, mcp_transport **a,
                   mcp_transport **b);
  /* For a transport that sends messages as lines of bytes: makes one end, and a
   * non-blocking descriptor that writes to it and reads from it. Else NULL. */
  int (*make_raw)(mcp_loop *loop, const kit_limits *limits, mcp_transport **end,
                  int *fd);
  /* For a transport without two ends to look at, because each message is
   * answered in its own exchange (HTTP) or only calls can be sent (mcp-core):
   * serves `server`, and makes the client's end, which has not started. The kit
   * then runs only scenarios of calls. Returns 0 or MCP_ERR_*. Else NULL. */
  int (*serve)(mcp_loop *loop, mcp_server *server, mcp_transport **client);
  /* Ends the work of `serve`, before the server is freed. */
  void (*stop)(void);
  /* Whether the two ends are linked by now, after both have started. The kit
   * calls it until it returns 1. NULL: they are linked at once. */
  int (*is_linked)(void);
  /* Make and free a loop. Both NULL: mcp_loop_new(NULL, NULL) and
   * mcp_loop_free. */
  mcp_loop *(*make_loop)(void);
  void (*free_loop)(mcp_loop *loop);
  /* Waits for events and handles them, for at most the given time. NULL:
   * mcp_loop_wait. */
  void (*turn)(mcp_loop *loop, int timeout_ms);
} kit_transport;

/** Runs every scenario that the transport can do, and prints a line for each.
 * @param only run those whose name contains it; NULL: all
 * @return how many failed */
int kit_run(const kit_transport *transport, const char *only);

#endif
