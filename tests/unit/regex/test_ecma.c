/* SPDX-License-Identifier: MIT */
/* What each part of ECMA-262's regular expressions means once PCRE2 has it:
 * the tests of ecma.txt, and others. Lines of ecma.txt are
 *
 *   pattern PATTERN     the pattern of the texts that follow
 *   ok STRING           a text, as a JSON string, in which it is found
 *   no STRING           one in which it is not
 *   refused AT PATTERN  a pattern that is refused, and the offset
 */
#include "regex/ecma.h"

#include "support/case_file.h"
#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/guarded.h"
#include "support/scratch.h"
#include <mcp/error.h>
#include <mcp/schema.h>
#include <stdlib.h>
#include <string.h>

enum { REFUSED = -1000 };

/* 1 or 0; REFUSED with *offset. */
static int find_n(const char *pattern, size_t len, const char *text,
                  size_t text_len, size_t *offset) {
  void *regex = NULL;
  char *copy = guarded_copy(pattern, len);
  int rc = mcp_regex_pcre2()->compile(NULL, copy, len, &regex, offset);
  guarded_free(copy, len);
  if (rc != 0) {
    assert_int_equal(rc, MCP_ERR_PARSE);
    return REFUSED;
  }
  copy = guarded_copy(text, text_len);
  size_t steps = SIZE_MAX;
  int found = mcp_regex_pcre2()->match(regex, copy, text_len, &steps);
  guarded_free(copy, text_len);
  mcp_regex_pcre2()->release(regex);
  return found;
}

static void expect_match(const char *pattern, const char *json, int wanted) {
  size_t offset = 0;
  size_t len = 0;
  const char *text = mcp_json_string_n(scratch_plain_json(json), &len);
  if (text == NULL) {
    fail_msg("%s is not a JSON string", json);
  }
  int found = find_n(pattern, strlen(pattern), text, len, &offset);
  if (found == REFUSED) {
    fail_msg("/%s/ is refused at %zu", pattern, offset);
  } else if (found != wanted) {
    fail_msg("/%s/ on %s: %d", pattern, json, found);
  }
}

static void expect_refused(const char *rest) {
  char *pattern;
  size_t wanted = strtoul(rest, &pattern, 10);
  size_t offset = SIZE_MAX;
  if (pattern == rest || *pattern != ' ') {
    fail_msg("an offset and a blank must come first: %s", rest);
  }
  pattern++;
  if (find_n(pattern, strlen(pattern), "", 0, &offset) != REFUSED) {
    fail_msg("/%s/ is accepted", pattern);
  } else if (offset != wanted) {
    fail_msg("/%s/ is refused at %zu", pattern, offset);
  }
}

static void run(void **state) {
  size_t checks = 0;
  const char *pattern = NULL;
  for (char *line = strtok(*state, "\n"), *rest; line != NULL;
       line = strtok(NULL, "\n")) {
    if ((rest = case_after(line, "pattern")) != NULL) {
      pattern = rest;
    } else if ((rest = case_after(line, "ok")) != NULL) {
      expect_match(pattern, rest, 1);
      checks++;
    } else if ((rest = case_after(line, "no")) != NULL) {
      expect_match(pattern, rest, 0);
      checks++;
    } else if ((rest = case_after(line, "refused")) != NULL) {
      expect_refused(rest);
      checks++;
    } else {
      fail_msg("this line has no meaning: %s", line);
    }
  }
  assert_true(checks > 0);
}

TEST(a_nul_is_a_character_like_others) {
  size_t offset = 0;
  assert_int_equal(find_n("^a\0b$", 5, "a\0b", 3, &offset), 1);
  assert_int_equal(find_n("^a\\0b$", 6, "a\0b", 3, &offset), 1);
  assert_int_equal(find_n("^[\0-\x01]$", 7, "\0", 1, &offset), 1);
}

TEST(bytes_and_groups_that_are_broken_are_refused) {
  size_t offset = 0;
  assert_int_equal(find_n("a\xC3", 2, "", 0, &offset), REFUSED);
  assert_int_equal(offset, 1);
  assert_int_equal(find_n("[\xED\xA0\x80]", 5, "", 0, &offset), REFUSED);
  assert_int_equal(find_n("\\1", 2, "", 0, &offset), REFUSED);
  assert_int_equal(find_n("\\k<a>", 5, "", 0, &offset), REFUSED);
  assert_int_equal(find_n("(?<a>.)(?<a>.)", 14, "", 0, &offset), REFUSED);
  assert_int_equal(find_n("a{2,1}", 6, "", 0, &offset), REFUSED);
}

/* Limits of PCRE2 that regex/ecma.h names. */
TEST(what_pcre2_cannot_is_refused) {
  size_t offset = 0;
  assert_int_equal(find_n("(?<=a+)b", 8, "ab", 2, &offset), REFUSED);
  assert_int_equal(find_n("a{65535}", 8, "", 0, &offset), 0);
  assert_int_equal(find_n("a{65536}", 8, "", 0, &offset), REFUSED);
}

/* --- the translation itself ---------------------------------------------- */

TEST(places_lead_back) {
  mcpi_str pattern = MCPI_STR("a.[b]\\s");
  mcpi_buf out;
  size_t offset = 0;
  mcpi_buf_init(&out, mcp_allocator_default(), SIZE_MAX);
  assert_int_equal(mcpi_regex_ecma(&out, pattern, &offset), 0);
  assert_int_equal(mcpi_regex_ecma_place(pattern, 0), 0);
  assert_int_equal(mcpi_regex_ecma_place(pattern, 1), 1);
  assert_int_equal(mcpi_regex_ecma_place(pattern, 2), 1);
  const char *class = memchr(out.data, 'b', out.len);
  assert_non_null(class);
  assert_int_equal(
      mcpi_regex_ecma_place(pattern, (size_t)(class - out.data) - 1), 2);
  assert_int_equal(mcpi_regex_ecma_place(pattern, out.len - 1), 5);
  assert_int_equal(mcpi_regex_ecma_place(pattern, out.len), 7);
  assert_int_equal(mcpi_regex_ecma_place(MCPI_STR(""), 0), 0);
  mcpi_buf_deinit(&out);
}

TEST(memory_may_run_out) {
  failing_alloc alloc;
  mcpi_buf out;
  size_t offset = 0;
  for (size_t i = 1; i <= 2; i++) {
    failing_alloc_init(&alloc);
    alloc.fail_at = i;
    mcpi_buf_init(&out, &alloc.allocator, SIZE_MAX);
    assert_int_equal(mcpi_regex_ecma(&out,
                                     MCPI_STR("\\s\\s\\s\\s\\s\\s\\s\\s\\s\\s"),
                                     &offset),
                     MCP_ERR_NOMEM);
    mcpi_buf_deinit(&out);
    assert_int_equal(alloc.live_blocks, 0);
  }
}

TEST(a_translation_too_long_is_refused) {
  mcpi_buf out;
  size_t offset = 0;
  mcpi_buf_init(&out, mcp_allocator_default(), 5);
  assert_int_equal(mcpi_regex_ecma(&out, MCPI_STR("abcde"), &offset), 0);
  mcpi_buf_clear(&out);
  assert_int_equal(mcpi_regex_ecma(&out, MCPI_STR("abcdef"), &offset),
                   MCP_ERR_LIMIT);
  mcpi_buf_deinit(&out);
}

int main(void) {
  case_files_add("tests/unit/regex/ecma.txt", run, scratch_teardown);
  return tests_run(NULL, NULL);
}
