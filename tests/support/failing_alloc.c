/* SPDX-License-Identifier: MIT */
#include "support/failing_alloc.h"

#include <mcp/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In front of each block. Its size keeps the block aligned for any type. */
typedef struct header {
  _Alignas(max_align_t) size_t size;
  size_t magic;
} header;

static const size_t magic = (size_t)0x5AFE5AFE;

static void die(const char *what, size_t a, size_t b) {
  fprintf(stderr, "failing_alloc: %s (%zu, %zu)\n", what, a, b);
  abort();
}

static int fails_now(failing_alloc *alloc) {
  size_t call = atomic_fetch_add(&alloc->calls, 1) + 1;
  if (call != atomic_load(&alloc->fail_at)) {
    return 0;
  }
  atomic_fetch_add(&alloc->failures, 1);
  return 1;
}

static void add_live(failing_alloc *alloc, size_t size) {
  size_t now = atomic_fetch_add(&alloc->live_bytes, size) + size;
  size_t peak = atomic_load(&alloc->peak_bytes);
  while (now > peak &&
         !atomic_compare_exchange_weak(&alloc->peak_bytes, &peak, now)) {
  }
  atomic_fetch_add(&alloc->live_blocks, 1);
}

/* New memory is filled with a pattern, so that what reads it before writing
 * does not find zeros by luck. */
static void *take(failing_alloc *alloc, size_t size) {
  if (size == 0) {
    die("asked for 0 bytes", 0, 0);
  }
  header *head = NULL;
  if (size <= SIZE_MAX - sizeof(*head)) {
    head = malloc(sizeof(*head) + size);
  }
  if (head == NULL) {
    return NULL;
  }
  head->size = size;
  head->magic = magic;
  add_live(alloc, size);
  return memset(head + 1, 0xA5, size);
}

static void give(failing_alloc *alloc, void *ptr, size_t size) {
  header *head = (header *)ptr - 1;
  if (head->magic != magic) {
    die("not a block of this allocator", 0, 0);
  }
  if (head->size != size) {
    die("given back with another size", size, head->size);
  }
  if (alloc->secret != NULL &&
      memmem(ptr, size, alloc->secret, strlen(alloc->secret)) != NULL) {
    atomic_fetch_add(&alloc->left_secrets, 1);
  }
  atomic_fetch_sub(&alloc->live_bytes, size);
  atomic_fetch_sub(&alloc->live_blocks, 1);
  head->magic = 0;
  free(head);
}

static void *test_alloc(void *userdata, size_t size) {
  return fails_now(userdata) ? NULL : take(userdata, size);
}

/* Always moves, so that a pointer kept across it is found out. */
static void *test_resize(void *userdata, void *ptr, size_t old_size,
                         size_t new_size) {
  if (fails_now(userdata)) {
    return NULL;
  }
  void *moved = take(userdata, new_size);
  if (moved != NULL) {
    memcpy(moved, ptr, old_size < new_size ? old_size : new_size);
    give(userdata, ptr, old_size);
  }
  return moved;
}

static void test_release(void *userdata, void *ptr, size_t size) {
  if (ptr == NULL) {
    die("released NULL", 0, size);
  }
  give(userdata, ptr, size);
}

void failing_alloc_init(failing_alloc *alloc) {
  memset(alloc, 0, sizeof(*alloc));
  alloc->allocator =
      (mcp_allocator){test_alloc, test_resize, test_release, alloc};
}

static void check_run(const failing_alloc *alloc, size_t run, int rc) {
  if (rc != 0 && rc != MCP_ERR_NOMEM) {
    die("the run returned another failure than out of memory", run,
        (size_t)-rc);
  }
  if (rc != 0 && atomic_load(&alloc->failures) == 0) {
    die("a run without a failed allocation returned a failure", run, 0);
  }
  if (atomic_load(&alloc->live_blocks) != 0) {
    die("leaked (run, blocks)", run, atomic_load(&alloc->live_blocks));
  }
}

size_t failing_alloc_rerun(failing_alloc_scenario *scenario, void *userdata) {
  for (size_t run = 1;; run++) {
    failing_alloc alloc;
    failing_alloc_init(&alloc);
    atomic_store(&alloc.fail_at, run);
    int rc = scenario(&alloc.allocator, userdata);
    check_run(&alloc, run, rc);
    if (atomic_load(&alloc.failures) == 0) {
      return run - 1;
    }
  }
}

void failing_alloc_rerun_least(size_t least, failing_alloc_scenario *scenario,
                               void *userdata) {
  size_t runs = failing_alloc_rerun(scenario, userdata);
  if (runs < least) {
    die("too few allocations that could fail (least, runs)", least, runs);
  }
}
