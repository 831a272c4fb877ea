/* SPDX-License-Identifier: MIT */
/* Lists. The pages wait in request->bufs.pages until the last one is here. */
#include "client/list.h"

#include "client/mirror.h"
#include "client/params.h"
#include "client/result.h"

static size_t page_count(const mcpi_request *request) {
  return request->bufs.pages.len / sizeof(mcpi_result_page);
}

static int too_long(const mcpi_request *request, const char *option,
                    size_t limit, const char *unit, mcp_error *err) {
  return mcp_error_set(err, MCP_ERR_LIMIT,
                       "%s: more than %zu %s: the limit is %s of "
                       "mcp_client_options",
                       request->row->name, limit, unit, option);
}

static int keep_page(mcpi_request *request, mcpi_message *message,
                     const mcp_json *json, mcp_error *err) {
  size_t max_bytes = request->client->options.max_list;
  size_t bytes = mcpi_message_size(message);
  const mcpi_result_page page = {message, json};
  if (bytes > max_bytes - request->list_bytes) {
    return too_long(request, "max_list", max_bytes, "bytes of memory", err);
  }
  mcpi_buf_put(&request->bufs.pages, &page, sizeof(page));
  if (request->bufs.pages.error != 0) {
    return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  mcpi_message_ref(message);
  mcpi_cache_note(request, json);
  request->list_bytes += bytes;
  return 0;
}

/* What the program is told while its tools are learned may free the client: the
 * request is not looked at any more. */
static void succeed_with_tools(mcpi_request *request, mcp_result *tools) {
  mcp_client *client = request->client;
  uint64_t forgets = request->forgets;
  mcp_result_ref(tools);
  mcpi_request_succeed(request, tools);
  mcpi_outputs_learn(client, tools, forgets);
  mcp_result_unref(tools);
}

static void complete(mcpi_request *request) {
  const mcpi_result_page *pages =
      (const mcpi_result_page *)(const void *)request->bufs.pages.data;
  mcp_result *result = mcpi_result_new(&request->client->loop->pool, pages,
                                       page_count(request), request->row);
  if (result != NULL) {
    mcpi_cache_keep(request, result);
  }
  if (result != NULL && request->row->id == MCPI_M_TOOLS_LIST) {
    succeed_with_tools(request, result);
  } else {
    mcpi_request_succeed(request, result);
  }
}

static void report_repeated(mcpi_request *request) {
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_PROTOCOL,
                "%s: the server repeats a cursor: taken for the end",
                request->row->name);
  mcpi_client_report(request->client, &err);
}

static int write_cursor(mcpi_request *request, mcpi_str cursor,
                        mcp_error *err) {
  mcpi_buf *extra = &request->bufs.extra;
  size_t max_pages = request->client->options.max_pages;
  if (page_count(request) >= max_pages) {
    return too_long(request, "max_pages", max_pages, "pages", err);
  }
  mcpi_buf_clear(extra);
  mcpi_params_name(extra, "cursor");
  mcpi_json_put_string(extra, cursor);
  return extra->error != 0 ? mcp_error_set(err, MCP_ERR_NOMEM, "out of memory")
                           : 0;
}

static void fetch(mcpi_request *request, mcpi_str cursor) {
  mcp_error err;
  if (write_cursor(request, cursor, &err) != 0) {
    mcpi_request_fail(request, &err);
  } else {
    mcpi_request_resend(request);
  }
}

/* Only an absent cursor is the end: an empty string is as good as any. A server
 * that repeats one would be asked for ever. */
static void go_on(mcpi_request *request, mcpi_message *message,
                  const mcp_json *json) {
  mcpi_str cursor = mcpi_json_member_str(json, "nextCursor");
  if (cursor.ptr == NULL) {
    complete(request);
    return;
  }
  int rc = mcpi_map_add(&request->cursors, cursor, message);
  if (rc == 0) {
    fetch(request, cursor);
  } else if (rc == MCP_ERR_EXISTS) {
    complete(request);
    report_repeated(request);
  } else {
    mcpi_request_fail_with(request, rc, mcp_error_text(rc));
  }
}

static void take_clean(mcpi_request *request, mcpi_message *message,
                       const mcp_json *json) {
  mcp_error err;
  if (keep_page(request, message, json, &err) != 0) {
    mcpi_request_fail(request, &err);
  } else {
    go_on(request, message, json);
  }
}

static void take_page(mcpi_request *request, mcpi_message *message,
                      const mcp_json *json) {
  mcpi_message *clean;
  int rc = mcpi_mirror_learn(request, json, &clean);
  if (request->phase == MCPI_REQUEST_DONE) {
    /* What was reported of a tool has ended it. */
  } else if (rc != 0) {
    mcpi_request_fail_with(request, rc, mcp_error_text(rc));
  } else if (clean != NULL) {
    take_clean(request, clean, clean->root);
  } else {
    take_clean(request, message, json);
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
    take_page(request, message, reply->result);
  }
}
