/* SPDX-License-Identifier: MIT */
/* A task store that works on a thread of its own while its server and loop are
 * freed. Run it under the thread sanitizer. */
#include "support/cm.h"

#include <mcp/mcp.h>
#include <mcp/tasks.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static struct {
  mcp_loop *loop;
  mcp_task_found_cb found;
  void *argument;
  pthread_t thread;
  sem_t may_answer;
  int has_begun;
  int answers;
  int releases;
} slow;

static void answer(void *argument) {
  slow.answers++;
  slow.found(slow.argument, 0, NULL, 0);
}

/* The loop is being freed when the answer comes. */
static void *answer_late(void *argument) {
  sem_wait(&slow.may_answer);
  usleep(20000);
  mcp_loop_post(slow.loop, answer, NULL);
  return NULL;
}

static void slow_list_unfinished(void *userdata, mcp_loop *loop,
                                 const mcp_task_record *after, size_t max,
                                 mcp_task_found_cb found, void *argument) {
  slow.loop = loop;
  slow.found = found;
  slow.argument = argument;
  slow.has_begun = 1;
  assert_int_equal(pthread_create(&slow.thread, NULL, answer_late, NULL), 0);
}

static void slow_change(void *userdata, mcp_loop *loop,
                        const mcp_task_record *record, mcp_task_done_cb done,
                        void *argument) {
  done(argument, MCP_ERR_LIMIT);
}

static void slow_load(void *userdata, mcp_loop *loop, const char *id,
                      mcp_task_found_cb found, void *argument) {
  found(argument, MCP_ERR_NOT_FOUND, NULL, 0);
}

static void slow_list(void *userdata, mcp_loop *loop, const char *owner,
                      const mcp_task_record *after, size_t max,
                      mcp_task_found_cb found, void *argument) {
  found(argument, 0, NULL, 0);
}

static void slow_expire(void *userdata, mcp_loop *loop, int64_t now_ms,
                        mcp_task_done_cb done, void *argument) {
  done(argument, 0);
}

static void slow_release(void *userdata) {
  slow.releases++;
}

static mcp_server *serve_tasks(mcp_loop *loop) {
  const mcp_task_store store = {.size = sizeof(store),
                                .create = slow_change,
                                .load = slow_load,
                                .update = slow_change,
                                .list = slow_list,
                                .list_unfinished = slow_list_unfinished,
                                .expire = slow_expire,
                                .release = slow_release};
  const mcp_tasks_options options = {.size = sizeof(options), .store = &store};
  mcp_server *server = mcp_server_new("tasks", "1", NULL, NULL);
  assert_int_equal(mcp_server_enable_tasks(server, &options, NULL), 0);
  mcp_transport *ours;
  mcp_transport *theirs;
  assert_int_equal(mcp_memory_pair(loop, &ours, &theirs, NULL), 0);
  assert_int_equal(mcp_server_connect(server, loop, ours, NULL, NULL, NULL), 0);
  mcp_transport_free(theirs);
  return server;
}

TEST(a_loop_ends_after_what_a_store_still_does) {
  mcp_loop *loop = mcp_loop_new(NULL, NULL);
  assert_int_equal(sem_init(&slow.may_answer, 0, 0), 0);
  mcp_server *server = serve_tasks(loop);
  while (!slow.has_begun) {
    mcp_loop_wait(loop, 1000);
  }
  mcp_server_free(server);
  assert_int_equal(slow.releases, 0);
  sem_post(&slow.may_answer);
  mcp_loop_free(loop);
  assert_int_equal(slow.answers, 1);
  assert_int_equal(slow.releases, 1);
  pthread_join(slow.thread, NULL);
  sem_destroy(&slow.may_answer);
}
