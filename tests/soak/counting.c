/* SPDX-License-Identifier: MIT */
#include "counting.h"

#include <stdatomic.h>
#include <stdlib.h>

static atomic_size_t live;

static void *count_alloc(void *userdata, size_t size) {
  (void)userdata;
  void *ptr = malloc(size);
  if (ptr != NULL) {
    atomic_fetch_add_explicit(&live, size, memory_order_relaxed);
  }
  return ptr;
}

static void *count_resize(void *userdata, void *ptr, size_t old_size,
                          size_t new_size) {
  (void)userdata;
  void *moved = realloc(ptr, new_size);
  if (moved != NULL) {
    atomic_fetch_add_explicit(&live, new_size - old_size, memory_order_relaxed);
  }
  return moved;
}

static void count_release(void *userdata, void *ptr, size_t size) {
  (void)userdata;
  free(ptr);
  atomic_fetch_sub_explicit(&live, size, memory_order_relaxed);
}

const mcp_allocator soak_counting = {count_alloc, count_resize, count_release,
                                     NULL};

size_t soak_live(void) {
  return atomic_load(&live);
}
