/* SPDX-License-Identifier: MIT */
/** @file
 * libmcp, the Model Context Protocol for C: every public header.
 *
 * A first server is in examples/hello-server.c, a first client in
 * examples/hello-client.c; docs/ explains the model.
 */
#ifndef MCP_MCP_H
#define MCP_MCP_H

#include <mcp/allocator.h>
#include <mcp/call.h>
#include <mcp/client.h>
#include <mcp/content.h>
#include <mcp/error.h>
#include <mcp/export.h>
#include <mcp/json.h>
#include <mcp/log.h>
#include <mcp/loop.h>
#include <mcp/main.h>
#include <mcp/schema.h>
#include <mcp/server.h>
#include <mcp/sync.h>
#include <mcp/transport.h>
#include <mcp/version.h>

#endif
