/* SPDX-License-Identifier: MIT */
/* What is known about one request besides its method and parameters: in the
 * modern era from its `_meta`, in the legacy era from its session. */
#ifndef MCPI_CORE_CONTEXT_H
#define MCPI_CORE_CONTEXT_H

#include "codec/message.h"
#include "core/revision.h"

/* Keys of _meta (MCP 2026-07-28, Base Protocol). */
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
  int log_level; /* MCP_LOG_*: the lowest level to send; 0: send none */
  mcpi_id progress_token;
} mcpi_context;

/* The class of a message (MCP 2026-07-28, Versioning: Backward
 * Compatibility). */
enum {
  /* No modern envelope. Only the progress token of *context is set: the session
   * has the rest. */
  MCPI_CLASS_LEGACY,
  MCPI_CLASS_MODERN, /* *context is filled */
  MCPI_CLASS_REFUSED /* *refusal has the error to answer */
};

typedef struct mcpi_refusal {
  int code; /* MCP_RPC_* */
  mcp_error err;
  /* With MCP_RPC_UNSUPPORTED_VERSION: the version that the message names;
   * empty: none. Borrowed from the message. */
  mcpi_str requested;
} mcpi_refusal;

/* Reads the envelope of a request or notification. `eras` (MCP_ERA_*): what the
 * server serves. A malformed modern envelope is refused, and never treated as a
 * legacy message. A version or an era that is not served is refused with
 * MCP_RPC_UNSUPPORTED_VERSION. initialize without a valid modern envelope is
 * legacy. A refused notification is dropped without an answer. */
int mcpi_classify(const mcpi_envelope *envelope, uint32_t eras,
                  mcpi_context *context, mcpi_refusal *refusal);

/* Fills in that a version is not served, or, if it is empty, that the message
 * names none. Returns MCPI_CLASS_REFUSED. */
int mcpi_refuse_version(mcpi_refusal *refusal, mcpi_str requested);

/* Writes {"supported":[...],"requested":...}, the data of
 * MCP_RPC_UNSUPPORTED_VERSION. */
void mcpi_put_version_data(mcpi_buf *buf, uint32_t eras, mcpi_str requested);

/* Whether a tree of capabilities has a dotted path: any value except null and
 * false counts. An elicitation object that names no mode also has
 * "elicitation.form". One name follows "extensions." and "experimental."; its
 * dots are part of it. */
int mcpi_capability_has(const mcp_json *capabilities, const char *path);

#endif
