/* SPDX-License-Identifier: MIT */
/* Requests of the mcp-core dialect (docs/TRANSPORTS.md): one JSON object calls
 * one tool, in one of three forms. The dialect has nothing else: no handshake,
 * no lists, no notifications.
 *
 *     bare      {"name":"add","arguments":{...}}
 *     frame     {"id":1,"name":"add","arguments":{...}}
 *     envelope  {"jsonrpc":"2.0","id":1,"method":"tools/call",
 *                "params":{"name":"add","arguments":{...}}}
 *
 * An id is an integer or a string that is not empty. "arguments" may be absent.
 * A bare {"name":"ping"} asks whether the server is there. Other members are
 * ignored. */
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
  mcpi_id id; /* MCPI_ID_NONE: there is no id to answer with */
  mcpi_str name;
  const mcp_json *arguments; /* an object, or NULL */
  const mcp_json *object;    /* the object that has the two members */
} mcpi_tool_request;

/* Reads a request. Returns 0, MCP_ERR_PROTOCOL or MCP_ERR_NOMEM. On failure err
 * says what is wrong, its status is the JSON-RPC code for that, and form and id
 * are set as far as they are known. */
int mcpi_tool_request_read(mcpi_tool_request *out, const mcp_json *value,
                           const mcp_allocator *allocator,
                           const uint64_t seed[2], mcp_error *err);

/* Whether the object has only these members, so that it can serve as the
 * parameters of MCP's tools/call. */
int mcpi_tool_request_is_plain(const mcpi_tool_request *request);

/* Writes the request as MCP's tools/call: for a modern revision, or NULL for a
 * legacy session. */
void mcpi_tool_request_put_mcp(const mcpi_tool_request *request,
                               mcpi_str id_text, const mcpi_revision *modern,
                               mcpi_buf *out);

/* Writes a client's request; a bare one has no id. */
MCP_API void mcpi_tool_request_put(const mcpi_tool_request *request,
                                   mcpi_str id_text, mcpi_buf *out);

#endif
