/* SPDX-License-Identifier: MIT */
/* Excerpts of text that is not a message. test_trace.c tests the redaction of
 * messages. */
#include "core/redact.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include <string.h>

static failing_alloc alloc;
static char excerpt[MCPI_EXCERPT_SIZE];

static int start(void **state) {
  failing_alloc_init(&alloc);
  memset(excerpt, 'x', sizeof(excerpt));
  return 0;
}

static int stop(void **state) {
  return atomic_load(&alloc.live_blocks) == 0 ? 0 : -1;
}

static void expect(const char *text, size_t len, const char *shown) {
  mcpi_redact_excerpt(&alloc.allocator, mcpi_str_n(text, len), excerpt);
  assert_string_equal(excerpt, shown);
}

TEST_WITH(characters_that_mislead_are_escaped, start, stop) {
  static const char text[] = "a\x1b[2J\xC2\x9B"
                             "b\u202Ec\nd";
  expect(text, sizeof(text) - 1, "a\\u001b[2J\\u009bb\\u202ec\\u000ad");
}

TEST_WITH(short_text_is_whole, start, stop) {
  expect("Welcome!", 8, "Welcome!");
  expect("", 0, "");
  expect(NULL, 0, "");
}

TEST_WITH(long_text_is_cut, start, stop) {
  char text[1000];
  char shown[MCPI_EXCERPT_SIZE];
  memset(text, 'a', sizeof(text));
  memset(shown, 'a', 96);
  shown[96] = '\0';
  expect(text, 96, shown);
  memcpy(shown + 96, "...", 4);
  expect(text, 97, shown);
  expect(text, sizeof(text), shown);
}

TEST_WITH(characters_are_not_cut, start, stop) {
  char text[200];
  char shown[MCPI_EXCERPT_SIZE];
  memset(text, 'a', sizeof(text));
  memcpy(text + 95, "\xe2\x82\xac", 3);
  memset(shown, 'a', 95);
  memcpy(shown + 95, "...", 4);
  expect(text, sizeof(text), shown);
}

TEST_WITH(secrets_are_replaced, start, stop) {
  char text[300];
  expect("ready, token=hush", 17, "ready, token=[redacted]");
  /* One that does not end within what is shown. */
  memset(text, 'a', sizeof(text));
  memcpy(text, "password=", 9);
  expect(text, sizeof(text), "password=[redacted]");
  /* Nor within what is looked at. */
  memcpy(text + 50, " secret=", 8);
  mcpi_redact_excerpt(&alloc.allocator, mcpi_str_n(text, sizeof(text)),
                      excerpt);
  assert_non_null(strstr(excerpt, "secret=[redacted]"));
}

TEST_WITH(without_memory_it_is_empty, start, stop) {
  atomic_store(&alloc.fail_at, 1);
  expect("Welcome!", 8, "");
}
