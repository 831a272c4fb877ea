/* SPDX-License-Identifier: MIT */
#include "core/log_level.h"

#include "support/cm.h"

TEST(levels_by_name_and_back) {
  static const char *const names[] = {"debug",   "info",     "notice",
                                      "warning", "error",    "critical",
                                      "alert",   "emergency"};
  for (int i = 0; i < 8; i++) {
    assert_int_equal(mcpi_log_level_find(mcpi_str_z(names[i])),
                     MCP_LOG_DEBUG + i);
    assert_string_equal(mcp_log_level_name(MCP_LOG_DEBUG + i), names[i]);
  }
  assert_int_equal(mcpi_log_level_find(MCPI_STR("Debug")), 0);
  assert_int_equal(mcpi_log_level_find(mcpi_str_n(NULL, 0)), 0);
  assert_null(mcp_log_level_name(0));
  assert_null(mcp_log_level_name(9));
}
