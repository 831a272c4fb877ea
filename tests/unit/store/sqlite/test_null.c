/* SPDX-License-Identifier: MIT */
/* As tests/unit/libmcp_http/test_null.c, for libmcp-sqlite. */
#include "support/cm.h"

#include <mcp/sqlite.h>

TEST(null_is_safe_in_sqlite) {
  assert_int_equal(mcp_task_store_sqlite(NULL, NULL, NULL, NULL),
                   MCP_ERR_INVALID);
}
