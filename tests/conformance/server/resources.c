/* SPDX-License-Identifier: MIT */
/* The resources: a text, bytes, one to watch, and a template. */
#include "conformance.h"

#include <stdio.h>
#include <string.h>

/* Bytes of a template's variable that are shown. */
enum { MAX_ID = 64 };

/* The handler turns any text of the URI into a JSON string. */
static int on_template(mcp_call *call, void *userdata) {
  const char *id = mcp_call_string(call, "id");
  char data[MAX_ID + 32];
  (void)userdata;
  if (id == NULL) {
    return MCP_ERR_INVALID;
  }
  if (strlen(id) > MAX_ID) {
    return MCP_ERR_NOT_FOUND;
  }
  snprintf(data, sizeof data, "Data for ID: %s", id);
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  mcp_builder_object(out, NULL);
  mcp_builder_string(out, "id", id);
  mcp_builder_bool(out, "templateTest", 1);
  mcp_builder_string(out, "data", data);
  int rc = mcp_builder_end(out);
  if (rc == 0) {
    rc = mcp_call_add_resource_text(call, NULL, NULL,
                                    mcp_builder_text(out, NULL));
  }
  mcp_builder_free(out);
  return rc != 0 ? rc : mcp_call_reply(call);
}

static void add_fixed(mcp_server *server) {
  mcp_server_add_resource(
      server,
      &(mcp_resource){.size = sizeof(mcp_resource),
                      .uri = "test://static-text",
                      .name = "static-text",
                      .title = "A text",
                      .description = "A text that never changes",
                      .mime_type = "text/plain",
                      .text = "This is the content of the static text "
                              "resource."},
      NULL);
  mcp_server_add_resource(server,
                          &(mcp_resource){.size = sizeof(mcp_resource),
                                          .uri = "test://static-binary",
                                          .name = "static-binary",
                                          .title = "An image",
                                          .description = "One red pixel",
                                          .mime_type = "image/png",
                                          .data = red_pixel_png,
                                          .data_len = red_pixel_png_len},
                          NULL);
  mcp_server_add_resource(
      server,
      &(mcp_resource){.size = sizeof(mcp_resource),
                      .uri = "test://watched-resource",
                      .name = "watched-resource",
                      .title = "One to watch",
                      .description = "A resource to subscribe to",
                      .mime_type = "text/plain",
                      .text = "This resource can be watched."},
      NULL);
}

void add_resources(mcp_server *server) {
  add_fixed(server);
  mcp_server_add_resource_template(
      server,
      &(mcp_resource_template){.size = sizeof(mcp_resource_template),
                               .uri_template = "test://template/{id}/data",
                               .name = "template",
                               .title = "Data by number",
                               .description = "What belongs to an id",
                               .mime_type = "application/json",
                               .handler = on_template},
      NULL);
}
