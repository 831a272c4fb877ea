/* SPDX-License-Identifier: MIT */
#include "ext/tasks/waiting.h"

void mcpi_task_waiting_set(mcpi_task_waiting *waiting,
                           mcpi_waiting_state state) {
  const mcpi_lock *lock = mcpi_server_lock(waiting->tasks->server);
  waiting->state = state;
  mcpi_server_unlock(lock);
}

int mcpi_task_waiting_claim(mcpi_task_waiting *waiting) {
  mcpi_tasks *tasks = waiting->tasks;
  int is_asked = 0;
  const mcpi_lock *lock = mcpi_server_lock(tasks->server);
  for (mcpi_list *at = tasks->waiters.next; at != &tasks->waiters;
       at = at->next) {
    const mcpi_task_waiting *other =
        MCPI_CONTAINER(at, mcpi_task_waiting, link);
    is_asked |=
        other->state == MCPI_TASK_ASKING && strcmp(other->id, waiting->id) == 0;
  }
  waiting->state = is_asked ? MCPI_TASK_WAITING : MCPI_TASK_ASKING;
  mcpi_server_unlock(lock);
  return !is_asked;
}

void mcpi_task_waiting_add(mcpi_task_waiting *waiting) {
  mcpi_tasks *tasks = waiting->tasks;
  const mcpi_lock *lock = mcpi_server_lock(tasks->server);
  mcpi_list_remove(&waiting->link);
  mcpi_list_append(&tasks->waiters, &waiting->link);
  waiting->state = MCPI_TASK_LOADING;
  mcpi_server_unlock(lock);
}

void mcpi_task_waiting_remove(mcpi_task_waiting *waiting) {
  const mcpi_lock *lock = mcpi_server_lock(waiting->tasks->server);
  mcpi_list_remove(&waiting->link);
  mcpi_server_unlock(lock);
}

/* Moves those of this shard that wait for the task to another list. One that
 * asks is among them only if the task has ended. */
static void take_waiting(mcpi_tasks *tasks, const mcpi_shard *shard,
                         mcpi_str id, int has_ended, mcpi_list *out) {
  const mcpi_lock *lock = mcpi_server_lock(tasks->server);
  mcpi_list *at = tasks->waiters.next;
  while (at != &tasks->waiters) {
    mcpi_task_waiting *w = MCPI_CONTAINER(at, mcpi_task_waiting, link);
    at = at->next;
    if (w->shard != shard || !mcpi_str_eq(mcpi_str_z(w->id), id)) {
      continue;
    }
    w->is_stale |= w->state == MCPI_TASK_LOADING;
    if (w->state == MCPI_TASK_WAITING ||
        (has_ended && w->state == MCPI_TASK_ASKING)) {
      mcpi_list_remove(&w->link);
      mcpi_list_append(out, &w->link);
    }
  }
  mcpi_server_unlock(lock);
}

/* A reply may end others that wait, so each is taken off the list first. */
static int wake_in_shard(mcpi_shard *shard, mcpi_str id, int has_ended) {
  mcpi_list woken;
  mcpi_list_init(&woken);
  take_waiting(mcpi_tasks_of(shard->server), shard, id, has_ended, &woken);
  while (!mcpi_list_is_empty(&woken)) {
    mcpi_task_waiting *w = MCPI_CONTAINER(woken.next, mcpi_task_waiting, link);
    w->look(w);
  }
  return 0;
}

static int wake_for_change(mcpi_shard *shard, mcpi_str id) {
  return wake_in_shard(shard, id, 0);
}

static int wake_for_end(mcpi_shard *shard, mcpi_str id) {
  return wake_in_shard(shard, id, 1);
}

static int has_waiters(mcpi_tasks *tasks) {
  const mcpi_lock *lock = mcpi_server_lock(tasks->server);
  int has_some = !mcpi_list_is_empty(&tasks->waiters);
  mcpi_server_unlock(lock);
  return has_some;
}

void mcpi_task_waiters_wake(mcpi_tasks *tasks, const char *id, int has_ended) {
  if (!has_waiters(tasks)) {
    return;
  }
  if (has_ended) {
    mcpi_shards_run(tasks->server, wake_for_end, mcpi_str_z(id));
  } else {
    mcpi_shards_run(tasks->server, wake_for_change, mcpi_str_z(id));
  }
}
