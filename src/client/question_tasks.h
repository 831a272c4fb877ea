/* SPDX-License-Identifier: MIT */
/* Questions of a legacy server that the client runs as tasks (MCP 2025-11-25,
 * Tasks). The request that asks gets a task's id at once, and the program's
 * answer becomes the task's result. The server asks for the status, waits for
 * the result, and cancels the task.
 *
 *     question open                      question answered, or cancelled
 *     WORKING ------------------------> COMPLETED, FAILED or CANCELLED
 *        |                                         |
 *        +--- its time is over, or the connection ends: it is forgotten
 *                                                  |
 *                      there is no room for another one: likewise
 *
 * The client owns its tasks. A task and its open question point to each other;
 * whichever ends first clears both pointers. */
#ifndef MCPI_CLIENT_QUESTION_TASKS_H
#define MCPI_CLIENT_QUESTION_TASKS_H

#include "client/question.h"
#include "core/task_shape.h"

/* Each send calls a trace, which may close or free the client. So a task is
 * counted. The client's list holds one reference until the task is forgotten.
 * Each function that uses the task after a send holds another one: the task may
 * then be in no list, and nobody waits for it. All these functions run on the
 * loop's thread, inside mcpi_client_enter. */
typedef struct mcpi_question_task {
  uint32_t refs;
  mcpi_list link; /* in client->question_tasks.list, until it is forgotten */
  mcpi_list ended_link; /* likewise in .ended, from its end */
  mcp_client *client;
  mcp_question *question; /* WORKING: open; else NULL */
  uint64_t number;        /* by which tasks/list orders them */
  char id[MCPI_TASK_NEW_ID_LEN + 1];
  mcpi_task_status status;
  int64_t created_ms;
  int64_t updated_ms;
  int64_t ttl_ms;
  mcpi_timer expiry;
  mcpi_list waits; /* question_task_wait: tasks/result */
  mcpi_buf result; /* COMPLETED: JSON text, with _meta */
  int code;        /* FAILED: of its error */
  mcpi_buf reason; /* FAILED: the error's message */
} mcpi_question_task;

/* Returns the params' `task` if the server wants this question to run as a
 * task, and the client has declared that it does; else NULL. */
const mcp_json *mcpi_question_task_wanted(const mcp_question *question);
/* Makes a new question, whose id text is that of its request, a task and
 * answers the request. A trace of the answer may close or free the client: then
 * question->client is NULL. Returns 0, or the MCP_RPC_* to answer; the caller
 * then frees the question. */
int mcpi_question_task_begin(mcp_question *question, const mcp_json *wanted,
                             mcp_error *err);

/* The server is gone, or another one: forgets the tasks, and cancels their
 * questions. */
void mcpi_question_tasks_forget(mcp_client *client);

/* --- one of them, for question_task_methods.c ----------------------------- */

static inline void mcpi_question_task_ref(mcpi_question_task *task) {
  task->refs++;
}

void mcpi_question_task_unref(mcpi_question_task *task);

/* Marks an open task as cancelled, and its question. */
void mcpi_question_task_cancel(mcpi_question_task *task);
/* Tells the server that the task has ended, and answers those that wait for
 * it. The caller holds the task. */
void mcpi_question_task_show_end(mcpi_question_task *task);

/* Appends {"taskId":...,"status":...}. */
void mcpi_question_task_put(const mcpi_question_task *task, mcpi_buf *out);
/* Responds with the result or the error that the question would have had.
 * Returns 0, or an error of sending. */
int mcpi_question_task_respond_end(const mcpi_question_task *task,
                                   mcpi_str id_text);
/* Responds so when the task has ended. Returns 0, or the MCP_RPC_* to respond
 * with now. */
int mcpi_question_task_respond_later(mcpi_question_task *task, mcpi_str id_text,
                                     mcp_error *err);
/* Responds that there is no task with that id. Returns 0, or an error of
 * sending. */
int mcpi_question_task_respond_unknown(mcp_client *client, mcpi_str id_text,
                                       const char *id);

#endif
