/* SPDX-License-Identifier: MIT */
#include "auth/client/task.h"

#include "base/error.h"

static void task_destroy(mcpi_auth_grave *grave) {
  mcpi_auth_task *task = MCPI_CONTAINER(grave, mcpi_auth_task, grave);
  mcpi_free(mcpi_auth_allocator(task->auth), task, task->size);
}

static void task_on_due(mcpi_timer *timer) {
  mcpi_auth_task *task = MCPI_CONTAINER(timer, mcpi_auth_task, timer);
  mcp_auth *auth = task->auth;
  mcpi_auth_enter(auth);
  task->run(task);
  mcpi_auth_leave(auth);
}

mcpi_auth_task *mcpi_auth_task_new(mcp_auth *auth, size_t size,
                                   void (*run)(mcpi_auth_task *task),
                                   void (*stop)(mcpi_auth_task *task),
                                   mcp_auth_done_cb on_done, void *userdata,
                                   mcp_error *err) {
  if (auth == NULL || on_done == NULL) {
    mcp_error_set(err, MCP_ERR_INVALID, "%s is NULL",
                  auth == NULL ? "auth" : "on_done");
    return NULL;
  }
  if (auth->is_freed) {
    mcpi_auth_closed(err);
    return NULL;
  }
  mcpi_auth_task *task = mcpi_calloc(mcpi_auth_allocator(auth), 1, size);
  if (task == NULL) {
    mcpi_no_memory(err);
    return NULL;
  }
  mcpi_list_init(&task->link);
  mcpi_list_init(&task->grave.link);
  task->grave.destroy = task_destroy;
  task->auth = auth;
  task->size = size;
  task->timer.on_due = task_on_due;
  task->run = run;
  task->stop = stop;
  task->on_done = on_done;
  task->userdata = userdata;
  return task;
}

void mcpi_auth_task_free(mcpi_auth_task *task) {
  task->stop(task);
  mcpi_auth_bury(task->auth, &task->grave);
}

int mcpi_auth_task_start(mcpi_auth_task *task, mcp_error *err) {
  mcp_auth *auth = task->auth;
  if (mcpi_loop_start_timer(auth->loop, &task->timer, 0) != 0) {
    mcpi_auth_task_free(task);
    return mcpi_no_memory(err);
  }
  mcpi_list_append(&auth->tasks, &task->link);
  return 0;
}

void mcpi_auth_task_finish(mcpi_auth_task *task, const mcp_error *err) {
  mcp_auth *auth = task->auth;
  mcp_error copy = {.code = 0};
  if (err != NULL) {
    copy = *err;
  }
  mcpi_auth_enter(auth);
  mcpi_list_remove(&task->link);
  mcpi_loop_stop_timer(auth->loop, &task->timer);
  task->stop(task);
  task->on_done(auth, err != NULL ? &copy : NULL, task->userdata);
  mcpi_auth_bury(auth, &task->grave);
  mcpi_auth_leave(auth);
}

void mcpi_auth_task_finish_all(mcp_auth *auth, const mcp_error *err) {
  while (!mcpi_list_is_empty(&auth->tasks)) {
    mcpi_auth_task_finish(
        MCPI_CONTAINER(auth->tasks.next, mcpi_auth_task, link), err);
  }
}
