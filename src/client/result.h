/* SPDX-License-Identifier: MIT */
/* A result of the server, kept with the messages that it came in:
 *
 *     block: [ mcp_result | pages | items ]
 *
 * Only a list has more than one page. The block's count is the result's. */
#ifndef MCPI_CLIENT_RESULT_H
#define MCPI_CLIENT_RESULT_H

#include "codec/message.h"
#include "core/method.h"
#include <mcp/client.h>

typedef struct mcpi_result_page {
  mcpi_message *message;
  const mcp_json *json; /* the result object in it */
} mcpi_result_page;

/* Takes a reference to each page's message. `row` says which member lists the
 * entries; NULL for methods that are not in the table. Returns NULL when out of
 * memory. */
mcp_result *mcpi_result_new(mcpi_pool *pool, const mcpi_result_page *pages,
                            size_t count, const mcpi_method *row);
/* For mcp_result_is_checked. */
void mcpi_result_set_checked(mcp_result *result, int is_checked);
/* The result is about a task (mcp_result_task_id). */
void mcpi_result_set_task(mcp_result *result);
int mcpi_result_is_task(const mcp_result *result);
/* Bytes of memory that it keeps, its messages' too. */
size_t mcpi_result_size(const mcp_result *result);
/* An empty object. NULL when out of memory. */
mcp_result *mcpi_result_empty(mcpi_pool *pool);

#endif
