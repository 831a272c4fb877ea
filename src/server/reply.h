/* SPDX-License-Identifier: MIT */
/* Functions shared by the files that add to a reply and the file that ends
 * it. */
#ifndef MCPI_SERVER_REPLY_H
#define MCPI_SERVER_REPLY_H

#include "server/call.h"
#include <stdarg.h>

/* Values in one completion: the protocol's own limit. */
enum { MCPI_MAX_COMPLETIONS = 100 };

/* Writes the beginning of the result, up to its content; does nothing if it is
 * written already. On any thread. */
void mcpi_reply_open(mcp_call *call);
/* Replaces what was added by an error reply. On any thread. */
void mcpi_reply_prepare_error(mcp_call *call, int rpc_code, mcpi_str message,
                              mcpi_str data);

/* Returns 0; or MCP_ERR_INVALID, recorded, if the call already has its reply,
 * or is of another kind than `kinds` (bits: 1 << MCPI_REPLY_KIND_*). `what`
 * names the function. */
int mcpi_reply_check(mcp_call *call, uint32_t kinds, const char *what);
/* 0, or MCP_ERR_INVALID, recorded. */
int mcpi_reply_check_text(mcp_call *call, const char *what, const char *text,
                          size_t len);
/* Returns 0; or MCP_ERR_INVALID, recorded, if mcp_call_set_meta has set a
 * member that the program's own `_meta` has too (NULL: it has none). */
int mcpi_reply_check_meta(mcp_call *call, const mcp_json *meta);
/* Records why an addition failed, and returns the code. */
int mcpi_reply_fail(mcp_call *call, int code, const char *message);
/* The same, if the buffer has failed. */
int mcpi_reply_check_buf(mcp_call *call, const mcpi_buf *buf);

/* A formatted text: in `space`, or in memory of the server if it is longer. */
typedef struct mcpi_formatted {
  mcp_allocator allocator; /* a copy: the reply may be the end of the server */
  char *text;
  size_t len;
  size_t size; /* of that memory; 0: none */
  char space[512];
} mcpi_formatted;

/* Returns 0; or, with err, MCP_ERR_NOMEM, or MCP_ERR_INVALID if the text cannot
 * be formatted or is not UTF-8. The caller deinitialises it after success. It
 * changes nothing of the call, so any thread may call it. */
MCP_PRINTF(3, 0)
int mcpi_format(mcpi_formatted *out, const mcp_call *call, const char *format,
                va_list args, mcp_error *err);
/* The same for a reply: records the error on the call. */
MCP_PRINTF(3, 0)
int mcpi_format_reply(mcpi_formatted *out, mcp_call *call, const char *format,
                      va_list args);
void mcpi_formatted_deinit(mcpi_formatted *formatted);

/* As mcp_call_add_text_n, _add_textf and _set_structured, for functions that
 * also reply: `what` is the function that the program called. */
int mcpi_call_add_text(mcp_call *call, const char *what, const char *text,
                       size_t len);
MCP_PRINTF(3, 0)
int mcpi_call_add_text_v(mcp_call *call, const char *what, const char *format,
                         va_list args);
int mcpi_call_set_structured(mcp_call *call, const char *what,
                             const char *json);
/* Records why a builder has no complete value, and returns the code. */
int mcpi_reply_fail_builder(mcp_call *call, const mcp_builder *builder);
/* Records the failure of call->builder, if the handler returned it and has
 * recorded nothing else. */
void mcpi_reply_adopt_builder_error(mcp_call *call, int rc);

/* --- its shape, on the loop's thread --- */

/* Closes the result and sends it. A result that cannot be sent (memory, JSON,
 * output schema) is recorded and sent as an error, and its code is returned. */
int mcpi_reply_finish(mcp_call *call);
/* Starts again: nothing added, nothing recorded (before another round). */
void mcpi_reply_reset(mcp_call *call);
/* Replies with a result made elsewhere: `members` are the members of the result
 * object without braces, without resultType, cache hints and _meta, which are
 * added. */
int mcpi_reply_members(mcp_call *call, mcpi_str members);
int mcpi_reply_error(mcp_call *call, int rpc_code, mcpi_str message,
                     mcpi_str data);
/* Answers that an argument cannot be used, with the message recorded. */
void mcpi_reply_bad_argument(mcp_call *call);
/* The same in two steps, for long results: after _begin, members without a
 * comma in front are put into call->out. */
void mcpi_reply_begin(mcp_call *call);
int mcpi_reply_end(mcp_call *call);

#endif
