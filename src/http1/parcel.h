/* SPDX-License-Identifier: MIT */
/* A letter with a copy of a request, or of a part of an answer, in one
 * block. */
#ifndef MCPI_HTTP1_PARCEL_H
#define MCPI_HTTP1_PARCEL_H

#include "platform/inbox.h"
#include <mcp/http.h>

typedef struct mcpi_http1_parcel {
  mcpi_letter letter;
  const mcp_allocator *allocator;
  size_t size;    /* the size of this block */
  void *userdata; /* the sender's */
  /* The head of a request, or of an answer, which has only headers. */
  mcp_http_request head;
  int status;
  const char *body; /* NULL: no body comes with it */
  size_t body_len;
} mcpi_http1_parcel;

/* Owned; NULL when out of memory. The arguments are copied; each may be NULL.
 * The allocator is borrowed until the parcel is freed, on any thread. */
mcpi_http1_parcel *mcpi_http1_parcel_new(const mcp_allocator *allocator,
                                         const mcp_http_request *head,
                                         const char *body, size_t body_len);
/* Overwrites the head, and frees the parcel. NULL is accepted. */
void mcpi_http1_parcel_free(mcpi_http1_parcel *parcel);

#endif
