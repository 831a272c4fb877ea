/* SPDX-License-Identifier: MIT */
#include "support/cm.h"
#include <mcp/version.h>
#include <stdio.h>

TEST(parts_make_the_string) {
  char text[32];
  snprintf(text, sizeof(text), "%d.%d.%d", MCP_VERSION_MAJOR, MCP_VERSION_MINOR,
           MCP_VERSION_PATCH);
  assert_string_equal(text, MCP_VERSION_STRING);
  assert_string_equal(mcp_version(), MCP_VERSION_STRING);
}

#if MCP_VERSION < MCP_VERSION_NUMBER(0, 2, 0) ||                               \
    MCP_VERSION >= MCP_VERSION_NUMBER(MCP_VERSION_MAJOR + 1, 0, 0)
#error "MCP_VERSION cannot be compared in #if"
#endif

TEST(parts_make_the_number) {
  assert_int_equal(MCP_VERSION, MCP_VERSION_MAJOR * 65536 +
                                    MCP_VERSION_MINOR * 256 +
                                    MCP_VERSION_PATCH);
  assert_int_equal(mcp_version_number(), MCP_VERSION);
}

TEST(a_later_version_has_a_greater_number) {
  assert_int_equal(MCP_VERSION_NUMBER(1, 2, 3), 0x010203);
  assert_true(MCP_VERSION_NUMBER(1, 2, 3) < MCP_VERSION_NUMBER(1, 2, 4));
  assert_true(MCP_VERSION_NUMBER(1, 2, 255) < MCP_VERSION_NUMBER(1, 3, 0));
  assert_true(MCP_VERSION_NUMBER(1, 255, 255) < MCP_VERSION_NUMBER(2, 0, 0));
}
