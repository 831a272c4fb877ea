/* SPDX-License-Identifier: MIT */
/* Requests that the cache may answer, and whose answers it may keep
 * (MCP 2026-07-28, Caching). */
#ifndef MCPI_CLIENT_CACHED_H
#define MCPI_CLIENT_CACHED_H

#include "client/request.h"

/* The request's answer may be kept. */
void mcpi_cached_allow(mcpi_request *request);
/* 1: a kept answer will complete the request. */
int mcpi_cached_answer(mcpi_request *request);
/* One message of its answer has come: notes how long that stays fresh. */
void mcpi_cached_note(mcpi_request *request, const mcp_json *json);
/* The answer must not be kept: it depends on more than the request. */
void mcpi_cached_forbid(mcpi_request *request);
/* Its whole answer has come. Without memory it is not kept. */
void mcpi_cached_keep(mcpi_request *request, mcp_result *result);

#endif
