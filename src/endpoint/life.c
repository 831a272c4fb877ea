/* SPDX-License-Identifier: MIT */
/* The life of an endpoint: its beginning, its draining and its end. */
#include "endpoint/life.h"

#include "base/error.h"
#include "base/widen.h"
#include "endpoint/channel.h"
#include "endpoint/deadlines.h"
#include "endpoint/options.h"
#include "endpoint/protect.h"
#include "endpoint/session_life.h"
#include "endpoint/sse.h"
#include "endpoint/stream.h"

enum {
  /* The idle exchanges of an endpoint, and the idle streams: enough for many at
   * once. */
  MAX_IDLE = 64,
  /* The limit for the events of all sessions, in memory. */
  MAX_EVENT_BYTES = 64 * 1024 * 1024,
  /* The limit for waiting bytes, unless the HTTP server sets it: the HTTP
   * server's default. */
  MAX_WAITING = 256 * 1024 * 1024
};

/* --- what ends by itself ------------------------------------------------- */

/* There is room for the timer, which has run or was stopped. */
static void endpoint_schedule(mcp_http *http) {
  mcpi_endpoint_deadlines_add(http, mcpi_endpoint_channels_due(http));
  mcpi_endpoint_deadlines_add(http, mcpi_endpoint_sessions_due(http));
}

static void endpoint_on_due(mcpi_timer *timer) {
  mcp_http *http = MCPI_CONTAINER(timer, mcp_http, deadline);
  mcpi_shard *shard = http->shard;
  mcpi_shard_enter(shard);
  mcpi_endpoint_ref(http);
  mcpi_endpoint_channels_expire(http);
  mcpi_endpoint_sessions_expire(http);
  endpoint_schedule(http);
  mcpi_endpoint_unref(http);
  mcpi_shard_leave(shard);
}

/* --- the beginning ------------------------------------------------------ */

static mcp_http *endpoint_make(mcp_server *server, mcpi_shard *shard) {
  mcp_http *http = mcpi_calloc(&server->allocator, 1, sizeof(*http));
  if (http != NULL) {
    http->server = server;
    http->shard = shard;
    shard->holds++;
    http->refs = 1;
    http->max_idle = MAX_IDLE;
    http->deadline.on_due = endpoint_on_due;
    mcpi_list_init(&http->recent);
    mcpi_list_init(&http->fresh);
    mcpi_endpoint_ranks_init(&http->ranks);
    mcpi_list_init(&http->exchanges);
    mcpi_endpoint_channels_init(http);
    mcpi_buf_init(&http->scratch, &server->allocator, SIZE_MAX);
    mcpi_redactor_init(&http->redactor, shard->loop);
    mcpi_map_init(&http->sessions, &server->allocator, shard->loop->hash_seed);
    mcpi_map_init(&http->sse, &server->allocator, shard->loop->hash_seed);
    mcpi_accounts_init(&http->accounts, &server->allocator,
                       shard->loop->hash_seed);
    mcpi_endpoint_rate_init(&http->rate, &server->allocator,
                            shard->loop->hash_seed);
    mcpi_endpoint_rate_init(&http->token_rate, &server->allocator,
                            shard->loop->hash_seed);
    mcpi_memory_events_init(&http->memory, &server->allocator,
                            shard->loop->hash_seed, MAX_EVENT_BYTES, 0);
    mcpi_server_ref(server);
  }
  return http;
}

static mcpi_account *find_owner(void *userdata, const char *id) {
  const mcp_http *http = userdata;
  const mcpi_endpoint_session *session =
      mcpi_map_get(&http->sessions, mcpi_str_z(id));
  return session != NULL ? session->seat.account : NULL;
}

static void set_events(mcp_http *http) {
  const mcp_http_options *options = &http->options;
  http->memory.find_owner = find_owner;
  http->memory.userdata = http;
  http->memory.max_session_bytes = options->replay_bytes;
  if (options->events == NULL) {
    http->events = mcpi_memory_events_store(&http->memory);
  } else {
    mcpi_widen(&http->events, sizeof(http->events), options->events,
               "mcp_event_store", NULL);
  }
}

static int endpoint_fill(mcp_http *http, const mcp_http_options *options,
                         mcp_error *err) {
  int rc = mcpi_endpoint_copy_options(&http->server->allocator, options,
                                      &http->options, err);
  int needs_random = mcpi_endpoint_has_sessions(http) ||
                     (http->options.wires & MCP_HTTP_SSE) != 0;
  if (rc == 0 && needs_random && http->shard->loop->platform.random == NULL) {
    rc = mcp_error_set(err, MCP_ERR_PLATFORM,
                       "sessions need the platform's random: fill it in, or "
                       "set mcp_http_options.legacy to MCP_HTTP_STATELESS, "
                       "without MCP_HTTP_SSE");
  }
  set_events(http);
  if (rc == 0) {
    rc = mcpi_endpoint_protect(http, err);
  }
  if (rc == 0) {
    http->waiting = mcpi_quota_new(&http->server->allocator,
                                   http->shard->loop->hash_seed, MAX_WAITING);
    rc = http->waiting != NULL ? 0 : mcpi_no_memory(err);
  }
  return rc;
}

mcp_http *mcpi_endpoint_new(mcp_server *server, mcp_loop *loop,
                            const mcp_http_options *options, mcp_error *err) {
  if (server == NULL || loop == NULL) {
    mcpi_error_null(err, server == NULL ? "server" : "loop");
    return NULL;
  }
  mcpi_shard *shard = mcpi_shard_get(server, loop);
  mcp_http *http = shard != NULL ? endpoint_make(server, shard) : NULL;
  if (http == NULL) {
    mcpi_no_memory(err);
    return NULL;
  }
  if (endpoint_fill(http, options, err) != 0) {
    mcpi_endpoint_unref(http);
    return NULL;
  }
  return http;
}

mcp_http *mcp_http_new(mcp_server *server, mcp_loop *loop,
                       const mcp_http_options *options, mcp_error *err) {
  mcp_http *http = mcpi_endpoint_new(server, loop, options, err);
  if (http != NULL && mcpi_endpoint_check_unknown_port(http, err) != 0) {
    mcpi_endpoint_unref(http);
    return NULL;
  }
  return http;
}

/* --- the end ------------------------------------------------------------ */

/* Breaks off the exchanges that are still being answered. A stream of HTTP+SSE
 * ends with its connection. If that is already ending, the responder may free
 * the endpoint before it has ended the answer. */
static void end_exchanges(mcp_http *http) {
  while (!mcpi_list_is_empty(&http->exchanges)) {
    mcp_http_exchange *exchange =
        MCPI_CONTAINER(http->exchanges.next, mcp_http_exchange, link);
    if (exchange->stream != NULL) {
      mcpi_endpoint_stream_break(exchange->stream);
    } else if (exchange->sse != NULL && exchange->sse->channel.caller != NULL) {
      mcpi_caller_close(exchange->sse->channel.caller, 0);
    } else {
      mcpi_endpoint_abort(exchange);
    }
  }
}

/* Ends listens, which never end by themselves; calls do. */
static void drain_exchanges(mcp_http *http) {
  mcpi_list asked;
  mcpi_list_init(&asked);
  mcpi_list_move(&asked, &http->exchanges);
  while (!mcpi_list_is_empty(&asked)) {
    mcp_http_exchange *exchange =
        MCPI_CONTAINER(asked.next, mcp_http_exchange, link);
    const mcpi_endpoint_stream *stream = exchange->stream;
    mcpi_list_remove(&exchange->link);
    mcpi_list_append(&http->exchanges, &exchange->link);
    if (stream != NULL && stream->kind == MCPI_STREAM_MODERN) {
      mcpi_caller_close(stream->caller, UINT32_MAX);
    }
  }
}

void mcpi_endpoint_drain(mcp_http *http) {
  mcpi_shard *shard = http->shard;
  mcpi_shard_enter(shard);
  mcpi_endpoint_ref(http);
  http->is_draining = 1;
  drain_exchanges(http);
  mcpi_endpoint_channels_drain(http);
  endpoint_schedule(http); /* the timer may have been stopped */
  mcpi_endpoint_unref(http);
  mcpi_shard_leave(shard);
}

/* Exchanges and streams that end later are freed at once. */
static void free_idle(mcp_http *http) {
  const mcp_allocator *allocator = &http->server->allocator;
  http->max_idle = 0;
  while (http->idle_exchanges != NULL) {
    mcp_http_exchange *exchange = http->idle_exchanges;
    http->idle_exchanges = exchange->next;
    mcpi_endpoint_exchange_free(exchange, allocator);
  }
  while (http->idle_streams != NULL) {
    mcpi_endpoint_stream *stream = http->idle_streams;
    http->idle_streams = stream->next;
    mcpi_free(allocator, stream, sizeof(*stream));
  }
}

/* Callbacks that mcpi_shard_leave runs may free the endpoint again: it exists
 * until they have returned. */
void mcp_http_free(mcp_http *http) {
  if (http == NULL || http->is_freed) {
    return;
  }
  mcpi_shard *shard = http->shard;
  mcpi_shard_enter(shard);
  http->is_freed = 1;
  end_exchanges(http);
  mcpi_endpoint_channels_end(http);
  mcpi_endpoint_deadlines_stop(http);
  mcpi_shard_leave(shard);
  free_idle(http);
  mcpi_endpoint_unref(http);
}
