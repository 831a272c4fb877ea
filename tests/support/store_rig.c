/* SPDX-License-Identifier: MIT */
#include "support/store_rig.h"

#include "support/cm.h"
#include <stdio.h>
#include <string.h>

/* --- the loop ------------------------------------------------------------- */

static int rig_post(void *userdata, void (*run)(void *argument),
                    void *argument) {
  store_rig *rig = userdata;
  pthread_mutex_lock(&rig->lock);
  int rc = 0;
  if (rig->fail_posts > 0 || rig->post_count == STORE_RIG_POSTS) {
    rig->fail_posts -= rig->fail_posts > 0;
    rc = MCP_ERR_NOMEM;
  } else {
    rig->posts[rig->post_count].run = run;
    rig->posts[rig->post_count++].argument = argument;
    pthread_cond_signal(&rig->has_posts);
  }
  pthread_mutex_unlock(&rig->lock);
  return rc;
}

/* Runs the first post, if there is one. Under the lock, except meanwhile. */
static int run_first_post(store_rig *rig) {
  if (rig->post_count == 0) {
    return 0;
  }
  void (*run)(void *argument) = rig->posts[0].run;
  void *argument = rig->posts[0].argument;
  rig->post_count--;
  memmove(rig->posts, rig->posts + 1, rig->post_count * sizeof(rig->posts[0]));
  pthread_mutex_unlock(&rig->lock);
  run(argument);
  pthread_mutex_lock(&rig->lock);
  return 1;
}

void store_rig_run_posts(store_rig *rig) {
  pthread_mutex_lock(&rig->lock);
  while (run_first_post(rig)) {
  }
  pthread_mutex_unlock(&rig->lock);
}

void store_rig_wait(store_rig *rig) {
  pthread_mutex_lock(&rig->lock);
  while (!rig->is_done) {
    if (!run_first_post(rig)) {
      pthread_cond_wait(&rig->has_posts, &rig->lock);
    }
  }
  rig->is_done = 0;
  pthread_mutex_unlock(&rig->lock);
}

/* --- life ----------------------------------------------------------------- */

static void rig_clean(store_rig *rig) {
  if (rig->maker->clean != NULL) {
    rig->maker->clean();
  }
  mcp_loop_free(rig->loop);
  pthread_cond_destroy(&rig->has_posts);
  pthread_mutex_destroy(&rig->lock);
}

int store_rig_begin(store_rig *rig, const store_maker *maker,
                    const mcp_allocator *allocator, size_t max_bytes) {
  memset(rig, 0, sizeof(*rig));
  rig->maker = maker;
  pthread_mutex_init(&rig->lock, NULL);
  pthread_cond_init(&rig->has_posts, NULL);
  mcp_platform platform = MCP_PLATFORM_INIT;
  platform.userdata = rig;
  platform.post = rig_post;
  rig->loop = mcp_loop_new_manual(&platform, NULL, NULL);
  assert_non_null(rig->loop);
  mcp_loop_advance(rig->loop, 0, 1000);
  rig->store = (mcp_task_store)MCP_TASK_STORE_INIT;
  int rc = maker->make(&rig->store, allocator, max_bytes);
  if (rc != 0) {
    rig_clean(rig);
  }
  return rc;
}

void store_rig_end(store_rig *rig) {
  rig->store.release(rig->store.userdata);
  store_rig_run_posts(rig);
  rig_clean(rig);
}

void store_rig_reopen(store_rig *rig, size_t max_bytes) {
  rig->store.release(rig->store.userdata);
  assert_int_equal(
      rig->maker->make(&rig->store, mcp_allocator_default(), max_bytes), 0);
}

/* --- the store's functions ------------------------------------------------ */

mcp_task_record store_record(const char *id, const char *owner,
                             int64_t created_ms, const char *data) {
  return (mcp_task_record){.id = id,
                           .owner = owner,
                           .version = 1,
                           .created_ms = created_ms,
                           .expires_ms = 5000,
                           .data = data,
                           .data_len = strlen(data)};
}

static void on_done(void *argument, int status) {
  store_rig *rig = argument;
  rig->is_done = 1;
  rig->status = status;
}

static void on_found(void *argument, int status, const mcp_task_record *records,
                     size_t count) {
  store_rig *rig = argument;
  rig->is_done = 1;
  rig->status = status;
  rig->count = count;
  rig->seen[0] = '\0';
  for (size_t i = 0; i < count; i++) {
    size_t len = strlen(rig->seen);
    snprintf(rig->seen + len, sizeof(rig->seen) - len, "%s:%.*s ",
             records[i].id, (int)records[i].data_len, records[i].data);
  }
  if (count > 0) {
    rig->first = records[0];
    snprintf(rig->first_owner, sizeof(rig->first_owner), "%s",
             records[0].owner);
  }
}

int store_create_record(store_rig *rig, const mcp_task_record *record) {
  rig->store.create(rig->store.userdata, rig->loop, record, on_done, rig);
  store_rig_wait(rig);
  return rig->status;
}

int store_create(store_rig *rig, const char *id, const char *owner,
                 int64_t created_ms, const char *data) {
  const mcp_task_record added = store_record(id, owner, created_ms, data);
  return store_create_record(rig, &added);
}

int store_update(store_rig *rig, const char *id, uint64_t version,
                 int has_ended, const char *data) {
  mcp_task_record changed = store_record(id, "not used", 1000, data);
  changed.version = version;
  changed.has_ended = has_ended;
  rig->store.update(rig->store.userdata, rig->loop, &changed, on_done, rig);
  store_rig_wait(rig);
  return rig->status;
}

int store_expire(store_rig *rig, int64_t now_ms) {
  rig->store.expire(rig->store.userdata, rig->loop, now_ms, on_done, rig);
  store_rig_wait(rig);
  return rig->status;
}

const char *store_load(store_rig *rig, const char *id) {
  rig->store.load(rig->store.userdata, rig->loop, id, on_found, rig);
  store_rig_wait(rig);
  return rig->status == 0 ? rig->seen : "";
}

int store_try_list(store_rig *rig, const char *owner) {
  rig->store.list(rig->store.userdata, rig->loop, owner, NULL, 10, on_found,
                  rig);
  store_rig_wait(rig);
  return rig->status;
}

const char *store_list(store_rig *rig, const char *owner,
                       const mcp_task_record *after, size_t max) {
  rig->store.list(rig->store.userdata, rig->loop, owner, after, max, on_found,
                  rig);
  store_rig_wait(rig);
  assert_int_equal(rig->status, 0);
  return rig->seen;
}

const char *store_unfinished(store_rig *rig, const mcp_task_record *after,
                             size_t max) {
  rig->store.list_unfinished(rig->store.userdata, rig->loop, after, max,
                             on_found, rig);
  store_rig_wait(rig);
  assert_int_equal(rig->status, 0);
  return rig->seen;
}

int store_has(store_rig *rig, const char *id) {
  store_load(rig, id);
  return rig->status == 0;
}
