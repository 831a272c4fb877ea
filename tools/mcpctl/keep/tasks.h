/* SPDX-License-Identifier: MIT */
/* Whose tasks are which. What the server says about a task goes to the client
 * that made it, or that has asked for it last. */
#ifndef CTL_KEEP_TASKS_H
#define CTL_KEEP_TASKS_H

#include <stddef.h>
#include <stdint.h>

/* The oldest one is forgotten when there are more. */
enum { CTL_KEEP_MAX_TASKS = 1000 };

typedef struct ctl_kept_task {
  struct ctl_kept_task *next; /* an older one */
  uint64_t client;            /* CTL_KEEP_NOBODY: it has gone */
  int64_t number;             /* of the request that has made the task; 0: not
                               * known */
  char
      *token; /* the client's progress token, as JSON text; owned; NULL: none */
  char id[];
} ctl_kept_task;

typedef struct ctl_kept_tasks {
  ctl_kept_task *newest;
  size_t count;
} ctl_kept_tasks;

/* The task is that of the client from now on. `token` may be NULL. Without
 * memory the task stays unknown. */
void ctl_kept_tasks_own(ctl_kept_tasks *tasks, const char *id, uint64_t client,
                        int64_t number, const char *token);
/* NULL: it is not known. */
const ctl_kept_task *ctl_kept_tasks_find(const ctl_kept_tasks *tasks,
                                         const char *id);
const ctl_kept_task *ctl_kept_tasks_of_request(const ctl_kept_tasks *tasks,
                                               int64_t number);
/* The client has gone: nobody gets what the server says of its tasks. */
void ctl_kept_tasks_leave(ctl_kept_tasks *tasks, uint64_t client);
void ctl_kept_tasks_deinit(ctl_kept_tasks *tasks);

#endif
