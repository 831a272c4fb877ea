/* SPDX-License-Identifier: MIT */
#include "server/wishes.h"

#include "server/members.h"

/* The limit for one value: it is kept, and there may be many. */
enum { MAX_VALUE_BYTES = 4096 };

/* The protocol's filters, and what they need. */
static const struct {
  const char *name;
  const char *capability;
  int kind;
} list_filters[] = {
    {"toolsListChanged", "tools", MCPI_TOOLS},
    {"promptsListChanged", "prompts", MCPI_PROMPTS},
    {"resourcesListChanged", "resources", MCPI_RESOURCES},
};
enum { LIST_FILTER_COUNT = sizeof(list_filters) / sizeof(list_filters[0]) };

static const char *wish_name(const mcpi_listen_filter *filter) {
  return filter != NULL ? filter->name : "resourceSubscriptions";
}

/* --- flags -------------------------------------------------------------- */

static int wishes_fail_type(mcp_call *call, const char *name,
                            const char *wanted) {
  return mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INVALID_PARAMS,
                        "params.notifications.%s must be %s", name, wanted);
}

/* 1 or 0; MCP_ERR_INVALID, recorded. Absent and null mean false. */
static int read_flag(mcp_call *call, const mcp_json *wanted, const char *name) {
  const mcp_json *value = mcp_json_get(wanted, name);
  int type = mcp_json_type(value);
  if (type != MCP_JSON_NONE && type != MCP_JSON_NULL && type != MCP_JSON_BOOL) {
    return wishes_fail_type(call, name, "a boolean");
  }
  return mcp_json_bool(value);
}

static int read_list_filters(mcpi_wishes *wishes, mcp_call *call,
                             const mcp_json *wanted) {
  for (size_t i = 0; i < LIST_FILTER_COUNT; i++) {
    int flag = read_flag(call, wanted, list_filters[i].name);
    if (flag < 0) {
      return flag;
    }
    if (flag &&
        mcpi_server_offers(call->shard->server, list_filters[i].capability)) {
      wishes->kinds |= 1u << list_filters[i].kind;
    }
  }
  return 0;
}

static int read_own_flag(mcpi_wishes *wishes, mcp_call *call,
                         const mcp_json *wanted,
                         const mcpi_listen_filter *filter) {
  int flag = read_flag(call, wanted, filter->name);
  if (flag > 0) {
    wishes->flags |= filter->bit;
  }
  return flag < 0 ? flag : 0;
}

/* --- values ------------------------------------------------------------- */

static mcpi_wish *wishes_find(const mcpi_wishes *wishes,
                              const mcpi_listen_filter *filter) {
  mcpi_wish *wish = wishes->list;
  while (wish != NULL && wish->filter != filter) {
    wish = wish->next;
  }
  return wish;
}

/* Returns the wish for a filter, made at its first value; NULL when out of
 * memory. */
static mcpi_wish *wishes_get(mcpi_wishes *wishes, const mcp_call *call,
                             const mcpi_listen_filter *filter) {
  mcpi_wish *wish = wishes_find(wishes, filter);
  if (wish != NULL) {
    return wish;
  }
  wish = mcpi_calloc(wishes->allocator, 1, sizeof(*wish));
  if (wish != NULL) {
    wish->filter = filter;
    /* The client chooses the values. */
    mcpi_map_init(&wish->values, wishes->allocator,
                  call->shard->loop->hash_seed);
    wish->next = wishes->list;
    wishes->list = wish;
    wishes->bytes += sizeof(*wish);
  }
  return wish;
}

/* A value that is there already is not added again. Returns 0 or
 * MCP_ERR_NOMEM. */
static int wishes_add(mcpi_wishes *wishes, const mcp_call *call,
                      const mcpi_listen_filter *filter, mcpi_str value) {
  mcpi_wish *wish = wishes_get(wishes, call, filter);
  char *copy = mcpi_strndup(wishes->allocator, value.ptr, value.len);
  int rc = MCP_ERR_NOMEM;
  if (wish != NULL && copy != NULL) {
    rc = mcpi_map_add(&wish->values, mcpi_str_n(copy, value.len), copy);
  }
  if (rc != 0) {
    mcpi_strfree(wishes->allocator, copy);
    return rc == MCP_ERR_EXISTS ? 0 : rc;
  }
  wishes->value_count++;
  wishes->bytes += mcpi_subscription_bytes(value);
  return 0;
}

static int read_value(mcpi_wishes *wishes, mcp_call *call, size_t bytes,
                      const mcpi_listen_filter *filter, const mcp_json *json) {
  mcpi_str value = mcpi_json_str(json);
  if (value.len == 0 || value.len > MAX_VALUE_BYTES ||
      mcpi_str_has_nul(value)) {
    return wishes_fail_type(
        call, wish_name(filter),
        filter == NULL
            ? "an array of URIs, of at most 4096 bytes each, without NUL"
            : "an array of strings, of 1 to 4096 bytes each, without NUL");
  }
  /* The listen itself is one. */
  int rc = mcpi_call_check_subscriptions(call, 1 + wishes->value_count + 1,
                                         bytes + wishes->bytes +
                                             mcpi_subscription_bytes(value));
  if (rc != 0) {
    return rc;
  }
  rc = wishes_add(wishes, call, filter, value);
  if (rc != 0) {
    return mcpi_call_fail(call, rc, MCP_RPC_INTERNAL_ERROR, "%s",
                          mcp_error_text(rc));
  }
  return 0;
}

/* Absent and null mean that none is wanted. */
static int read_values(mcpi_wishes *wishes, mcp_call *call, size_t bytes,
                       const mcp_json *wanted,
                       const mcpi_listen_filter *filter) {
  const mcp_json *values = mcp_json_get(wanted, wish_name(filter));
  int type = mcp_json_type(values);
  mcp_json_iter iter;
  const mcp_json *value;
  int rc = 0;
  if (type == MCP_JSON_NONE || type == MCP_JSON_NULL) {
    return 0;
  }
  if (filter != NULL && filter->extension != NULL) {
    rc = mcpi_call_require(call, filter->extension);
  }
  if (rc != 0) {
    return rc;
  }
  if (type != MCP_JSON_ARRAY) {
    return wishes_fail_type(call, wish_name(filter), "an array");
  }
  if (filter == NULL &&
      !mcpi_server_offers(call->shard->server, "resources.subscribe")) {
    return 0;
  }
  mcp_json_iter_init(&iter, values);
  while (rc == 0 && (value = mcp_json_iter_next(&iter, NULL)) != NULL) {
    rc = read_value(wishes, call, bytes, filter, value);
  }
  return rc;
}

const mcpi_map *mcpi_wishes_values(const mcpi_wishes *wishes,
                                   const mcpi_listen_filter *filter) {
  const mcpi_wish *wish = wishes_find(wishes, filter);
  return wish != NULL ? &wish->values : NULL;
}

int mcpi_wishes_have(const mcpi_wishes *wishes,
                     const mcpi_listen_filter *filter, mcpi_str value) {
  const mcpi_wish *wish = wishes_find(wishes, filter);
  return wish != NULL && mcpi_map_get(&wish->values, value) != NULL;
}

/* --- all ---------------------------------------------------------------- */

static int read_own_filters(mcpi_wishes *wishes, mcp_call *call, size_t bytes,
                            const mcp_json *wanted) {
  const mcp_server *server = call->shard->server;
  int rc = 0;
  for (size_t i = 0; rc == 0 && i < server->listen_filter_count; i++) {
    const mcpi_listen_filter *filter = &server->listen_filters[i];
    rc = filter->has_values ? read_values(wishes, call, bytes, wanted, filter)
                            : read_own_flag(wishes, call, wanted, filter);
  }
  return rc;
}

int mcpi_wishes_read(mcpi_wishes *wishes, mcp_call *call, size_t bytes) {
  const mcp_json *wanted = mcp_json_get(call->params, "notifications");
  int rc = read_list_filters(wishes, call, wanted);
  if (rc == 0) {
    rc = read_own_filters(wishes, call, bytes, wanted);
  }
  return rc == 0 ? read_values(wishes, call, bytes, wanted, NULL) : rc;
}

static void wish_free(mcpi_wish *wish, const mcp_allocator *allocator) {
  size_t index = 0;
  char *value;
  while ((value = mcpi_map_next(&wish->values, &index)) != NULL) {
    mcpi_strfree(allocator, value);
  }
  mcpi_map_deinit(&wish->values);
  mcpi_free(allocator, wish, sizeof(*wish));
}

void mcpi_wishes_clear(mcpi_wishes *wishes) {
  mcpi_wish *wish;
  while ((wish = wishes->list) != NULL) {
    wishes->list = wish->next;
    wish_free(wish, wishes->allocator);
  }
  *wishes = (mcpi_wishes){.allocator = wishes->allocator};
}

/* --- the acknowledgement ------------------------------------------------ */

/* A filter of the program may have a name that needs escapes. */
static void put_wish_name(mcpi_buf *out, const char *name) {
  mcpi_put_comma(out);
  mcpi_json_put_string(out, mcpi_str_z(name));
  mcpi_buf_putc(out, ':');
}

/* Writes nothing if the filter has no values. */
static void put_values(const mcpi_wishes *wishes,
                       const mcpi_listen_filter *filter, mcpi_buf *out) {
  const mcpi_map *values = mcpi_wishes_values(wishes, filter);
  size_t index = 0;
  const char *value;
  const char *before = "[";
  if (values == NULL) {
    return;
  }
  put_wish_name(out, wish_name(filter));
  while ((value = mcpi_map_next(values, &index)) != NULL) {
    mcpi_buf_puts(out, mcpi_str_z(before));
    mcpi_json_put_string(out, mcpi_str_z(value));
    before = ",";
  }
  mcpi_buf_putc(out, ']');
}

static void put_own_filters(const mcpi_wishes *wishes, const mcp_server *server,
                            mcpi_buf *out) {
  for (size_t i = 0; i < server->listen_filter_count; i++) {
    const mcpi_listen_filter *filter = &server->listen_filters[i];
    put_values(wishes, filter, out);
    if ((wishes->flags & filter->bit) != 0) {
      put_wish_name(out, filter->name);
      mcpi_buf_lit(out, "true");
    }
  }
}

void mcpi_wishes_put(const mcpi_wishes *wishes, const mcp_server *server,
                     mcpi_buf *out) {
  mcpi_put_name(out, "notifications");
  mcpi_buf_putc(out, '{');
  for (size_t i = 0; i < LIST_FILTER_COUNT; i++) {
    if ((wishes->kinds & 1u << list_filters[i].kind) != 0) {
      mcpi_put_true_member(out, list_filters[i].name);
    }
  }
  put_own_filters(wishes, server, out);
  put_values(wishes, NULL, out);
  mcpi_buf_putc(out, '}');
}
