/* SPDX-License-Identifier: MIT */
#include "ext/tasks/work.h"

enum {
  /* Each attempt means that somebody else has changed the task. */
  MAX_ATTEMPTS = 16
};

static void work_load(mcpi_task_work *work);

/* The owner of the work may free it in `done`. */
static void work_finish(mcpi_task_work *work, int status) {
  mcpi_shard *shard = work->shard;
  mcp_doc *doc = work->doc;
  char *owner = work->owner;
  const mcpi_task_data data = work->data;
  work->done(work, status, status == 0 ? &data : NULL);
  mcp_doc_free(doc);
  mcpi_strfree(&shard->server->allocator, owner);
  mcpi_tasks_let_go(shard);
}

static void work_forget_record(mcpi_task_work *work) {
  mcp_doc_free(work->doc);
  work->doc = NULL;
  mcpi_strfree(&work->shard->server->allocator, work->owner);
  work->owner = NULL;
}

/* --- storing --------------------------------------------------------- */

static void work_on_updated(void *argument, int status) {
  mcpi_task_work *work = argument;
  mcpi_shard *shard = work->shard;
  mcpi_shard_enter(shard);
  if (status == MCP_ERR_EXISTS && ++work->attempts < MAX_ATTEMPTS) {
    work_forget_record(work);
    work_load(work);
  } else {
    work_finish(work, status);
  }
  mcpi_shard_leave(shard);
}

static void work_store(mcpi_task_work *work) {
  const mcp_task_store *store = &work->tasks->store;
  mcpi_buf text;
  mcpi_buf_init(&text, &work->shard->server->allocator, SIZE_MAX);
  mcpi_task_data_put(&text, &work->data);
  if (text.error != 0) {
    mcpi_buf_deinit(&text);
    work_finish(work, MCP_ERR_NOMEM);
    return;
  }
  const mcp_task_record record = {.id = work->id,
                                  .owner = work->owner,
                                  .version = work->version + 1,
                                  .created_ms = work->data.created_ms,
                                  .expires_ms = work->expires_ms,
                                  .has_ended = mcpi_task_has_ended(&work->data),
                                  .data = text.data,
                                  .data_len = text.len};
  store->update(store->userdata, work->shard->loop, &record, work_on_updated,
                work);
  mcpi_buf_deinit(&text);
}

/* --- loading --------------------------------------------------------- */

/* A task without an owner is for whoever knows its id. */
static int work_is_permitted(const mcpi_task_work *work, const char *owner) {
  return work->is_ours || owner[0] == '\0' ||
         (work->principal != NULL && strcmp(work->principal, owner) == 0);
}

static int work_take(mcpi_task_work *work, const mcp_task_record *record) {
  const mcp_allocator *allocator = &work->shard->server->allocator;
  if (!work_is_permitted(work, record->owner) ||
      record->expires_ms <= mcpi_loop_wall(work->shard->loop)) {
    return MCP_ERR_NOT_FOUND;
  }
  work->owner = mcpi_strdup(allocator, record->owner);
  if (work->owner == NULL) {
    return MCP_ERR_NOMEM;
  }
  work->version = record->version;
  work->expires_ms = record->expires_ms;
  work->data = (mcpi_task_data){.created_ms = record->created_ms};
  return mcpi_task_data_read(&work->data,
                             mcpi_str_n(record->data, record->data_len),
                             allocator, &work->doc);
}

static void work_on_found(void *argument, int status,
                          const mcp_task_record *records, size_t count) {
  mcpi_task_work *work = argument;
  mcpi_shard *shard = work->shard;
  (void)count;
  mcpi_shard_enter(shard);
  int rc = status == 0 ? work_take(work, records) : status;
  if (rc == 0 && work->change != NULL) {
    rc = work->change(work, &work->data);
  }
  if (rc == 1) {
    work_store(work);
  } else {
    work_finish(work, rc);
  }
  mcpi_shard_leave(shard);
}

static void work_load(mcpi_task_work *work) {
  const mcp_task_store *store = &work->tasks->store;
  store->load(store->userdata, work->shard->loop, work->id, work_on_found,
              work);
}

void mcpi_task_work_start(mcpi_task_work *work) {
  mcpi_shard *shard = work->shard;
  mcpi_tasks_hold(shard);
  mcpi_shard_enter(shard);
  work_load(work);
  mcpi_shard_leave(shard);
}
