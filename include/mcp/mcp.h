/* SPDX-License-Identifier: MIT */
/** @file
 * libmcp, the Model Context Protocol for C: every public header.
 *
 * A first server is in examples/hello-server.c, a first client in
 * examples/hello-client.c; docs/ explains the model.
 *
 * NULL is safe for every pointer whose object a function works on. Functions
 * that return a code then return MCP_ERR_INVALID, functions that return a
 * pointer return NULL, functions that return a number return 0, and the others
 * do nothing. Where something else holds, the function says so.
 *
 * Conventions of all headers:
 * - A constructor takes its inputs, then options (NULL: the defaults), then an
 *   mcp_error (may be NULL). It returns the object, or NULL with the error. The
 *   program frees the object with its function that ends in _free or _unref.
 * - Other functions that can fail return 0 or an MCP_ERR_*, and many take an
 *   mcp_error last, which then says why.
 * - A callback takes the object that calls it first, and its userdata last. The
 *   functions of a table take the table's object or userdata first.
 * - A request that has begun ends in its completion, once.
 * - The program sets the size of each structure that it fills in and that
 *   begins with one: by MCP_..._INIT, or as `.size = sizeof(mcp_tool)`.
 *   Structures that stand in arrays have no size. They have reserved members
 *   instead, which must be zero: initialise the whole structure. Other
 *   structures without a size do not grow.
 * - A boolean is an int32_t in structures, and an int as a parameter or as what
 *   a function returns. 0 means no, and any other value means yes.
 *
 * A libmcp can be built without some features (docs/ARCHITECTURE.md). Their
 * functions are still there: those that would make something fail with
 * MCP_ERR_UNSUPPORTED, or MCP_ERR_PLATFORM for TLS, and the message names the
 * feature.
 *
 * "Since 0.2" in a comment names the first version that has a function, type or
 * macro. A function without a Since is in every version from 0.1 on. A program
 * that must compile with older headers compares MCP_VERSION (mcp/version.h).
 *
 * A deprecated function has a better successor. It works as before, and the
 * compiler warns of its use and names the successor (MCP_DEPRECATED in
 * mcp/export.h, which also says how to turn the warnings off). It stays until
 * the next major version; before 1.0, at least through the minor version after
 * the one that deprecated it: what 0.3 deprecates is still in 0.4.
 */
#ifndef MCP_MCP_H
#define MCP_MCP_H

#include <mcp/allocator.h>
#include <mcp/call.h>
#include <mcp/client.h>
#include <mcp/content.h>
#include <mcp/error.h>
#include <mcp/export.h>
#include <mcp/http.h>
#include <mcp/http_client.h>
#include <mcp/json.h>
#include <mcp/log.h>
#include <mcp/loop.h>
#include <mcp/main.h>
#include <mcp/schema.h>
#include <mcp/server.h>
#include <mcp/socket.h>
#include <mcp/sync.h>
#include <mcp/transport.h>
#include <mcp/version.h>

#endif
