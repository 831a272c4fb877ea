/* SPDX-License-Identifier: MIT */
/* subscriptions/listen (MCP 2026-07-28, Subscriptions): a request that stays
 * open. The server sends the notifications that the client asked for on its
 * stream. */
#include "server/listen.h"

#include "auth/scopes.h"
#include "server/call_notify.h"
#include "server/handlers.h"
#include "server/members.h"
#include "server/own_methods.h"
#include "server/reply.h"

enum {
  /* The limit for one URI: it is kept, and there may be many. */
  MAX_URI_BYTES = 4096,
  /* What a listen takes besides its URIs: its call, with its buffers. */
  LISTEN_BYTES = sizeof(mcpi_listen) + sizeof(mcp_call) + 2 * 1024
};

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

/* --- what is wanted ----------------------------------------------------- */

static int listen_fail_type(mcp_call *call, const char *name,
                            const char *wanted) {
  return mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INVALID_PARAMS,
                        "params.notifications.%s must be %s", name, wanted);
}

/* 1 or 0; MCP_ERR_INVALID, recorded. Absent and null mean false. */
static int read_flag(mcp_call *call, const mcp_json *wanted, const char *name) {
  const mcp_json *value = mcp_json_get(wanted, name);
  int type = mcp_json_type(value);
  if (type != MCP_JSON_NONE && type != MCP_JSON_NULL && type != MCP_JSON_BOOL) {
    return listen_fail_type(call, name, "a boolean");
  }
  return mcp_json_bool(value);
}

static int read_list_filters(mcpi_listen *listen, const mcp_json *wanted) {
  const mcp_server *server = listen->call->shard->server;
  for (size_t i = 0; i < LIST_FILTER_COUNT; i++) {
    int flag = read_flag(listen->call, wanted, list_filters[i].name);
    if (flag < 0) {
      return flag;
    }
    if (flag && mcpi_server_offers(server, list_filters[i].capability)) {
      listen->kinds |= 1u << list_filters[i].kind;
    }
  }
  return 0;
}

static int read_own_filters(mcpi_listen *listen, const mcp_json *wanted) {
  const mcp_server *server = listen->call->shard->server;
  for (size_t i = 0; i < server->listen_filter_count; i++) {
    int flag = read_flag(listen->call, wanted, server->listen_filters[i]);
    if (flag < 0) {
      return flag;
    }
    if (flag) {
      listen->filters |= 1u << i;
    }
  }
  return 0;
}

static int listen_add_uri(mcpi_listen *listen, mcpi_str uri) {
  const mcp_allocator *allocator = listen->uris.allocator;
  char *copy = mcpi_strndup(allocator, uri.ptr, uri.len);
  int rc = MCP_ERR_NOMEM;
  if (copy != NULL) {
    rc = mcpi_map_add(&listen->uris, mcpi_str_n(copy, uri.len), copy);
  }
  if (rc != 0) {
    mcpi_strfree(allocator, copy);
  } else {
    listen->bytes += mcpi_subscription_bytes(uri);
  }
  return rc == MCP_ERR_EXISTS ? 0 : rc;
}

static int read_uri(mcpi_listen *listen, const mcp_json *value) {
  mcp_call *call = listen->call;
  mcpi_str uri = mcpi_json_str(value);
  if (uri.len == 0 || uri.len > MAX_URI_BYTES || mcpi_str_has_nul(uri)) {
    return listen_fail_type(
        call, "resourceSubscriptions",
        "an array of URIs, of at most 4096 bytes each, without NUL");
  }
  int rc = mcpi_call_check_subscriptions(call, 1 + listen->uris.count + 1,
                                         listen->bytes +
                                             mcpi_subscription_bytes(uri));
  if (rc != 0) {
    return rc;
  }
  rc = listen_add_uri(listen, uri);
  if (rc != 0) {
    return mcpi_call_fail(call, rc, MCP_RPC_INTERNAL_ERROR, "%s",
                          mcp_error_text(rc));
  }
  return 0;
}

static int read_uris(mcpi_listen *listen, const mcp_json *wanted) {
  const mcp_json *uris = mcp_json_get(wanted, "resourceSubscriptions");
  int type = mcp_json_type(uris);
  mcp_json_iter iter;
  const mcp_json *uri;
  int rc = 0;
  if (type != MCP_JSON_NONE && type != MCP_JSON_NULL &&
      type != MCP_JSON_ARRAY) {
    return listen_fail_type(listen->call, "resourceSubscriptions", "an array");
  }
  if (!mcpi_server_offers(listen->call->shard->server, "resources.subscribe")) {
    return 0;
  }
  mcp_json_iter_init(&iter, uris);
  while (rc == 0 && (uri = mcp_json_iter_next(&iter, NULL)) != NULL) {
    rc = read_uri(listen, uri);
  }
  return rc;
}

/* --- scopes ------------------------------------------------------------- */

/* Adds the scopes of a resource that the token lacks to `needed`. */
static int listen_add_needed(mcp_call *call, const char *uri,
                             mcpi_buf *needed) {
  mcpi_entry *entry = NULL;
  int rc = mcpi_resource_find_watched(call, mcpi_str_z(uri), &entry);
  if (rc == 0 && entry != NULL &&
      !mcpi_grant_covers(call->grant, entry->scopes)) {
    mcpi_scopes_add(needed, mcpi_str_z(entry->scopes));
  }
  return rc;
}

/* Names the scopes of all its resources at once, so that one more login is
 * enough. */
static int listen_require_scopes(const mcpi_listen *listen) {
  mcp_call *call = listen->call;
  mcpi_buf needed;
  size_t index = 0;
  const char *uri;
  int rc = 0;
  if (call->grant == NULL) {
    return 0;
  }
  mcpi_buf_init(&needed, listen->uris.allocator, SIZE_MAX);
  while (rc == 0 && (uri = mcpi_map_next(&listen->uris, &index)) != NULL) {
    rc = listen_add_needed(call, uri, &needed);
  }
  mcpi_buf_putc(&needed, '\0');
  if (rc == 0 && needed.error != 0) {
    rc = mcpi_call_fail(call, needed.error, MCP_RPC_INTERNAL_ERROR,
                        "out of memory");
  } else if (rc == 0 && needed.len > 1) {
    rc = mcpi_call_require_scopes(call, needed.data, "request",
                                  call->method_name);
  }
  mcpi_buf_deinit(&needed);
  return rc;
}

/* --- the acknowledgement ------------------------------------------------ */

static void listen_put_uris(const mcpi_listen *listen, mcpi_buf *out) {
  size_t index = 0;
  const char *uri;
  mcpi_put_name(out, "resourceSubscriptions");
  mcpi_buf_putc(out, '[');
  for (size_t i = 0; i < listen->uris.count; i++) {
    if (i > 0) {
      mcpi_buf_putc(out, ',');
    }
    uri = mcpi_map_next(&listen->uris, &index);
    mcpi_json_put_string(out, mcpi_str_z(uri));
  }
  mcpi_buf_putc(out, ']');
}

/* Writes the wishes that the server will honour. */
static void put_honoured(const mcpi_listen *listen, mcpi_buf *out) {
  const mcp_server *server = listen->call->shard->server;
  mcpi_put_name(out, "notifications");
  mcpi_buf_putc(out, '{');
  for (size_t i = 0; i < LIST_FILTER_COUNT; i++) {
    if ((listen->kinds & 1u << list_filters[i].kind) != 0) {
      mcpi_put_true_member(out, list_filters[i].name);
    }
  }
  for (size_t i = 0; i < server->listen_filter_count; i++) {
    if ((listen->filters & 1u << i) != 0) {
      mcpi_put_comma(out);
      mcpi_json_put_string(out, mcpi_str_z(server->listen_filters[i]));
      mcpi_buf_lit(out, ":true");
    }
  }
  if (listen->uris.count > 0) {
    listen_put_uris(listen, out);
  }
  mcpi_buf_putc(out, '}');
}

void mcpi_listen_put_meta(const mcpi_listen *listen, const mcp_json *meta,
                          mcpi_buf *out) {
  const mcpi_buf *id = &listen->call->id;
  mcpi_put_name(out, "_meta");
  mcpi_buf_putc(out, '{');
  mcpi_put_members(out, meta, MCPI_META_SUBSCRIPTION_ID);
  mcpi_put_name(out, MCPI_META_SUBSCRIPTION_ID);
  mcpi_buf_put(out, id->data, id->len);
  mcpi_buf_putc(out, '}');
}

/* Returns 0, MCP_ERR_NOMEM, or MCP_ERR_GONE: the client is gone, or the program
 * has ended the connection in a callback that sees sent messages. */
static int acknowledge(mcpi_listen *listen) {
  mcp_call *call = listen->call;
  mcpi_buf *out = mcpi_call_notify_begin(
      call, MCPI_STR("notifications/subscriptions/acknowledged"));
  put_honoured(listen, out);
  mcpi_listen_put_meta(listen, NULL, out);
  int rc = mcpi_call_notify_end(call, MCPI_SEND_NOTIFICATION);
  return rc == 0 && call->sink == NULL ? MCP_ERR_GONE : rc;
}

/* --- beginning ---------------------------------------------------------- */

static mcpi_listen *listen_new(mcp_call *call) {
  mcpi_shard *shard = call->shard;
  mcpi_listen *listen =
      mcpi_calloc(&shard->server->allocator, 1, sizeof(*listen));
  if (listen != NULL) {
    listen->call = call;
    listen->bytes = LISTEN_BYTES;
    mcpi_list_init(&listen->link);
    /* The client chooses the URIs. */
    mcpi_map_init(&listen->uris, &shard->server->allocator,
                  shard->loop->hash_seed);
  }
  return listen;
}

static void free_uris(mcpi_listen *listen) {
  size_t index = 0;
  char *uri;
  while ((uri = mcpi_map_next(&listen->uris, &index)) != NULL) {
    mcpi_strfree(listen->uris.allocator, uri);
  }
  mcpi_map_deinit(&listen->uris);
}

static void listen_free(mcpi_listen *listen) {
  const mcp_allocator *allocator = listen->uris.allocator;
  mcpi_list_remove(&listen->link);
  mcpi_grant_expiry_stop(&listen->expiry);
  free_uris(listen);
  mcpi_free(allocator, listen, sizeof(*listen));
}

static int listen_read_wishes(mcpi_listen *listen) {
  const mcp_json *wanted = mcp_json_get(listen->call->params, "notifications");
  int rc = read_list_filters(listen, wanted);
  if (rc == 0) {
    rc = read_own_filters(listen, wanted);
  }
  if (rc == 0) {
    rc = read_uris(listen, wanted);
  }
  return rc == 0 ? listen_require_scopes(listen) : rc;
}

/* The listen has its result: the client asks again, with a new token. */
static void listen_on_expired(mcpi_grant_expiry *expiry) {
  mcpi_listen *listen = MCPI_CONTAINER(expiry, mcpi_listen, expiry);
  mcpi_shard *shard = listen->call->shard;
  mcpi_shard_enter(shard);
  mcpi_listen_end(listen, 1);
  mcpi_shard_leave(shard);
}

static int listen_watch_token(mcpi_listen *listen) {
  mcp_call *call = listen->call;
  int rc = mcpi_grant_expiry_start(&listen->expiry, call->shard->loop,
                                   call->grant, listen_on_expired);
  if (rc == 0) {
    return 0;
  }
  return mcpi_call_fail(call, rc, MCP_RPC_INTERNAL_ERROR, "out of memory");
}

static void listen_keep(mcpi_listen *listen) {
  mcp_call *call = listen->call;
  call->listen = listen;
  mcpi_call_forget_message(call);
  mcpi_call_uncount(call);
  mcpi_subscriptions_add(call->caller, 1 + listen->uris.count, listen->bytes);
  mcpi_list_append(&call->shard->listens, &listen->link);
  mcpi_call_hold(call);
}

static int listen_begin(mcp_call *call) {
  int rc = mcpi_call_check_subscriptions(call, 1, LISTEN_BYTES);
  if (rc != 0) {
    return rc;
  }
  mcpi_listen *listen = listen_new(call);
  if (listen == NULL) {
    return mcpi_call_fail(call, MCP_ERR_NOMEM, MCP_RPC_INTERNAL_ERROR,
                          "out of memory");
  }
  rc = listen_read_wishes(listen);
  if (rc == 0) {
    rc = listen_watch_token(listen);
  }
  if (rc == 0) {
    rc = acknowledge(listen);
    if (rc == MCP_ERR_NOMEM) {
      mcpi_call_fail(call, rc, MCP_RPC_INTERNAL_ERROR, "out of memory");
    }
  }
  if (rc != 0) {
    listen_free(listen);
    return rc;
  }
  listen_keep(listen);
  return 0;
}

void mcpi_on_listen(mcp_call *call) {
  int rc = listen_begin(call);
  if (rc != 0 && rc != MCP_ERR_GONE) {
    mcpi_call_reply_recorded(call);
  }
}

/* --- the end ------------------------------------------------------------ */

static void listen_send_result(mcp_call *call) {
  mcpi_buf_lit(&call->meta, "\"" MCPI_META_SUBSCRIPTION_ID "\":");
  mcpi_buf_put(&call->meta, call->id.data, call->id.len);
  mcpi_reply_members(call, mcpi_str_z(NULL));
}

/* The specification's page on cancellation requires this on an ordered stream,
 * and its page on subscriptions requires the result. Clients accept either
 * of the two. */
static void listen_send_cancelled(mcpi_caller *caller, mcp_call *call) {
  mcpi_buf *params = &call->tail;
  mcpi_buf_clear(params);
  mcpi_buf_lit(params, "{\"requestId\":");
  mcpi_buf_put(params, call->id.data, call->id.len);
  mcpi_buf_lit(params, ",\"reason\":\"the server ends the subscription\"}");
  if (params->error == 0) {
    mcpi_caller_notify(caller, "notifications/cancelled",
                       mcpi_str_n(params->data, params->len));
  }
}

/* The listen gets no more notifications, but stays in the shard's list until
 * the next sweep: a function that walks that list and sends may cause its
 * end. */
static void retire(mcpi_listen *listen) {
  mcpi_shard *shard = listen->call->shard;
  listen->call = NULL;
  mcpi_grant_expiry_stop(&listen->expiry);
  listen->kinds = 0;
  listen->filters = 0;
  free_uris(listen);
  listen->next_ended = shard->ended_listens;
  shard->ended_listens = listen;
  shard->wants_sweep = 1;
}

void mcpi_listens_free_ended(mcpi_shard *shard) {
  mcpi_listen *listen;
  while ((listen = shard->ended_listens) != NULL) {
    shard->ended_listens = listen->next_ended;
    listen_free(listen);
  }
}

void mcpi_listen_end(mcpi_listen *listen, int with_result) {
  mcp_call *call = listen->call;
  mcpi_caller *caller = call->caller;
  call->listen = NULL;
  mcpi_subscriptions_remove(caller, 1 + listen->uris.count, listen->bytes);
  retire(listen);
  if (with_result) {
    listen_send_result(call);
    listen_send_cancelled(caller, call);
  }
  mcpi_call_unhold(call);
}
