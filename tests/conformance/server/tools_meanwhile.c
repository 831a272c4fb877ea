/* SPDX-License-Identifier: MIT */
/* Tools that have something to say before their result. They sleep, so they
 * run on the pool. */
#include "conformance.h"

#include <time.h>

/* In milliseconds: between two steps, and until a client comes back. */
enum { STEP_MS = 50, RETRY_MS = 500 };

static void step(void) {
  nanosleep(&(struct timespec){.tv_nsec = STEP_MS * 1000000L}, NULL);
}

/* Whether a client still hears the progress is of no interest here: it has
 * asked for all three. */
static int on_progress(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_progress(call, 0, 100, "started");
  step();
  mcp_call_progress(call, 50, 100, "half done");
  step();
  mcp_call_progress(call, 100, 100, "done");
  return mcp_call_reply_text(call, "Progress was reported three times.");
}

static int on_logging(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_logf(call, MCP_LOG_INFO, "Tool execution started");
  step();
  mcp_call_logf(call, MCP_LOG_INFO, "Tool processing data");
  step();
  mcp_call_logf(call, MCP_LOG_INFO, "Tool execution completed");
  return mcp_call_reply_text(call, "Three messages were logged.");
}

/* Sends nothing to a client that has not asked for messages. */
static int on_log_once(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_logf(call, MCP_LOG_INFO, "This is a log message");
  return mcp_call_reply_text(call, "Logged.");
}

/* Ends its stream before the result, and the client comes back for it; one that
 * cannot waits for it here. */
static int on_reconnection(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_close_stream(call, RETRY_MS);
  step();
  return mcp_call_reply_text(call, "The result came after a reconnection.");
}

static void add_slow(mcp_server *server, const char *name,
                     const char *description, mcp_call_cb handler) {
  mcp_server_add_tool(server,
                      &(mcp_tool){.size = sizeof(mcp_tool),
                                  .name = name,
                                  .description = description,
                                  .is_blocking = 1,
                                  .handler = handler},
                      NULL);
}

void add_meanwhile_tools(mcp_server *server) {
  add_slow(server, "test_tool_with_progress", "Reports its progress",
           on_progress);
  add_slow(server, "test_tool_with_logging", "Logs while it runs", on_logging);
  add_slow(server, "test_reconnection", "Lets the client poll for its result",
           on_reconnection);
  add_plain_tool(server, "test_logging_tool", "Logs one message", on_log_once);
}
