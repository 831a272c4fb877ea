/* SPDX-License-Identifier: MIT */
/* The methods of tasks, of both generations. They are not in the method table,
 * because to a server they are methods of an extension (client/extension.h). */
#ifndef MCPI_CLIENT_TASK_ROWS_H
#define MCPI_CLIENT_TASK_ROWS_H

#include "client/client.h"

typedef enum mcpi_task_verb {
  MCPI_TASK_GET,
  MCPI_TASK_RESULT, /* 2025-11-25 */
  MCPI_TASK_UPDATE, /* 2026-07-28 */
  MCPI_TASK_CANCEL,
  MCPI_TASK_LIST, /* 2025-11-25 */
  MCPI_TASK_VERB_COUNT
} mcpi_task_verb;

/* 0, or MCP_ERR_INVALID (NULL) or MCP_ERR_UNSUPPORTED: the client does not use
 * tasks. */
int mcpi_task_check_use(const mcp_client *client, mcp_error *err);
/* The row for the revision in use. If this revision has no such method, the row
 * of another revision, so that the request is refused by its name. */
const mcpi_method *mcpi_task_row(const mcp_client *client, mcpi_task_verb verb);
/* 1: the row is that of this verb, in any revision. */
int mcpi_task_row_is(const mcpi_method *row, mcpi_task_verb verb);

#endif
