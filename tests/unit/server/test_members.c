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

static void commas_stand_between_members(void **state) {
  (void)state;
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

static void what_is_not_stated_is_left_out(void **state) {
  (void)state;
  mcpi_buf buf = fresh();
  mcpi_buf_putc(&buf, '{');
  mcpi_put_string_member(&buf, "a", NULL);
  mcpi_put_text_member(&buf, "b", NULL);
  mcpi_put_string_member(&buf, "c", "");
  mcpi_buf_putc(&buf, '}');
  assert_text(&buf, "{\"c\":\"\"}");
}

static void a_failed_buffer_is_left_alone(void **state) {
  (void)state;
  mcpi_buf buf;
  mcpi_buf_init(&buf, mcp_allocator_default(), 4);
  mcpi_put_string_member(&buf, "name", "value");
  assert_int_equal(buf.error, MCP_ERR_LIMIT);
  mcpi_put_comma(&buf);
  mcpi_buf_deinit(&buf);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(commas_stand_between_members),
      cmocka_unit_test(what_is_not_stated_is_left_out),
      cmocka_unit_test(a_failed_buffer_is_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
