/* SPDX-License-Identifier: MIT */
/* An allocator that gives no more than so many bytes at once, of another's: for
 * what peers can make us keep. On one thread alone. */
#ifndef MCPI_BASE_QUOTA_H
#define MCPI_BASE_QUOTA_H

#include "base/alloc.h"

typedef struct mcpi_quota {
  mcp_allocator allocator; /* what is to be used; points here */
  mcp_allocator source;
  size_t used;
  size_t max;
  size_t refs;
} mcpi_quota;

/* NULL when out of memory. */
MCP_API mcpi_quota *mcpi_quota_new(const mcp_allocator *source, size_t max);
MCP_API mcpi_quota *mcpi_quota_ref(mcpi_quota *quota);
/* The last one goes when all is given back. NULL is accepted. */
MCP_API void mcpi_quota_unref(mcpi_quota *quota);

#endif
