/* SPDX-License-Identifier: MIT */
/* Permissions that a page asks for. */
#include "ext/apps/permissions.h"

#include "server/members.h"
#include "json/value.h"
#include <mcp/apps.h>

static const struct {
  uint32_t bit;
  const char *member;
  const char *feature; /* of Permissions Policy */
} known[] = {{MCP_APP_CAMERA, "camera", "camera"},
             {MCP_APP_MICROPHONE, "microphone", "microphone"},
             {MCP_APP_GEOLOCATION, "geolocation", "geolocation"},
             {MCP_APP_CLIPBOARD_WRITE, "clipboardWrite", "clipboard-write"}};

enum { KNOWN_COUNT = sizeof(known) / sizeof(known[0]) };

void mcpi_app_put_permissions(mcpi_buf *out, uint32_t permissions) {
  mcpi_buf_putc(out, '{');
  for (size_t i = 0; i < KNOWN_COUNT; i++) {
    if ((permissions & known[i].bit) != 0) {
      mcpi_put_text_member(out, known[i].member, "{}");
    }
  }
  mcpi_buf_putc(out, '}');
}

uint32_t mcp_app_permissions(const mcp_json *needs) {
  const mcp_json *asked = mcpi_json_get(needs, "permissions");
  uint32_t permissions = 0;
  for (size_t i = 0; i < KNOWN_COUNT; i++) {
    const mcp_json *value = mcp_json_get(asked, known[i].member);
    if (mcp_json_type(value) == MCP_JSON_OBJECT) {
      permissions |= known[i].bit;
    }
  }
  return permissions;
}

char *mcpi_app_allow(uint32_t permissions, const mcp_allocator *allocator) {
  mcpi_buf out;
  mcpi_buf_init(&out, allocator, SIZE_MAX);
  for (size_t i = 0; i < KNOWN_COUNT; i++) {
    if ((permissions & known[i].bit) == 0) {
      continue;
    }
    if (out.len > 0) {
      mcpi_buf_lit(&out, "; ");
    }
    mcpi_buf_puts(&out, mcpi_str_z(known[i].feature));
  }
  return mcpi_buf_take_string(&out);
}

char *mcp_app_allow(uint32_t permissions) {
  return mcpi_app_allow(permissions, mcp_allocator_default());
}
