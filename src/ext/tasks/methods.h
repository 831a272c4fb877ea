/* SPDX-License-Identifier: MIT */
/* The methods that clients call about tasks. */
#ifndef MCPI_EXT_TASKS_METHODS_H
#define MCPI_EXT_TASKS_METHODS_H

#include "ext/tasks/work.h"

/* methods.c: those of the extension of 2026-07-28; core_methods.c: those of
 * 2025-11-25. Each returns 0, or the error of mcp_server_add_method. */
int mcpi_tasks_add_methods(mcpi_tasks *tasks, mcp_error *err);
int mcpi_tasks_add_core_methods(mcpi_tasks *tasks, mcp_error *err);

/* Params with a taskId. */
extern const mcp_schema mcpi_task_by_id;

/* Appends a task's members by `put`, with the message of its handler's last
 * progress, which is newer than that of the record. */
void mcpi_task_put_current(const mcpi_task_work *work,
                           const mcpi_task_data *data,
                           void (*put)(mcpi_buf *out, const char *id,
                                       const mcpi_task_data *data),
                           mcpi_buf *out);

#endif
