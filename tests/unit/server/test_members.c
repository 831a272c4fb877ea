/* SPDX-License-Identifier: MIT */
#include "server/members.h"

#include "support/cm.h"
#include <mcp/error.h>

static void assert_text(mcpi_buf *buf, const char *expected) {
  mcpi_buf_putc(buf, '\0');
  assert_int_equal(buf->error, 0);
  assert_string_equal(buf->data, expected);
  mcpi_buf_deinit(buf);
}

static mcpi_buf fresh(void) {
  mcpi_buf buf;
  mcpi_buf_init(&buf, mcp_allocator_default(), SIZE_MAX);
  return buf;
}

TEST(commas_stand_between_members) {
  mcpi_buf buf = fresh();
  mcpi_buf_putc(&buf, '{');
  mcpi_put_string_member(&buf, "a", "x{");
  mcpi_put_text_member(&buf, "b", "{\"n\":1}");
  mcpi_put_true_member(&buf, "c");
  mcpi_put_uint_member(&buf, "d", UINT64_MAX);
  mcpi_put_name(&buf, "e");
  mcpi_buf_putc(&buf, '{');
  mcpi_put_string_member(&buf, "f", "\"");
  mcpi_buf_lit(&buf, "}}");
  assert_text(&buf, "{\"a\":\"x{\",\"b\":{\"n\":1},\"c\":true,"
                    "\"d\":18446744073709551615,\"e\":{\"f\":\"\\\"\"}}");
}

TEST(what_is_not_stated_is_left_out) {
  mcpi_buf buf = fresh();
  mcpi_buf_putc(&buf, '{');
  mcpi_put_string_member(&buf, "a", NULL);
  mcpi_put_text_member(&buf, "b", NULL);
  mcpi_put_string_member(&buf, "c", "");
  mcpi_buf_putc(&buf, '}');
  assert_text(&buf, "{\"c\":\"\"}");
}

TEST(a_failed_buffer_is_left_alone) {
  mcpi_buf buf;
  mcpi_buf_init(&buf, mcp_allocator_default(), 4);
  mcpi_put_string_member(&buf, "name", "value");
  assert_int_equal(buf.error, MCP_ERR_LIMIT);
  mcpi_put_comma(&buf);
  mcpi_buf_deinit(&buf);
}
