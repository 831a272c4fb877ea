/* SPDX-License-Identifier: MIT */
#include "core/lock.h"

#include "support/cm.h"
#include <mcp/loop.h>

typedef struct fake {
  int is_held;
  int acquires;
  int frees;
  int has_no_memory;
} fake;

static void *fake_new(void *userdata) {
  fake *f = userdata;
  return f->has_no_memory ? NULL : f;
}

static void fake_acquire(void *lock) {
  fake *f = lock;
  assert_false(f->is_held);
  f->is_held = 1;
  f->acquires++;
}

static void fake_release(void *lock) {
  fake *f = lock;
  assert_true(f->is_held);
  f->is_held = 0;
}

static void fake_free(void *lock) {
  fake *f = lock;
  f->frees++;
}

static mcp_platform platform_with(fake *f) {
  return (mcp_platform){.size = sizeof(mcp_platform),
                        .userdata = f,
                        .lock_new = fake_new,
                        .lock_acquire = fake_acquire,
                        .lock_release = fake_release,
                        .lock_free = fake_free};
}

TEST(a_lock_is_the_platforms) {
  fake f = {0};
  mcp_platform platform = platform_with(&f);
  const mcpi_lock *lock = mcpi_lock_new(&platform);
  assert_non_null(lock);
  platform = (mcp_platform){0}; /* it may go before the lock */
  mcpi_lock_acquire(lock);
  assert_true(f.is_held);
  mcpi_lock_release(lock);
  assert_false(f.is_held);
  mcpi_lock_free(lock);
  assert_int_equal(f.acquires, 1);
  assert_int_equal(f.frees, 1);
}

TEST(a_platform_without_locks_has_one_that_does_nothing) {
  const mcp_platform platform = {.size = sizeof(mcp_platform)};
  const mcpi_lock *lock = mcpi_lock_new(&platform);
  assert_non_null(lock);
  mcpi_lock_acquire(lock);
  mcpi_lock_release(lock);
  mcpi_lock_free(lock);
  mcpi_lock_free(NULL);
}

TEST(a_platform_without_memory_has_no_lock) {
  fake f = {.has_no_memory = 1};
  const mcp_platform platform = platform_with(&f);
  assert_null(mcpi_lock_new(&platform));
  assert_int_equal(f.frees, 0);
}

TEST(a_platform_with_half_a_lock_is_refused) {
  fake f = {0};
  mcp_platform platform = platform_with(&f);
  mcp_error err = {0};
  mcp_loop *loop = mcp_loop_new_manual(&platform, NULL, &err);
  assert_non_null(loop);
  mcp_loop_free(loop);
  platform.lock_release = NULL;
  assert_null(mcp_loop_new_manual(&platform, NULL, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  assert_string_equal(err.message,
                      "mcp_platform has lock_new, lock_acquire, lock_free, but "
                      "not lock_release; set all four or none");
  platform.lock_new = NULL;
  assert_null(mcp_loop_new_manual(&platform, NULL, &err));
  assert_string_equal(err.message,
                      "mcp_platform has lock_acquire, lock_free, but not "
                      "lock_new, lock_release; set all four or none");
  assert_null(mcp_loop_new_manual(&platform, NULL, NULL));
}
