/* SPDX-License-Identifier: MIT */
/* Tasks as they stand in messages, for both sides: ids, statuses, and the
 * members of a Task (MCP 2025-11-25, Tasks; the extension
 * io.modelcontextprotocol/tasks of 2026-07-28). */
#ifndef MCPI_CORE_TASK_SHAPE_H
#define MCPI_CORE_TASK_SHAPE_H

#include "core/loop.h"
#include "json/json.h"

/* The member of _meta that names the task of a message. */
#define MCPI_META_RELATED_TASK "io.modelcontextprotocol/related-task"

/*   WORKING <---> INPUT_REQUIRED
 *      |               |
 *      +-------+-------+
 *              v
 *     COMPLETED, FAILED or CANCELLED, which stay */
typedef enum mcpi_task_status {
  MCPI_TASK_WORKING,
  MCPI_TASK_INPUT_REQUIRED,
  MCPI_TASK_COMPLETED,
  MCPI_TASK_FAILED,
  MCPI_TASK_CANCELLED,
  MCPI_TASK_STATUS_COUNT
} mcpi_task_status;

static inline int mcpi_task_status_is_end(mcpi_task_status status) {
  return status >= MCPI_TASK_COMPLETED;
}

/* Returns the name of a status, the same in both generations. */
const char *mcpi_task_status_name(mcpi_task_status status);
/* Returns MCPI_TASK_STATUS_COUNT for another name. */
mcpi_task_status mcpi_task_status_find(mcpi_str name);

enum { MCPI_TASK_NEW_ID_LEN = 31 }; /* in base64url: 185 random bits */

/* Makes an id that nobody can guess, and that begins with a letter. Returns 0;
 * MCP_ERR_PLATFORM: the platform gives no random bytes. */
int mcpi_task_make_id(const mcp_loop *loop, char id[MCPI_TASK_NEW_ID_LEN + 1],
                      mcp_error *err);

/* What a Task says of itself. All values are borrowed. */
typedef struct mcpi_task_shape {
  const char *id;
  mcpi_task_status status;
  mcpi_str message;   /* ptr NULL: absent */
  int64_t created_ms; /* by the wall clock, after 1970 */
  int64_t updated_ms;
  int64_t ttl_ms; /* -1: it has no limit */
  uint32_t poll_ms;
} mcpi_task_shape;

/* Appends the members, each after a comma if it is not the first. */
void mcpi_task_shape_put(mcpi_buf *out, const mcpi_task_shape *task,
                         int is_modern);
enum { MCPI_TASK_POLL_MS = 1000 }; /* of tasks that do not say */

/* Returns after how many milliseconds the receiver of this task may ask for it
 * again, but at least `least_ms` and at most an hour. */
uint32_t mcpi_task_poll_ms(const mcp_json *task, uint32_t least_ms);
/* Appends the member of _meta that names a task, likewise. */
void mcpi_task_put_related(mcpi_buf *out, const char *id);

#endif
