/* SPDX-License-Identifier: MIT */
/* Answers of the mcp-core dialect, which are strict: a toolResponse has nothing
 * but a result of content (one item at least), structuredContent, isError and
 * _meta; a toolError an integer code and a message that is not empty. Both have
 * an id that is an integer or a string that is not empty, never null. */
#ifndef MCPI_WIRES_MCP_CORE_ANSWER_H
#define MCPI_WIRES_MCP_CORE_ANSWER_H

#include "wires/mcp_core/request.h"

/* ---- a server's, out of what MCP answers ------------------------------- */

/* What a toolError says where no id can be told: of a line that is no JSON, or
 * a request without one. */
#define MCPI_TOOL_NO_ID "\"unknown\""

/* The id's text, or that. */
void mcpi_tool_id_put(mcpi_buf *out, mcpi_id id);

/* The result object: what the dialect does not have is left out, what it misses
 * is filled in. */
void mcpi_tool_result_put(mcpi_buf *out, const mcp_json *result);
/* A whole answer with a result, in the form of the request; a bare one is the
 * result object alone. */
void mcpi_tool_response_put(mcpi_buf *out, int form, mcpi_str id_text,
                            const mcp_json *result);
/* A toolError out of the error of an MCP answer. */
void mcpi_tool_error_put(mcpi_buf *out, mcpi_str id_text,
                         const mcp_json *error);
/* One of our own. */
MCP_API void mcpi_tool_refusal_put(mcpi_buf *out, mcpi_str id_text, int code,
                                   mcpi_str message);

/* 1 when an MCP result asks the client something, which nobody could answer. */
int mcpi_tool_asks(const mcp_json *result);
extern const char mcpi_tool_cannot_ask[];

/* ---- a client's, into what MCP expects --------------------------------- */

/* Members that the dialect does not have are left out, and null is as good as
 * nothing. What could be mistaken, or would be lost, is an error instead: an
 * isError that is no boolean, a structuredContent that is no object. */

/* A tools/call result out of the answer's, whatever JSON value that is: what is
 * no result of a tool becomes the text of one, and its structured content. */
MCP_API void mcpi_tool_response_put_mcp(mcpi_buf *out, mcpi_str id_text,
                                        const mcp_json *result);
/* An error out of a toolError's, or of whatever stands in its place. */
MCP_API void mcpi_tool_error_put_mcp(mcpi_buf *out, mcpi_str id_text,
                                     const mcp_json *error);
/* A whole answer: its error, else its result, else itself. */
MCP_API void mcpi_tool_answer_put_mcp(mcpi_buf *out, mcpi_str id_text,
                                      const mcp_json *answer);
/* The error in the place of an answer that cannot be taken, and why not. */
void mcpi_tool_fault_put_mcp(mcpi_buf *out, mcpi_str id_text,
                             const char *fault);
/* Whether it means to be an answer, to whatever request, and which. What is
 * sent unasked may have an "error" too, but neither "id" nor "jsonrpc". */
enum { MCPI_TOOL_NO_ANSWER, MCPI_TOOL_RESPONSE, MCPI_TOOL_ERROR };
MCP_API int mcpi_tool_answer_kind(const mcp_json *value);
/* NULL when it is a toolResponse or toolError to that id, else why not. Of an
 * error nothing more is asked: whatever it is, it ends the call as one, and its
 * own words say best why. */
MCP_API const char *mcpi_tool_answer_fault(const mcp_json *answer,
                                           mcpi_str id_text,
                                           const mcp_allocator *allocator);
/* What MCP asks of a server beside tools/call, as far as that can be answered
 * without one: initialize and server/discover (there are tools, and nothing
 * else) and ping. Another method is refused. `params` may be NULL. */
MCP_API void mcpi_tool_local_put(mcpi_buf *out, mcpi_str id_text,
                                 mcpi_str method, const mcp_json *params);

#endif
