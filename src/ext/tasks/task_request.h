/* SPDX-License-Identifier: MIT */
/* A request of a client about one task, such as tasks/get: a call that waits
 * until the work on the task's record is done. */
#ifndef MCPI_EXT_TASKS_TASK_REQUEST_H
#define MCPI_EXT_TASKS_TASK_REQUEST_H

#include "ext/tasks/work.h"

typedef struct mcpi_task_request mcpi_task_request;

struct mcpi_task_request {
  mcpi_task_work work;
  mcp_call *call; /* held, and deferred */
  /* The record is stored. Appends the members of the result. After it, the call
   * is answered, and then `after` runs. */
  void (*put_result)(mcpi_task_request *request, const mcpi_task_data *data,
                     mcpi_buf *out);
  void (*after)(mcpi_task_request *request, const mcpi_task_data *data);
  mcp_doc *given; /* owned: values that `change` gave the record */
};

/* Makes a request of a call, whose params have `taskId`. Returns 0 or
 * MCP_ERR_NOMEM: then the caller returns the code from its handler. The
 * functions may be NULL. */
int mcpi_task_request_start(
    mcpi_tasks *tasks, mcp_call *call,
    int (*change)(mcpi_task_work *work, mcpi_task_data *data),
    void (*put_result)(mcpi_task_request *request, const mcpi_task_data *data,
                       mcpi_buf *out),
    void (*after)(mcpi_task_request *request, const mcpi_task_data *data));

/* Returns params.taskId; "", which finds nothing: it cannot be the id of a
 * task. Borrowed from the call. */
const char *mcpi_task_request_id(const mcp_call *call);

/* Each replies to a deferred call. If the text is incomplete, or there is no
 * memory for it, the client gets an error that says so. */
void mcpi_task_reply(mcp_call *call, mcpi_buf *result);
/* `data` may be empty: then the error has none. */
void mcpi_task_reply_error(mcp_call *call, int code, const char *message,
                           mcpi_buf *data);

static inline mcpi_task_request *mcpi_task_request_of(mcpi_task_work *work) {
  return MCPI_CONTAINER(work, mcpi_task_request, work);
}

#endif
