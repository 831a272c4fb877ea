/* SPDX-License-Identifier: MIT */
#include "login/record_file.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/mcp-test-record-XXXXXX";
static char path[80];
static char scratch[80];

static int set_up(void **state) {
  strcpy(folder + strlen(folder) - 6, "XXXXXX");
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof(path), "%s/a.json", folder);
  snprintf(scratch, sizeof(scratch), "%s/a.new", folder);
  return 0;
}

static int tear_down(void **state) {
  char command[100];
  snprintf(command, sizeof(command), "rm -rf %s", folder);
  scratch_teardown(state);
  return system(command);
}

#define RECORD_TEST(name) TEST_WITH(name, set_up, tear_down)

static void write_record(const char *text) {
  mcp_error err;
  assert_int_equal(mcpi_record_write(path, scratch, text, strlen(text), &err),
                   0);
}

static unsigned mode_of(const char *name) {
  struct stat found;
  assert_int_equal(stat(name, &found), 0);
  return found.st_mode & 07777;
}

RECORD_TEST(a_record_comes_back_as_it_was_written) {
  mcp_error err;
  mcpi_buf *out = scratch_buf();
  assert_int_equal(mcpi_record_read(path, out, &err), MCP_ERR_NOT_FOUND);
  write_record("one");
  write_record("two and more");
  assert_int_equal(mcpi_record_read(path, out, &err), 0);
  assert_string_equal(scratch_str(out), "two and more");
  assert_int_equal(mode_of(path), 0600);
  assert_int_not_equal(access(scratch, F_OK), 0);
}

RECORD_TEST(what_a_crash_left_is_replaced) {
  mcp_error err;
  FILE *file = fopen(scratch, "w");
  fputs("half of a rec", file);
  fclose(file);
  chmod(scratch, 0666);
  write_record("whole");
  mcpi_buf *out = scratch_buf();
  assert_int_equal(mcpi_record_read(path, out, &err), 0);
  assert_string_equal(scratch_str(out), "whole");
  assert_int_equal(mode_of(path), 0600);
}

RECORD_TEST(a_link_is_not_followed) {
  mcp_error err;
  char target[100];
  snprintf(target, sizeof(target), "%s/target", folder);
  assert_int_equal(symlink(target, path), 0);
  assert_int_equal(mcpi_record_read(path, scratch_buf(), &err), MCP_ERR_IO);
  assert_int_equal(symlink(target, scratch), 0);
  write_record("text");
  assert_int_not_equal(access(target, F_OK), 0);
}

RECORD_TEST(a_file_that_others_can_read_is_refused) {
  mcp_error err;
  write_record("secret");
  chmod(path, 0640);
  assert_int_equal(mcpi_record_read(path, scratch_buf(), &err), MCP_ERR_IO);
  assert_non_null(strstr(err.message, "chmod 600"));
  assert_null(strstr(err.message, "secret"));
}

RECORD_TEST(what_is_not_a_file_is_refused) {
  mcp_error err;
  assert_int_equal(mkfifo(path, 0600), 0);
  assert_int_equal(mcpi_record_read(path, scratch_buf(), &err), MCP_ERR_IO);
  unlink(path);
  assert_int_equal(mkdir(path, 0700), 0);
  assert_int_equal(mcpi_record_read(path, scratch_buf(), &err), MCP_ERR_IO);
}

RECORD_TEST(a_record_has_a_limit) {
  mcp_error err;
  char *text = calloc(MCPI_RECORD_MAX + 2, 1);
  memset(text, 'a', MCPI_RECORD_MAX);
  write_record(text);
  assert_int_equal(mcpi_record_read(path, scratch_buf(), &err), 0);
  text[MCPI_RECORD_MAX] = 'a';
  write_record(text);
  assert_int_equal(mcpi_record_read(path, scratch_buf(), &err), MCP_ERR_IO);
  assert_non_null(strstr(err.message, "longer"));
  free(text);
}

RECORD_TEST(removing_twice_is_no_error) {
  mcp_error err;
  write_record("text");
  assert_int_equal(mcpi_record_remove(path, &err), 0);
  assert_int_equal(mcpi_record_remove(path, &err), 0);
  assert_int_equal(mcpi_record_read(path, scratch_buf(), &err),
                   MCP_ERR_NOT_FOUND);
}

RECORD_TEST(a_folder_is_made_with_those_above_it) {
  mcp_error err;
  char deep[100];
  snprintf(deep, sizeof(deep), "%s/x/y/z", folder);
  assert_int_equal(mcpi_record_folder(deep, &err), 0);
  assert_int_equal(mode_of(deep), 0700);
  assert_int_equal(mcpi_record_folder(deep, &err), 0);
}

RECORD_TEST(a_folder_in_which_others_write_is_refused) {
  mcp_error err;
  chmod(folder, 0770);
  assert_int_equal(mcpi_record_folder(folder, &err), MCP_ERR_IO);
  assert_non_null(strstr(err.message, "chmod 700"));
  chmod(folder, 0755);
  assert_int_equal(mcpi_record_folder(folder, &err), 0);
}

RECORD_TEST(a_folder_that_is_a_file_is_refused) {
  mcp_error err;
  write_record("text");
  assert_int_equal(mcpi_record_folder(path, &err), MCP_ERR_IO);
}

RECORD_TEST(a_folder_of_another_user_is_refused) {
  mcp_error err;
  if (geteuid() != 0) {
    skip();
  }
  assert_int_equal(chown(folder, 12345, 12345), 0);
  assert_int_equal(mcpi_record_folder(folder, &err), MCP_ERR_IO);
  assert_non_null(strstr(err.message, "another user"));
}

RECORD_TEST(without_memory_the_error_says_so) {
  failing_alloc alloc;
  mcp_error err = {.code = 0};
  mcpi_buf out;
  write_record("one");
  failing_alloc_init(&alloc);
  alloc.fail_at = 1;
  mcpi_buf_init_secret(&out, &alloc.allocator, SIZE_MAX);
  assert_int_equal(mcpi_record_read(path, &out, &err), MCP_ERR_NOMEM);
  assert_int_equal(err.code, MCP_ERR_NOMEM);
  mcpi_buf_deinit(&out);
}
