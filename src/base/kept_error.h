/* SPDX-License-Identifier: MIT */
/* An error that an object keeps for later. An mcp_error has 256 bytes, and most
 * objects never have one, so it is in memory of its own. Without memory only
 * its code is kept. */
#ifndef MCPI_BASE_KEPT_ERROR_H
#define MCPI_BASE_KEPT_ERROR_H

#include "base/alloc.h"
#include <mcp/error.h>

/* All zeros: there is no error. */
typedef struct mcpi_kept_error {
  mcp_error *detail; /* owned; NULL: there is only the code */
  int code;          /* 0: there is no error */
} mcpi_kept_error;

/* Keeps a copy of `why`, and forgets what it kept before. */
void mcpi_kept_error_set(mcpi_kept_error *kept, const mcp_allocator *allocator,
                         const mcp_error *why);
/* Returns the error: what was kept, or `space`, filled with the code and its
 * general text; without an error the code is 0. Borrowed until the next call,
 * or as long as `space`. */
const mcp_error *mcpi_kept_error_get(const mcpi_kept_error *kept,
                                     mcp_error *space);
void mcpi_kept_error_deinit(mcpi_kept_error *kept,
                            const mcp_allocator *allocator);

#endif
