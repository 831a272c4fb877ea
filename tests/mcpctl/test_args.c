/* SPDX-License-Identifier: MIT */
#include "line/args.h"
#include "platform/files.h"

#include "support/cm.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void expect(int count, const char *const *args, const char *json) {
  char *text = NULL;
  mcp_error err = {0};
  assert_int_equal(ctl_args_json((char *const *)args, count, &text, &err), 0);
  if (json == NULL) {
    assert_null(text);
  } else {
    assert_string_equal(text, json);
  }
  free(text);
}

static void refuse(int count, const char *const *args, int code,
                   const char *message) {
  char *text = NULL;
  mcp_error err = {0};
  assert_int_equal(ctl_args_json((char *const *)args, count, &text, &err),
                   code);
  assert_null(text);
  assert_non_null(strstr(err.message, message));
}

#define EXPECT(json, ...)                                                      \
  expect(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *),               \
         (const char *[]){__VA_ARGS__}, json)
#define REFUSE(code, message, ...)                                             \
  refuse(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *),               \
         (const char *[]){__VA_ARGS__}, code, message)

TEST(pairs_become_members) {
  expect(0, NULL, NULL);
  EXPECT("{\"a\":\"1\"}", "a=1");
  EXPECT("{\"a\":1,\"b\":\"x y\"}", "a:=1", "b=x y");
  EXPECT("{\"a\":\"\",\"b\":\"c=d\"}", "a=", "b=c=d");
  EXPECT("{\"a\":[1, {\"b\": null}]}", "a:=[1, {\"b\": null}]");
  EXPECT("{\"a:b\":\"c\"}", "a:b=c");
  EXPECT("{\"a\":123456789012345678901234567890}",
         "a:=123456789012345678901234567890");
  EXPECT("{\"größe\":\"\\\"\"}", "größe=\"");
}

TEST(bad_pairs_are_refused) {
  REFUSE(MCP_ERR_INVALID, "'a' is not an argument", "a");
  REFUSE(MCP_ERR_INVALID, "'=1' is not an argument", "=1");
  REFUSE(MCP_ERR_INVALID, "':=1' is not an argument", ":=1");
  REFUSE(MCP_ERR_INVALID, "'@file' is not the only argument", "a=1", "@file");
  REFUSE(MCP_ERR_INVALID, "'-' is not the only argument", "a=1", "-");
  REFUSE(MCP_ERR_INVALID, "'a:1' is not an argument: write 'a:=1'", "a:1");
  REFUSE(MCP_ERR_INVALID, "'a:' is not an argument: give key=value", "a:", "1");
  REFUSE(MCP_ERR_INVALID, "'{a:' is not the only argument: a JSON object",
         "{a:", "1}");
  REFUSE(MCP_ERR_EXISTS, "'a' is given twice", "a=1", "b=2", "a:=3");
  REFUSE(MCP_ERR_PARSE,
         "'a:=[' is not JSON after :=; the shell splits at blanks and "
         "removes quotes, so put the whole word in single quotes",
         "a:=[");
  REFUSE(MCP_ERR_PARSE, "is not JSON", "a:=");
  REFUSE(MCP_ERR_INVALID, "is not UTF-8", "a=\xff");
  REFUSE(MCP_ERR_INVALID, "is not UTF-8", "\xff:=1");
  REFUSE(MCP_ERR_INVALID, ": the member \"b\" occurs twice",
         "a:={\"b\":1,\"b\":2}");
}

TEST(an_object_stands_for_all) {
  EXPECT("{\"a\":1}", "{\"a\": 1}");
  EXPECT("{}", "{}");
  REFUSE(MCP_ERR_PARSE,
         "the argument is not JSON: line 1, column 7: ", "{\"a\": }");
  REFUSE(MCP_ERR_INVALID, "'{}' is not the only argument", "{}", "{}");
}

/* Runs with a file that holds the text. */
static void with_file(const char *text, void (*run)(const char *arg)) {
  char path[] = "/tmp/mcpctl-args-XXXXXX";
  char arg[sizeof(path) + 1];
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_int_equal(ctl_file_write(fd, text, strlen(text)), 0);
  close(fd);
  snprintf(arg, sizeof(arg), "@%s", path);
  run(arg);
  unlink(path);
}

static void expect_object(const char *arg) {
  EXPECT("{\"a\":{\"b\":[]}}", arg);
}

static void expect_no_object(const char *arg) {
  REFUSE(MCP_ERR_INVALID, "not a JSON object", arg);
}

static void expect_no_json(const char *arg) {
  REFUSE(MCP_ERR_PARSE, arg + 1, arg);
}

static void expect_empty(const char *arg) {
  REFUSE(MCP_ERR_INVALID, "is empty: give a JSON object", arg);
}

/* The same file as a value: `arg` is "@" and its path. */
static void expect_member(const char *arg, const char *mark, const char *json) {
  char word[100];
  snprintf(word, sizeof(word), "a%s%s", mark, arg);
  EXPECT(json, word);
}

static void expect_text(const char *arg) {
  expect_member(arg, "=", "{\"a\":\"[1]\\n\"}");
}

static void expect_json(const char *arg) {
  expect_member(arg, ":=", "{\"a\":[1]}");
}

static void expect_bad_json(const char *arg) {
  char word[100];
  snprintf(word, sizeof(word), "a:=%s", arg);
  REFUSE(MCP_ERR_PARSE, "': the file is not JSON", word);
}

TEST(a_value_is_read_from_a_file) {
  with_file("[1]\n", expect_text);
  with_file("[1]\n", expect_json);
  with_file("x", expect_bad_json);
  with_file("", expect_bad_json);
  REFUSE(MCP_ERR_IO,
         "'a=@/no/x': cannot read /no/x: No such file or directory; for this "
         "text write 'a:=\"@/no/x\"'",
         "a=@/no/x");
  EXPECT("{\"a\":\"@x\"}", "a:=\"@x\"");
}

TEST(a_file_is_read) {
  with_file("{\"a\": {\"b\": []}}\n", expect_object);
  with_file("[1]", expect_no_object);
  with_file("x", expect_no_json);
  with_file("", expect_empty);
  REFUSE(MCP_ERR_IO, "cannot read /nonexistent/x", "@/nonexistent/x");
}
