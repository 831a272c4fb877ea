/* SPDX-License-Identifier: MIT */
/* Tools that answer at once: each kind of content, and a failure. */
#include "conformance.h"

void add_plain_tool(mcp_server *server, const char *name,
                    const char *description, mcp_call_cb handler) {
  mcp_server_add_tool(server,
                      &(mcp_tool){.size = sizeof(mcp_tool),
                                  .name = name,
                                  .description = description,
                                  .handler = handler,
                                  .userdata = server},
                      NULL);
}

static int on_simple_text(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_text(call,
                             "This is a simple text response for testing.");
}

static int on_image(mcp_call *call, void *userdata) {
  (void)userdata;
  int rc = add_red_pixel(call);
  return rc != 0 ? rc : mcp_call_reply(call);
}

static int on_audio(mcp_call *call, void *userdata) {
  (void)userdata;
  int rc = add_silence(call);
  return rc != 0 ? rc : mcp_call_reply(call);
}

static int on_embedded(mcp_call *call, void *userdata) {
  (void)userdata;
  int rc = add_embedded(call, "test://embedded-resource", "text/plain",
                        "This is an embedded resource content.");
  return rc != 0 ? rc : mcp_call_reply(call);
}

static int on_mixed(mcp_call *call, void *userdata) {
  (void)userdata;
  int rc = mcp_call_add_text(call, "Multiple content types test:");
  if (rc == 0) {
    rc = add_red_pixel(call);
  }
  if (rc == 0) {
    rc = add_embedded(call, "test://mixed-content-resource", "application/json",
                      MCP_JSON({"test": "data", "value": 123}));
  }
  return rc != 0 ? rc : mcp_call_reply(call);
}

static int on_error(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_failure(
      call, "This tool intentionally returns an error for testing");
}

void add_content_tools(mcp_server *server) {
  add_plain_tool(server, "test_simple_text", "Returns a text", on_simple_text);
  add_plain_tool(server, "test_image_content", "Returns an image", on_image);
  add_plain_tool(server, "test_audio_content", "Returns a sound", on_audio);
  add_plain_tool(server, "test_embedded_resource",
                 "Returns a resource's content", on_embedded);
  add_plain_tool(server, "test_multiple_content_types",
                 "Returns a text, an image and a resource's content", on_mixed);
  add_plain_tool(server, "test_error_handling", "Fails, and says so", on_error);
}
