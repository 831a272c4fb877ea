/* SPDX-License-Identifier: MIT */
#include "common/envelope.h"
#include "common/file.h"
#include "config/server.h"
#include "record/recording.h"
#include "record/tape.h"

#include "support/cm.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The one function of server.c that masked.c calls. */
const char *ctl_server_url(const ctl_named *named) {
  return NULL;
}

static char path[64];
static mcp_loop *loop;

static int set_up(void **state) {
  char folder[] = "/tmp/test_tape.XXXXXX";
  loop = mcp_loop_new(NULL, NULL);
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof(path), "%s/a.jsonl", folder);
  return 0;
}

static int tear_down(void **state) {
  unlink(path);
  *strrchr(path, '/') = '\0';
  rmdir(path);
  mcp_loop_free(loop);
  return 0;
}

static ctl_tape *begin(const ctl_options *options) {
  mcp_error err = {0};
  ctl_tape *tape = ctl_tape_new(loop, options, path, &err);
  assert_string_equal(err.message, "");
  assert_non_null(tape);
  return tape;
}

static void add(ctl_tape *tape, const char *text) {
  ctl_tape_add(tape, "server", text, strlen(text), 0);
}

/* Ends the tape. Expects the line of that number to contain the text. */
static void expect_line(ctl_tape *tape, size_t number, const char *part) {
  size_t len = 0;
  mcp_error err = {0};
  assert_int_equal(ctl_tape_free(tape, &err), 0);
  char *text = ctl_file_read(path, &len, &err);
  assert_non_null(text);
  char *line = text;
  while (--number > 0) {
    line = strchr(line, '\n') + 1;
  }
  *strchr(line, '\n') = '\0';
  if (strstr(line, part) == NULL) {
    assert_string_equal(line, part);
  }
  free(text);
}

static mode_t mode_of_file(void) {
  struct stat found;
  assert_int_equal(stat(path, &found), 0);
  return found.st_mode & 0777;
}

#define TAPE_TEST(name) TEST_WITH(name, set_up, tear_down)

TAPE_TEST(the_first_line_shows_no_secret) {
  char *command[] = {(char *)"server", (char *)"--token", (char *)"x",
                     (char *)"K\xff", NULL};
  const ctl_options options = {.command = command};
  expect_line(begin(&options), 1,
              "\"target\":\"server --token *** K\\\\xff\"}");
}

TAPE_TEST(messages_have_no_secrets) {
  const ctl_options options = {.target = (char *)"a"};
  ctl_tape *tape = begin(&options);
  ctl_tape_add(tape, "client", "{\"password\":\"x\"}", 16, 1);
  expect_line(tape, 2,
              "\"from\":\"client\",\"by\":\"mcpctl\","
              "\"message\":{\"password\":\"[redacted]\"}}");
}

TAPE_TEST(what_is_not_json_is_junk) {
  const ctl_options options = {.target = (char *)"a"};
  ctl_tape *tape = begin(&options);
  ctl_tape_add(tape, "server", "\xff\x1b{", 3, 0);
  expect_line(tape, 2, "\"junk\":\"\\\\xff\\u001b{\"}");
}

TAPE_TEST(junk_is_whole) {
  const ctl_options options = {.target = (char *)"a"};
  ctl_tape *tape = begin(&options);
  ctl_tape_add(tape, "server", "a\0b", 3, 0);
  expect_line(tape, 2, "\"junk\":\"a\\\\x00b\"}");
}

TAPE_TEST(messages_that_are_too_deep_are_named) {
  const ctl_options options = {.target = (char *)"a"};
  char deep[257];
  ctl_tape *tape = begin(&options);
  memset(deep, '[', 128);
  memset(deep + 128, ']', 128);
  deep[256] = '\0';
  add(tape, deep);
  expect_line(tape, 2, "\"unreadable\":\"too deep or too large\"}");
}

TAPE_TEST(all_can_be_read_again) {
  const ctl_options options = {.target = (char *)"a"};
  ctl_tape *tape = begin(&options);
  ctl_recording recording;
  mcp_error err = {0};
  size_t len = 0;
  add(tape, "{\"method\":\"a\"}");
  add(tape, "5");
  add(tape, "");
  add(tape, "[[[[[[");
  ctl_tape_add_junk(tape, "client", "", 0);
  assert_int_equal(ctl_tape_free(tape, &err), 0);
  char *text = ctl_file_read(path, &len, &err);
  assert_int_equal(ctl_recording_parse(&recording, text, len, &err), 0);
  assert_int_equal(recording.entries[0].kind, CTL_MESSAGE_NOTIFICATION);
  ctl_recording_deinit(&recording);
  free(text);
}

TAPE_TEST(an_old_file_stays_unless_it_may_go) {
  ctl_options options = {.target = (char *)"a"};
  mcp_error err = {0};
  assert_int_equal(ctl_tape_free(begin(&options), NULL), 0);
  assert_int_equal(mode_of_file(), 0600);
  assert_null(ctl_tape_new(loop, &options, path, &err));
  assert_int_equal(err.code, MCP_ERR_IO);
  assert_non_null(strstr(err.message, "; --overwrite replaces it"));
  options.overwrites = 1;
  expect_line(begin(&options), 1, "\"format\":1");
}

/* Others could read the file that is there. */
TAPE_TEST(an_old_file_becomes_private) {
  const ctl_options options = {.target = (char *)"a", .overwrites = 1};
  int fd = open(path, O_WRONLY | O_CREAT, 0600);
  assert_true(fd >= 0);
  assert_int_equal(fchmod(fd, 0644), 0);
  close(fd);
  assert_int_equal(ctl_tape_free(begin(&options), NULL), 0);
  assert_int_equal(mode_of_file(), 0600);
}

TEST(a_full_disk_is_reported_at_the_end) {
  const ctl_options options = {.target = (char *)"a", .overwrites = 1};
  mcp_error err = {0};
  loop = mcp_loop_new(NULL, NULL);
  strcpy(path, "/dev/full");
  ctl_tape *tape = begin(&options);
  add(tape, "{}");
  assert_int_equal(ctl_tape_free(tape, &err), MCP_ERR_IO);
  assert_memory_equal(err.message, "cannot write all of /dev/full: ", 31);
  mcp_loop_free(loop);
}
