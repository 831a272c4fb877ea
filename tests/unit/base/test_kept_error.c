/* SPDX-License-Identifier: MIT */
#include "base/kept_error.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include <string.h>

static const mcp_error busy = {MCP_ERR_BUSY, 7, 9, "the line is busy"};

TEST(without_an_error_the_code_is_0) {
  mcpi_kept_error kept = {0};
  mcp_error space = {.code = MCP_ERR_IO};
  const mcp_error *got = mcpi_kept_error_get(&kept, &space);
  assert_int_equal(got->code, 0);
  assert_string_equal(got->message, "");
  mcpi_kept_error_deinit(&kept, mcp_allocator_default());
}

TEST(the_last_error_is_kept_whole) {
  mcpi_kept_error kept = {0};
  mcp_error space;
  const mcp_error gone = {MCP_ERR_GONE, 0, 0, "it is gone"};
  mcpi_kept_error_set(&kept, mcp_allocator_default(), &gone);
  mcpi_kept_error_set(&kept, mcp_allocator_default(), &busy);
  const mcp_error *got = mcpi_kept_error_get(&kept, &space);
  assert_int_equal(got->code, MCP_ERR_BUSY);
  assert_int_equal(got->status, 7);
  assert_int_equal(got->offset, 9);
  assert_string_equal(got->message, "the line is busy");
  mcpi_kept_error_deinit(&kept, mcp_allocator_default());
  assert_int_equal(mcpi_kept_error_get(&kept, &space)->code, 0);
}

static int keep_once(const mcp_allocator *allocator, void *userdata) {
  mcpi_kept_error kept = {0};
  mcp_error space;
  mcpi_kept_error_set(&kept, allocator, &busy);
  const mcp_error *got = mcpi_kept_error_get(&kept, &space);
  assert_int_equal(got->code, MCP_ERR_BUSY);
  int is_whole = strcmp(got->message, busy.message) == 0;
  assert_true(is_whole ||
              strcmp(got->message, mcp_error_text(MCP_ERR_BUSY)) == 0);
  mcpi_kept_error_deinit(&kept, allocator);
  return is_whole ? 0 : MCP_ERR_NOMEM;
}

TEST(without_memory_the_code_is_kept) {
  failing_alloc_rerun_least(1, keep_once, NULL);
}
