/* SPDX-License-Identifier: MIT */
#include "module/module.h"

#include "support/cm.h"
#include <string.h>

TEST(a_missing_library_is_named) {
  mcp_error err;
  assert_null(mcpi_module_open("libmcp-none.so", "table", 16, &err));
  assert_int_equal(err.code, MCP_ERR_PLATFORM);
  assert_non_null(strstr(err.message, "cannot load libmcp-none.so: "));
  assert_null(mcpi_module_open("libmcp-none.so", "table", 16, NULL));
}

TEST(a_library_without_the_function_is_refused) {
  mcp_error err;
  assert_null(mcpi_module_open("libc.so.6", "mcpi_none", 16, &err));
  assert_int_equal(err.code, MCP_ERR_PLATFORM);
  assert_string_equal(err.message,
                      "cannot use libc.so.6: it does not belong to "
                      "libmcp " MCP_VERSION_STRING);
}
