/* SPDX-License-Identifier: MIT */
#include "support/cm.h"
#include <mcp/version.h>
#include <stdio.h>

static void parts_make_the_string(void **state) {
  (void)state;
  char text[32];
  snprintf(text, sizeof(text), "%d.%d.%d", MCP_VERSION_MAJOR, MCP_VERSION_MINOR,
           MCP_VERSION_PATCH);
  assert_string_equal(text, MCP_VERSION_STRING);
  assert_string_equal(mcp_version(), MCP_VERSION_STRING);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(parts_make_the_string)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
