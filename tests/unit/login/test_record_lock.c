/* SPDX-License-Identifier: MIT */
#include "login/record_lock.h"

#include "support/cm.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static mcp_loop *loop;
static char folder[] = "/tmp/mcp-test-wait-XXXXXX";
static char path[80];

static int set_up(void **state) {
  strcpy(folder + strlen(folder) - 6, "XXXXXX");
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof(path), "%s/a.lock", folder);
  loop = mcp_loop_new(NULL, NULL);
  return loop == NULL;
}

static int tear_down(void **state) {
  mcp_loop_free(loop);
  unlink(path);
  return rmdir(folder);
}

#define LOCK_TEST(name) TEST_WITH(name, set_up, tear_down)

typedef struct holder {
  mcpi_record_lock lock;
  int count;
  int code; /* of the error; 0: none */
} holder;

static void on_end(mcpi_record_lock *lock, const mcp_error *err) {
  holder *self = MCPI_CONTAINER(lock, holder, lock);
  self->count++;
  self->code = err != NULL ? err->code : 0;
}

static void holder_init(holder *self, const char *where) {
  *self = (holder){.count = 0};
  mcpi_record_lock_init(&self->lock, loop,
                        mcpi_strdup(&loop->allocator, where));
  self->lock.on_end = on_end;
}

LOCK_TEST(a_free_lock_is_held_at_once) {
  holder self;
  holder_init(&self, path);
  assert_false(mcpi_record_lock_is_held(&self.lock));
  assert_int_equal(mcpi_record_lock_take(&self.lock, NULL), 0);
  assert_true(mcpi_record_lock_is_held(&self.lock));
  mcpi_record_lock_drop(&self.lock);
  assert_false(mcpi_record_lock_is_held(&self.lock));
  assert_int_equal(self.count, 0);
}

LOCK_TEST(a_lock_that_is_held_is_waited_for) {
  holder first;
  holder second;
  holder_init(&first, path);
  holder_init(&second, path);
  assert_int_equal(mcpi_record_lock_take(&first.lock, NULL), 0);
  assert_int_equal(mcpi_record_lock_take(&second.lock, NULL), MCP_PENDING);
  for (int i = 0; i < 4; i++) {
    mcp_loop_wait(loop, 1000);
  }
  assert_int_equal(second.count, 0);
  mcpi_record_lock_drop(&first.lock);
  for (int i = 0; i < 1000 && second.count == 0; i++) {
    mcp_loop_wait(loop, 10);
  }
  assert_int_equal(second.count, 1);
  assert_int_equal(second.code, 0);
  assert_true(mcpi_record_lock_is_held(&second.lock));
  mcpi_record_lock_drop(&second.lock);
}

LOCK_TEST(dropping_ends_the_wait) {
  holder first;
  holder second;
  holder_init(&first, path);
  holder_init(&second, path);
  assert_int_equal(mcpi_record_lock_take(&first.lock, NULL), 0);
  assert_int_equal(mcpi_record_lock_take(&second.lock, NULL), MCP_PENDING);
  mcpi_record_lock_drop(&second.lock);
  mcpi_record_lock_drop(&first.lock);
  assert_int_equal(mcp_loop_next_deadline(loop), INT64_MAX);
  assert_int_equal(second.count, 0);
}

LOCK_TEST(a_file_that_cannot_be_locked_is_named) {
  holder self;
  mcp_error err;
  holder_init(&self, "/dev/null/a.lock");
  assert_int_equal(mcpi_record_lock_take(&self.lock, &err), MCP_ERR_IO);
  assert_non_null(strstr(err.message, "cannot lock /dev/null/a.lock: "));
  mcpi_record_lock_drop(&self.lock);
}

LOCK_TEST(a_file_that_vanishes_ends_the_wait) {
  holder first;
  holder second;
  holder_init(&first, path);
  holder_init(&second, path);
  assert_int_equal(mcpi_record_lock_take(&first.lock, NULL), 0);
  assert_int_equal(mcpi_record_lock_take(&second.lock, NULL), MCP_PENDING);
  unlink(path);
  assert_int_equal(mkdir(path, 0700), 0);
  for (int i = 0; i < 1000 && second.count == 0; i++) {
    mcp_loop_wait(loop, 10);
  }
  assert_int_equal(second.code, MCP_ERR_IO);
  mcpi_record_lock_drop(&second.lock);
  mcpi_record_lock_drop(&first.lock);
  rmdir(path);
}

LOCK_TEST(without_a_path_there_was_no_memory) {
  mcpi_record_lock lock;
  mcp_error err;
  mcpi_record_lock_init(&lock, loop, NULL);
  assert_int_equal(mcpi_record_lock_take(&lock, &err), MCP_ERR_NOMEM);
  mcpi_record_lock_drop(&lock);
}
