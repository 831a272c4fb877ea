/* SPDX-License-Identifier: MIT */
#include "store/memory_tasks.h"

#include "support/cm.h"
#include "support/store_cases.h"

static int make(mcp_task_store *out, const mcp_allocator *allocator,
                size_t max_bytes) {
  static const uint64_t seed[2] = {1, 2};
  return mcpi_memory_tasks_make(out, allocator, seed, max_bytes);
}

static const store_maker maker = {make, NULL};

__attribute__((constructor)) static void add_cases(void) {
  store_cases_add(&maker);
}
