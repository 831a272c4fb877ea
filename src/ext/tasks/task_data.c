/* SPDX-License-Identifier: MIT */
#include "ext/tasks/task_data.h"

#include "server/members.h"
#include "json/inline.h"

void mcpi_task_data_end(mcpi_task_data *task, mcpi_task_status status,
                        int64_t now_ms) {
  *task = (mcpi_task_data){.revision = task->revision,
                           .status = status,
                           .message = task->message,
                           .created_ms = task->created_ms,
                           .updated_ms = now_ms,
                           .ttl_ms = task->ttl_ms,
                           .poll_ms = task->poll_ms};
}

/* --- members --------------------------------------------------------- */

static void put_str(mcpi_buf *out, const char *name, mcpi_str string) {
  if (string.ptr != NULL) {
    mcpi_put_name(out, name);
    mcpi_json_put_string(out, string);
  }
}

static void put_int(mcpi_buf *out, const char *name, int64_t number) {
  mcpi_put_name(out, name);
  mcpi_json_put_int(out, number);
}

static void put_value(mcpi_buf *out, const char *name, const mcp_json *value) {
  if (value != NULL) {
    mcpi_put_name(out, name);
    mcpi_json_put_value(out, value);
  }
}

/* --- records --------------------------------------------------------- */

void mcpi_task_data_put(mcpi_buf *out, const mcpi_task_data *task) {
  mcpi_buf_putc(out, '{');
  mcpi_put_string_member(out, "revision", task->revision->name);
  mcpi_put_string_member(out, "status", mcpi_task_status_name(task->status));
  put_str(out, "message", task->message);
  put_int(out, "updated", task->updated_ms);
  put_int(out, "ttl", task->ttl_ms);
  put_int(out, "poll", task->poll_ms);
  put_value(out, "params", task->params);
  put_value(out, "capabilities", task->capabilities);
  put_value(out, "client", task->client);
  put_str(out, "scopes", task->scopes);
  put_value(out, "questions", task->questions);
  put_value(out, "answers", task->answers);
  put_value(out, "failures", task->failures);
  put_value(out, "state", task->state);
  put_value(out, "result", task->result);
  put_value(out, "error", task->error);
  mcpi_buf_putc(out, '}');
}

static mcpi_str string_at(const mcp_json *root, const char *name) {
  return mcpi_json_str(mcpi_json_get(root, name));
}

/* The call of a tool, whose handler runs again without another check. */
static int is_call(const mcp_json *params) {
  const mcp_json *arguments = mcpi_json_get(params, "arguments");
  return mcpi_json_is_string(mcpi_json_get(params, "name")) &&
         (arguments == NULL || mcpi_json_is_object(arguments));
}

/* At least one, since only an answer lets the task go on. */
static int are_questions(const mcp_json *questions) {
  mcp_json_iter iter;
  const mcp_json *question;
  int are_right =
      mcpi_json_is_object(questions) && mcp_json_size(questions) > 0;
  mcp_json_iter_init(&iter, questions);
  while (are_right && (question = mcp_json_iter_next(&iter, NULL)) != NULL) {
    are_right = mcpi_json_is_string(mcpi_json_get(question, "method"));
  }
  return are_right;
}

static int is_whole(const mcpi_task_data *task) {
  return mcpi_task_has_ended(task) ||
         (is_call(task->params) && (task->status != MCPI_TASK_INPUT_REQUIRED ||
                                    are_questions(task->questions)));
}

static int task_data_fill(mcpi_task_data *out, const mcp_json *root) {
  mcpi_task_data task = {
      .revision = mcpi_revision_find(string_at(root, "revision")),
      .status = mcpi_task_status_find(string_at(root, "status")),
      .message = string_at(root, "message"),
      .created_ms = out->created_ms,
      .updated_ms = mcp_json_int(mcpi_json_get(root, "updated")),
      .ttl_ms = mcp_json_int(mcpi_json_get(root, "ttl")),
      .poll_ms = (uint32_t)mcp_json_int(mcpi_json_get(root, "poll")),
      .params = mcpi_json_get(root, "params"),
      .capabilities = mcpi_json_get(root, "capabilities"),
      .client = mcpi_json_get(root, "client"),
      .scopes = string_at(root, "scopes"),
      .questions = mcpi_json_get(root, "questions"),
      .answers = mcpi_json_get(root, "answers"),
      .failures = mcpi_json_get(root, "failures"),
      .state = mcpi_json_get(root, "state"),
      .result = mcpi_json_get(root, "result"),
      .error = mcpi_json_get(root, "error")};
  if (task.revision == NULL || task.status == MCPI_TASK_STATUS_COUNT ||
      !is_whole(&task)) {
    return MCP_ERR_PARSE;
  }
  *out = task;
  return 0;
}

int mcpi_task_data_read(mcpi_task_data *out, mcpi_str text,
                        const mcp_allocator *allocator, mcp_doc **doc) {
  mcp_doc *read = NULL;
  int rc = mcpi_doc_parse(&read, text.ptr, text.len, NULL, allocator, NULL);
  if (rc == 0) {
    rc = task_data_fill(out, mcp_doc_root(read));
  }
  if (rc != 0) {
    mcp_doc_free(read);
    return rc == MCP_ERR_NOMEM ? rc : MCP_ERR_PARSE;
  }
  *doc = read;
  return 0;
}

/* --- what clients see ------------------------------------------------ */

static void put_members(mcpi_buf *out, const char *id,
                        const mcpi_task_data *task, mcpi_task_status status,
                        int is_modern) {
  const mcpi_task_shape shape = {.id = id,
                                 .status = status,
                                 .message = task->message,
                                 .created_ms = task->created_ms,
                                 .updated_ms = task->updated_ms,
                                 .ttl_ms = task->ttl_ms,
                                 .poll_ms = task->poll_ms};
  mcpi_task_shape_put(out, &shape, is_modern);
}

/* A tool that reports an error has failed there. */
void mcpi_task_put_core(mcpi_buf *out, const char *id,
                        const mcpi_task_data *task) {
  int has_failed = mcp_json_bool(mcpi_json_get(task->result, "isError"));
  put_members(out, id, task, has_failed ? MCPI_TASK_FAILED : task->status, 0);
}

/* The result of a task that was made in 2025-11-25 has no resultType. */
static void put_result(mcpi_buf *out, const mcp_json *result) {
  mcpi_put_name(out, "result");
  mcpi_buf_putc(out, '{');
  mcpi_put_members(out, result, NULL);
  if (mcpi_json_get(result, "resultType") == NULL) {
    mcpi_put_string_member(out, "resultType", "complete");
  }
  mcpi_buf_putc(out, '}');
}

void mcpi_task_put_details(mcpi_buf *out, const char *id,
                           const mcpi_task_data *task) {
  put_members(out, id, task, task->status, 1);
  if (task->status == MCPI_TASK_INPUT_REQUIRED) {
    put_value(out, "inputRequests", task->questions);
  } else if (task->status == MCPI_TASK_COMPLETED) {
    put_result(out, task->result);
  } else if (task->status == MCPI_TASK_FAILED) {
    put_value(out, "error", task->error);
  }
}
