/* SPDX-License-Identifier: MIT */
#include "auth/client/wiping.h"

#include "support/cm.h"
#include <string.h>

/* Memory that can be read after it is freed. */
static char area[3][16];
static int used;

static void *area_alloc(void *userdata, size_t size) {
  return used < 2 ? area[used++] : NULL;
}

static void *area_resize(void *userdata, void *ptr, size_t old_size,
                         size_t new_size) {
  fail_msg("memory is moved without being wiped");
  return NULL;
}

static void area_release(void *userdata, void *ptr, size_t size) {
}

TEST(memory_is_overwritten_when_it_moves_and_when_it_is_freed) {
  const mcp_allocator plain = {area_alloc, area_resize, area_release, NULL};
  const mcp_allocator wiping = mcpi_wiping_allocator(&plain);
  static const char zeros[16];
  char *memory = wiping.alloc(wiping.userdata, 8);
  memcpy(memory, "secret!", 8);
  char *moved = wiping.resize(wiping.userdata, memory, 8, 16);
  assert_string_equal(moved, "secret!");
  assert_memory_equal(memory, zeros, 8);
  assert_null(wiping.resize(wiping.userdata, moved, 16, 32));
  assert_string_equal(moved, "secret!");
  wiping.release(wiping.userdata, moved, 16);
  assert_memory_equal(moved, zeros, 16);
}
