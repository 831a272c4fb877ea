/* SPDX-License-Identifier: MIT */
/* The methods of 2025-11-25 (MCP 2025-11-25, Tasks): tasks/get, tasks/cancel,
 * tasks/list; tasks/result is in waiter.c. */
#include "ext/tasks/methods.h"

#include "ext/tasks/changes.h"
#include "ext/tasks/running.h"
#include "ext/tasks/task_request.h"
#include "ext/tasks/waiter.h"
#include "server/members.h"
#include "json/inline.h"

#include <inttypes.h>
#include <stdlib.h>

/* --- tasks/get and tasks/cancel -------------------------------------- */

static void put_shown(mcpi_task_request *request, const mcpi_task_data *data,
                      mcpi_buf *out) {
  mcpi_task_put_current(&request->work, data, mcpi_task_put_core, out);
}

static int core_on_get(mcp_call *call, void *userdata) {
  return mcpi_task_request_start(userdata, call, NULL, put_shown, NULL);
}

static int change_running_to_cancelled(mcpi_task_work *work,
                                       mcpi_task_data *data) {
  if (mcpi_task_has_ended(data)) {
    return MCP_ERR_INVALID;
  }
  mcpi_task_data_end(data, MCPI_TASK_CANCELLED,
                     mcpi_loop_wall(work->shard->loop));
  return 1;
}

static void after_cancel(mcpi_task_request *request,
                         const mcpi_task_data *data) {
  const mcpi_task_work *work = &request->work;
  mcpi_running_task_cancel(work->tasks, work->id);
  mcpi_task_changed(work->tasks, work->shard, NULL, work->id, work->owner,
                    data);
}

static int core_on_cancel(mcp_call *call, void *userdata) {
  return mcpi_task_request_start(userdata, call, change_running_to_cancelled,
                                 put_shown, after_cancel);
}

/* --- tasks/list ------------------------------------------------------ */

enum { PAGE_TASKS = 50, CURSOR_SIZE = 96 };

typedef struct task_list {
  mcpi_tasks *tasks;
  mcpi_shard *shard;
  mcp_call *call; /* held, and deferred */
} task_list;

/* A record that holds something else than the store got is left out. */
static void list_put_task(const task_list *list, const mcp_task_record *record,
                          mcpi_buf *out) {
  mcpi_task_data data = {.created_ms = record->created_ms};
  mcpi_str text = mcpi_str_n(record->data, record->data_len);
  mcp_doc *doc;
  int rc =
      mcpi_task_data_read(&data, text, &list->shard->server->allocator, &doc);
  if (rc != 0) {
    out->error = rc == MCP_ERR_NOMEM ? rc : out->error;
    return;
  }
  if (out->data[out->len - 1] == '}') {
    mcpi_buf_putc(out, ',');
  }
  mcpi_buf_putc(out, '{');
  mcpi_task_put_core(out, record->id, &data);
  mcpi_buf_putc(out, '}');
  mcp_doc_free(doc);
}

/* The place of the last task: when it was made, and its id. */
static void list_put_cursor(const mcp_task_record *last, mcpi_buf *out) {
  char cursor[CURSOR_SIZE];
  snprintf(cursor, sizeof(cursor), "%" PRId64 ":%s", last->created_ms,
           last->id);
  mcpi_put_string_member(out, "nextCursor", cursor);
}

static void list_reply(const task_list *list, const mcp_task_record *records,
                       size_t count) {
  mcpi_buf out;
  size_t shown = count < PAGE_TASKS ? count : PAGE_TASKS;
  mcpi_buf_init(&out, &list->shard->server->allocator, SIZE_MAX);
  mcpi_buf_lit(&out, "{\"tasks\":[");
  for (size_t i = 0; i < shown && out.error == 0; i++) {
    list_put_task(list, &records[i], &out);
  }
  mcpi_buf_putc(&out, ']');
  if (count > shown) {
    list_put_cursor(&records[shown - 1], &out);
  }
  mcpi_buf_putc(&out, '}');
  mcpi_task_reply(list->call, &out);
  mcpi_buf_deinit(&out);
}

static void list_on_found(void *argument, int status,
                          const mcp_task_record *records, size_t count) {
  task_list *list = argument;
  mcpi_shard *shard = list->shard;
  mcp_call *call = list->call;
  mcpi_shard_enter(shard);
  if (status == 0) {
    list_reply(list, records, count);
  } else {
    mcp_call_reply_error(call, MCP_RPC_INTERNAL_ERROR,
                         "the tasks could not be read", NULL);
  }
  mcpi_free(&shard->server->allocator, list, sizeof(*list));
  mcpi_call_unhold(call);
  mcpi_tasks_let_go(shard);
  mcpi_shard_leave(shard);
}

/* Returns 0, or MCP_ERR_INVALID: it is not a cursor of ours. */
static int read_cursor(const char *cursor, mcp_task_record *after) {
  char *end;
  after->created_ms = strtoll(cursor, &end, 10);
  if (end == cursor || end[0] != ':' || end[1] == '\0' ||
      strlen(cursor) >= CURSOR_SIZE) {
    return MCP_ERR_INVALID;
  }
  after->id = end + 1;
  return 0;
}

static int list_start(mcpi_tasks *tasks, mcp_call *call,
                      const mcp_task_record *after) {
  const mcp_task_store *store = &tasks->store;
  task_list *list = mcpi_calloc(&tasks->server->allocator, 1, sizeof(*list));
  if (list == NULL) {
    return MCP_ERR_NOMEM;
  }
  int rc = mcp_call_defer(call);
  if (rc != 0) {
    mcpi_free(&tasks->server->allocator, list, sizeof(*list));
    return rc;
  }
  mcpi_call_hold(call);
  *list = (task_list){tasks, call->shard, call};
  mcpi_tasks_hold(call->shard);
  store->list(store->userdata, call->shard->loop, call->principal, after,
              PAGE_TASKS + 1, list_on_found, list);
  return 0;
}

/* The tasks of clients without a principal cannot be told apart. */
static int core_on_list(mcp_call *call, void *userdata) {
  const mcp_json *cursor = mcpi_json_get(call->params, "cursor");
  mcp_task_record after = {0};
  if (call->principal == NULL) {
    return mcp_call_reply_error(call, MCP_RPC_METHOD_NOT_FOUND,
                                "this server lists tasks only to clients that "
                                "it can tell apart (authorization)",
                                NULL);
  }
  if (cursor == NULL) {
    return list_start(userdata, call, NULL);
  }
  const char *text = mcp_json_string(cursor);
  if (text == NULL || read_cursor(text, &after) != 0) {
    return mcp_call_reply_error(call, MCP_RPC_INVALID_PARAMS, "unknown cursor",
                                NULL);
  }
  return list_start(userdata, call, &after);
}

/* --- adding ---------------------------------------------------------- */

int mcpi_tasks_add_core_methods(mcpi_tasks *tasks, mcp_error *err) {
  static const struct {
    const char *name;
    mcp_call_cb handler;
  } methods[] = {{"tasks/get", core_on_get},
                 {"tasks/result", mcpi_task_on_result},
                 {"tasks/cancel", core_on_cancel},
                 {"tasks/list", core_on_list}};
  int rc = 0;
  for (size_t i = 0; rc == 0 && i < sizeof(methods) / sizeof(methods[0]); i++) {
    int is_list = methods[i].handler == core_on_list;
    const mcp_method method = {.size = sizeof(method),
                               .name = methods[i].name,
                               .first_revision = MCP_REVISION_2025_11_25,
                               .last_revision = MCP_REVISION_2025_11_25,
                               .params = is_list ? NULL : &mcpi_task_by_id,
                               .handler = methods[i].handler,
                               .userdata = tasks};
    rc = mcp_server_add_method(tasks->server, &method, err);
  }
  return rc;
}
