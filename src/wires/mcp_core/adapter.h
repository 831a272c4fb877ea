/* SPDX-License-Identifier: MIT */
/* A transport that wraps another one and translates: its owner sends and
 * receives MCP, the inner transport the mcp-core dialect, a JSON protocol for
 * calling tools that is not MCP (docs/TRANSPORTS.md). This file has what both
 * roles share. */
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
  /* A message from the peer. May free the adapter. */
  void (*on_message)(mcpi_adapter *adapter, const char *message, size_t len);
  /* A message was lost: too long, unreadable, or without memory. If answers are
   * known by their order, it still takes a place in the order. May free the
   * adapter. */
  void (*on_lost)(mcpi_adapter *adapter, const mcp_error *err);
  /* A message of the owner. As mcp_transport's `send`. */
  int (*send)(mcpi_adapter *adapter, const char *message, size_t len,
              const mcp_send_info *info);
  /* The peer was replaced. */
  void (*on_restart)(mcpi_adapter *adapter);
  /* The transport has lost only one request, given by mcp_send_info.request.
   * NULL: the role sends no requests. */
  void (*on_request_failed)(mcpi_adapter *adapter, uint64_t request);
  /* The owner closes the adapter. */
  void (*on_close)(mcpi_adapter *adapter);
  /* Returns the bytes that the adapter itself holds back. */
  size_t (*held)(const mcpi_adapter *adapter);
  void (*free)(mcpi_adapter *adapter);
} mcpi_adapter_ops;

struct mcpi_adapter {
  mcp_transport transport;
  const mcpi_adapter_ops *ops;
  mcp_transport *inner;
  mcp_loop *loop;
  mcpi_guard *guard;
  /* The revision of the owner's requests; NULL: the owner has only the legacy
   * era. */
  const mcpi_revision *modern;
  /* Requests that wait for an answer, under our numbers 1, 2, 3 and so on. */
  uint64_t last_number;
  mcpi_map by_number;
};

/* `inner` is taken when the function returns. */
void mcpi_adapter_init(mcpi_adapter *adapter, const mcpi_adapter_ops *ops,
                       mcp_loop *loop, mcp_transport *inner);

/* Afterwards only the role's members are left. */
void mcpi_adapter_deinit(mcpi_adapter *adapter);

/* Parses a message; the transport or the owner has checked the limits. */
int mcpi_adapter_parse(mcpi_adapter *adapter, mcpi_message **out,
                       const char *text, size_t len, mcp_error *err);

/* Gives a request the next number and stores it there. Returns 0 or
 * MCP_ERR_NOMEM. */
int mcpi_adapter_add(mcpi_adapter *adapter, uint64_t *number, void *request);
void mcpi_adapter_remove(mcpi_adapter *adapter, const uint64_t *number);
/* Returns the request with that number, or NULL. */
void *mcpi_adapter_find_number(const mcpi_adapter *adapter, uint64_t number);
/* Returns the request whose number the peer's id names, or NULL. */
void *mcpi_adapter_find(const mcpi_adapter *adapter, const mcp_json *id);
/* The size of a number as JSON text. */
enum { MCPI_ADAPTER_NUMBER_SIZE = 21 };
mcpi_str mcpi_adapter_number_put(char text[MCPI_ADAPTER_NUMBER_SIZE],
                                 uint64_t number);

/* Passes a message to the owner. Returns 0 if that has freed the adapter. */
int mcpi_adapter_deliver(mcpi_adapter *adapter, const mcpi_buf *message);
/* Reports something that ended nothing. Returns 0 if that has freed the
 * adapter. */
int mcpi_adapter_report(mcpi_adapter *adapter, int code, const char *what);

/* Counts the answers that a server's side holds back, for the client of that
 * share. */
void mcpi_adapter_server_count(mcpi_adapter *adapter, const mcpi_share *like);

/* The two roles. NULL when out of memory: then `inner` still belongs to the
 * caller. */
mcpi_adapter *mcpi_adapter_server_new(mcp_loop *loop, mcp_transport *inner);
/* form: MCPI_TOOL_*, of the requests that the client sends. */
mcpi_adapter *mcpi_adapter_client_new(mcp_loop *loop, mcp_transport *inner,
                                      int form);

#endif
