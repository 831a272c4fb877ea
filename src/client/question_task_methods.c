/* SPDX-License-Identifier: MIT */
#include "client/question_task_methods.h"

#include "client/describe.h"
#include "client/question_tasks.h"
#include "client/respond.h"

#include <stdlib.h>

enum { PAGE_TASKS = 50 };

static mcpi_question_task *task_find(const mcp_client *client, mcpi_str id) {
  const mcpi_list *list = &client->question_tasks.list;
  for (mcpi_list *link = list->next; link != list; link = link->next) {
    mcpi_question_task *task = MCPI_CONTAINER(link, mcpi_question_task, link);
    if (mcpi_str_eq(mcpi_str_z(task->id), id)) {
      return task;
    }
  }
  return NULL;
}

/* --- the methods that name a task ---------------------------------------- */

static int task_serve_get(mcpi_question_task *task, mcpi_str id_text) {
  mcpi_buf result;
  mcpi_buf_init(&result, &task->client->loop->allocator, SIZE_MAX);
  mcpi_question_task_put(task, &result);
  return mcpi_respond_buf(task->client, id_text, &result);
}

static int task_serve_result(mcpi_question_task *task, mcpi_str id_text) {
  mcp_error err;
  if (mcpi_task_status_is_end(task->status)) {
    return mcpi_question_task_respond_end(task, id_text);
  }
  int code = mcpi_question_task_respond_later(task, id_text, &err);
  return code != 0 ? mcpi_respond_error(task->client, id_text, code,
                                        mcpi_str_z(err.message))
                   : 0;
}

/* The server gets the answer to this request first. */
static int task_serve_cancel(mcpi_question_task *task, mcpi_str id_text) {
  if (mcpi_task_status_is_end(task->status)) {
    mcp_error why;
    mcp_error_set(&why, MCP_ERR_INVALID, "the task \"%s\" has ended", task->id);
    return mcpi_respond_error(task->client, id_text, MCP_RPC_INVALID_PARAMS,
                              mcpi_str_z(why.message));
  }
  mcpi_question_task_cancel(task);
  int rc = task_serve_get(task, id_text);
  mcpi_question_task_show_end(task);
  return rc;
}

/* --- tasks/list ---------------------------------------------------------- */

/* A cursor is the number of the last task that the server got. Returns 0, or
 * MCP_ERR_INVALID: it is not such a number. */
static int task_read_cursor(const mcp_client *client, const mcp_json *cursor,
                            uint64_t *after) {
  const char *text = mcp_json_string(cursor);
  char *end;
  *after = 0;
  if (mcp_json_type(cursor) <= MCP_JSON_NULL) {
    return 0;
  }
  if (text == NULL || *text < '1' || *text > '9') {
    return MCP_ERR_INVALID;
  }
  *after = strtoull(text, &end, 10);
  return *end == '\0' && *after <= client->question_tasks.last_number
             ? 0
             : MCP_ERR_INVALID;
}

/* {"tasks":[...],"nextCursor":...} */
static void tasks_put_page(const mcp_client *client, uint64_t after,
                           mcpi_buf *out) {
  const mcpi_list *list = &client->question_tasks.list;
  mcpi_list *link = list->next;
  size_t shown = 0;
  mcpi_buf_lit(out, "{\"tasks\":[");
  for (; link != list && shown < PAGE_TASKS; link = link->next) {
    const mcpi_question_task *task =
        MCPI_CONTAINER(link, mcpi_question_task, link);
    if (task->number > after) {
      if (shown++ > 0) {
        mcpi_buf_putc(out, ',');
      }
      mcpi_question_task_put(task, out);
      after = task->number;
    }
  }
  mcpi_buf_putc(out, ']');
  if (link != list) {
    mcpi_buf_lit(out, ",\"nextCursor\":\"");
    mcpi_json_put_uint(out, after);
    mcpi_buf_putc(out, '"');
  }
  mcpi_buf_putc(out, '}');
}

static int tasks_serve_list(mcp_client *client, const mcp_json *params,
                            mcpi_str id_text) {
  uint64_t after;
  mcpi_buf result;
  if (task_read_cursor(client, mcp_json_get(params, "cursor"), &after) != 0) {
    return mcpi_respond_error(client, id_text, MCP_RPC_INVALID_PARAMS,
                              MCPI_STR("unknown cursor"));
  }
  mcpi_buf_init(&result, &client->loop->allocator, SIZE_MAX);
  tasks_put_page(client, after, &result);
  return mcpi_respond_buf(client, id_text, &result);
}

/* --- which method -------------------------------------------------------- */

/* A method that names a task. */
typedef struct task_method {
  mcpi_str name;
  /* The caller holds the task. Returns 0, or an error of sending. */
  int (*serve)(mcpi_question_task *task, mcpi_str id_text);
} task_method;

static const task_method *task_method_find(mcpi_str name) {
  static const task_method methods[] = {
      {{"tasks/get", 9}, task_serve_get},
      {{"tasks/result", 12}, task_serve_result},
      {{"tasks/cancel", 12}, task_serve_cancel}};
  for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
    if (mcpi_str_eq(methods[i].name, name)) {
      return &methods[i];
    }
  }
  return NULL;
}

int mcpi_question_task_methods_have(const mcp_client *client, mcpi_str name) {
  return client->revision != NULL &&
         mcpi_client_runs_tasks(client, client->revision) &&
         (task_method_find(name) != NULL ||
          mcpi_str_eq(name, MCPI_STR("tasks/list")));
}

int mcpi_question_task_methods_serve(mcp_client *client,
                                     const mcpi_envelope *envelope,
                                     mcpi_str id_text) {
  static const mcpi_member params[] = {{{"taskId", 6}, MCPI_C_STRING, 1},
                                       {{NULL, 0}, MCP_JSON_NONE, 0}};
  const task_method *method = task_method_find(envelope->method);
  mcp_error err;
  if (method == NULL) {
    return tasks_serve_list(client, envelope->params, id_text);
  }
  if (mcpi_members_check(params, "params", envelope->params, &err) != 0) {
    return mcpi_respond_error(client, id_text, MCP_RPC_INVALID_PARAMS,
                              mcpi_str_z(err.message));
  }
  mcpi_str id = mcpi_json_member_str(envelope->params, "taskId");
  mcpi_question_task *task = task_find(client, id);
  if (task == NULL) {
    return mcpi_question_task_respond_unknown(client, id_text, id.ptr);
  }
  mcpi_question_task_ref(task);
  int rc = method->serve(task, id_text);
  mcpi_question_task_unref(task);
  return rc;
}
