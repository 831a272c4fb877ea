/* SPDX-License-Identifier: MIT */
/* A task as a server describes it, in both generations (MCP 2025-11-25, Tasks;
 * the extension io.modelcontextprotocol/tasks). */
#ifndef MCPI_CLIENT_TASK_VIEW_H
#define MCPI_CLIENT_TASK_VIEW_H

#include "client/client.h"
#include "core/task_shape.h"

/* Borrowed from the JSON. */
typedef struct mcpi_task_view {
  mcpi_str id;
  mcpi_task_status status; /* MCPI_TASK_STATUS_COUNT: an unknown one */
  const char *message;     /* NULL: none */
  uint32_t poll_ms;        /* until it is looked at again */
} mcpi_task_view;

/* 1: the result of a tools/call is a task that was made of it. */
int mcpi_task_is_made(const mcp_client *client, const mcp_json *result);
/* Reads a task: the result of a method about one, or of a call that became
 * one. 0 or MCP_ERR_PROTOCOL. */
int mcpi_task_view_read(mcpi_task_view *view, const mcp_json *result,
                        mcp_error *err);

#endif
