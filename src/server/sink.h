/* SPDX-License-Identifier: MIT */
/* How a call is answered. One kind of sink is an ordered stream (connection.c),
 * others answer an HTTP request (endpoint/stream.c, endpoint/mcp_core). */
#ifndef MCPI_SERVER_SINK_H
#define MCPI_SERVER_SINK_H

#include "core/pending.h"
#include <mcp/call.h>

typedef struct mcpi_sink mcpi_sink;

enum {
  MCPI_SEND_RESULT,
  MCPI_SEND_ERROR,
  MCPI_SEND_PROGRESS,
  MCPI_SEND_LOG,
  MCPI_SEND_NOTIFICATION,
  MCPI_SEND_FRAGMENT /* not a message: {"content":[...]}, part of the result */
};

typedef struct mcpi_sink_ops {
  /* Sends a message that belongs to the call. rpc_code is the error's, else 0.
   * A result or error ends the call's use of the sink. Progress and logs may be
   * dropped when too much waits. The call is NULL if there was no memory for
   * one: then the message is the error. Returns 0; MCP_ERR_GONE; for a fragment
   * MCP_ERR_UNSUPPORTED: the transport has none. */
  int (*send)(mcpi_sink *sink, mcp_call *call, int what, int rpc_code,
              const char *message, size_t len);
  /* Sends a request of ours to the call's client (legacy). Returns 0;
   * MCP_ERR_GONE; MCP_ERR_UNSUPPORTED if there is no way to the client. */
  int (*ask)(mcpi_sink *sink, mcp_call *call, mcpi_pending *pending,
             mcpi_str method, mcpi_str params);
  /* The call will not be answered: it was cancelled. May be NULL, and so may
   * the call, as for `send`. */
  void (*ended)(mcpi_sink *sink, mcp_call *call);
  /* Ends the connection on which the answer would come, but not the call: the
   * client comes back for the answer. NULL: not possible. Returns 0 or
   * MCP_ERR_UNSUPPORTED. */
  int (*close_stream)(mcpi_sink *sink, uint32_t retry_ms);
} mcpi_sink_ops;

struct mcpi_sink {
  const mcpi_sink_ops *ops;
};

#endif
