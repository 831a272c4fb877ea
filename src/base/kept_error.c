/* SPDX-License-Identifier: MIT */
/* An error that an object keeps for later. */
#include "base/kept_error.h"

#include "base/error.h"

void mcpi_kept_error_set(mcpi_kept_error *kept, const mcp_allocator *allocator,
                         const mcp_error *why) {
  kept->code = why->code;
  if (kept->detail == NULL) {
    kept->detail = mcpi_alloc(allocator, sizeof(*kept->detail));
  }
  if (kept->detail != NULL) {
    *kept->detail = *why;
  }
}

const mcp_error *mcpi_kept_error_get(const mcpi_kept_error *kept,
                                     mcp_error *space) {
  if (kept->detail != NULL) {
    return kept->detail;
  }
  mcpi_error_clear(space);
  if (kept->code != 0) {
    mcpi_error_complete(space, kept->code);
  }
  return space;
}

void mcpi_kept_error_deinit(mcpi_kept_error *kept,
                            const mcp_allocator *allocator) {
  mcpi_free(allocator, kept->detail, sizeof(*kept->detail));
  *kept = (mcpi_kept_error){NULL, 0};
}
