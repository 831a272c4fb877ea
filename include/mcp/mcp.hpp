/* SPDX-License-Identifier: MIT */
/** @file
 * libmcp for C++17: the C functions as objects, with lambdas as handlers.
 *
 *     mcp::server server("calculator", "1.0.0");
 *     server.add_tool("add", "Adds two numbers",
 *                     mcp_object({mcp_number("a", "first"),
 *                                 mcp_number("b", "second")}),
 *                     [](mcp::call call) {
 *                       call.reply_number(call.number("a") + call.number("b"));
 *                     });
 *     return server.main(argc, argv);
 *
 * The header has inline functions only. A program links the library whose
 * functions it uses: libmcp-core, libmcp or libmcp-http. The compiler must
 * support exceptions. docs/CPP.md is the guide.
 *
 * The C++ headers name the C functions, whose headers have the details. A
 * method does what the C function of its name does: `call.reply_text(...)` is
 * mcp_call_reply_text. Each object has get(), which returns the C object, so a
 * program reaches every C function: `mcp_server_remove_tool(server.get(),
 * "add")`.
 *
 * - Owning objects are moved and not copied. The destructor calls the C
 *   function that frees. An object that was moved from is empty: its get() is
 *   NULL. Assign to it or destroy it; its functions do nothing or throw an
 *   mcp::error.
 * - Objects end in the order that the C headers ask for: servers, clients,
 *   timers, listeners, results, questions and deferred calls before their loop.
 *   Objects that are declared after their loop end before it.
 * - mcp::call, mcp::json, mcp::writer and mcp::outcome own nothing. They are
 *   as large as a pointer or two, and are passed by value.
 * - Structures of options are those of the C headers. This header sets their
 *   `size`, so a program may leave it out. A C callback in such a structure
 *   must not throw.
 *
 * Functions that fail throw mcp::error. What handlers throw:
 * - a handler of a server (a tool, resource, prompt, completion or method):
 *   the exception becomes the answer to its call, see mcp::server;
 * - a callback on a loop (a completion, a hook of a client, a timer, a posted
 *   function): mcp::loop keeps the first exception, and the function that runs
 *   the loop throws it: run(), step(), wait(), or a client's blocking request.
 *   Exceptions of callbacks that run while the loop ends are lost;
 * - a hook of a server that only observes calls std::terminate.
 *
 * The classes are in an inline namespace, mcp::v0, so that programs may link
 * objects that were compiled with different versions of this header: each uses
 * the classes of its own version. The number changes with the classes.
 *
 * Threads: as the C headers say. Since 0.2.
 */
#ifndef MCP_MCP_HPP
#define MCP_MCP_HPP

#include <mcp/call.hpp>
#include <mcp/client.hpp>
#include <mcp/error.hpp>
#include <mcp/json.hpp>
#include <mcp/loop.hpp>
#include <mcp/mcp.h>
#include <mcp/server.hpp>

#endif
