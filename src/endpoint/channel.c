/* SPDX-License-Identifier: MIT */
/* Channels outlive the request that began them: sessions, streams of HTTP+SSE
 * and WebSockets. That request showed who the client is; this holds for
 * session_max_ms at most. */
#include "endpoint/channel.h"

#include "endpoint/deadlines.h"
#include "endpoint/endpoint.h"

/* --- age ---------------------------------------------------------------- */

static mcpi_endpoint_channel *channel_oldest(const mcp_http *http) {
  return mcpi_list_is_empty(&http->channels)
             ? NULL
             : MCPI_CONTAINER(http->channels.next, mcpi_endpoint_channel, link);
}

static mcpi_endpoint_channel *longest_silent(const mcp_http *http) {
  return mcpi_list_is_empty(&http->silent)
             ? NULL
             : MCPI_CONTAINER(http->silent.next, mcpi_endpoint_channel,
                              silent_link);
}

/* All channels have the same maximum age, so they end in the order in which
 * they began. The silent ones have the same order. */
int64_t mcpi_endpoint_channels_due(const mcp_http *http) {
  const mcpi_endpoint_channel *first = channel_oldest(http);
  const mcpi_endpoint_channel *silent = longest_silent(http);
  int64_t due = first != NULL ? first->due_ms : INT64_MAX;
  return silent != NULL && silent->begin_due_ms < due ? silent->begin_due_ms
                                                      : due;
}

/* Ends a channel. Some take time to end; they are removed from the list at
 * once. */
static void channel_end(mcpi_endpoint_channel *channel) {
  mcpi_list_remove(&channel->link);
  mcpi_list_remove(&channel->silent_link);
  mcpi_caller_close(channel->caller, 0);
}

static void end_silent(mcp_http *http) {
  int64_t now = mcpi_loop_now(http->shard->loop);
  mcpi_endpoint_channel *first;
  while ((first = longest_silent(http)) != NULL && first->begin_due_ms <= now) {
    mcpi_list_remove(&first->silent_link);
    if (!mcpi_caller_has_begun(first->caller)) {
      mcpi_caller_set_reason(first->caller, MCP_ERR_TIMEOUT,
                             "the client has not begun a session within %lu ms "
                             "(initialized_ms)",
                             (unsigned long)http->options.initialized_ms);
      channel_end(first);
    }
  }
}

void mcpi_endpoint_channels_expire(mcp_http *http) {
  int64_t now = mcpi_loop_now(http->shard->loop);
  mcpi_endpoint_channel *first;
  end_silent(http);
  while ((first = channel_oldest(http)) != NULL && first->due_ms <= now) {
    mcpi_caller_set_reason(first->caller, MCP_ERR_CLOSED,
                           "it has been open for session_max_ms");
    channel_end(first);
  }
}

void mcpi_endpoint_channels_init(mcp_http *http) {
  mcpi_list_init(&http->channels);
  mcpi_list_init(&http->silent);
}

/* --- tokens ------------------------------------------------------------- */

/* The report must not blame the token for a limit of the server. */
static const char *why_expired(const mcpi_grant_expiry *expiry) {
  return expiry->grant->expires_ms <= mcpi_loop_wall(expiry->loop)
             ? "its token has expired"
             : "its token must be checked again (stream_ms)";
}

static void channel_on_expired(mcpi_grant_expiry *expiry) {
  mcpi_endpoint_channel *channel =
      MCPI_CONTAINER(expiry, mcpi_endpoint_channel, expiry);
  mcpi_shard *shard = channel->http->shard;
  mcpi_shard_enter(shard);
  if (channel->caller != NULL) {
    mcpi_caller_set_reason(channel->caller, MCP_ERR_CLOSED, "%s",
                           why_expired(expiry));
    channel_end(channel);
  }
  mcpi_shard_leave(shard);
}

/* --- life --------------------------------------------------------------- */

mcp_connection_options mcpi_endpoint_sender(const mcp_http_exchange *exchange) {
  return (mcp_connection_options){.size = sizeof(mcp_connection_options),
                                  .principal = exchange->principal,
                                  .peer = exchange->request->peer};
}

void mcpi_endpoint_channel_init(mcpi_endpoint_channel *channel,
                                mcp_http *http) {
  channel->http = http;
  mcpi_list_init(&channel->link);
  mcpi_list_init(&channel->silent_link);
  mcpi_endpoint_ref(http);
}

void mcpi_endpoint_channel_forget(mcpi_endpoint_channel *channel) {
  channel->caller = NULL;
  /* Only the timer: the caller's rules have borrowed the grant. */
  mcpi_loop_stop_timer(channel->http->shard->loop, &channel->expiry.timer);
  mcpi_list_remove(&channel->link);
  mcpi_list_remove(&channel->silent_link);
  if (channel_oldest(channel->http) == NULL) {
    mcpi_endpoint_deadlines_stop(channel->http); /* each session is a channel */
  }
}

void mcpi_endpoint_channel_free(mcpi_endpoint_channel *channel, void *whole,
                                size_t size) {
  mcp_http *http = channel->http;
  mcpi_endpoint_channel_forget(channel);
  mcpi_grant_expiry_stop(&channel->expiry);
  mcpi_free(&http->server->allocator, whole, size);
  mcpi_endpoint_unref(http);
}

mcpi_caller_rules mcpi_endpoint_rules(const mcp_http *http) {
  return (mcpi_caller_rules){.max_shard_calls = http->options.max_calls,
                             .shard_calls_limit = MCPI_LIMIT_CALLS,
                             .tracks_ids = 1,
                             .hides_forbidden = http->hides_forbidden,
                             .demands_token = http->verifier != NULL};
}

int mcpi_endpoint_channel_begin(mcpi_endpoint_channel *channel) {
  mcp_http *http = channel->http;
  channel->due_ms =
      mcpi_loop_now(http->shard->loop) + http->options.session_max_ms;
  mcpi_list_append(&http->channels, &channel->link);
  int rc = mcpi_endpoint_deadlines_add(http, channel->due_ms);
  if (rc != 0) {
    mcpi_endpoint_channel_forget(channel);
  }
  return rc;
}

int mcpi_endpoint_channel_connect(mcpi_endpoint_channel *channel,
                                  mcp_transport *transport,
                                  const mcp_connection_options *options,
                                  mcpi_grant *grant, int is_for_all) {
  const mcp_http *http = channel->http;
  mcpi_caller_rules rules = mcpi_endpoint_rules(http);
  mcp_connection *connection;
  rules.is_ordered = 1;
  rules.grant = is_for_all ? grant : NULL;
  int rc = mcpi_endpoint_channel_begin(channel);
  if (rc == 0) {
    rc = mcpi_grant_expiry_start(&channel->expiry, http->shard->loop, grant,
                                 channel_on_expired);
  }
  if (rc != 0) {
    mcpi_endpoint_channel_forget(channel);
    mcp_transport_free(transport);
    return rc;
  }
  rc = mcpi_connection_new(http->shard, transport, options, &rules, &connection,
                           NULL);
  if (rc == 0) {
    channel->caller = &connection->caller;
  } else {
    mcpi_endpoint_channel_forget(channel);
  }
  return rc;
}

void mcpi_endpoint_channel_await(mcpi_endpoint_channel *channel) {
  mcp_http *http = channel->http;
  channel->begin_due_ms =
      mcpi_loop_now(http->shard->loop) + http->options.initialized_ms;
  mcpi_list_append(&http->silent, &channel->silent_link);
  /* The timer runs: see mcpi_endpoint_channel_begin. */
  mcpi_endpoint_deadlines_add(http, channel->begin_due_ms);
}

int mcpi_endpoint_channel_is_of(const mcpi_endpoint_channel *channel,
                                const mcp_http_exchange *exchange) {
  return channel->caller != NULL &&
         mcpi_str_eq(mcpi_str_z(channel->caller->identity->principal),
                     mcpi_str_z(exchange->principal));
}

/* The program may end other channels when a call ends. So each channel is asked
 * once, in their order. */
void mcpi_endpoint_channels_drain(mcp_http *http) {
  mcpi_list asked;
  mcpi_list_init(&asked);
  mcpi_list_move(&asked, &http->channels);
  while (!mcpi_list_is_empty(&asked)) {
    mcpi_endpoint_channel *channel =
        MCPI_CONTAINER(asked.next, mcpi_endpoint_channel, link);
    mcpi_list_remove(&channel->link);
    mcpi_list_append(&http->channels, &channel->link);
    mcpi_caller_close(channel->caller, UINT32_MAX);
  }
}

void mcpi_endpoint_channels_end(mcp_http *http) {
  mcpi_endpoint_channel *first;
  while ((first = channel_oldest(http)) != NULL) {
    channel_end(first);
  }
}
