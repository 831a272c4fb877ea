/* SPDX-License-Identifier: MIT */
/* What a token permits. */
#ifndef MCPI_AUTH_RESOURCE_GRANT_H
#define MCPI_AUTH_RESOURCE_GRANT_H

#include "auth/jwk.h"
#include <mcp/allocator.h>
#include <mcp/json.h>

/* It never changes. Counted: the cache, and each request, caller, call and
 * stream that use it hold it. The last hold frees it, on the loop's thread. */
typedef struct mcpi_grant {
  size_t refs;
  const mcp_allocator *allocator;
  char *principal;    /* owned; never NULL */
  char *scopes;       /* owned; "": none */
  mcp_doc *claims;    /* owned; NULL: none */
  int64_t expires_ms; /* by the wall clock, leeway included; INT64_MAX: never */
  int64_t stream_ms;  /* how long a stream may be open with it; INT64_MAX: until
                         it expires */
  /* Of the key to which it is bound; "": none. */
  char thumbprint[MCPI_THUMBPRINT_SIZE];
} mcpi_grant;

/* Makes a grant without claims, that never expires. The strings are copied, and
 * have no NUL. NULL when out of memory. */
mcpi_grant *mcpi_grant_new(const mcp_allocator *allocator, mcpi_str principal,
                           mcpi_str scopes);
mcpi_grant *mcpi_grant_ref(mcpi_grant *grant); /* NULL gives NULL */
void mcpi_grant_unref(mcpi_grant *grant);      /* NULL is accepted */
/* Whether the token has each of these scopes. NULL: yes. grant NULL: only if
 * there are none. */
int mcpi_grant_covers(const mcpi_grant *grant, const char *scopes);

#endif
