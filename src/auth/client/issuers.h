/* SPDX-License-Identifier: MIT */
/* The metadata of authorization servers that a program has fetched, by their
 * issuers. They are kept for the time that the server allows. */
#ifndef MCPI_AUTH_CLIENT_ISSUERS_H
#define MCPI_AUTH_CLIENT_ISSUERS_H

#include "base/list.h"
#include "base/str.h"
#include <mcp/allocator.h>

enum {
  /* A program uses few authorization servers: the oldest goes. */
  MCPI_ISSUERS_MAX = 16,
  /* How long metadata are kept if the answer does not say. */
  MCPI_ISSUERS_KEEP_MS = 60 * 60 * 1000
};

typedef struct mcpi_issuers {
  const mcp_allocator *allocator;
  mcpi_list list; /* the oldest first */
  size_t count;
} mcpi_issuers;

void mcpi_issuers_init(mcpi_issuers *issuers, const mcp_allocator *allocator);
void mcpi_issuers_deinit(mcpi_issuers *issuers);

/* Returns the document of an issuer, borrowed until the next call; ptr NULL:
 * none is kept, or it is too old at `now_ms` (a monotonic time). */
mcpi_str mcpi_issuers_find(mcpi_issuers *issuers, mcpi_str issuer,
                           int64_t now_ms);
/* Keeps a copy of a document until that time, instead of an earlier one. Keeps
 * neither if there is no memory. */
void mcpi_issuers_keep(mcpi_issuers *issuers, mcpi_str issuer,
                       mcpi_str document, int64_t until_ms);
/* Drops the document, which has turned out to be wrong. */
void mcpi_issuers_drop(mcpi_issuers *issuers, mcpi_str issuer);

#endif
