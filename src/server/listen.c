/* SPDX-License-Identifier: MIT */
/* subscriptions/listen (MCP 2026-07-28, Subscriptions): a request that stays
 * open. The server sends the notifications that the client asked for on its
 * stream. */
#include "server/listen.h"

#include "auth/scopes.h"
#include "server/call_notify.h"
#include "server/handlers.h"
#include "server/members.h"
#include "server/reply.h"

/* What a listen takes besides its values: its call, with its buffers. */
enum { LISTEN_BYTES = sizeof(mcpi_listen) + sizeof(mcp_call) + 2 * 1024 };

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
  const mcpi_map *uris = mcpi_wishes_values(&listen->wishes, NULL);
  mcpi_buf needed;
  size_t index = 0;
  const char *uri;
  int rc = 0;
  if (call->grant == NULL || uris == NULL) {
    return 0;
  }
  mcpi_buf_init(&needed, listen->wishes.allocator, SIZE_MAX);
  while (rc == 0 && (uri = mcpi_map_next(uris, &index)) != NULL) {
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
  mcpi_wishes_put(&listen->wishes, call->shard->server, out);
  mcpi_listen_put_meta(listen, NULL, out);
  int rc = mcpi_call_notify_end(call, MCPI_SEND_NOTIFICATION);
  return rc == 0 && call->sink == NULL ? MCP_ERR_GONE : rc;
}

/* --- beginning ---------------------------------------------------------- */

static mcpi_listen *listen_new(mcp_call *call) {
  const mcp_allocator *allocator = &call->shard->server->allocator;
  mcpi_listen *listen = mcpi_calloc(allocator, 1, sizeof(*listen));
  if (listen != NULL) {
    listen->call = call;
    mcpi_list_init(&listen->link);
    listen->wishes.allocator = allocator;
  }
  return listen;
}

static void listen_free(mcpi_listen *listen) {
  const mcp_allocator *allocator = listen->wishes.allocator;
  mcpi_list_remove(&listen->link);
  mcpi_grant_expiry_stop(&listen->expiry);
  mcpi_wishes_clear(&listen->wishes);
  mcpi_free(allocator, listen, sizeof(*listen));
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
  mcpi_subscriptions_add(call->caller, 1 + listen->wishes.value_count,
                         LISTEN_BYTES + listen->wishes.bytes);
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
  rc = mcpi_wishes_read(&listen->wishes, call, LISTEN_BYTES);
  if (rc == 0) {
    rc = listen_require_scopes(listen);
  }
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
  mcpi_wishes_clear(&listen->wishes);
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
  mcpi_subscriptions_remove(caller, 1 + listen->wishes.value_count,
                            LISTEN_BYTES + listen->wishes.bytes);
  retire(listen);
  if (with_result) {
    listen_send_result(call);
    listen_send_cancelled(caller, call);
  }
  mcpi_call_unhold(call);
}
