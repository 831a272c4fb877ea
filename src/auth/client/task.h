/* SPDX-License-Identifier: MIT */
/* What a public function has begun, and reports later, once. */
#ifndef MCPI_AUTH_CLIENT_TASK_H
#define MCPI_AUTH_CLIENT_TASK_H

#include "auth/client/life.h"

/* The first member of a structure. It is in auth->tasks from _start to _finish;
 * then it is buried. */
typedef struct mcpi_auth_task mcpi_auth_task;
struct mcpi_auth_task {
  mcpi_list link;
  mcpi_auth_grave grave;
  mcp_auth *auth;
  size_t size; /* of the whole structure */
  mcpi_timer timer;
  void (*run)(mcpi_auth_task *task);  /* in the next turn of the loop */
  void (*stop)(mcpi_auth_task *task); /* ends what is in flight, and frees the
                                         members */
  mcp_auth_done_cb on_done;
  void *userdata;
};

/* Makes a task of that size, filled with zeros beyond its first member. NULL
 * with err: MCP_ERR_INVALID (auth or on_done is NULL), MCP_ERR_CLOSED,
 * MCP_ERR_NOMEM. */
mcpi_auth_task *mcpi_auth_task_new(mcp_auth *auth, size_t size,
                                   void (*run)(mcpi_auth_task *task),
                                   void (*stop)(mcpi_auth_task *task),
                                   mcp_auth_done_cb on_done, void *userdata,
                                   mcp_error *err);
/* Starts it. Returns 0; or MCP_ERR_NOMEM with err: it is stopped and freed. */
int mcpi_auth_task_start(mcpi_auth_task *task, mcp_error *err);
/* Stops and frees a task that has not started. */
void mcpi_auth_task_free(mcpi_auth_task *task);
/* Ends it, and reports err (NULL: it is well). */
void mcpi_auth_task_finish(mcpi_auth_task *task, const mcp_error *err);
/* mcp_auth_free: ends all of them. */
void mcpi_auth_task_finish_all(mcp_auth *auth, const mcp_error *err);

#endif
