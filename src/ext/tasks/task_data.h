/* SPDX-License-Identifier: MIT */
/* What is known of a task: as JSON in its record (mcp_task_record.data), and as
 * the members that a client sees. */
#ifndef MCPI_EXT_TASKS_TASK_DATA_H
#define MCPI_EXT_TASKS_TASK_DATA_H

#include "core/revision.h"
#include "core/task_shape.h"
#include "json/json.h"

/* All values are borrowed. NULL: absent. */
typedef struct mcpi_task_data {
  const mcpi_revision *revision; /* of the request that made it */
  mcpi_task_status status;
  mcpi_str message;   /* ptr NULL: absent */
  int64_t created_ms; /* by the wall clock, as all times here */
  int64_t updated_ms;
  int64_t ttl_ms; /* -1: it has no limit */
  uint32_t poll_ms;

  /* The call that its handler gets. */
  const mcp_json *params;
  const mcp_json *capabilities; /* of the client */
  const mcp_json *client;       /* its Implementation */
  mcpi_str scopes;              /* of its token; ptr NULL: it needed none */

  /* What it asks. Each object is by the handler's keys. */
  const mcp_json *questions; /* key -> {"method","params"}: not answered yet */
  const mcp_json *answers;   /* key -> the answer, since the last run */
  const mcp_json *failures;  /* key -> why there is none, since the last run */
  const mcp_json *state;     /* of the rounds before (server/ask.h) */

  /* One of them when it has ended. */
  const mcp_json *result;
  const mcp_json *error; /* {"code","message","data"} */
} mcpi_task_data;

static inline int mcpi_task_has_ended(const mcpi_task_data *task) {
  return mcpi_task_status_is_end(task->status);
}

/* Ends the task. It keeps nothing that only a task that goes on needs. */
void mcpi_task_data_end(mcpi_task_data *task, mcpi_task_status status,
                        int64_t now_ms);

/* Appends the data of a record. */
void mcpi_task_data_put(mcpi_buf *out, const mcpi_task_data *task);
/* Reads them. The values are those of *doc, which the caller frees. created_ms
 * stays as it is. Returns 0; MCP_ERR_PARSE: a store gave something else than it
 * got; MCP_ERR_NOMEM. */
int mcpi_task_data_read(mcpi_task_data *out, mcpi_str text,
                        const mcp_allocator *allocator, mcp_doc **doc);

/* Appends the members of a Task as clients of 2025-11-25 see it, each after a
 * comma if it is not the first: its id, status, times and limits. */
void mcpi_task_put_core(mcpi_buf *out, const char *id,
                        const mcpi_task_data *task);
/* The same for clients of 2026-07-28, with what belongs to the status:
 * questions, result or error. */
void mcpi_task_put_details(mcpi_buf *out, const char *id,
                           const mcpi_task_data *task);

#endif
