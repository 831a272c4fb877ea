/* SPDX-License-Identifier: MIT */
/* What a host reads of a server's tools and pages (MCP Apps 2026-01-26,
 * Resource Discovery). All values come from the server and may be anything. */
#include "ext/apps/uri.h"
#include "json/value.h"
#include <mcp/apps.h>

/* Returns `_meta.ui` if it is an object, or NULL. */
static const mcp_json *host_get_ui(const mcp_json *entry) {
  const mcp_json *ui = mcp_json_get(mcp_json_get(entry, "_meta"), "ui");
  return mcp_json_type(ui) == MCP_JSON_OBJECT ? ui : NULL;
}

const mcp_json *mcp_app_needs(const mcp_json *content, const mcp_json *listed) {
  const mcp_json *needs = host_get_ui(content);
  return needs != NULL ? needs : host_get_ui(listed);
}

/* A URI that is not valid is not replaced by the deprecated one: a tool has one
 * app. */
const char *mcp_app_tool_uri(const mcp_json *tool) {
  const mcp_json *uri = mcp_json_get(host_get_ui(tool), "resourceUri");
  if (uri == NULL) {
    uri = mcp_json_get(mcp_json_get(tool, "_meta"), MCPI_APP_FLAT_KEY);
  }
  const char *text = mcp_json_string(uri);
  return text != NULL && mcpi_app_is_uri(mcpi_str_z(text)) ? text : NULL;
}

static int host_has(const mcp_json *array, const char *wanted) {
  mcp_json_iter iter;
  const mcp_json *item;
  mcp_json_iter_init(&iter,
                     mcp_json_type(array) == MCP_JSON_ARRAY ? array : NULL);
  while ((item = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (mcpi_str_eq(mcpi_json_str(item), mcpi_str_z(wanted))) {
      return 1;
    }
  }
  return 0;
}

static int host_is_visible(const mcp_json *tool, const char *to) {
  const mcp_json *visibility = mcp_json_get(host_get_ui(tool), "visibility");
  return tool != NULL && (visibility == NULL || host_has(visibility, to));
}

int mcp_app_tool_is_for_model(const mcp_json *tool) {
  return host_is_visible(tool, "model");
}

int mcp_app_tool_is_for_app(const mcp_json *tool) {
  return host_is_visible(tool, "app");
}
