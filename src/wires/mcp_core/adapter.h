/* SPDX-License-Identifier: MIT */
/* A transport around another that translates: to its owner MCP, to the other
 * the mcp-core dialect. What is common to both roles. */
#ifndef MCPI_WIRES_MCP_CORE_ADAPTER_H
#define MCPI_WIRES_MCP_CORE_ADAPTER_H

#include "base/map.h"
#include "codec/message.h"
#include "core/guard.h"
#include "core/loop.h"
#include "core/quota.h"
#include "core/revision.h"
#include <mcp/transport.h>

typedef struct mcpi_adapter mcpi_adapter;

typedef struct mcpi_adapter_ops {
  /* A message from the far side. May free the adapter. */
  void (*on_message)(mcpi_adapter *adapter, const char *message, size_t len);
  /* One that was lost: too long, unreadable, or without memory. On a wire whose
   * answers are known by their order it has taken a place all the same.
   * Likewise. */
  void (*on_lost)(mcpi_adapter *adapter, const mcp_error *err);
  /* A message of the owner's. As mcp_transport's. */
  int (*send)(mcpi_adapter *adapter, const char *message, size_t len,
              const mcp_send_info *info);
  /* The far side was replaced. */
  void (*on_restart)(mcpi_adapter *adapter);
  /* The wire has lost a request, by mcp_send_info.request, and nothing else.
   * NULL: it has sent none. */
  void (*on_request_failed)(mcpi_adapter *adapter, uint64_t request);
  /* The owner closes the adapter. */
  void (*on_close)(mcpi_adapter *adapter);
  /* Bytes that the adapter itself keeps back. */
  size_t (*held)(const mcpi_adapter *adapter);
  void (*free)(mcpi_adapter *adapter);
} mcpi_adapter_ops;

struct mcpi_adapter {
  mcp_transport transport;
  const mcpi_adapter_ops *ops;
  mcp_transport *inner;
  mcp_loop *loop;
  mcpi_guard *guard;
  /* Of the owner's requests; NULL: the owner has the legacy era alone. */
  const mcpi_revision *modern;
  /* Requests that wait for an answer, under numbers of ours, 1, 2, 3 and so
   * on. */
  uint64_t last_number;
  mcpi_map by_number;
};

/* inner: taken once it is released. */
void mcpi_adapter_init(mcpi_adapter *adapter, const mcpi_adapter_ops *ops,
                       mcp_loop *loop, mcp_transport *inner);

/* After which nothing is left of it but what the role has. */
void mcpi_adapter_deinit(mcpi_adapter *adapter);

/* Reads a message, of which the wire or the owner has kept the limits. */
int mcpi_adapter_parse(mcpi_adapter *adapter, mcpi_message **out,
                       const char *text, size_t len, mcp_error *err);

/* Gives a request the next number, which lies in it: 0 or MCP_ERR_NOMEM. */
int mcpi_adapter_add(mcpi_adapter *adapter, uint64_t *number, void *request);
void mcpi_adapter_remove(mcpi_adapter *adapter, const uint64_t *number);
/* The request with that number, or NULL. */
void *mcpi_adapter_find_number(const mcpi_adapter *adapter, uint64_t number);
/* The one that the far side of the request names by that id. */
void *mcpi_adapter_find(const mcpi_adapter *adapter, const mcp_json *id);
/* The number as JSON. */
enum { MCPI_ADAPTER_NUMBER_SIZE = 21 };
mcpi_str mcpi_adapter_number_put(char text[MCPI_ADAPTER_NUMBER_SIZE],
                                 uint64_t number);

/* Hands a message to the owner. Returns 0 when the adapter was freed there. */
int mcpi_adapter_deliver(mcpi_adapter *adapter, const mcpi_buf *message);
/* Tells it of something that ended nothing. The same. */
int mcpi_adapter_report(mcpi_adapter *adapter, int code, const char *what);

/* Counts the answers that a server's side keeps back, for the client of that
 * share. */
void mcpi_adapter_server_count(mcpi_adapter *adapter, const mcpi_share *like);

/* The two roles. NULL when out of memory: then inner is still the caller's. */
mcpi_adapter *mcpi_adapter_server_new(mcp_loop *loop, mcp_transport *inner);
/* form: MCPI_TOOL_*, of the requests that are sent. */
mcpi_adapter *mcpi_adapter_client_new(mcp_loop *loop, mcp_transport *inner,
                                      int form);

#endif
