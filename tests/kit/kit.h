/* SPDX-License-Identifier: MIT */
/* The transport test kit: one script of scenarios, run over any transport.
 *
 * It needs libmcp's public headers and nothing else, so that it can be taken
 * along: write a file like kit_custom.c, which fills in a kit_transport, and
 * name it in kit_main.c. docs/TRANSPORTS.md has the contract that is tested. */
#ifndef MCP_TESTS_KIT_H
#define MCP_TESTS_KIT_H

#include <mcp/mcp.h>

/** What make_pair shall set, where the transport has such limits. */
typedef struct kit_limits {
  size_t max_message; /* bytes of one message; 0: the default */
  size_t max_queue;   /* bytes that may wait; 0: the default */
} kit_limits;

/** A transport has no limit of a message's size of its own. */
#define KIT_NO_MESSAGE_LIMIT 1u
/** It cannot be told how much may wait. */
#define KIT_NO_QUEUE_LIMIT 2u
/** The end of its input is its own: it does not call on_end. */
#define KIT_NO_HALF_CLOSE 4u
/** It has no way to say that a call is given up, which goes on at the
 * server's. */
#define KIT_NO_CANCELLING 8u
/** Nor has it one that a client has gone, whose calls go on. */
#define KIT_NO_FAREWELL 16u

typedef struct kit_transport {
  const char *name;
  /** KIT_*, or 0. */
  uint32_t flags;
  /** MCP_POLICY_* of the clients; 0: MCP_POLICY_AUTO. */
  uint32_t policy;
  /** Makes two linked ends that have not started. 0 or MCP_ERR_*. NULL: there
   * is `serve`. */
  int (*make_pair)(mcp_loop *loop, const kit_limits *limits, mcp_transport **a,
                   mcp_transport **b);
  /** Where messages travel as lines of bytes: makes one end, and a descriptor
   * that writes to it and reads from it, non-blocking. Else NULL. */
  int (*make_raw)(mcp_loop *loop, const kit_limits *limits, mcp_transport **end,
                  int *fd);
  /** Where there are no two ends to look at, since each message is answered in
   * its own exchange (HTTP), or where nothing but calls can be sent (a
   * dialect): serves `server`, and makes the client's end, which has not
   * started. Only scenarios of calls are run then. 0 or MCP_ERR_*. Else
   * NULL. */
  int (*serve)(mcp_loop *loop, mcp_server *server, mcp_transport **client);
  /** Ends what `serve` began, before the server is freed. */
  void (*stop)(void);
  /** Whether ends that have started are linked by now; asked until they are.
   * NULL: they are at once. */
  int (*is_linked)(void);
  /** A loop, and its end; both NULL: mcp_loop_new(NULL) and mcp_loop_free. */
  mcp_loop *(*make_loop)(void);
  void (*free_loop)(mcp_loop *loop);
  /** Waits for events and handles them, for at most that long; NULL:
   * mcp_loop_wait. */
  void (*turn)(mcp_loop *loop, int timeout_ms);
} kit_transport;

/** Runs every scenario that the transport can do, and prints a line for each.
 * @param only run those whose name contains it; NULL: all
 * @return how many failed */
int kit_run(const kit_transport *transport, const char *only);

#endif
