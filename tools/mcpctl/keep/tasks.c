/* SPDX-License-Identifier: MIT */
#include "keep/tasks.h"
#include "keep/flights.h"

#include <stdlib.h>
#include <string.h>

static ctl_kept_task *find(const ctl_kept_tasks *tasks, const char *id) {
  ctl_kept_task *one = tasks->newest;
  while (one != NULL && strcmp(one->id, id) != 0) {
    one = one->next;
  }
  return one;
}

static void task_free(ctl_kept_task *task) {
  free(task->token);
  free(task);
}

static void forget_oldest(ctl_kept_tasks *tasks) {
  ctl_kept_task **at = &tasks->newest;
  while ((*at)->next != NULL) {
    at = &(*at)->next;
  }
  task_free(*at);
  *at = NULL;
  tasks->count--;
}

static ctl_kept_task *add(ctl_kept_tasks *tasks, const char *id) {
  size_t size = strlen(id) + 1;
  ctl_kept_task *task = calloc(1, sizeof(*task) + size);
  if (task == NULL) {
    return NULL;
  }
  memcpy(task->id, id, size);
  if (tasks->count == CTL_KEEP_MAX_TASKS) {
    forget_oldest(tasks);
  }
  task->next = tasks->newest;
  tasks->newest = task;
  tasks->count++;
  return task;
}

void ctl_kept_tasks_own(ctl_kept_tasks *tasks, const char *id, uint64_t client,
                        int64_t number, const char *token) {
  ctl_kept_task *task = find(tasks, id);
  task = task != NULL ? task : add(tasks, id);
  if (task == NULL) {
    return;
  }
  int has_moved = task->client != client;
  task->client = client;
  if (number != 0 || has_moved) {
    free(task->token);
    task->number = number;
    task->token = token != NULL ? strdup(token) : NULL;
  }
}

const ctl_kept_task *ctl_kept_tasks_find(const ctl_kept_tasks *tasks,
                                         const char *id) {
  return find(tasks, id);
}

const ctl_kept_task *ctl_kept_tasks_of_request(const ctl_kept_tasks *tasks,
                                               int64_t number) {
  const ctl_kept_task *one = tasks->newest;
  while (one != NULL && one->number != number) {
    one = one->next;
  }
  return one;
}

void ctl_kept_tasks_leave(ctl_kept_tasks *tasks, uint64_t client) {
  for (ctl_kept_task *one = tasks->newest; one != NULL; one = one->next) {
    if (one->client == client) {
      one->client = CTL_KEEP_NOBODY;
    }
  }
}

void ctl_kept_tasks_deinit(ctl_kept_tasks *tasks) {
  while (tasks->newest != NULL) {
    ctl_kept_task *one = tasks->newest;
    tasks->newest = one->next;
    task_free(one);
  }
  tasks->count = 0;
}
