/* SPDX-License-Identifier: MIT */
/* Lists. The pages wait in request->bufs.pages until the last one is here. */
#include "client/list.h"

#include "client/params.h"
#include "client/result.h"

static mcpi_result_page *pages_of(const mcpi_request *request, size_t *count) {
  const mcpi_buf *pages = &request->bufs.pages;
  *count = pages->len / sizeof(mcpi_result_page);
  return (mcpi_result_page *)(void *)pages->data;
}

static int keep_page(mcpi_request *request, mcpi_message *message,
                     const mcp_json *json) {
  mcpi_buf *pages = &request->bufs.pages;
  const mcpi_result_page page = {message, json};
  mcpi_buf_put(pages, &page, sizeof(page));
  if (pages->error != 0) {
    return pages->error;
  }
  mcpi_message_ref(message);
  return 0;
}

/* A server that repeats a cursor would be asked for ever. The pages are few,
 * their number is bounded. */
static int was_seen(const mcpi_request *request, mcpi_str cursor) {
  size_t count;
  const mcpi_result_page *pages = pages_of(request, &count);
  for (size_t i = 0; i + 1 < count; i++) {
    if (mcpi_str_eq(cursor,
                    mcpi_json_member_str(pages[i].json, "nextCursor"))) {
      return 1;
    }
  }
  return 0;
}

static void complete(mcpi_request *request) {
  size_t count;
  const mcpi_result_page *pages = pages_of(request, &count);
  mcpi_request_succeed(request, mcpi_result_new(&request->client->loop->pool,
                                                pages, count, request->row));
}

static void report_repeated(mcpi_request *request) {
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_PROTOCOL,
                "%s: the server repeats a cursor: taken for the end",
                request->row->name);
  mcpi_client_report(request->client, &err);
}

static void fetch(mcpi_request *request, mcpi_str cursor) {
  mcpi_buf *extra = &request->bufs.extra;
  size_t count;
  pages_of(request, &count);
  if (count >= request->client->options.max_pages) {
    mcp_error err;
    mcp_error_set(&err, MCP_ERR_LIMIT, "%s: more than %zu pages",
                  request->row->name, count);
    mcpi_request_fail(request, &err);
    return;
  }
  mcpi_buf_clear(extra);
  mcpi_params_name(extra, "cursor");
  mcpi_json_put_string(extra, cursor);
  if (extra->error != 0) {
    mcpi_request_fail_with(request, MCP_ERR_NOMEM, "out of memory");
    return;
  }
  mcpi_request_resend(request);
}

/* Only an absent cursor is the end: an empty string is as good as any. */
static void take_page(mcpi_request *request, mcpi_message *message,
                      const mcp_json *json) {
  mcpi_str cursor = mcpi_json_member_str(json, "nextCursor");
  if (keep_page(request, message, json) != 0) {
    mcpi_request_fail_with(request, MCP_ERR_NOMEM, "out of memory");
  } else if (cursor.ptr == NULL) {
    complete(request);
  } else if (was_seen(request, cursor)) {
    complete(request);
    report_repeated(request);
  } else {
    fetch(request, cursor);
  }
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
