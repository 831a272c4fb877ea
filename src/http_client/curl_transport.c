/* SPDX-License-Identifier: MIT */
/* The base of the transports on libcurl: its timer, the events of libcurl, the
 * functions that the library calls, and its end. */
#include "http_client/curl_transport.h"

#include "base/error.h"

/* --- the clock ------------------------------------------------------------ */

static void curl_transport_on_timer(uv_timer_t *timer);

/* While the transport closes, only its time limit counts. */
static int64_t curl_transport_next_due(mcpi_curl *curl) {
  if (!curl->is_closing) {
    return curl->ops->next_due(curl);
  }
  return curl->ops->has_more(curl) ? curl->close_until_ms : 0;
}

void mcpi_curl_arm(mcpi_curl *curl) {
  int64_t due_ms = curl->is_ended ? INT64_MAX : curl_transport_next_due(curl);
  if (due_ms == INT64_MAX) {
    uv_timer_stop(&curl->timer);
    return;
  }
  int64_t delay_ms = due_ms - mcpi_loop_now(curl->loop);
  uv_update_time(curl->uv->uv);
  uv_timer_start(&curl->timer, curl_transport_on_timer,
                 delay_ms > 0 ? (uint64_t)delay_ms : 0, 0);
}

void mcpi_curl_end(mcpi_curl *curl, const mcp_error *err) {
  if (!curl->is_ended) {
    curl->is_ended = 1;
    mcpi_curl_arm(curl);
    curl->ops->drop_all(curl);
    curl->base.on_close(&curl->base, err);
  }
}

static void curl_transport_on_timer(uv_timer_t *timer) {
  mcpi_curl *curl = timer->data;
  mcpi_uv *uv = curl->uv;
  mcpi_uv_enter(uv);
  if (curl->is_closing) {
    mcpi_curl_end(curl, NULL);
  } else {
    curl->ops->on_due(curl);
    mcpi_curl_arm(curl);
  }
  mcpi_uv_leave(uv);
}

/* --- from libcurl --------------------------------------------------------- */

void mcpi_curl_note(mcpi_curl *curl, mcpi_transfer *transfer) {
  if (mcpi_list_is_empty(&transfer->ready)) {
    mcpi_list_append(&curl->ready, &transfer->ready);
  }
}

static void curl_transport_on_done(void *owner, CURL *easy, CURLcode result) {
  mcpi_transfer *transfer = mcpi_transfer_of(easy);
  mcpi_transfer_end(transfer, result);
  mcpi_curl_note(owner, transfer);
}

static void curl_transport_end_turn(mcpi_curl *curl) {
  if (curl->ops->end_turn != NULL && !curl->is_ended) {
    curl->ops->end_turn(curl);
  }
  if (curl->is_closing) {
    mcpi_curl_arm(curl);
  }
}

static void curl_transport_on_turn(void *owner) {
  mcpi_curl *curl = owner;
  while (!mcpi_list_is_empty(&curl->ready)) {
    mcpi_transfer *transfer =
        MCPI_CONTAINER(curl->ready.next, mcpi_transfer, ready);
    mcpi_list_remove(&transfer->ready);
    curl->ops->judge(curl, transfer);
  }
  curl_transport_end_turn(curl);
}

static const mcpi_multi_events events = {.on_done = curl_transport_on_done,
                                         .on_turn = curl_transport_on_turn};

static void curl_transport_on_ready(mcpi_authorizer *authorizer,
                                    mcpi_authorization *a,
                                    const mcp_error *err) {
  mcpi_curl *curl = MCPI_CONTAINER(authorizer, mcpi_curl, authorizer);
  mcpi_uv *uv = curl->uv;
  mcpi_uv_enter(uv);
  curl->ops->on_authorized(curl, a, err);
  curl_transport_end_turn(curl);
  mcpi_uv_leave(uv);
}

/* --- from the library ----------------------------------------------------- */

static int curl_transport_start(mcp_transport *transport, mcp_error *err) {
  mcpi_curl *curl = transport->userdata;
  curl->multi = mcpi_multi_new(curl->uv, &events, curl);
  if (curl->multi == NULL) {
    return mcpi_no_memory(err);
  }
  uv_timer_init(curl->uv->uv, &curl->timer);
  curl->timer.data = curl;
  mcpi_uv_hold(curl->uv);
  if (curl->ops->begin != NULL && curl->ops->begin(curl) != 0) {
    return mcpi_no_memory(err);
  }
  mcpi_curl_arm(curl);
  return 0;
}

/* A dialect's translation may be longer than the message, so `queued` may be
 * past the limit. */
int mcpi_curl_check_send(const mcpi_curl *curl, size_t len) {
  size_t max = curl->options->given.max_queue;
  if (curl->is_closing || curl->is_ended || curl->multi == NULL) {
    return MCP_ERR_CLOSED;
  }
  return curl->queued > max || len > max - curl->queued ? MCP_ERR_LIMIT : 0;
}

static void curl_transport_close_transport(mcp_transport *transport) {
  mcpi_curl *curl = transport->userdata;
  if (curl->is_closing || curl->is_ended) {
    return;
  }
  curl->is_closing = 1;
  curl->close_until_ms =
      mcpi_loop_now(curl->loop) + curl->options->given.close_wait_ms;
  if (curl->ops->begin_closing != NULL) {
    curl->ops->begin_closing(curl);
  }
  mcpi_curl_arm(curl);
}

static size_t curl_transport_queued(mcp_transport *transport) {
  const mcpi_curl *curl = transport->userdata;
  return curl->queued;
}

static uint64_t curl_transport_identity(mcp_transport *transport) {
  const mcpi_curl *curl = transport->userdata;
  return curl->authorizer.server != NULL
             ? mcpi_auth_server_generation(curl->authorizer.server)
             : 0;
}

static const char *curl_transport_origin(mcp_transport *transport) {
  const mcpi_curl *curl = transport->userdata;
  return curl->options->origin;
}

static void curl_transport_destroy(mcpi_curl *curl) {
  const mcp_allocator *allocator = &curl->loop->allocator;
  curl->ops->deinit(curl);
  mcpi_curl_options_deinit(&curl->own, allocator);
  mcpi_free(allocator, curl, curl->size);
}

static void curl_transport_on_timer_closed(uv_handle_t *handle) {
  mcpi_curl *curl = handle->data;
  mcpi_uv *uv = curl->uv;
  curl_transport_destroy(curl);
  mcpi_uv_drop(uv);
}

static void curl_transport_release(mcp_transport *transport) {
  mcpi_curl *curl = transport->userdata;
  curl->is_ended = 1;
  curl->base.on_waiting = NULL; /* the owner may be gone */
  if (curl->multi == NULL) {
    curl_transport_destroy(curl);
    return;
  }
  curl->ops->drop_all(curl);
  mcpi_multi_free(curl->multi);
  uv_close((uv_handle_t *)&curl->timer, curl_transport_on_timer_closed);
}

/* --- making one ----------------------------------------------------------- */

mcpi_curl *mcpi_curl_new(size_t size, const mcpi_curl_ops *ops, mcp_loop *loop,
                         mcp_error *err) {
  mcpi_uv *uv = mcpi_uv_of(loop);
  if (uv == NULL) {
    mcp_error_set(err, MCP_ERR_INVALID, "not a loop of mcp_loop_new");
    return NULL;
  }
  mcpi_curl *curl = mcpi_calloc(&loop->allocator, 1, size);
  if (curl == NULL) {
    mcpi_no_memory(err);
    return NULL;
  }
  curl->base = (mcp_transport){.size = sizeof(mcp_transport),
                               .userdata = curl,
                               .start = curl_transport_start,
                               .close = curl_transport_close_transport,
                               .release = curl_transport_release,
                               .queued = curl_transport_queued,
                               .origin = curl_transport_origin,
                               .identity = curl_transport_identity};
  curl->ops = ops;
  curl->size = size;
  curl->loop = loop;
  curl->uv = uv;
  curl->authorizer = (mcpi_authorizer){.loop = loop,
                                       .transport = &curl->base,
                                       .on_ready = curl_transport_on_ready};
  mcpi_list_init(&curl->ready);
  return curl;
}

void mcpi_curl_borrow_options(mcpi_curl *curl,
                              const mcpi_curl_options *options) {
  curl->options = options;
  curl->authorizer.options = options;
  curl->authorizer.server = options->auth;
}

int mcpi_curl_set_options(mcpi_curl *curl, const char *url,
                          const mcp_http_client_options *options,
                          mcp_error *err) {
  int rc =
      mcpi_curl_options_init(&curl->own, url, url, options, curl->loop, err);
  mcpi_curl_borrow_options(curl, &curl->own);
  return rc;
}
