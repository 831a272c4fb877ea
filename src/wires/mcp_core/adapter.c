/* SPDX-License-Identifier: MIT */
#include "wires/mcp_core/adapter.h"

#include "core/transport.h"

#include <stdio.h>

static mcpi_adapter *adapter_of(mcp_transport *transport) {
  return transport->userdata;
}

/* --- requests ----------------------------------------------------------- */

int mcpi_adapter_parse(mcpi_adapter *adapter, mcpi_message **out,
                       const char *text, size_t len, mcp_error *err) {
  static const mcpi_message_limits limits = {SIZE_MAX, MCPI_JSON_MAX_DEPTH,
                                             MCPI_JSON_MAX_VALUES};
  return mcpi_message_parse(out, &adapter->loop->pool, text, len, &limits, err);
}

static mcpi_str adapter_key_of(const uint64_t *number) {
  return mcpi_str_n((const char *)number, sizeof(*number));
}

int mcpi_adapter_add(mcpi_adapter *adapter, uint64_t *number, void *request) {
  *number = ++adapter->last_number;
  return mcpi_map_add(&adapter->by_number, adapter_key_of(number), request);
}

void mcpi_adapter_remove(mcpi_adapter *adapter, const uint64_t *number) {
  mcpi_map_remove(&adapter->by_number, adapter_key_of(number));
}

void *mcpi_adapter_find_number(const mcpi_adapter *adapter, uint64_t number) {
  return mcpi_map_get(&adapter->by_number, adapter_key_of(&number));
}

void *mcpi_adapter_find(const mcpi_adapter *adapter, const mcp_json *id) {
  int64_t number;
  return mcp_json_try_int(id, &number) == 0
             ? mcpi_adapter_find_number(adapter, (uint64_t)number)
             : NULL;
}

mcpi_str mcpi_adapter_number_put(char text[MCPI_ADAPTER_NUMBER_SIZE],
                                 uint64_t number) {
  int len = snprintf(text, MCPI_ADAPTER_NUMBER_SIZE, "%llu",
                     (unsigned long long)number);
  return mcpi_str_n(text, (size_t)len);
}

/* --- to the owner ------------------------------------------------------- */

int mcpi_adapter_deliver(mcpi_adapter *adapter, const mcpi_buf *message) {
  mcp_transport *transport = &adapter->transport;
  mcpi_guard guard;
  mcpi_guard_enter(&adapter->guard, &guard);
  transport->on_message(transport, message->data, message->len);
  return mcpi_guard_leave(&adapter->guard, &guard);
}

int mcpi_adapter_report(mcpi_adapter *adapter, int code, const char *what) {
  mcp_transport *transport = &adapter->transport;
  mcpi_guard guard;
  mcp_error err;
  mcp_error_set(&err, code, "%s", what);
  mcpi_guard_enter(&adapter->guard, &guard);
  transport->on_error(transport, &err);
  return mcpi_guard_leave(&adapter->guard, &guard);
}

/* --- from the inner transport ------------------------------------------- */

static void adapter_on_message(mcp_transport *inner, const char *message,
                               size_t len) {
  mcpi_adapter *adapter = inner->owner;
  adapter->ops->on_message(adapter, message, len);
}

static int is_lost_message(const mcp_error *err) {
  return err->code == MCP_ERR_LIMIT || err->code == MCP_ERR_PARSE ||
         err->code == MCP_ERR_NOMEM;
}

static void adapter_on_error(mcp_transport *inner, const mcp_error *err) {
  mcpi_adapter *adapter = inner->owner;
  if (is_lost_message(err)) {
    adapter->ops->on_lost(adapter, err);
  } else {
    adapter->transport.on_error(&adapter->transport, err);
  }
}

static void adapter_on_close(mcp_transport *inner, const mcp_error *err) {
  mcpi_adapter *adapter = inner->owner;
  adapter->transport.on_close(&adapter->transport, err);
}

static void adapter_on_open(mcp_transport *inner) {
  mcpi_adapter *adapter = inner->owner;
  if (adapter->transport.on_open != NULL) {
    adapter->transport.on_open(&adapter->transport);
  }
}

static void adapter_on_restart(mcp_transport *inner) {
  mcpi_adapter *adapter = inner->owner;
  adapter->ops->on_restart(adapter);
  adapter->transport.on_restart(&adapter->transport);
}

/* Read anew each time, since the owner may remove its callback. */
static void adapter_on_end(mcp_transport *inner) {
  mcpi_adapter *adapter = inner->owner;
  if (adapter->transport.on_end != NULL) {
    adapter->transport.on_end(&adapter->transport);
  } else {
    inner->close(inner);
  }
}

static void adapter_on_request_failed(mcp_transport *inner, uint64_t request,
                                      const mcp_error *err) {
  mcpi_adapter *adapter = inner->owner;
  if (adapter->ops->on_request_failed != NULL) {
    adapter->ops->on_request_failed(adapter, request);
  }
  adapter->transport.on_request_failed(&adapter->transport, request, err);
}

static void adapter_on_request_refused(mcp_transport *inner, uint64_t request,
                                       const mcp_error *err) {
  mcpi_adapter *adapter = inner->owner;
  if (adapter->ops->on_request_failed != NULL) {
    adapter->ops->on_request_failed(adapter, request);
  }
  adapter->transport.on_request_refused(&adapter->transport, request, err);
}

static void adapter_on_waiting(mcp_transport *inner, int32_t is_waiting) {
  mcpi_adapter *adapter = inner->owner;
  mcpi_transport_report_waiting(&adapter->transport, is_waiting);
}

static int adapter_is_waiting(mcp_transport *inner, uint64_t request) {
  mcpi_adapter *adapter = inner->owner;
  return adapter->transport.is_waiting(&adapter->transport, request);
}

/* --- from the owner ----------------------------------------------------- */

static const mcp_transport inner_events = {
    .on_message = adapter_on_message,
    .on_error = adapter_on_error,
    .on_close = adapter_on_close,
    .on_open = adapter_on_open,
    .on_restart = adapter_on_restart,
    .on_end = adapter_on_end,
    .on_request_failed = adapter_on_request_failed,
    .on_request_refused = adapter_on_request_refused,
    .is_waiting = adapter_is_waiting,
    .on_waiting = adapter_on_waiting};

static int adapter_start(mcp_transport *transport, mcp_error *err) {
  mcpi_adapter *adapter = adapter_of(transport);
  return mcpi_transport_start_inner(adapter->inner, adapter, &inner_events,
                                    err);
}

static int adapter_send(mcp_transport *transport, const char *message,
                        size_t len, const mcp_send_info *info) {
  mcpi_adapter *adapter = adapter_of(transport);
  return adapter->ops->send(adapter, message, len, info);
}

/* The last answers may be shown to a trace, which may end everything. */
static void adapter_close(mcp_transport *transport) {
  mcpi_adapter *adapter = adapter_of(transport);
  mcpi_guard guard;
  mcpi_guard_enter(&adapter->guard, &guard);
  adapter->ops->on_close(adapter);
  if (mcpi_guard_leave(&adapter->guard, &guard)) {
    adapter->inner->close(adapter->inner);
  }
}

static void adapter_release(mcp_transport *transport) {
  mcpi_adapter *adapter = adapter_of(transport);
  mcpi_guard_trip(adapter->guard);
  mcp_transport_free(adapter->inner);
  adapter->ops->free(adapter);
}

static void adapter_set_supported_versions(mcp_transport *transport,
                                           const char *const *versions,
                                           size_t count) {
  mcpi_adapter *adapter = adapter_of(transport);
  adapter->modern = mcpi_revision_first_modern(versions, count);
}

static size_t adapter_queued(mcp_transport *transport) {
  mcpi_adapter *adapter = adapter_of(transport);
  mcp_transport *inner = adapter->inner;
  size_t below = inner->queued != NULL ? inner->queued(inner) : 0;
  return below + adapter->ops->held(adapter);
}

/* The peer has no revision, session or era: the inner transport's members for
 * them stay unused. */
void mcpi_adapter_init(mcpi_adapter *adapter, const mcpi_adapter_ops *ops,
                       mcp_loop *loop, mcp_transport *inner) {
  adapter->ops = ops;
  adapter->inner = inner;
  adapter->loop = loop;
  adapter->modern = mcpi_revision_newest(MCP_ERA_MODERN);
  mcpi_map_init(&adapter->by_number, &loop->allocator, loop->hash_seed);
  adapter->transport =
      (mcp_transport){.size = sizeof(mcp_transport),
                      .flags = inner->flags & MCP_TRANSPORT_OPENS_LATER,
                      .userdata = adapter,
                      .start = adapter_start,
                      .send = adapter_send,
                      .close = adapter_close,
                      .release = adapter_release,
                      .set_supported_versions = adapter_set_supported_versions,
                      .queued = adapter_queued};
}

void mcpi_adapter_deinit(mcpi_adapter *adapter) {
  mcpi_map_deinit(&adapter->by_number);
}
