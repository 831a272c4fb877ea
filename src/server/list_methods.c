/* SPDX-License-Identifier: MIT */
/* tools/list, prompts/list, resources/list and resources/templates/list
 * (MCP, Pagination). */
#include "base/profile.h"
#include "server/handlers.h"
#include "server/members.h"
#include "server/reply.h"

static int list_kind_of(const mcp_call *call) {
  switch (call->method->id) {
  case MCPI_M_TOOLS_LIST:
    return MCPI_TOOLS;
  case MCPI_M_PROMPTS_LIST:
    return MCPI_PROMPTS;
  case MCPI_M_RESOURCES_LIST:
    return MCPI_RESOURCES;
  default:
    return MCPI_TEMPLATES;
  }
}

/* Reads the cursor, which says where the page begins; without one, or with
 * null, it begins at the start. Returns 0, or MCP_ERR_INVALID, recorded. If the
 * entry that a cursor names is gone, the page begins with the next one. */
static int read_cursor(mcp_call *call, int kind, uint64_t *seq) {
  const mcp_json *cursor = mcp_json_get(call->params, "cursor");
  if (cursor == NULL || mcp_json_type(cursor) == MCP_JSON_NULL) {
    *seq = 0;
    return 0;
  }
  mcpi_str text = mcpi_json_str(cursor);
  if (mcpi_cursor_read(text, kind, seq) != 0 ||
      *seq > call->shard->server->next_seq) {
    return mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INVALID_PARAMS,
                          "unknown cursor \"%.*s\"", (int)text.len, text.ptr);
  }
  return 0;
}

/* Returns the content of the next cursor; 0: there is none. */
static uint64_t put_entries(mcp_call *call, const mcpi_list_cache *cache,
                            uint64_t seq) {
  const mcp_server_options *options = &call->shard->server->options;
  if (call->is_filtered) {
    return mcpi_list_put_permitted(cache, seq, options->page_count,
                                   options->page_bytes, call->grant,
                                   &call->out);
  }
  mcpi_page page =
      mcpi_list_page(cache, seq, options->page_count, options->page_bytes);
  mcpi_buf_puts(&call->out, page.entries);
  return page.next_seq;
}

static void put_page(mcp_call *call, int kind, const mcpi_list_cache *cache,
                     uint64_t seq) {
  mcpi_put_name(&call->out, call->method->items);
  mcpi_buf_putc(&call->out, '[');
  uint64_t next_seq = put_entries(call, cache, seq);
  mcpi_buf_putc(&call->out, ']');
  if (next_seq != 0) {
    mcpi_put_name(&call->out, "nextCursor");
    mcpi_buf_putc(&call->out, '"');
    mcpi_cursor_put(&call->out, kind, next_seq);
    mcpi_buf_putc(&call->out, '"');
  }
}

/* Brings the list up to date. 0, or an error that is recorded. */
static int list_refresh(mcp_call *call, int kind, mcpi_list_cache **out) {
  mcpi_shard *shard = call->shard;
  const mcpi_revision *revision = call->context.revision;
  mcpi_list_cache **cache = &shard->lists[kind][revision->index];
  int rc = 0;
  if (*cache == NULL) {
    const mcp_allocator *allocator = &shard->server->allocator;
    *cache = mcpi_alloc(allocator, sizeof(**cache));
    if (*cache != NULL) {
      mcpi_list_cache_init(*cache, allocator);
    } else {
      rc = MCP_ERR_NOMEM;
    }
  }
  if (rc == 0) {
    rc = mcpi_list_cache_refresh(*cache, shard->registries[kind], revision);
  }
  if (rc != 0) {
    return mcpi_call_fail(call, rc, MCP_RPC_INTERNAL_ERROR, "%s",
                          mcp_error_text(rc));
  }
  *out = *cache;
  return 0;
}

/* Frees a list where memory is short. */
static void list_leave(mcp_call *call, int kind, mcpi_list_cache *cache) {
  if (!MCPI_PROFILE_KEEPS_LISTS) {
    mcpi_shard *shard = call->shard;
    shard->lists[kind][call->context.revision->index] = NULL;
    mcpi_list_cache_deinit(cache);
    mcpi_free(&shard->server->allocator, cache, sizeof(*cache));
  }
}

void mcpi_on_list(mcp_call *call) {
  int kind = list_kind_of(call);
  const mcpi_registry *registry = call->shard->registries[kind];
  mcpi_list_cache *cache = NULL;
  uint64_t seq;
  int rc = read_cursor(call, kind, &seq);
  if (rc == 0) {
    rc = list_refresh(call, kind, &cache);
  }
  if (rc != 0) {
    mcpi_call_reply_recorded(call);
    return;
  }
  call->is_filtered = call->grant != NULL && registry->has_scopes &&
                      call->caller->rules.hides_forbidden;
  mcpi_reply_begin(call);
  put_page(call, kind, cache, seq);
  list_leave(call, kind, cache);
  mcpi_reply_end(call);
}
