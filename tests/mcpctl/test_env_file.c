/* SPDX-License-Identifier: MIT */
#include "config/env_file.h"

#include "support/cm.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/env-file-XXXXXX";

static int begin(void **state) {
  int fd = mkstemp(path);
  return fd >= 0 ? close(fd) : -1;
}

static int end(void **state) {
  return unlink(path);
}

static void put(const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void free_list(char **list) {
  for (char **item = list; item != NULL && *item != NULL; item++) {
    free(*item);
  }
  free(list);
}

/* `expected` ends with NULL. */
static void expect(const char *text, const char *const *expected) {
  char **list = NULL;
  size_t i = 0;
  mcp_error err = {0};
  put(text);
  assert_int_equal(ctl_env_file_read(&list, path, &err), 0);
  for (; expected[i] != NULL; i++) {
    assert_non_null(list[i]);
    assert_string_equal(list[i], expected[i]);
  }
  assert_null(list[i]);
  free_list(list);
}

TEST(each_line_is_a_variable) {
  expect("", (const char *const[]){NULL});
  expect("A=1\nB=two words\n",
         (const char *const[]){"A=1", "B=two words", NULL});
  expect("\n# a comment\n  A = 1 \r\nexport B=2\nC=",
         (const char *const[]){"A=1", "B=2", "C=", NULL});
}

TEST(quotes_around_a_value_are_left_out) {
  expect(
      "A=\" 1 \"\nB='2'\nC=\"3\nD='\nE=a\"b\"",
      (const char *const[]){"A= 1 ", "B=2", "C=\"3", "D='", "E=a\"b\"", NULL});
}

TEST(a_wrong_line_is_named) {
  static const char *const wrong[] = {"A=1\n\nB\n", "A=1\n#\n=2\n"};
  for (size_t i = 0; i < 2; i++) {
    char **list = NULL;
    mcp_error err = {0};
    put(wrong[i]);
    assert_int_equal(ctl_env_file_read(&list, path, &err), MCP_ERR_PARSE);
    assert_non_null(strstr(err.message, ", line 3 is not NAME=VALUE"));
    free_list(list);
  }
}

TEST(a_missing_file_is_named) {
  char **list = NULL;
  mcp_error err = {0};
  assert_int_equal(ctl_env_file_read(&list, "/nonexistent", &err), MCP_ERR_IO);
  assert_non_null(strstr(err.message, "/nonexistent"));
  assert_null(list);
}

int main(void) {
  return tests_run(begin, end);
}
