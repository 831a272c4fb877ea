/* SPDX-License-Identifier: MIT */
#include "ext/tasks/recover.h"

#include "ext/tasks/changes.h"
#include "ext/tasks/running.h"
#include "ext/tasks/work.h"
#include "json/inline.h"

enum { PAGE_RECORDS = 64 };

typedef struct recovery {
  mcpi_tasks *tasks;
  mcpi_shard *shard; /* held */
  int64_t after_ms;  /* the last record that was seen; its id may be too long */
  char *after_id;    /* owned; NULL: none was seen */
} recovery;

/* --- one task -------------------------------------------------------- */

typedef struct lost_task {
  mcpi_task_work work;
  mcp_doc *error;
  char id[MCPI_TASK_ID_SIZE];
} lost_task;

/* Another loop may have begun to run it since. */
static int change_to_lost(mcpi_task_work *work, mcpi_task_data *data) {
  const lost_task *lost = MCPI_CONTAINER(work, lost_task, work);
  const mcp_json *root = mcp_doc_root(lost->error);
  if (data->status != MCPI_TASK_WORKING ||
      mcpi_running_task_exists(work->tasks, work->id)) {
    return 0;
  }
  mcpi_task_data_end(data, MCPI_TASK_FAILED, mcpi_loop_wall(work->shard->loop));
  data->error = root;
  data->message = mcpi_json_member_str(root, "message");
  return 1;
}

static void report_lost(mcpi_shard *shard, const char *id, int status) {
  mcpi_shard_report(shard, status,
                    "task %s, which an earlier process has left, cannot be "
                    "ended: %s",
                    id, mcp_error_text(status));
}

static void lost_on_done(mcpi_task_work *work, int status,
                         const mcpi_task_data *data) {
  lost_task *lost = MCPI_CONTAINER(work, lost_task, work);
  mcpi_shard *shard = work->shard;
  if (status == 0) {
    mcpi_task_changed(work->tasks, shard, NULL, work->id, work->owner, data);
  } else if (status != MCP_ERR_NOT_FOUND) {
    report_lost(shard, lost->id, status);
  }
  mcp_doc_free(lost->error);
  mcpi_free(&shard->server->allocator, lost, sizeof(*lost));
}

static int recover_fail(const recovery *r, const mcp_task_record *record) {
  static const char error[] =
      "{\"code\":-32603,\"message\":\"the server was restarted before the task "
      "had ended\"}";
  const mcp_allocator *allocator = &r->shard->server->allocator;
  lost_task *lost = mcpi_calloc(allocator, 1, sizeof(*lost));
  if (lost == NULL) {
    return MCP_ERR_NOMEM;
  }
  if (mcpi_doc_parse(&lost->error, error, sizeof(error) - 1, NULL, allocator,
                     NULL) != 0) {
    mcpi_free(allocator, lost, sizeof(*lost));
    return MCP_ERR_NOMEM;
  }
  snprintf(lost->id, sizeof(lost->id), "%s", record->id);
  lost->work = (mcpi_task_work){.tasks = r->tasks,
                                .shard = r->shard,
                                .id = lost->id,
                                .is_ours = 1,
                                .change = change_to_lost,
                                .done = lost_on_done};
  mcpi_task_work_start(&lost->work);
  return 0;
}

/* Whether the program wants it to go on. */
static int recover_is_wanted(const recovery *r, const mcpi_task_data *data) {
  const mcpi_tasks *tasks = r->tasks;
  mcp_server *server = mcpi_server_handle(tasks->server);
  return tasks->on_resume != NULL && server != NULL &&
         tasks->on_resume(server,
                          mcp_json_string(mcpi_json_get(data->params, "name")),
                          mcpi_json_get(data->params, "arguments"),
                          mcpi_json_get(data->state, "state"), tasks->userdata);
}

static int recover_working(const recovery *r, const mcp_task_record *record,
                           const mcpi_task_data *data) {
  return recover_is_wanted(r, data)
             ? mcpi_running_task_resume(r->tasks, r->shard, NULL, record->id,
                                        record->owner, data)
             : recover_fail(r, record);
}

/* A store may be damaged: then the record is left as it is. */
static void recover_task(const recovery *r, const mcp_task_record *record) {
  mcpi_task_data data = {.created_ms = record->created_ms};
  mcp_doc *doc;
  int rc = strlen(record->id) < MCPI_TASK_ID_SIZE ? 0 : MCP_ERR_PARSE;
  if (rc == 0) {
    rc = mcpi_task_data_read(&data, mcpi_str_n(record->data, record->data_len),
                             &r->shard->server->allocator, &doc);
  }
  if (rc == 0) {
    if (data.status == MCPI_TASK_WORKING &&
        !mcpi_running_task_exists(r->tasks, record->id)) {
      rc = recover_working(r, record, &data);
    }
    mcp_doc_free(doc);
  }
  if (rc != 0) {
    report_lost(r->shard, record->id, rc);
  }
}

/* --- all of them ----------------------------------------------------- */

static void recover_page(recovery *r);

static void recovery_end(recovery *r) {
  mcpi_shard *shard = r->shard;
  const mcp_allocator *allocator = &shard->server->allocator;
  mcpi_strfree(allocator, r->after_id);
  mcpi_free(allocator, r, sizeof(*r));
  mcpi_tasks_let_go(shard);
}

static void report_unread(mcpi_shard *shard, int status) {
  mcpi_shard_report(shard, status,
                    "the tasks of an earlier process cannot be read: %s",
                    mcp_error_text(status));
}

/* The next page begins after this record. Returns 0 or MCP_ERR_NOMEM. */
static int recovery_remember(recovery *r, const mcp_task_record *last) {
  const mcp_allocator *allocator = &r->shard->server->allocator;
  char *id = mcpi_strdup(allocator, last->id);
  if (id == NULL) {
    return MCP_ERR_NOMEM;
  }
  mcpi_strfree(allocator, r->after_id);
  r->after_id = id;
  r->after_ms = last->created_ms;
  return 0;
}

static void recover_on_found(void *argument, int status,
                             const mcp_task_record *records, size_t count) {
  recovery *r = argument;
  mcpi_shard *shard = r->shard;
  int is_last = status != 0 || count < PAGE_RECORDS;
  mcpi_shard_enter(shard);
  for (size_t i = 0; status == 0 && i < count; i++) {
    recover_task(r, &records[i]);
  }
  if (!is_last) {
    status = recovery_remember(r, &records[count - 1]);
  }
  if (status != 0) {
    report_unread(shard, status);
  }
  if (status == 0 && !is_last) {
    recover_page(r);
  } else {
    recovery_end(r);
  }
  mcpi_shard_leave(shard);
}

static void recover_page(recovery *r) {
  const mcp_task_store *store = &r->tasks->store;
  const mcp_task_record after = {.id = r->after_id, .created_ms = r->after_ms};
  store->list_unfinished(store->userdata, r->shard->loop,
                         r->after_id != NULL ? &after : NULL, PAGE_RECORDS,
                         recover_on_found, r);
}

static void recover_posted(void *argument) {
  recovery *r = argument;
  mcpi_shard *shard = r->shard;
  mcpi_shard_enter(shard);
  recover_page(r);
  mcpi_shard_leave(shard);
}

/* Handlers run when the function that has made the shard has returned. */
void mcpi_tasks_recover(mcpi_tasks *tasks, mcpi_shard *shard) {
  const mcp_allocator *allocator = &shard->server->allocator;
  recovery *r = mcpi_calloc(allocator, 1, sizeof(*r));
  int rc = r != NULL ? 0 : MCP_ERR_NOMEM;
  if (rc == 0) {
    *r = (recovery){.tasks = tasks, .shard = shard};
    mcpi_tasks_hold(shard);
    rc = mcp_loop_post(shard->loop, recover_posted, r);
    if (rc != 0) {
      recovery_end(r);
    }
  }
  if (rc != 0) {
    mcpi_server_report(shard->server, rc,
                       "the tasks of an earlier process are left as they are: "
                       "%s",
                       mcp_error_text(rc));
  }
}
