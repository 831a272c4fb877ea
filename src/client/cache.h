/* SPDX-License-Identifier: MIT */
/* Answers that the server lets us keep for a while (PROTOCOL 4.2, modern):
 * whole lists, and resources that were read.
 *
 * They belong to one client and end with its connection, so to one
 * authorization: a "private" answer is as safe here as a "public" one. What
 * changes a token within a connection must clear them.
 *
 *     entry: [ cache_entry | method \n params \n _meta ] */
#ifndef MCPI_CLIENT_CACHE_H
#define MCPI_CLIENT_CACHE_H

#include "base/list.h"
#include "base/map.h"
#include "core/method.h"
#include <mcp/client.h>

typedef struct mcpi_request mcpi_request; /* request.h */

typedef struct mcpi_cache {
  mcpi_map by_key;
  mcpi_list by_use; /* the same entries, the one used longest ago first */
  size_t bytes;
  uint64_t drops; /* times that something was dropped as wrong: what was asked
                   * for before may be wrong as well */
} mcpi_cache;

void mcpi_cache_init(mcp_client *client);
/* Another server, another authorization, or changes that nobody told of. */
void mcpi_cache_clear(mcp_client *client);

/* The request's answer may be kept. */
void mcpi_cache_allow(mcpi_request *request);
/* 1: a kept answer will complete the request. */
int mcpi_cache_answer(mcpi_request *request);
/* One message of its answer has come: how long it holds. */
void mcpi_cache_note(mcpi_request *request, const mcp_json *json);
/* Its whole answer. Without memory it is not kept. */
void mcpi_cache_keep(mcpi_request *request, mcp_result *result);

/* The server says that these have changed. */
void mcpi_cache_drop_all_of(mcp_client *client, mcpi_method_id id);
void mcpi_cache_drop_resource(mcp_client *client, mcpi_str uri);

#endif
