/* SPDX-License-Identifier: MIT */
/* Which MIME types a client shows as apps (MCP Apps 2026-01-26, Client<>Server
 * Capability Negotiation). */
#include "codec/http_media.h"
#include "codec/http_value.h"
#include "json/value.h"
#include <mcp/apps.h>

int mcp_app_is_mime_type(const char *mime_type) {
  mcpi_str text = mcpi_str_z(mime_type);
  mcpi_str profile;
  return mcpi_header_media_is(text, "text/html") &&
         mcpi_header_media_get(text, "profile", &profile) &&
         mcpi_str_eq(profile, MCPI_STR("mcp-app"));
}

static int support_is_type(const mcp_json *shown, const char *mime_type) {
  return mime_type == NULL ? mcp_app_is_mime_type(mcp_json_string(shown))
                           : mcpi_header_eq_nocase(mcpi_json_str(shown),
                                                   mcpi_str_z(mime_type));
}

int mcp_app_is_supported(const mcp_json *capabilities, const char *mime_type) {
  const mcp_json *settings =
      mcp_json_get(mcp_json_get(capabilities, "extensions"), MCP_APP_EXTENSION);
  const mcp_json *types = mcp_json_get(settings, "mimeTypes");
  mcp_json_iter iter;
  const mcp_json *shown;
  mcp_json_iter_init(&iter,
                     mcp_json_type(types) == MCP_JSON_ARRAY ? types : NULL);
  while ((shown = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (support_is_type(shown, mime_type)) {
      return 1;
    }
  }
  return 0;
}

/* Revisions are dates, so they can be compared as texts. */
int mcp_call_client_shows_apps(const mcp_call *call) {
  const char *revision = mcp_call_revision(call);
  return revision != NULL && strcmp(revision, MCP_REVISION_2025_06_18) >= 0 &&
         mcp_app_is_supported(mcp_call_client_capabilities(call), NULL);
}
