/* SPDX-License-Identifier: MIT */
#include "login/file_lock.h"

#include "support/cm.h"
#include <errno.h>
#include <mcp/error.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char path[] = "/tmp/mcp-test-lock-XXXXXX";

static int set_up(void **state) {
  for (size_t i = sizeof(path) - 7; i < sizeof(path) - 1; i++) {
    path[i] = 'X';
  }
  int fd = mkstemp(path);
  close(fd);
  return fd < 0;
}

static int tear_down(void **state) {
  unlink(path);
  return 0;
}

#define LOCK_TEST(name) TEST_WITH(name, set_up, tear_down)

LOCK_TEST(one_holder_at_a_time_also_in_one_process) {
  int error = 0;
  int first = mcpi_file_lock(path, &error);
  assert_true(first >= 0);
  assert_int_equal(mcpi_file_lock(path, &error), MCP_ERR_BUSY);
  mcpi_file_unlock(first);
  int second = mcpi_file_lock(path, &error);
  assert_true(second >= 0);
  mcpi_file_unlock(second);
}

LOCK_TEST(a_process_that_dies_gives_its_lock_back) {
  int error = 0;
  int ready[2];
  char byte;
  assert_int_equal(pipe(ready), 0);
  pid_t child = fork();
  if (child == 0) {
    int fd = mcpi_file_lock(path, &error);
    byte = fd >= 0 ? 'y' : 'n';
    if (write(ready[1], &byte, 1) == 1) {
      pause();
    }
    _exit(1);
  }
  assert_int_equal(read(ready[0], &byte, 1), 1);
  assert_int_equal(byte, 'y');
  assert_int_equal(mcpi_file_lock(path, &error), MCP_ERR_BUSY);
  kill(child, SIGKILL);
  assert_int_equal(waitpid(child, NULL, 0), child);
  int fd = mcpi_file_lock(path, &error);
  assert_true(fd >= 0);
  mcpi_file_unlock(fd);
  close(ready[0]);
  close(ready[1]);
}

LOCK_TEST(a_file_that_cannot_be_made_is_an_error) {
  int error = 0;
  assert_int_equal(mcpi_file_lock("/nonexistent/lock", &error), MCP_ERR_IO);
  assert_int_equal(error, ENOENT);
}
