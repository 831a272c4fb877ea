/* SPDX-License-Identifier: MIT */
/* Answers of the mcp-core dialect, which are strict. A toolResponse has only a
 * result with content (at least one item), structuredContent, isError and
 * _meta. A toolError has an integer code and a message that is not empty. Both
 * have an id that is an integer or a string that is not empty, never null. */
#ifndef MCPI_WIRES_MCP_CORE_ANSWER_H
#define MCPI_WIRES_MCP_CORE_ANSWER_H

#include "wires/mcp_core/request.h"

/* ---- a server's, out of what MCP answers ------------------------------- */

/* The id of a toolError if no id is known: for a line that is not JSON, or a
 * request without an id. */
#define MCPI_TOOL_NO_ID "\"unknown\""

/* Writes the id's text, or that one. */
void mcpi_tool_id_put(mcpi_buf *out, mcpi_id id);

/* Writes the result object: members that the dialect does not have are left
 * out, and members that it requires are filled in. */
void mcpi_tool_result_put(mcpi_buf *out, const mcp_json *result);
/* Writes a whole answer with a result, in the form of the request. A bare
 * answer is only the result object. */
void mcpi_tool_response_put(mcpi_buf *out, int form, mcpi_str id_text,
                            const mcp_json *result);
/* Writes a toolError from the error of an MCP answer. */
void mcpi_tool_error_put(mcpi_buf *out, mcpi_str id_text,
                         const mcp_json *error);
/* Writes a toolError of our own. */
MCP_API void mcpi_tool_refusal_put(mcpi_buf *out, mcpi_str id_text, int code,
                                   mcpi_str message);

/* Returns 1 if an MCP result asks the client something; nobody could answer
 * that. */
int mcpi_tool_asks(const mcp_json *result);
extern const char mcpi_tool_cannot_ask[];

/* ---- a client's, into what MCP expects --------------------------------- */

/* Members that the dialect does not have are left out, and null means absent. A
 * value that could be mistaken, or would be lost, gives an error instead: an
 * isError that is not a boolean, a structuredContent that is not an object. */

/* Writes a tools/call result from the answer's result, which may be any JSON
 * value. A value that is not a tool result becomes the text of one, and its
 * structured content. */
MCP_API void mcpi_tool_response_put_mcp(mcpi_buf *out, mcpi_str id_text,
                                        const mcp_json *result);
/* Writes an error from a toolError's, or from any value in its place. */
MCP_API void mcpi_tool_error_put_mcp(mcpi_buf *out, mcpi_str id_text,
                                     const mcp_json *error);
/* Translates a whole answer: its error, else its result, else the answer
 * itself. */
MCP_API void mcpi_tool_answer_put_mcp(mcpi_buf *out, mcpi_str id_text,
                                      const mcp_json *answer);
/* Writes an error in place of an answer that is not valid, and why. */
void mcpi_tool_fault_put_mcp(mcpi_buf *out, mcpi_str id_text,
                             const char *fault);
/* Whether a message is meant as an answer to any request, and of which kind.
 * Messages that servers send without a request may have an "error" too, but
 * neither "id" nor "jsonrpc". */
enum { MCPI_TOOL_NO_ANSWER, MCPI_TOOL_RESPONSE, MCPI_TOOL_ERROR };
MCP_API int mcpi_tool_answer_kind(const mcp_json *value);
/* Returns NULL if it is a toolResponse or toolError with that id, else why not.
 * An error needs no other check: it ends the call with an error in any case,
 * and its own text says best why. */
MCP_API const char *mcpi_tool_answer_fault(const mcp_json *answer,
                                           mcpi_str id_text,
                                           const mcp_allocator *allocator);
/* Answers MCP requests other than tools/call that need no server: initialize
 * and server/discover (with tools as the only capability), and ping. Other
 * methods are refused. `params` may be NULL. */
MCP_API void mcpi_tool_local_put(mcpi_buf *out, mcpi_str id_text,
                                 mcpi_str method, const mcp_json *params);

#endif
