/* SPDX-License-Identifier: MIT */
/* The header WWW-Authenticate (RFC 9110, 11.6.1; RFC 6750, 3; RFC 9449, 7.1;
 * RFC 9728, 5.1). One line may have several challenges, and an answer several
 * lines:
 *
 *     Basic realm="x", Bearer error="invalid_token", scope="a b",
 *       resource_metadata="https://example.com/.well-known/..." */
#ifndef MCPI_AUTH_CHALLENGE_H
#define MCPI_AUTH_CHALLENGE_H

#include "base/buf.h"

/* What the challenges of an answer demand, all together. Only challenges of the
 * schemes Bearer and DPoP count. Strings are owned; NULL: absent. */
typedef struct mcpi_demand {
  int has_bearer;
  int has_dpop;
  char *resource_metadata;
  char *scope;
  char *error;
  char *error_description;
} mcpi_demand;

/* Adds the challenges of one line. The first value of each parameter counts.
 * The rest of a line that is not valid is ignored. Values that are not
 * printable ASCII, and values longer than 8 KB, count as absent; but in a
 * description, bytes that are not ASCII become "?". Returns 0 or
 * MCP_ERR_NOMEM. */
int mcpi_demand_read(mcpi_demand *demand, mcpi_str line,
                     const mcp_allocator *allocator);
/* Frees the strings, and clears it. */
void mcpi_demand_deinit(mcpi_demand *demand, const mcp_allocator *allocator);

/* Appends one parameter to a challenge that is being written, with its comma:
 * `buf` holds "Bearer" or more, and `begin` is where that begins. The value is
 * written as a quoted string; characters that a header cannot carry become
 * "?". */
void mcpi_challenge_put(mcpi_buf *buf, size_t begin, const char *name,
                        mcpi_str value);

#endif
