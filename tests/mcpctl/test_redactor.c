/* SPDX-License-Identifier: MIT */
#include "common/redactor.h"

#include "support/cm.h"
#include <stdlib.h>
#include <string.h>

/* In a block of its own size, so that a read past the end is seen. */
static const char *redact(ctl_redactor *redactor, const char *text,
                          size_t len) {
  char *copy = malloc(len > 0 ? len : 1);
  memcpy(copy, text, len);
  const char *shown = ctl_redact(redactor, copy, len);
  free(copy);
  return shown;
}

static void expect(ctl_redactor *redactor, const char *text,
                   const char *expected) {
  const char *shown = redact(redactor, text, strlen(text));
  if (expected == NULL) {
    assert_null(shown);
  } else {
    assert_non_null(shown);
    assert_string_equal(shown, expected);
  }
}

/* An array in an array, `depth` times. Owned. */
static char *deep_text(size_t depth) {
  char *text = malloc(2 * depth + 1);
  memset(text, '[', depth);
  memset(text + depth, ']', depth);
  text[2 * depth] = '\0';
  return text;
}

static ctl_redactor *begin(mcp_loop **loop) {
  mcp_error err = {0};
  *loop = mcp_loop_new(NULL, &err);
  assert_non_null(*loop);
  ctl_redactor *redactor = ctl_redactor_new(*loop, &err);
  assert_non_null(redactor);
  return redactor;
}

TEST(secrets_are_hidden) {
  mcp_loop *loop = NULL;
  ctl_redactor *redactor = begin(&loop);
  expect(redactor,
         "{\"params\":{\"arguments\":{\"token\":\"x\",\"password\":\"y\","
         "\"a\":[{\"api_key\":\"z\"}],\"b\":1}}}",
         "{\"params\":{\"arguments\":{\"token\":\"[redacted]\","
         "\"password\":\"[redacted]\",\"a\":[{\"api_key\":\"[redacted]\"}],"
         "\"b\":1}}}");
  expect(redactor, "[{\"a\":\"x\"}]", "[{\"a\":\"x\"}]");
  ctl_redactor_free(redactor);
  mcp_loop_free(loop);
}

TEST(a_text_that_is_not_json_is_refused) {
  static const char *const wrong[] = {
      "", "x", "{", "{} x", "[12 bytes that are not JSON]", "\xff"};
  mcp_loop *loop = NULL;
  ctl_redactor *redactor = begin(&loop);
  for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
    expect(redactor, wrong[i], NULL);
  }
  assert_null(redact(redactor, "[1]\0", 4));
  expect(redactor, "[\"[12 bytes that are not JSON]\"]",
         "[\"[12 bytes that are not JSON]\"]");
  ctl_redactor_free(redactor);
  mcp_loop_free(loop);
}

TEST(a_text_that_is_too_deep_is_refused) {
  mcp_loop *loop = NULL;
  ctl_redactor *redactor = begin(&loop);
  char *deep = deep_text(100000);
  expect(redactor, deep, NULL);
  free(deep);
  expect(redactor, "[]", "[]"); /* and the next one is not */
  ctl_redactor_free(redactor);
  mcp_loop_free(loop);
  ctl_redactor_free(NULL);
}
