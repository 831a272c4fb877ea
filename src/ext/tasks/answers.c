/* SPDX-License-Identifier: MIT */
#include "ext/tasks/answers.h"

#include "ext/tasks/running.h"
#include "server/members.h"
#include "json/inline.h"

static void put_pair(mcpi_buf *out, mcpi_str key, const mcp_json *value) {
  mcpi_put_comma(out);
  mcpi_json_put_string(out, key);
  mcpi_buf_putc(out, ':');
  mcpi_json_put_value(out, value);
}

/* Appends what is given for questions that have no answer yet. Returns how many
 * there are. */
static size_t put_given(mcpi_buf *out, const mcp_json *questions,
                        const mcp_json *given) {
  mcp_json_iter iter;
  const mcp_json *name;
  size_t count = 0;
  mcp_json_iter_init(&iter, questions);
  while (mcp_json_iter_next(&iter, &name) != NULL) {
    const mcp_json *value = mcpi_json_find(given, mcpi_json_str(name));
    if (value != NULL) {
      put_pair(out, mcpi_json_str(name), value);
      count++;
    }
  }
  return count;
}

static void put_unanswered(mcpi_buf *out, const mcp_json *questions,
                           const mcp_json *given, const mcp_json *failures) {
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *question;
  mcp_json_iter_init(&iter, questions);
  while ((question = mcp_json_iter_next(&iter, &name)) != NULL) {
    mcpi_str key = mcpi_json_str(name);
    if (mcpi_json_find(given, key) == NULL &&
        mcpi_json_find(failures, key) == NULL) {
      put_pair(out, key, question);
    }
  }
}

/* {"answers":{...},"failures":{...},"questions":{...}}. Returns how many are
 * new. */
static size_t put_answered(mcpi_buf *out, const mcpi_task_data *data,
                           const mcp_json *given, const mcp_json *failures) {
  mcpi_buf_lit(out, "{\"answers\":{");
  mcpi_put_members(out, data->answers, NULL);
  size_t count = put_given(out, data->questions, given);
  mcpi_buf_lit(out, "},\"failures\":{");
  mcpi_put_members(out, data->failures, NULL);
  count += put_given(out, data->questions, failures);
  mcpi_buf_lit(out, "},\"questions\":{");
  put_unanswered(out, data->questions, given, failures);
  mcpi_buf_lit(out, "}}");
  return count;
}

/* NULL for an object without members. */
static const mcp_json *members_at(const mcp_json *root, const char *name) {
  const mcp_json *object = mcpi_json_get(root, name);
  return mcp_json_size(object) > 0 ? object : NULL;
}

static void use_answers(mcpi_task_data *data, const mcp_json *root,
                        int64_t now_ms) {
  data->answers = members_at(root, "answers");
  data->failures = members_at(root, "failures");
  data->questions = members_at(root, "questions");
  data->updated_ms = now_ms;
  if (data->questions == NULL) {
    data->status = MCPI_TASK_WORKING;
  }
}

int mcpi_task_take_answers(mcpi_task_work *work, mcpi_task_data *data,
                           const mcp_json *given, const mcp_json *failures,
                           mcp_doc **doc) {
  const mcp_allocator *allocator = &work->shard->server->allocator;
  mcpi_buf text;
  mcp_doc_free(*doc);
  *doc = NULL;
  if (data->status != MCPI_TASK_INPUT_REQUIRED) {
    return 0;
  }
  mcpi_buf_init(&text, allocator, SIZE_MAX);
  size_t count = put_answered(&text, data, given, failures);
  int rc = text.error;
  if (rc == 0 && count > 0) {
    rc = mcpi_doc_parse(doc, text.data, text.len, NULL, allocator, NULL);
  }
  mcpi_buf_deinit(&text);
  if (rc != 0 || count == 0) {
    return rc;
  }
  use_answers(data, mcp_doc_root(*doc), mcpi_loop_wall(work->shard->loop));
  return 1;
}

void mcpi_task_after_answers(mcpi_task_work *work, const mcpi_task_data *data,
                             mcpi_identity *identity) {
  if (data->status != MCPI_TASK_WORKING) {
    return;
  }
  int rc = mcpi_running_task_resume(work->tasks, work->shard, identity,
                                    work->id, work->owner, data);
  if (rc != 0) {
    mcpi_shard_report(work->shard, rc, "task %s: it could not go on: %s",
                      work->id, mcp_error_text(rc));
  }
}
