/* SPDX-License-Identifier: MIT */
/* Definitions for a program that measures a server in its own process, without
 * system calls: a transport that keeps the last message, and a tool's
 * handler. */
#ifndef MCP_BENCH_IN_PROCESS_H
#define MCP_BENCH_IN_PROCESS_H

#include <mcp/mcp.h>
#include <string.h>

/* The last message, with a NUL after it. A longer one is cut. */
static char reply[4096];
static size_t reply_len;

static int wire_start(mcp_transport *transport, mcp_error *err) {
  (void)transport;
  (void)err;
  return 0;
}

static int wire_send(mcp_transport *transport, const char *message, size_t len,
                     const mcp_send_info *info) {
  (void)transport;
  (void)info;
  reply_len = len < sizeof(reply) ? len : sizeof(reply) - 1;
  memcpy(reply, message, reply_len);
  reply[reply_len] = '\0';
  return 0;
}

static void wire_close(mcp_transport *transport) {
  transport->on_close(transport, NULL);
}

/* Initialises an mcp_transport. */
#define WIRE_INIT                                                              \
  {                                                                            \
    .size = sizeof(mcp_transport), .start = wire_start, .send = wire_send,     \
    .close = wire_close                                                        \
  }

static int on_add(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_number(call, mcp_call_number(call, "a") +
                                         mcp_call_number(call, "b"));
}

#endif
