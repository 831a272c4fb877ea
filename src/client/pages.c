/* SPDX-License-Identifier: MIT */
/* The pages wait in request->bufs.pages until the last one has come. */
#include "client/pages.h"

#include "base/error.h"
#include "client/cached.h"
#include "client/mirror.h"
#include "client/params.h"
#include "client/report.h"
#include "client/result.h"
#include "client/send.h"
#include "client/settle.h"

void mcpi_pages_begin(mcpi_request *request) {
  mcp_client *client = request->client;
  request->pages.forgets = client->outputs.forgets;
  mcpi_map_init(&request->pages.cursors, &client->loop->allocator,
                client->loop->hash_seed);
}

void mcpi_pages_end(mcpi_request *request) {
  mcpi_buf *pages = &request->bufs.pages;
  mcpi_result_page *page = (mcpi_result_page *)(void *)pages->data;
  mcpi_map_deinit(&request->pages.cursors);
  for (size_t i = 0; i < pages->len / sizeof(*page); i++) {
    mcpi_message_unref(page[i].message);
  }
  mcpi_buf_clear(pages);
}

static size_t pages_count(const mcpi_request *request) {
  return request->bufs.pages.len / sizeof(mcpi_result_page);
}

static int pages_too_long(const mcpi_request *request, const char *option,
                          size_t limit, const char *unit, mcp_error *err) {
  return mcp_error_set(err, MCP_ERR_LIMIT,
                       "%s: more than %zu %s: the limit is %s of "
                       "mcp_client_options",
                       request->row->name, limit, unit, option);
}

static int pages_keep(mcpi_request *request, mcpi_message *message,
                      const mcp_json *json, mcp_error *err) {
  size_t max_bytes = request->client->options.max_list;
  size_t bytes = mcpi_message_size(message);
  const mcpi_result_page page = {message, json};
  if (bytes > max_bytes - request->pages.bytes) {
    return pages_too_long(request, "max_list", max_bytes, "bytes of memory",
                          err);
  }
  mcpi_buf_put(&request->bufs.pages, &page, sizeof(page));
  if (request->bufs.pages.error != 0) {
    return mcpi_no_memory(err);
  }
  mcpi_message_ref(message);
  mcpi_cached_note(request, json);
  request->pages.bytes += bytes;
  return 0;
}

/* --- output schemas ------------------------------------------------------- */

static void report_unchecked(mcp_client *client, const mcp_json *tool,
                             const mcp_error *why) {
  mcp_error err;
  mcpi_str name = mcpi_json_member_str(tool, "name");
  mcp_error_set(&err, why->code,
                "results of the tool \"%.*s\" are not checked: its "
                "outputSchema: %s",
                (int)(name.len < 60 ? name.len : 60),
                name.ptr != NULL ? name.ptr : "", why->message);
  mcpi_client_report(client, &err);
}

/* The list can be used if nothing was forgotten since the client requested it.
 * A report may end the connection, or the client, which forgets everything. */
static void learn_outputs(mcp_client *client, const mcp_result *tools,
                          uint64_t forgets) {
  mcpi_outputs *outputs = &client->outputs;
  if (client->options.skip_output_check ||
      !mcpi_revision_has(client->revision, MCPI_HAS_STRUCTURED) ||
      outputs->forgets != forgets) {
    return;
  }
  mcpi_outputs_clear(outputs);
  for (size_t i = 0; i < mcp_result_count(tools); i++) {
    const mcp_json *tool = mcp_result_item(tools, i);
    mcp_error err;
    if (mcpi_outputs_learn(outputs, tool, client->options.max_output_schemas,
                           &err) != 0) {
      report_unchecked(client, tool, &err);
    }
    if (outputs->forgets != forgets) {
      return;
    }
  }
}

/* --- tools that can be tasks ---------------------------------------------- */

/* A list that has changed since the client requested it is better than none:
 * some servers report changes during the whole start of a session. */
static void learn_tasks(mcp_client *client, const mcp_result *tools,
                        uint64_t forgets) {
  if (client->options.use_tasks &&
      mcpi_revision_has(client->revision, MCPI_HAS_TASKS)) {
    mcpi_task_tools_learn(&client->task_tools, tools,
                          client->outputs.forgets == forgets);
  }
}

/* --- the end, or the next page -------------------------------------------- */

static void pages_complete(mcpi_request *request) {
  const mcpi_result_page *pages =
      (const mcpi_result_page *)(const void *)request->bufs.pages.data;
  mcp_client *client = request->client;
  uint64_t forgets = request->pages.forgets;
  mcp_result *result = mcpi_result_new(&client->loop->pool, pages,
                                       pages_count(request), request->row);
  int is_tools = request->row->id == MCPI_M_TOOLS_LIST;
  if (result != NULL) {
    mcpi_cached_keep(request, result);
  }
  mcp_result_ref(result);
  if (result != NULL && is_tools) {
    learn_tasks(client, result, forgets); /* the program may call a tool next */
  }
  mcpi_request_succeed(request, result);
  if (result != NULL && is_tools) {
    learn_outputs(client, result, forgets);
  }
  mcp_result_unref(result);
}

static void report_repeated(mcpi_request *request) {
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_PROTOCOL,
                "%s: the server repeats a cursor: the list ends here",
                request->row->name);
  mcpi_client_report(request->client, &err);
}

static int pages_write_cursor(mcpi_request *request, mcpi_str cursor,
                              mcp_error *err) {
  mcpi_buf *extra = &request->bufs.extra;
  size_t max_pages = request->client->options.max_pages;
  if (pages_count(request) >= max_pages) {
    return pages_too_long(request, "max_pages", max_pages, "pages", err);
  }
  mcpi_buf_clear(extra);
  mcpi_params_name(extra, "cursor");
  mcpi_json_put_string(extra, cursor);
  return extra->error != 0 ? mcpi_no_memory(err) : 0;
}

static void pages_fetch(mcpi_request *request, mcpi_str cursor) {
  mcp_error err;
  if (pages_write_cursor(request, cursor, &err) != 0) {
    mcpi_request_fail(request, &err);
  } else {
    mcpi_request_resend(request);
  }
}

/* Only an absent cursor is the end: an empty string is a cursor too. If a
 * server repeats a cursor, the list ends there, or the client would ask
 * forever. */
static void pages_go_on(mcpi_request *request, mcpi_message *message,
                        const mcp_json *json) {
  mcpi_str cursor = mcpi_json_member_str(json, "nextCursor");
  if (cursor.ptr == NULL) {
    pages_complete(request);
    return;
  }
  int rc = mcpi_map_add(&request->pages.cursors, cursor, message);
  if (rc == 0) {
    pages_fetch(request, cursor);
  } else if (rc == MCP_ERR_EXISTS) {
    pages_complete(request);
    report_repeated(request);
  } else {
    mcpi_request_fail_with(request, rc, mcp_error_text(rc));
  }
}

static void pages_take_clean(mcpi_request *request, mcpi_message *message,
                             const mcp_json *json) {
  mcp_error err;
  if (pages_keep(request, message, json, &err) != 0) {
    mcpi_request_fail(request, &err);
  } else {
    pages_go_on(request, message, json);
  }
}

static void pages_take(mcpi_request *request, mcpi_message *message,
                       const mcp_json *json) {
  mcpi_message *clean;
  int rc = mcpi_mirror_learn(request, json, &clean);
  if (request->state == MCPI_REQUEST_ENDED) {
    /* the report about a tool has ended the request */
  } else if (rc != 0) {
    mcpi_request_fail_with(request, rc, mcp_error_text(rc));
  } else if (clean != NULL) {
    pages_take_clean(request, clean, clean->root);
  } else {
    pages_take_clean(request, message, json);
  }
  mcpi_message_unref(clean);
}

void mcpi_pages_reply(mcpi_request *request, int status, mcpi_message *message,
                      const mcpi_envelope *reply, const mcp_error *err) {
  mcp_error wrong;
  int asks = 0;
  if (status != 0) {
    mcpi_request_settle(request, status, message, reply, err);
  } else if (mcpi_request_check(request, reply->result, &asks, &wrong) != 0) {
    mcpi_request_fail(request, &wrong);
  } else {
    pages_take(request, message, reply->result);
  }
}

const mcpi_request_kind mcpi_request_list = {.on_reply = mcpi_pages_reply,
                                             .on_end = mcpi_pages_end};
