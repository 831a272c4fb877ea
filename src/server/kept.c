/* SPDX-License-Identifier: MIT */
/* Bytes that peers make us keep. */
#include "server/server.h"

/* The calls of a batch share one message. */
void mcpi_keep(mcpi_identity *who, mcpi_message *message) {
  mcpi_message_ref(message);
  if (message->keepers++ == 0) {
    mcpi_keep_bytes(who, message->block->cap);
  }
}

void mcpi_unkeep(mcpi_identity *who, mcpi_message *message) {
  if (--message->keepers == 0) {
    mcpi_unkeep_bytes(who, message->block->cap);
  }
  mcpi_message_unref(message);
}

/* Says why a holder has no room for bytes of `what`. */
static void explain_bytes(const mcpi_caller *caller, int kind, const char *what,
                          mcp_error *err) {
  const mcpi_part *part = caller->part;
  size_t max = part->server->options.max_kept_bytes;
  if (part->accounts.whole.used[kind] >= max) {
    mcp_error_set(err, MCP_ERR_LIMIT,
                  "the %s of all clients take too many bytes: they may take "
                  "%zu (max_kept_bytes): try again later",
                  what, max);
  } else {
    mcp_error_set(err, MCP_ERR_LIMIT,
                  "the %s of this client take too many bytes: it has its share "
                  "of %zu (max_kept_bytes): end one, or try again later",
                  what, max);
  }
}

int mcpi_caller_check_bytes(const mcpi_caller *caller, mcp_error *err) {
  size_t max = caller->part->server->options.max_kept_bytes;
  if (mcpi_holder_has_room(caller->identity->holder, MCPI_HELD_BYTES, max, 0)) {
    return 0;
  }
  explain_bytes(caller, MCPI_HELD_BYTES, "requests and sessions", err);
  return MCPI_LIMIT_BYTES;
}

/* --- subscriptions ------------------------------------------------------ */

size_t mcpi_subscription_bytes(mcpi_str uri) {
  enum { BESIDE_URI = 64 };
  return uri.len + BESIDE_URI;
}

int mcpi_call_check_subscriptions(mcp_call *call, size_t count, size_t bytes) {
  const mcpi_caller *caller = call->caller;
  size_t taken = caller->subscription_count;
  const mcp_server_options *options = &call->part->server->options;
  uint32_t max = options->max_subscriptions;
  const mcpi_holder *holder = caller->identity->holder;
  mcp_error err;
  if (taken >= max || count > max - taken) {
    mcp_error_set(&err, MCP_ERR_LIMIT,
                  "more than %lu subscriptions on this connection",
                  (unsigned long)max);
    return mcpi_call_fail_limit(call, MCPI_LIMIT_SUBSCRIPTIONS, &err);
  }
  if (!mcpi_holder_has_room(holder, MCPI_HELD_SUBSCRIPTION_BYTES,
                            options->max_kept_bytes, bytes)) {
    explain_bytes(caller, MCPI_HELD_SUBSCRIPTION_BYTES, "subscriptions", &err);
    return mcpi_call_fail_limit(call, MCPI_LIMIT_BYTES, &err);
  }
  return 0;
}

void mcpi_subscriptions_add(mcpi_caller *caller, size_t count, size_t bytes) {
  caller->subscription_count += count;
  mcpi_holder_add(caller->identity->holder, MCPI_HELD_SUBSCRIPTION_BYTES,
                  bytes);
}

void mcpi_subscriptions_remove(mcpi_caller *caller, size_t count,
                               size_t bytes) {
  caller->subscription_count -= count;
  mcpi_holder_remove(caller->identity->holder, MCPI_HELD_SUBSCRIPTION_BYTES,
                     bytes);
}
