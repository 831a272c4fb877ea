/* SPDX-License-Identifier: MIT */
/** @file
 * libmcp, the Model Context Protocol for C. This header includes all headers in
 * mcp/ but mcp/sqlite.h, which is for programs that link libmcp-sqlite. The
 * headers in mcp/sys/ are for programs that provide their own platform or use
 * yyjson.
 *
 * A first server is in examples/hello-server.c, a first client in
 * examples/hello-client.c; docs/ explains the model.
 *
 * Every function accepts NULL for the object that it works on. If the object is
 * NULL, a function that returns a code returns MCP_ERR_INVALID, a function that
 * returns a pointer returns NULL, a function that returns a number returns 0,
 * and any other function does nothing. If a function does something else, its
 * comment says so.
 *
 * Conventions of all headers:
 * - A constructor takes its inputs, then options (NULL: the defaults), then an
 *   mcp_error (may be NULL). It returns the object, or NULL with the error. The
 *   program frees the object with the function of the object's type whose name
 *   ends in _free or _unref, such as mcp_server_free.
 * - Other functions that can fail return 0 or an MCP_ERR_*. The last parameter
 *   of many of them is an mcp_error, which may be NULL. It says why the
 *   function failed.
 * - The first parameter of a callback is the object that calls it. The last one
 *   is its userdata. The functions of a table take the table's object or
 *   userdata first.
 * - If a function starts a request and returns 0, the callback that reports the
 *   end of the request (its completion, mcp_done_cb) runs exactly once.
 * - Many structures begin with a member `size`. The program sets it in each
 *   structure that it fills in: by MCP_..._INIT, or as
 *   `.size = sizeof(mcp_tool)`. A program may be compiled with headers that are
 *   newer than the library. Then its structure may have members that the
 *   library does not know. They must be zero: otherwise the function fails with
 *   MCP_ERR_UNSUPPORTED.
 * - Members with the name `reserved`, `reserved2` and so on must be zero. A
 *   later version may use them.
 * - Structures that stand in arrays have no size. They have reserved members
 *   instead, which must be zero: initialise the whole structure. All other
 *   structures without a size keep their members in later versions.
 * - A boolean is an int32_t in structures, and an int as a parameter or as what
 *   a function returns. 0 means no. Any other value means yes.
 *
 * Words of all headers. Four words say who frees a pointer:
 * - owned: the program frees it. The comment names the function.
 * - borrowed until X: the pointer is valid until X. The receiver does not free
 *   it.
 * - copied: the receiver makes a copy. The program may change or free its own
 *   memory after the call.
 * - taken: the function that gets the object owns it from then on, also if the
 *   function fails. The program does not use it again.
 *
 * Other words:
 * - The legacy era: the revisions 2024-11-05, 2025-03-26, 2025-06-18 and
 *   2025-11-25. A client and a server open a session by `initialize`.
 * - The modern era: the revision 2026-07-28. There is no `initialize`, and each
 *   request states its revision. `server/discover` describes the server.
 * - A wire: a way of carrying messages (standard input and output, a socket,
 *   Streamable HTTP, HTTP+SSE, a WebSocket).
 * - A transport (mcp_transport): one end of a wire, the object that sends and
 *   receives whole messages for a client or a server.
 * - An ordered transport: its wire is one channel, which carries all messages
 *   of a side in their order: standard input and output, a socket, HTTP+SSE or
 *   a WebSocket. Streamable HTTP is not ordered: it has a stream for each
 *   request.
 * - An endpoint (mcp_http): serves MCP over HTTP at one path. A listener
 *   (mcp_http_listener): accepts HTTP connections and serves an endpoint on
 *   them.
 * - A listen stream: in the modern era, the answer to `subscriptions/listen`.
 *   It brings notifications until one side ends it.
 * - A question: what a server asks a client, mostly while it handles a request
 *   of the client: elicitation (a form or a URL for the user), sampling (for
 *   the client's model) or roots. A round: all questions that the server sends
 *   together for one request.
 * - A task: a call of a tool that goes on after its request has been answered
 *   (mcp/tasks.h). A store: a table of functions that keeps data for the
 *   library, in memory, in a file or elsewhere (mcp_task_store,
 *   mcp_event_store, mcp_auth_store).
 * - A dialect: the form of the messages on a wire. All wires speak MCP by
 *   default; mcp/transport.h describes the mcp-core dialect.
 * - The pool: the threads of a loop that run blocking handlers
 *   (mcp_loop_options.pool_threads).
 * - The far side, or the peer: the program at the other end of a connection.
 * - libmcp-core: the library without input and output, for programs that move
 *   the bytes themselves. libmcp adds input and output to it. "(libmcp-core)"
 *   and "(libmcp)" in a comment or heading name the library that has the
 *   function.
 *
 * libmcp can be built without some features (docs/ARCHITECTURE.md). Then the
 * functions for these features still exist, but they fail with
 * MCP_ERR_UNSUPPORTED, or MCP_ERR_PLATFORM for TLS and regular expressions. The
 * error message names the feature.
 *
 * "Since 0.2" in a comment names the first version that has a function, type or
 * macro. A function without a Since is in every version from 0.1 on. A program
 * that must compile with older headers compares MCP_VERSION (mcp/version.h).
 *
 * A deprecated function has a better successor. It works as before, and the
 * compiler warns of its use and names the successor (MCP_DEPRECATED in
 * mcp/export.h, which also says how to turn the warnings off). It stays until
 * the next major version. Before 1.0 it stays at least through the minor
 * version after the one that deprecated it: a function that 0.3 deprecates is
 * still in 0.4.
 */
#ifndef MCP_MCP_H
#define MCP_MCP_H

#include <mcp/allocator.h>
#include <mcp/apps.h>
#include <mcp/auth.h>
#include <mcp/call.h>
#include <mcp/client.h>
#include <mcp/content.h>
#include <mcp/error.h>
#include <mcp/export.h>
#include <mcp/fields.h>
#include <mcp/http.h>
#include <mcp/http_client.h>
#include <mcp/json.h>
#include <mcp/log.h>
#include <mcp/loop.h>
#include <mcp/main.h>
#include <mcp/schema.h>
#include <mcp/server.h>
#include <mcp/skills.h>
#include <mcp/socket.h>
#include <mcp/sync.h>
#include <mcp/tasks.h>
#include <mcp/transport.h>
#include <mcp/version.h>

#endif
