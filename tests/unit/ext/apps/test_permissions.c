/* SPDX-License-Identifier: MIT */
#include "ext/apps/permissions.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include <mcp/apps.h>

static uint32_t permissions_of(const char *needs) {
  mcp_doc *doc = mcp_doc_parse(needs, strlen(needs), NULL, NULL, NULL);
  assert_non_null(doc);
  uint32_t permissions = mcp_app_permissions(mcp_doc_root(doc));
  mcp_doc_free(doc);
  return permissions;
}

TEST(permissions_are_read) {
  assert_int_equal(mcp_app_permissions(NULL), 0);
  assert_int_equal(permissions_of("{}"), 0);
  assert_int_equal(permissions_of("{\"permissions\":{\"camera\":{}}}"),
                   MCP_APP_CAMERA);
  assert_int_equal(
      permissions_of("{\"permissions\":{\"camera\":{},\"microphone\":{},"
                     "\"geolocation\":{},\"clipboardWrite\":{}}}"),
      MCP_APP_CAMERA | MCP_APP_MICROPHONE | MCP_APP_GEOLOCATION |
          MCP_APP_CLIPBOARD_WRITE);
}

TEST(other_values_ask_for_nothing) {
  assert_int_equal(permissions_of("{\"permissions\":[\"camera\"]}"), 0);
  assert_int_equal(permissions_of("{\"permissions\":{\"camera\":null,"
                                  "\"microphone\":false,\"geolocation\":1,"
                                  "\"clipboard-write\":{},\"usb\":{}}}"),
                   0);
}

static void assert_allow(uint32_t permissions, const char *expected) {
  char *allow = mcp_app_allow(permissions);
  assert_string_equal(allow, expected);
  mcp_text_free(allow);
}

TEST(permissions_become_the_attribute_allow) {
  assert_allow(0, "");
  assert_allow(MCP_APP_GEOLOCATION, "geolocation");
  assert_allow(MCP_APP_CLIPBOARD_WRITE | MCP_APP_CAMERA,
               "camera; clipboard-write");
  assert_allow(UINT32_MAX, "camera; microphone; geolocation; clipboard-write");
}

TEST(permissions_are_written) {
  mcpi_buf out;
  mcpi_buf_init(&out, mcp_allocator_default(), SIZE_MAX);
  mcpi_app_put_permissions(&out, MCP_APP_MICROPHONE | MCP_APP_CLIPBOARD_WRITE);
  mcpi_buf_putc(&out, '\0');
  assert_string_equal(out.data, "{\"microphone\":{},\"clipboardWrite\":{}}");
  mcpi_buf_deinit(&out);
}

static int make_allow(const mcp_allocator *allocator, void *userdata) {
  char *allow = mcpi_app_allow(MCP_APP_CAMERA, allocator);
  mcpi_strfree(allocator, allow);
  return allow != NULL ? 0 : MCP_ERR_NOMEM;
}

TEST(a_lack_of_memory_gives_no_attribute) {
  failing_alloc_rerun_least(2, make_allow, NULL);
}
