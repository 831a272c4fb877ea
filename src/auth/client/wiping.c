/* SPDX-License-Identifier: MIT */
#include "auth/client/wiping.h"

#include "base/alloc.h"
#include <string.h>

static void *wiping_alloc(void *userdata, size_t size) {
  return mcpi_alloc(userdata, size);
}

static void wiping_release(void *userdata, void *ptr, size_t size) {
  mcpi_free_wiped(userdata, ptr, size);
}

static void *wiping_resize(void *userdata, void *ptr, size_t old_size,
                           size_t new_size) {
  void *moved = wiping_alloc(userdata, new_size);
  if (moved != NULL) {
    memcpy(moved, ptr, old_size < new_size ? old_size : new_size);
    wiping_release(userdata, ptr, old_size);
  }
  return moved;
}

mcp_allocator mcpi_wiping_allocator(const mcp_allocator *allocator) {
  return (mcp_allocator){wiping_alloc, wiping_resize, wiping_release,
                         (void *)allocator};
}
