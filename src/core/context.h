/* SPDX-License-Identifier: MIT */
/* What is known about one request beside its method and parameters: from its
 * own `_meta` in the modern era, from its session in the legacy one. */
#ifndef MCPI_CORE_CONTEXT_H
#define MCPI_CORE_CONTEXT_H

#include "codec/message.h"
#include "core/revision.h"

/* Keys of _meta (PROTOCOL 1.4). */
#define MCPI_META_VERSION "io.modelcontextprotocol/protocolVersion"
#define MCPI_META_CLIENT_CAPABILITIES                                          \
  "io.modelcontextprotocol/clientCapabilities"
#define MCPI_META_CLIENT_INFO "io.modelcontextprotocol/clientInfo"
#define MCPI_META_LOG_LEVEL "io.modelcontextprotocol/logLevel"
#define MCPI_META_SERVER_INFO "io.modelcontextprotocol/serverInfo"
#define MCPI_META_SUBSCRIPTION_ID "io.modelcontextprotocol/subscriptionId"

typedef struct mcpi_context {
  const mcpi_revision *revision;
  const mcp_json *client_info;         /* an object, or NULL */
  const mcp_json *client_capabilities; /* an object, or NULL */
  int log_level; /* MCP_LOG_*: the least to send; 0: send none */
  mcpi_id progress_token;
} mcpi_context;

/* How a message presents itself (PROTOCOL 2.8). */
enum {
  /* No modern envelope. Of *context only the progress token is filled: the
   * rest is the session's. */
  MCPI_CLASS_LEGACY,
  MCPI_CLASS_MODERN, /* *context is filled */
  MCPI_CLASS_REFUSED /* *refusal tells the error to answer */
};

typedef struct mcpi_refusal {
  int code; /* MCP_RPC_* */
  mcp_error err;
  /* With MCP_RPC_UNSUPPORTED_VERSION: what was asked for; empty when nothing
   * was. Borrowed from the message. */
  mcpi_str requested;
} mcpi_refusal;

/* Looks at a request's or notification's envelope. `eras` (MCP_ERA_*) is what
 * the server serves. A malformed modern envelope is refused, never taken for a
 * legacy message; a version not served, or an era, is refused with
 * MCP_RPC_UNSUPPORTED_VERSION; initialize without a valid modern envelope is
 * legacy. A refused notification is dropped: nothing answers it. */
int mcpi_classify(const mcpi_envelope *envelope, uint32_t eras,
                  mcpi_context *context, mcpi_refusal *refusal);

/* Says that a version is not served, or, when it is empty, that none was named.
 * Returns MCPI_CLASS_REFUSED. */
int mcpi_refuse_version(mcpi_refusal *refusal, mcpi_str requested);

/* Writes {"supported":[...],"requested":...}, the data of
 * MCP_RPC_UNSUPPORTED_VERSION. */
void mcpi_put_version_data(mcpi_buf *buf, uint32_t eras, mcpi_str requested);

/* Whether a tree of capabilities has a dotted path: any value there but null
 * and false counts. "elicitation.form" is also had by an elicitation object
 * that names neither mode. Behind "extensions." and "experimental." comes one
 * name, dots and all. */
int mcpi_capability_has(const mcp_json *capabilities, const char *path);

#endif
