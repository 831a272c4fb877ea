/* SPDX-License-Identifier: MIT */
/* libcurl's multi interface on a loop: libuv watches its sockets and its timer.
 * libcurl's callbacks only take notes; on_turn acts on them after libcurl has
 * returned. */
#ifndef MCPI_HTTP_CLIENT_MULTI_H
#define MCPI_HTTP_CLIENT_MULTI_H

#include "platform/uv_loop.h"
#include <curl/curl.h>

typedef struct mcpi_multi mcpi_multi;

typedef struct mcpi_multi_events {
  /* A transfer has ended. The function only takes a note; it must not free
   * anything. */
  void (*on_done)(void *owner, CURL *easy, CURLcode result);
  /* libcurl may have brought something. The function may free the multi. */
  void (*on_turn)(void *owner);
} mcpi_multi_events;

/* Owned; NULL when out of memory. */
mcpi_multi *mcpi_multi_new(mcpi_uv *uv, const mcpi_multi_events *events,
                           void *owner);
/* Its transfers must have been removed. NULL is accepted. */
void mcpi_multi_free(mcpi_multi *multi);

/* Must not be called inside a callback of libcurl. Returns 0 or
 * MCP_ERR_NOMEM. */
int mcpi_multi_add(mcpi_multi *multi, CURL *easy);
void mcpi_multi_remove(mcpi_multi *multi, CURL *easy);

#endif
