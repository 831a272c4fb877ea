/* SPDX-License-Identifier: MIT */
/* What tests/unit/codec/test_lines.c does not show: the public side of it. */
#include "support/cm.h"
#include "support/failing_alloc.h"
#include <mcp/transport.h>
#include <stdlib.h>
#include <string.h>

static void check_line(mcp_read_buffer *buffer, const char *expected) {
  const char *line = NULL;
  size_t len = 0;
  assert_int_equal(mcp_read_buffer_next(buffer, &line, &len, NULL), 1);
  assert_int_equal(len, strlen(expected));
  assert_memory_equal(line, expected, len);
}

static void check_nothing(mcp_read_buffer *buffer) {
  const char *line = NULL;
  size_t len = 7;
  assert_int_equal(mcp_read_buffer_next(buffer, &line, &len, NULL), 0);
  assert_null(line);
  assert_int_equal(len, 7);
}

static void feed(mcp_read_buffer *buffer, const char *bytes) {
  assert_int_equal(mcp_read_buffer_feed(buffer, bytes, strlen(bytes)), 0);
}

TEST(pieces_become_lines) {
  mcp_read_buffer *buffer = mcp_read_buffer_new(NULL, 0, NULL);
  check_nothing(buffer);
  feed(buffer, "{\"a\":1}\r\n\n{\"b\"");
  check_line(buffer, "{\"a\":1}");
  check_nothing(buffer);
  feed(buffer, ":2}\nnot JSON\nlast");
  check_line(buffer, "{\"b\":2}");
  check_line(buffer, "not JSON");
  check_nothing(buffer);
  feed(buffer, "\n");
  check_line(buffer, "last");
  check_nothing(buffer);
  mcp_read_buffer_free(buffer);
}

TEST(a_long_line_is_told_once_and_left_out) {
  const char *line;
  size_t len;
  mcp_error err;
  mcp_read_buffer *buffer = mcp_read_buffer_new(NULL, 4, NULL);
  feed(buffer, "1234\n12345\n1");
  check_line(buffer, "1234");
  assert_int_equal(mcp_read_buffer_next(buffer, &line, &len, &err),
                   MCP_ERR_LIMIT);
  assert_int_equal(err.code, MCP_ERR_LIMIT);
  assert_string_equal(err.message, "a line is longer than 4 bytes");
  check_nothing(buffer);
  feed(buffer, "2\n");
  check_line(buffer, "12");
  mcp_read_buffer_free(buffer);
}

TEST(ten_megabytes_are_the_limit_by_default) {
  const char *line;
  size_t len;
  char *text = malloc(MCP_LINE_MAX_DEFAULT + 1);
  mcp_read_buffer *buffer = mcp_read_buffer_new(NULL, 0, NULL);
  memset(text, 'x', MCP_LINE_MAX_DEFAULT + 1);
  assert_int_equal(MCP_LINE_MAX_DEFAULT, 10485760);
  for (size_t more = 0; more < 2; more++) {
    mcp_read_buffer_feed(buffer, text, MCP_LINE_MAX_DEFAULT + more);
    check_nothing(buffer);
    feed(buffer, "\n");
    assert_int_equal(mcp_read_buffer_next(buffer, &line, &len, NULL),
                     more == 0 ? 1 : MCP_ERR_LIMIT);
    check_nothing(buffer);
  }
  mcp_read_buffer_free(buffer);
  free(text);
}

TEST(bytes_are_not_fed_over_others) {
  mcp_read_buffer *buffer = mcp_read_buffer_new(NULL, 0, NULL);
  feed(buffer, "one\ntwo\n");
  check_line(buffer, "one");
  assert_int_equal(mcp_read_buffer_feed(buffer, "three\n", 6), MCP_ERR_BUSY);
  check_line(buffer, "two");
  assert_int_equal(mcp_read_buffer_feed(buffer, NULL, 1), MCP_ERR_INVALID);
  assert_int_equal(mcp_read_buffer_feed(NULL, "x", 1), MCP_ERR_INVALID);
  assert_int_equal(mcp_read_buffer_next(buffer, NULL, NULL, NULL),
                   MCP_ERR_INVALID);
  mcp_read_buffer_free(buffer);
  mcp_read_buffer_free(NULL);
}

static int read_two(const mcp_allocator *allocator, void *userdata) {
  const char *line;
  size_t len;
  mcp_error err = {0};
  mcp_read_buffer *buffer = mcp_read_buffer_new(allocator, 0, &err);
  if (buffer == NULL) {
    assert_int_equal(err.code, MCP_ERR_NOMEM);
    assert_string_equal(err.message, "out of memory");
    return err.code;
  }
  feed(buffer, "cut");
  int rc = mcp_read_buffer_next(buffer, &line, &len, &err);
  assert_int_equal(err.code, rc);
  if (rc == 0) {
    feed(buffer, " in two\n");
    check_line(buffer, "cut in two");
    check_nothing(buffer);
  } else {
    feed(buffer, " is lost\nnext\n");
    check_line(buffer, "next");
  }
  mcp_read_buffer_free(buffer);
  return rc;
}

TEST(failing_memory_is_survived) {
  assert_int_equal(failing_alloc_rerun(read_two, NULL), 2);
}
