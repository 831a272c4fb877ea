/* SPDX-License-Identifier: MIT */
#include "store/sqlite/job.h"

static size_t string_size(const char *string) {
  return string != NULL ? strlen(string) + 1 : 0;
}

/* Copies bytes to *at, and moves it. NULL stays NULL. */
static const char *put_copy(char **at, const char *bytes, size_t len) {
  if (bytes == NULL) {
    return NULL;
  }
  char *copy = *at;
  memcpy(copy, bytes, len);
  *at += len;
  return copy;
}

mcpi_sqlite_job *mcpi_sqlite_job_new(const mcp_allocator *allocator,
                                     mcpi_sqlite_kind kind, mcp_loop *loop,
                                     const mcp_task_record *record) {
  size_t id_size = string_size(record->id);
  size_t owner_size = string_size(record->owner);
  size_t size =
      sizeof(mcpi_sqlite_job) + id_size + owner_size + record->data_len;
  mcpi_sqlite_job *job = mcpi_alloc(allocator, size);
  if (job == NULL) {
    return NULL;
  }
  *job = (mcpi_sqlite_job){.allocator = *allocator,
                           .size = size,
                           .kind = kind,
                           .loop = loop,
                           .record = *record};
  char *at = job->strings;
  job->record.id = put_copy(&at, record->id, id_size);
  job->record.owner = put_copy(&at, record->owner, owner_size);
  job->record.data = put_copy(&at, record->data, record->data_len);
  mcpi_list_init(&job->link);
  mcpi_sqlite_found_init(&job->found, &job->allocator);
  return job;
}

void mcpi_sqlite_job_free(mcpi_sqlite_job *job) {
  mcp_allocator allocator = job->allocator;
  mcpi_list_remove(&job->link);
  mcpi_sqlite_found_deinit(&job->found);
  mcpi_free_wiped(&allocator, job, job->size);
}

int mcpi_sqlite_job_writes(const mcpi_sqlite_job *job) {
  return job->done != NULL;
}

int mcpi_sqlite_job_is_durable(const mcpi_sqlite_job *job) {
  return job->kind == MCPI_SQLITE_CREATE ||
         (job->kind == MCPI_SQLITE_UPDATE && job->record.has_ended);
}

static int job_list(mcpi_sqlite_job *job, mcpi_sqlite_tasks *tasks) {
  const mcp_task_record *after = job->has_after ? &job->record : NULL;
  return mcpi_sqlite_tasks_list(tasks, job->record.owner, job->now_ms, after,
                                job->max, &job->found);
}

void mcpi_sqlite_job_run(mcpi_sqlite_job *job, mcpi_sqlite_tasks *tasks) {
  mcpi_sqlite_found_clear(&job->found);
  switch (job->kind) {
  case MCPI_SQLITE_CREATE:
    job->status = mcpi_sqlite_tasks_create(tasks, &job->record);
    break;
  case MCPI_SQLITE_UPDATE:
    job->status = mcpi_sqlite_tasks_update(tasks, &job->record);
    break;
  case MCPI_SQLITE_EXPIRE:
    job->status = mcpi_sqlite_tasks_expire(tasks, job->now_ms);
    break;
  case MCPI_SQLITE_LOAD:
    job->status = mcpi_sqlite_tasks_load(tasks, job->record.id, &job->found);
    break;
  case MCPI_SQLITE_LIST:
  case MCPI_SQLITE_LIST_UNFINISHED:
    job->status = job_list(job, tasks);
    break;
  }
}

void mcpi_sqlite_job_complete(mcpi_sqlite_job *job) {
  if (job->done != NULL) {
    job->done(job->argument, job->status);
  } else {
    job->on_found(job->argument, job->status,
                  mcpi_sqlite_found_records(&job->found), job->found.count);
  }
  mcpi_sqlite_job_free(job);
}
