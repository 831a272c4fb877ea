/* SPDX-License-Identifier: MIT */
/* resources/read, resources/subscribe and resources/unsubscribe
 * (MCP, Resources). */
#include "codec/uri_template_parts.h"
#include "server/handlers.h"
#include "server/members.h"
#include "server/reply.h"

/* The limit for a URI that a session may subscribe to: the size that browsers
 * and servers accept. */
enum { MAX_KEPT_URI = 8192 };

/* --- reading ------------------------------------------------------------ */

int mcpi_resource_not_found(mcp_call *call) {
  int code = mcpi_revision_has(call->context.revision, MCPI_HAS_NOT_FOUND_CODE)
                 ? MCP_RPC_RESOURCE_NOT_FOUND
                 : MCP_RPC_INVALID_PARAMS;
  mcpi_str uri = mcpi_json_member_str(call->params, "uri");
  mcpi_buf *data = &call->error_data;
  mcpi_call_fail(call, MCP_ERR_NOT_FOUND, code, "there is no resource \"%.*s\"",
                 (int)uri.len, uri.ptr);
  mcpi_buf_lit(data, "{\"uri\":");
  mcpi_json_put_string(data, uri);
  mcpi_buf_putc(data, '}');
  if (data->error != 0) {
    mcpi_buf_clear(data); /* the code says enough */
  }
  return MCP_ERR_NOT_FOUND;
}

static void reply_fixed(mcp_call *call) {
  const mcpi_entry *resource = call->entry;
  int rc = resource->text != NULL
               ? mcp_call_add_resource_text(call, NULL, NULL, resource->text)
               : mcp_call_add_resource_data(call, NULL, NULL, resource->data,
                                            resource->data_len);
  if (rc == 0) {
    mcpi_reply_finish(call);
  } else {
    mcpi_call_reply_recorded(call);
  }
}

/* The variables as a JSON object, in `out`. */
static void put_variables(const mcpi_uri_template *tpl, const mcpi_buf *values,
                          const mcpi_span *spans, mcpi_buf *out) {
  mcpi_buf_putc(out, '{');
  for (size_t i = 0; i < mcpi_uri_template_var_count(tpl); i++) {
    if (spans[i].offset == SIZE_MAX) {
      continue;
    }
    mcpi_put_comma(out);
    mcpi_json_put_string(out, mcpi_uri_template_var_name(tpl, i));
    mcpi_buf_putc(out, ':');
    const char *value = values->data != NULL ? values->data : "";
    mcpi_json_put_string(out,
                         mcpi_str_n(value + spans[i].offset, spans[i].len));
  }
  mcpi_buf_putc(out, '}');
}

/* Makes the variables the call's arguments, as if the client had sent them. */
static int set_variables(mcp_call *call, const mcpi_entry *entry,
                         const mcpi_buf *values, const mcpi_span *spans) {
  static const mcpi_message_limits limits = {SIZE_MAX, MCPI_JSON_MAX_DEPTH,
                                             MCPI_JSON_MAX_VALUES};
  mcpi_buf *text = &call->out; /* not in use yet */
  put_variables(entry->tpl, values, spans, text);
  int rc = text->error;
  if (rc == 0) {
    rc = mcpi_message_parse(&call->variables, &call->shard->loop->pool,
                            text->data, text->len, &limits, NULL);
  }
  mcpi_buf_clear(text);
  if (rc == 0) {
    call->arguments = call->variables->root;
  }
  return rc;
}

/* Reading and watching use the same search, so scopes are checked on the entry
 * that is then used. */
int mcpi_resource_find(const mcpi_shard *shard, mcpi_str uri, mcpi_buf *values,
                       mcpi_span *spans, mcpi_entry **out) {
  const mcpi_registry *templates = shard->registries[MCPI_TEMPLATES];
  mcpi_entry *found =
      mcpi_registry_find(shard->registries[MCPI_RESOURCES], uri);
  for (size_t i = 0; found == NULL && i < templates->count; i++) {
    mcpi_entry *entry = templates->entries[i];
    mcpi_buf_clear(values);
    int rc = entry->match(entry->tpl, uri, values, spans);
    if (values->error != 0) {
      return values->error;
    }
    found = rc == 1 ? entry : NULL;
  }
  *out = found;
  return 0;
}

static int resources_fail(mcp_call *call, int rc) {
  return mcpi_call_fail(call, rc, MCP_RPC_INTERNAL_ERROR, "%s",
                        mcp_error_text(rc));
}

/* Finds the resource or the template, and sets its variables. NULL: an error is
 * recorded. */
static mcpi_entry *resources_look_up(mcp_call *call) {
  mcpi_str uri = mcpi_json_member_str(call->params, "uri");
  mcpi_span spans[MCPI_URI_MAX_VARS];
  mcpi_buf *values = &call->tail; /* not in use yet */
  mcpi_entry *entry = NULL;
  int rc = mcpi_resource_find(call->shard, uri, values, spans, &entry);
  if (rc == 0 && entry != NULL && entry->kind == MCPI_TEMPLATES) {
    rc = set_variables(call, entry, values, spans);
  }
  mcpi_buf_clear(values);
  if (rc != 0) {
    resources_fail(call, rc);
    return NULL;
  }
  if (entry == NULL) {
    mcpi_resource_not_found(call);
  }
  return entry;
}

/* Returns 1; 0: an error is recorded. */
static int open_resource(mcp_call *call) {
  call->reply_kind = MCPI_REPLY_KIND_RESOURCE;
  mcpi_entry *entry = resources_look_up(call);
  if (entry == NULL) {
    return 0;
  }
  call->entry = mcpi_entry_ref(entry);
  call->is_blocking = entry->is_blocking;
  return mcpi_call_require_entry(call, entry) == 0;
}

void mcpi_on_resources_read(mcp_call *call) {
  if (!open_resource(call)) {
    mcpi_call_reply_recorded(call);
  } else if (call->entry->handler == NULL) {
    reply_fixed(call);
  } else {
    mcpi_call_run(call, call->entry->handler, call->entry->userdata);
  }
}

/* --- subscriptions ------------------------------------------------------ */

/* Legacy methods, so dispatch has checked that there is a session. */

/* A NUL would cut the copy short. */
static int resources_check_uri(mcp_call *call, mcpi_str uri) {
  if (uri.len == 0 || uri.len > MAX_KEPT_URI || mcpi_str_has_nul(uri)) {
    return mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INVALID_PARAMS,
                          "uri \"%.*s\" must have 1 to %d bytes without NUL",
                          (int)uri.len, uri.ptr != NULL ? uri.ptr : "",
                          MAX_KEPT_URI);
  }
  return 0;
}

static int add_subscription(mcp_session *session, mcpi_str uri) {
  const mcp_allocator *allocator = &session->server->allocator;
  char *copy = mcpi_strndup(allocator, uri.ptr, uri.len);
  if (copy == NULL) {
    return MCP_ERR_NOMEM;
  }
  int rc =
      mcpi_map_add(&session->subscriptions, mcpi_str_n(copy, uri.len), copy);
  if (rc != 0) {
    mcpi_strfree(allocator, copy);
  }
  return rc;
}

int mcpi_resource_find_watched(mcp_call *call, mcpi_str uri, mcpi_entry **out) {
  mcpi_span spans[MCPI_URI_MAX_VARS];
  mcpi_buf *values = &call->tail; /* not in use yet */
  int rc = mcpi_resource_find(call->shard, uri, values, spans, out);
  mcpi_buf_clear(values);
  return rc == 0 ? 0 : resources_fail(call, rc);
}

/* A resource that cannot be read cannot be watched either. */
static int require_resource(mcp_call *call, mcpi_str uri) {
  mcpi_entry *entry = NULL;
  int rc = 0;
  if (call->grant != NULL) {
    rc = mcpi_resource_find_watched(call, uri, &entry);
  }
  if (rc == 0 && entry != NULL) {
    rc = mcpi_call_require_entry(call, entry);
  }
  return rc;
}

/* A second subscription to the same URI adds nothing. */
static int subscribe(mcp_call *call, mcpi_str uri) {
  mcp_session *session = call->session;
  int rc = require_resource(call, uri);
  if (rc != 0 || mcpi_map_get(&session->subscriptions, uri) != NULL) {
    return rc;
  }
  size_t bytes = mcpi_subscription_bytes(uri);
  rc = mcpi_call_check_subscriptions(call, 1, bytes);
  if (rc != 0) {
    return rc;
  }
  rc = add_subscription(session, uri);
  if (rc != 0) {
    return resources_fail(call, rc);
  }
  mcpi_subscriptions_add(call->caller, 1, bytes);
  return 0;
}

static int unsubscribe(mcp_call *call, mcpi_str uri) {
  mcp_session *session = call->session;
  char *kept = mcpi_map_remove(&session->subscriptions, uri);
  if (kept != NULL) {
    mcpi_subscriptions_remove(call->caller, 1, mcpi_subscription_bytes(uri));
  }
  mcpi_strfree(&session->server->allocator, kept);
  return 0;
}

static void change_subscription(mcp_call *call,
                                int (*change)(mcp_call *call, mcpi_str uri)) {
  mcpi_str uri = mcpi_json_member_str(call->params, "uri");
  int rc = resources_check_uri(call, uri);
  if (rc == 0) {
    rc = change(call, uri);
  }
  if (rc != 0) {
    mcpi_call_reply_recorded(call);
  } else {
    mcpi_reply_members(call, MCPI_STR(""));
  }
}

void mcpi_on_subscribe(mcp_call *call) {
  change_subscription(call, subscribe);
}

void mcpi_on_unsubscribe(mcp_call *call) {
  change_subscription(call, unsubscribe);
}
