/* SPDX-License-Identifier: MIT */
/* Messages without their secrets, for display and logs. Nothing may be logged
 * in any other way. */
#ifndef MCPI_CORE_REDACT_H
#define MCPI_CORE_REDACT_H

#include "codec/message.h"
#include "core/loop.h"

typedef struct mcpi_redactor {
  mcp_loop *loop;
  mcpi_buf text;
  mcpi_buf plain; /* one of its strings, before it is escaped */
} mcpi_redactor;

void mcpi_redactor_init(mcpi_redactor *redactor, mcp_loop *loop);
void mcpi_redactor_deinit(mcpi_redactor *redactor);

/* Returns a message as mcp_trace_cb shows it; borrowed until the next call or
 * mcpi_redactor_trim. ptr NULL: there is no memory at all. */
mcpi_str mcpi_redact(mcpi_redactor *redactor, const char *bytes, size_t len);
/* The same for a parsed message. */
mcpi_str mcpi_redact_parsed(mcpi_redactor *redactor,
                            const mcpi_message *message);
/* Gives back what a long message took. */
void mcpi_redactor_trim(mcpi_redactor *redactor);

/* Appends a text that is not a message, such as a line of a header. Secrets are
 * replaced as in a string. */
MCP_API void mcpi_redact_put(mcpi_buf *out, mcpi_str text);
/* Writes the beginning of a text that is not a message, so that a report can
 * show it. Secrets are replaced as in a string. Empty when out of memory. */
enum { MCPI_EXCERPT_SIZE = 100 };
void mcpi_redact_excerpt(const mcp_allocator *allocator, mcpi_str text,
                         char excerpt[MCPI_EXCERPT_SIZE]);
/* Appends the excerpt of a text to an error's message, in quotes. Without
 * memory the error stays as it is. */
MCP_API void mcpi_redact_quote(const mcp_allocator *allocator, mcpi_str text,
                               mcp_error *err);

#endif
