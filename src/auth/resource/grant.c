/* SPDX-License-Identifier: MIT */
#include "auth/resource/grant.h"

#include "auth/scopes.h"
#include "base/alloc.h"

static void grant_free(mcpi_grant *grant) {
  const mcp_allocator *allocator = grant->allocator;
  mcpi_strfree(allocator, grant->principal);
  mcpi_strfree(allocator, grant->scopes);
  mcp_doc_free(grant->claims);
  mcpi_free(allocator, grant, sizeof(*grant));
}

static char *grant_copy(const mcp_allocator *allocator, mcpi_str text) {
  return mcpi_strndup(allocator, text.len > 0 ? text.ptr : "", text.len);
}

mcpi_grant *mcpi_grant_new(const mcp_allocator *allocator, mcpi_str principal,
                           mcpi_str scopes) {
  mcpi_grant *grant = mcpi_calloc(allocator, 1, sizeof(*grant));
  if (grant == NULL) {
    return NULL;
  }
  *grant = (mcpi_grant){.refs = 1,
                        .allocator = allocator,
                        .principal = grant_copy(allocator, principal),
                        .scopes = grant_copy(allocator, scopes),
                        .expires_ms = INT64_MAX,
                        .stream_ms = INT64_MAX};
  if (grant->principal == NULL || grant->scopes == NULL) {
    grant_free(grant);
    return NULL;
  }
  return grant;
}

mcpi_grant *mcpi_grant_ref(mcpi_grant *grant) {
  if (grant != NULL) {
    grant->refs++;
  }
  return grant;
}

void mcpi_grant_unref(mcpi_grant *grant) {
  if (grant != NULL && --grant->refs == 0) {
    grant_free(grant);
  }
}

int mcpi_grant_covers(const mcpi_grant *grant, const char *scopes) {
  mcpi_str held = mcpi_str_z(grant != NULL ? grant->scopes : NULL);
  return mcpi_scopes_cover(held, mcpi_str_z(scopes));
}
