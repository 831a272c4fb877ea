/* SPDX-License-Identifier: MIT */
/* A message that a transport will send, and what is known about it. The sender
 * usually provides that (mcp_send_info). If it does not, because it is a
 * program that calls `send` itself, the message is parsed. */
#ifndef MCPI_CORE_OUTGOING_H
#define MCPI_CORE_OUTGOING_H

#include "base/buf.h"
#include <mcp/transport.h>

typedef struct mcpi_outgoing {
  const char *text; /* borrowed, like everything that info points to */
  size_t len;
  mcp_send_info info; /* all members are valid */
  const mcp_allocator *allocator;
  mcp_doc *doc; /* NULL: not parsed */
  mcpi_buf id;  /* the buffer of info.id, if the message was parsed */
} mcpi_outgoing;

/* Begins to read a message; `info` may be NULL or shorter than ours. Returns 0,
 * or an error of mcpi_doc_parse, such as MCP_ERR_PARSE. Call _deinit in each
 * case. */
MCP_API int mcpi_outgoing_init(mcpi_outgoing *outgoing,
                               const mcp_allocator *allocator,
                               const char *message, size_t len,
                               const mcp_send_info *info);
MCP_API void mcpi_outgoing_deinit(mcpi_outgoing *outgoing);

/* Whether the far side may get the message twice without harm: the program says
 * so, or the method only reads. */
MCP_API int mcpi_outgoing_may_repeat(const mcpi_outgoing *outgoing);

/* Finds the params, for which it parses the message. *params is borrowed until
 * deinit, and NULL if there are none. Returns as mcpi_outgoing_init. */
MCP_API int mcpi_outgoing_params(mcpi_outgoing *outgoing,
                                 const mcp_json **params);

#endif
