/* SPDX-License-Identifier: MIT */
#include "codec/lines.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/guarded.h"
#include <mcp/error.h>
#include <stdlib.h>

enum { MAX_LINE = 20 };

/* What came out, in words: "[line]", "<long>", "<nomem>". */
typedef struct record {
  char text[4096];
  size_t len;
} record;

static void note(record *r, int rc, mcpi_str line) {
  static const char *const words[] = {"", "", "<long>", "<nomem>"};
  if (rc == MCPI_LINES_LINE) {
    r->text[r->len++] = '[';
    memcpy(r->text + r->len, line.ptr, line.len);
    r->len += line.len;
    r->text[r->len++] = ']';
  } else {
    memcpy(r->text + r->len, words[rc], strlen(words[rc]));
    r->len += strlen(words[rc]);
  }
  r->text[r->len] = '\0';
}

static void feed(mcpi_lines *lines, const char *bytes, size_t len, record *r) {
  char *copy = guarded_copy(bytes, len);
  const char *at = copy;
  size_t left = len;
  mcpi_str line;
  int rc;
  while ((rc = mcpi_lines_next(lines, &at, &left, &line)) != MCPI_LINES_MORE) {
    note(r, rc, line);
  }
  assert_int_equal(left, 0);
  assert_ptr_equal(at, copy + len);
  guarded_free(copy, len);
}

static void finish(mcpi_lines *lines, record *r) {
  mcpi_str line;
  note(r, mcpi_lines_finish(lines, &line), line);
  assert_int_equal(mcpi_lines_finish(lines, &line), MCPI_LINES_MORE);
}

/* The input whole, cut once at every byte, and byte by byte. */
static void check(const char *input, const char *expected) {
  size_t len = strlen(input);
  for (size_t cut = 0; cut <= len + 1; cut++) {
    mcpi_lines lines;
    record r = {{0}, 0};
    mcpi_lines_init(&lines, mcp_allocator_default(), MAX_LINE);
    if (cut <= len) {
      feed(&lines, input, cut, &r);
      feed(&lines, input + cut, len - cut, &r);
    } else {
      for (size_t i = 0; i < len; i++) {
        feed(&lines, input + i, 1, &r);
      }
    }
    finish(&lines, &r);
    assert_string_equal(r.text, expected);
    mcpi_lines_deinit(&lines);
  }
}

TEST(lines_are_found_in_any_cut) {
  check("", "");
  check("a\n", "[a]");
  check("a\nbc\n", "[a][bc]");
  check("a\r\nb\r\n", "[a][b]");
  check("a\r\r\n", "[a\r]");
  check("a\rb\n", "[a\rb]");
  check("\n\r\n\n a \n", "[ a ]");
  check(" \n\t\r\n \t \na\n", "[a]");
  check("no end", "[no end]");
  check("a\nno end\r", "[a][no end]");
  check("a\n \t", "[a]");
}

TEST(the_limit_holds_at_and_one_past) {
  check("12345678901234567890\nx\n", "[12345678901234567890][x]");
  check("12345678901234567890\r\nx\n", "[12345678901234567890][x]");
  check("123456789012345678901\nx\n", "<long>[x]");
  check("123456789012345678901\r\nx\n", "<long>[x]");
  check("12345678901234567890\r\r\nx\n", "<long>[x]");
  check("12345678901234567890", "[12345678901234567890]");
  check("123456789012345678901", "<long>");
  check("1234567890123456789012345678901234567890", "<long>");
  check("1234567890123456789012345678901234567890\n\nx\n"
        "1234567890123456789012345678901234567890\n",
        "<long>[x]<long>");
  check("                                \nx\n", "<long>[x]");
}

TEST(no_limit_is_none) {
  mcpi_lines lines;
  record r = {{0}, 0};
  mcpi_lines_init(&lines, mcp_allocator_default(), SIZE_MAX);
  feed(&lines, "abc", 3, &r);
  feed(&lines, "def\n", 4, &r);
  assert_string_equal(r.text, "[abcdef]");
  mcpi_lines_deinit(&lines);
}

TEST(a_whole_line_is_not_copied) {
  failing_alloc alloc;
  mcpi_lines lines;
  const char input[] = "one\ntwo\n";
  const char *at = input;
  size_t left = strlen(input);
  mcpi_str line;
  failing_alloc_init(&alloc);
  mcpi_lines_init(&lines, &alloc.allocator, MAX_LINE);
  assert_int_equal(mcpi_lines_next(&lines, &at, &left, &line), MCPI_LINES_LINE);
  assert_ptr_equal(line.ptr, input);
  assert_int_equal(mcpi_lines_next(&lines, &at, &left, &line), MCPI_LINES_LINE);
  assert_ptr_equal(line.ptr, input + 4);
  assert_int_equal(alloc.calls, 0);
  mcpi_lines_deinit(&lines);
}

TEST(a_long_lines_memory_is_given_back) {
  enum { LEN = 1 << 20 };
  failing_alloc alloc;
  mcpi_lines lines;
  mcpi_str line;
  char *text = malloc(LEN);
  memset(text, 'x', LEN);
  failing_alloc_init(&alloc);
  mcpi_lines_init(&lines, &alloc.allocator, SIZE_MAX);
  const char *at = text;
  size_t left = LEN;
  assert_int_equal(mcpi_lines_next(&lines, &at, &left, &line), MCPI_LINES_MORE);
  at = "\n";
  left = 1;
  assert_int_equal(mcpi_lines_next(&lines, &at, &left, &line), MCPI_LINES_LINE);
  assert_int_equal(line.len, LEN);
  assert_int_equal(mcpi_lines_next(&lines, &at, &left, &line), MCPI_LINES_MORE);
  assert_int_equal(alloc.live_bytes, 0);
  mcpi_lines_deinit(&lines);
  free(text);
}

TEST(without_memory_a_line_is_lost) {
  failing_alloc alloc;
  mcpi_lines lines;
  record r = {{0}, 0};
  failing_alloc_init(&alloc);
  alloc.fail_at = 1;
  mcpi_lines_init(&lines, &alloc.allocator, MAX_LINE);
  feed(&lines, "a\nlost", 6, &r);
  feed(&lines, " and more", 9, &r);
  feed(&lines, " to its end\nb\nc", 15, &r);
  feed(&lines, "d\n", 2, &r);
  assert_string_equal(r.text, "[a]<nomem>[b][cd]");
  mcpi_lines_deinit(&lines);
  assert_int_equal(alloc.live_blocks, 0);
}

static int feed_cut(const mcp_allocator *allocator, void *userdata) {
  mcpi_lines lines;
  record r = {{0}, 0};
  mcpi_lines_init(&lines, allocator, 2000);
  for (int i = 0; i < 1500; i++) {
    feed(&lines, "x", 1, &r);
  }
  feed(&lines, "\nend\n", 5, &r);
  mcpi_lines_deinit(&lines);
  assert_non_null(strstr(r.text, "[end]"));
  return strstr(r.text, "<nomem>") != NULL ? MCP_ERR_NOMEM : 0;
}

TEST(failures_are_survived) {
  assert_int_equal(failing_alloc_rerun(feed_cut, NULL), 4);
}

/* Random pieces against the lines of the whole. */
TEST(random_cuts_agree) {
  static const char alphabet[] = "abcdefgh  \t\r\n\n";
  srand(6);
  for (int round = 0; round < 2000; round++) {
    char input[400];
    record whole = {{0}, 0};
    record pieces = {{0}, 0};
    mcpi_lines one;
    mcpi_lines two;
    size_t len = (size_t)rand() % sizeof(input);
    for (size_t i = 0; i < len; i++) {
      input[i] = alphabet[rand() % (int)(sizeof(alphabet) - 1)];
    }
    mcpi_lines_init(&one, mcp_allocator_default(), MAX_LINE);
    mcpi_lines_init(&two, mcp_allocator_default(), MAX_LINE);
    feed(&one, input, len, &whole);
    for (size_t done = 0; done < len;) {
      size_t piece = 1 + (size_t)rand() % (len - done);
      feed(&two, input + done, piece, &pieces);
      done += piece;
    }
    finish(&one, &whole);
    finish(&two, &pieces);
    assert_string_equal(whole.text, pieces.text);
    mcpi_lines_deinit(&one);
    mcpi_lines_deinit(&two);
  }
}
