/* SPDX-License-Identifier: MIT */
/* Run it under the thread sanitizer. */
#include "platform/platform.h"

#include "support/cm.h"
#include <pthread.h>

enum { THREADS = 4, ROUNDS = 10000 };

typedef struct counter {
  void *lock;
  int count;
} counter;

static void *count_up(void *argument) {
  counter *c = argument;
  for (int i = 0; i < ROUNDS; i++) {
    mcpi_platform_lock_acquire(c->lock);
    c->count++;
    mcpi_platform_lock_release(c->lock);
  }
  return NULL;
}

TEST(one_thread_at_a_time_holds_a_lock) {
  pthread_t threads[THREADS];
  counter c = {mcpi_platform_lock_new(NULL), 0};
  assert_non_null(c.lock);
  for (int i = 0; i < THREADS; i++) {
    assert_int_equal(pthread_create(&threads[i], NULL, count_up, &c), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    assert_int_equal(pthread_join(threads[i], NULL), 0);
  }
  assert_int_equal(c.count, THREADS * ROUNDS);
  mcpi_platform_lock_free(c.lock);
}
