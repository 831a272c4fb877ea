/* SPDX-License-Identifier: MIT */
/* An allocator for tests: it counts, checks that every block comes back with
 * its size, and fails when told to. May be called from several threads. */
#ifndef MCP_TESTS_FAILING_ALLOC_H
#define MCP_TESTS_FAILING_ALLOC_H

#include <mcp/allocator.h>
#include <stdatomic.h>

typedef struct failing_alloc {
  mcp_allocator allocator; /* give this to what is tested */
  atomic_size_t fail_at;   /* the allocation that fails, from 1; 0: none */
  atomic_size_t calls;     /* allocations and resizes asked for */
  atomic_size_t failures;  /* those that failed on purpose */
  atomic_size_t live_blocks;
  atomic_size_t live_bytes;
  atomic_size_t peak_bytes;
  const char *secret;         /* must not be in freed memory; NULL: none */
  atomic_size_t left_secrets; /* blocks that were freed with the secret */
} failing_alloc;

void failing_alloc_init(failing_alloc *alloc);

/* Something to do with an allocator. Returns 0, or a negative code after a
 * failure, with everything freed either way. */
typedef int failing_alloc_scenario(const mcp_allocator *allocator,
                                   void *userdata);

/* Runs a scenario with the allocation 1, 2, 3... failing, until one run asks
 * for none that fails; that one must return 0. A block that is left, or a run
 * that returns anything but 0 and MCP_ERR_NOMEM, ends the test program.
 * Returns how many runs there were with a failure. */
size_t failing_alloc_rerun(failing_alloc_scenario *scenario, void *userdata);
/* The same, and ends the test program if fewer than `least` runs had one: then
 * what is tested no longer uses the allocator. */
void failing_alloc_rerun_least(size_t least, failing_alloc_scenario *scenario,
                               void *userdata);

#endif
