/* SPDX-License-Identifier: MIT */
/* Requests of the mcp-core dialect: one tool called by one JSON object, in one
 * of three forms. There is nothing else in it: no handshake, no lists, no
 * notifications.
 *
 *     bare      {"name":"add","arguments":{...}}
 *     frame     {"id":1,"name":"add","arguments":{...}}
 *     envelope  {"jsonrpc":"2.0","id":1,"method":"tools/call",
 *                "params":{"name":"add","arguments":{...}}}
 *
 * An id is an integer or a string that is not empty. "arguments" may be left
 * out. A bare {"name":"ping"} asks whether anybody is there. Members beside
 * these are not looked at. */
#ifndef MCPI_WIRES_MCP_CORE_REQUEST_H
#define MCPI_WIRES_MCP_CORE_REQUEST_H

#include "codec/id.h"
#include "core/revision.h"

/* The answer has the form of the request. */
enum { MCPI_TOOL_BARE, MCPI_TOOL_FRAME, MCPI_TOOL_ENVELOPE };

/* Borrowed from the value that was read. */
typedef struct mcpi_tool_request {
  int form;
  int is_ping;
  mcpi_id id; /* MCPI_ID_NONE: there is none to answer to */
  mcpi_str name;
  const mcp_json *arguments; /* an object, or NULL */
  const mcp_json *object;    /* which has the two */
} mcpi_tool_request;

/* 0; MCP_ERR_PROTOCOL, when err says what is wrong, its status is the JSON-RPC
 * code for it, and form and id are set as far as they can be told;
 * MCP_ERR_NOMEM, likewise. */
int mcpi_tool_request_read(mcpi_tool_request *out, const mcp_json *value,
                           const mcp_allocator *allocator,
                           const uint64_t seed[2], mcp_error *err);

/* Whether the object has nothing but these members, so that it can stand for
 * the parameters of MCP's tools/call. */
int mcpi_tool_request_is_plain(const mcpi_tool_request *request);

/* The same as MCP's tools/call: of a modern revision, or NULL for one in a
 * legacy session. */
void mcpi_tool_request_put_mcp(const mcpi_tool_request *request,
                               mcpi_str id_text, const mcpi_revision *modern,
                               mcpi_buf *out);

/* A client's request; the id is left out of a bare one. */
MCP_API void mcpi_tool_request_put(const mcpi_tool_request *request,
                                   mcpi_str id_text, mcpi_buf *out);

#endif
