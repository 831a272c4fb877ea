/* SPDX-License-Identifier: MIT */
/* The one way into the server: a message is classified once, and then
 * dispatched for its caller. */
#ifndef MCPI_SERVER_DISPATCH_H
#define MCPI_SERVER_DISPATCH_H

#include "core/context.h"
#include "core/method.h"
#include "server/caller.h"

typedef struct mcpi_incoming {
  mcpi_message *message; /* borrowed */
  const mcpi_envelope *envelope;
  /* The method with that name, in any revision, or NULL. */
  const mcpi_method *method;
  int class; /* MCPI_CLASS_* */
  mcpi_context context;
  mcpi_refusal refusal;
} mcpi_incoming;

/* Finds out what a request or notification is (MCP 2026-07-28, Versioning:
 * Backward Compatibility). `eras` (MCP_ERA_*): what the server serves. */
void mcpi_incoming_classify(mcpi_incoming *in, uint32_t eras,
                            mcpi_message *message,
                            const mcpi_envelope *envelope);
/* Handles a request or notification. The sink sends the answer to a request,
 * and must live until then. */
void mcpi_dispatch(mcpi_caller *caller, mcpi_sink *sink, mcpi_incoming *in);
/* Returns what a request without a session lacks, if only the modern era has
 * its method, so that initialize would not help the client. NULL: the legacy
 * era has the method. */
const char *mcpi_dispatch_lacks(const mcp_server *server, mcpi_str method,
                                const mcp_json *params);

#endif
