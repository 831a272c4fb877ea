/* SPDX-License-Identifier: MIT */
#include "wires/mcp_core/filter.h"

#include "core/transport.h"
#include "wires/mcp_core/request.h"
#include <mcp/version.h>

#include <stdio.h>

static mcpi_filter *of(mcp_transport *transport) {
  return transport->userdata;
}

/* --- requests ----------------------------------------------------------- */

int mcpi_filter_parse(mcpi_filter *filter, mcpi_message **out, const char *text,
                      size_t len, mcp_error *err) {
  static const mcpi_message_limits limits = {SIZE_MAX, MCPI_JSON_MAX_DEPTH,
                                             MCPI_JSON_MAX_VALUES};
  return mcpi_message_parse(out, &filter->loop->pool, text, len, &limits, err);
}

static mcpi_str key_of(const uint64_t *number) {
  return mcpi_str_n((const char *)number, sizeof(*number));
}

int mcpi_filter_add(mcpi_filter *filter, uint64_t *number, void *request) {
  *number = ++filter->last_number;
  return mcpi_map_add(&filter->by_number, key_of(number), request);
}

void mcpi_filter_remove(mcpi_filter *filter, const uint64_t *number) {
  mcpi_map_remove(&filter->by_number, key_of(number));
}

void *mcpi_filter_find_number(const mcpi_filter *filter, uint64_t number) {
  return mcpi_map_get(&filter->by_number, key_of(&number));
}

void *mcpi_filter_find(const mcpi_filter *filter, const mcp_json *id) {
  int64_t number;
  return mcp_json_try_int(id, &number) == 0
             ? mcpi_filter_find_number(filter, (uint64_t)number)
             : NULL;
}

mcpi_str mcpi_filter_number_put(char text[MCPI_FILTER_NUMBER_SIZE],
                                uint64_t number) {
  int len = snprintf(text, MCPI_FILTER_NUMBER_SIZE, "%llu",
                     (unsigned long long)number);
  return mcpi_str_n(text, (size_t)len);
}

/* --- to the owner ------------------------------------------------------- */

int mcpi_filter_deliver(mcpi_filter *filter, const mcpi_buf *message) {
  mcp_transport *transport = &filter->transport;
  mcpi_guard guard;
  mcpi_guard_enter(&filter->guard, &guard);
  transport->on_message(transport, message->data, message->len);
  return mcpi_guard_leave(&filter->guard, &guard);
}

int mcpi_filter_report(mcpi_filter *filter, int code, const char *what) {
  mcp_transport *transport = &filter->transport;
  mcpi_guard guard;
  mcp_error err;
  mcp_error_set(&err, code, "%s", what);
  mcpi_guard_enter(&filter->guard, &guard);
  transport->on_error(transport, &err);
  return mcpi_guard_leave(&filter->guard, &guard);
}

/* --- from the inner transport ------------------------------------------- */

static void on_message(mcp_transport *inner, const char *message, size_t len) {
  mcpi_filter *filter = inner->owner;
  filter->ops->on_message(filter, message, len);
}

static int is_lost_message(const mcp_error *err) {
  return err->code == MCP_ERR_LIMIT || err->code == MCP_ERR_PARSE ||
         err->code == MCP_ERR_NOMEM;
}

static void on_error(mcp_transport *inner, const mcp_error *err) {
  mcpi_filter *filter = inner->owner;
  if (is_lost_message(err)) {
    filter->ops->on_lost(filter, err);
  } else {
    filter->transport.on_error(&filter->transport, err);
  }
}

static void on_close(mcp_transport *inner, const mcp_error *err) {
  mcpi_filter *filter = inner->owner;
  filter->transport.on_close(&filter->transport, err);
}

static void on_open(mcp_transport *inner) {
  mcpi_filter *filter = inner->owner;
  if (filter->transport.on_open != NULL) {
    filter->transport.on_open(&filter->transport);
  }
}

static void on_restart(mcp_transport *inner) {
  mcpi_filter *filter = inner->owner;
  filter->ops->on_restart(filter);
  filter->transport.on_restart(&filter->transport);
}

/* Looked at each time, as the owner may give its interest up. */
static void on_end(mcp_transport *inner) {
  mcpi_filter *filter = inner->owner;
  if (filter->transport.on_end != NULL) {
    filter->transport.on_end(&filter->transport);
  } else {
    inner->close(inner);
  }
}

static void on_request_failed(mcp_transport *inner, uint64_t request,
                              const mcp_error *err) {
  mcpi_filter *filter = inner->owner;
  if (filter->ops->on_request_failed != NULL) {
    filter->ops->on_request_failed(filter, request);
  }
  filter->transport.on_request_failed(&filter->transport, request, err);
}

static void on_request_refused(mcp_transport *inner, uint64_t request,
                               const mcp_error *err) {
  mcpi_filter *filter = inner->owner;
  if (filter->ops->on_request_failed != NULL) {
    filter->ops->on_request_failed(filter, request);
  }
  filter->transport.on_request_refused(&filter->transport, request, err);
}

static int is_waiting(mcp_transport *inner, uint64_t request) {
  mcpi_filter *filter = inner->owner;
  return filter->transport.is_waiting(&filter->transport, request);
}

/* --- from the owner ----------------------------------------------------- */

static int start(mcp_transport *transport, mcp_error *err) {
  mcpi_filter *filter = of(transport);
  mcp_transport *inner = filter->inner;
  int rc = mcpi_transport_check(inner, err);
  if (rc != 0) {
    return rc;
  }
  inner->owner = filter;
  inner->on_message = on_message;
  inner->on_error = on_error;
  inner->on_close = on_close;
  inner->on_open = on_open;
  inner->on_restart = on_restart;
  inner->on_end = on_end;
  inner->on_request_failed = on_request_failed;
  inner->on_request_refused = on_request_refused;
  inner->is_waiting = is_waiting;
  return inner->start(inner, err);
}

static int send(mcp_transport *transport, const char *message, size_t len,
                const mcp_send_info *info) {
  mcpi_filter *filter = of(transport);
  return filter->ops->send(filter, message, len, info);
}

/* The last answers may be shown to somebody who ends it all. */
static void close(mcp_transport *transport) {
  mcpi_filter *filter = of(transport);
  mcpi_guard guard;
  mcpi_guard_enter(&filter->guard, &guard);
  filter->ops->on_close(filter);
  if (mcpi_guard_leave(&filter->guard, &guard)) {
    filter->inner->close(filter->inner);
  }
}

static void release(mcp_transport *transport) {
  mcpi_filter *filter = of(transport);
  mcpi_guard_trip(filter->guard);
  mcp_transport_free(filter->inner);
  filter->ops->free(filter);
}

static void set_supported_versions(mcp_transport *transport,
                                   const char *const *versions, size_t count) {
  mcpi_filter *filter = of(transport);
  filter->modern = mcpi_revision_first_modern(versions, count);
}

static size_t queued(mcp_transport *transport) {
  mcpi_filter *filter = of(transport);
  mcp_transport *inner = filter->inner;
  size_t below = inner->queued != NULL ? inner->queued(inner) : 0;
  return below + filter->ops->held(filter);
}

/* The revision, a session and an era are nothing to the far side: what the
 * inner transport has for them stays unused. */
void mcpi_filter_init(mcpi_filter *filter, const mcpi_filter_ops *ops,
                      mcp_loop *loop, mcp_transport *inner) {
  filter->ops = ops;
  filter->inner = inner;
  filter->loop = loop;
  filter->modern = mcpi_revision_newest(MCP_ERA_MODERN);
  mcpi_map_init(&filter->by_number, &loop->allocator, loop->hash_seed);
  filter->transport =
      (mcp_transport){.size = sizeof(mcp_transport),
                      .flags = inner->flags & MCP_TRANSPORT_OPENS_LATER,
                      .userdata = filter,
                      .start = start,
                      .send = send,
                      .close = close,
                      .release = release,
                      .set_supported_versions = set_supported_versions,
                      .queued = queued};
}

void mcpi_filter_deinit(mcpi_filter *filter) {
  mcpi_map_deinit(&filter->by_number);
}

/* --- making one --------------------------------------------------------- */

static int form_of(uint32_t dialect) {
  switch (dialect) {
  case MCP_DIALECT_MCP_CORE_BARE:
    return MCPI_TOOL_BARE;
  case MCP_DIALECT_MCP_CORE_RPC:
    return MCPI_TOOL_ENVELOPE;
  default:
    return MCPI_TOOL_FRAME;
  }
}

mcp_transport *mcp_transport_dialect(mcp_loop *loop, mcp_transport *inner,
                                     uint32_t dialect, int is_server) {
  mcpi_filter *filter = NULL;
  if (inner != NULL && dialect == MCP_DIALECT_MCP) {
    return inner;
  }
  if (loop != NULL && inner != NULL && dialect <= MCP_DIALECT_MCP_CORE_RPC) {
    filter = is_server ? mcpi_filter_server_new(loop, inner)
                       : mcpi_filter_client_new(loop, inner, form_of(dialect));
  }
  if (filter == NULL) {
    mcp_transport_free(inner);
    return NULL;
  }
  return &filter->transport;
}

int mcpi_dialect_check(uint32_t dialect, mcp_error *err) {
  return dialect <= MCP_DIALECT_MCP_CORE_RPC
             ? 0
             : mcp_error_set(err, MCP_ERR_INVALID,
                             "dialect: %lu is not a dialect; use a value of "
                             "MCP_DIALECT_*",
                             (unsigned long)dialect);
}

mcp_transport *mcpi_server_wire(mcp_loop *loop, mcp_transport *wire,
                                mcp_trace_cb on_trace, void *userdata,
                                uint32_t dialect, const mcpi_share *like) {
  if (wire != NULL && on_trace != NULL) {
    wire = mcp_transport_trace(loop, wire, on_trace, userdata);
  }
  if (wire != NULL) {
    wire = mcp_transport_dialect(loop, wire, dialect, 1);
  }
  if (wire != NULL && dialect != MCP_DIALECT_MCP && like != NULL) {
    mcpi_filter_server_count(of(wire), like);
  }
  return wire;
}
