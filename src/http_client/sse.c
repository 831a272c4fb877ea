/* SPDX-License-Identifier: MIT */
/* HTTP+SSE as a transport, for a client (MCP 2024-11-05, Transports: HTTP with
 * SSE). */
#include "http_client/sse.h"

#include <stdio.h>

/* --- its life ------------------------------------------------------------- */

static int client_sse_begin(mcpi_curl *curl) {
  mcpi_sse *sse = MCPI_CONTAINER(curl, mcpi_sse, curl);
  mcpi_authorization_init(&sse->authorization, &curl->authorizer);
  return mcpi_sse_stream_begin(sse);
}

static void client_sse_judge(mcpi_curl *curl, mcpi_transfer *transfer) {
  mcpi_sse *sse = MCPI_CONTAINER(curl, mcpi_sse, curl);
  if (transfer == &sse->stream) {
    mcpi_sse_stream_judge(sse);
  } else {
    mcpi_sse_post_judge(sse, transfer->owner);
  }
}

static void client_sse_on_authorized(mcpi_curl *curl, mcpi_authorization *a,
                                     const mcp_error *err) {
  mcpi_sse *sse = MCPI_CONTAINER(curl, mcpi_sse, curl);
  if (a == &sse->authorization) {
    mcpi_sse_stream_authorized(sse, err);
  } else {
    mcpi_sse_post_authorized(
        sse, MCPI_CONTAINER(a, mcpi_sse_letter, authorization), err);
  }
}

/* The server may have named the endpoint, or a POST may have been sent or have
 * arrived. */
static void end_turn(mcpi_curl *curl) {
  mcpi_sse_post_next(MCPI_CONTAINER(curl, mcpi_sse, curl));
}

static int64_t client_sse_next_due(mcpi_curl *curl) {
  return MCPI_CONTAINER(curl, mcpi_sse, curl)->endpoint_due_ms;
}

static void client_sse_on_due(mcpi_curl *curl) {
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_TIMEOUT,
                "%s: no event said where to post within %lu ms",
                curl->options->shown,
                (unsigned long)curl->options->given.connect_timeout_ms);
  mcpi_curl_end(curl, &err);
}

/* Messages are sent first, while the stream is open: the session ends with it.
 * They may have to wait for the endpoint. */
static int client_sse_has_more(mcpi_curl *curl) {
  return mcpi_sse_has_post(MCPI_CONTAINER(curl, mcpi_sse, curl));
}

static void client_sse_drop_all(mcpi_curl *curl) {
  mcpi_sse *sse = MCPI_CONTAINER(curl, mcpi_sse, curl);
  mcpi_transfer_stop(&sse->stream, curl->multi);
  mcpi_authorization_deinit(&sse->authorization);
  mcpi_sse_post_drop_all(sse);
}

static void client_sse_deinit(mcpi_curl *curl) {
  mcpi_sse *sse = MCPI_CONTAINER(curl, mcpi_sse, curl);
  mcpi_strfree(&curl->loop->allocator, sse->location);
  mcpi_strfree(&curl->loop->allocator, sse->endpoint);
  mcpi_buf_deinit(&sse->in);
  mcpi_sse_reader_deinit(&sse->reader);
}

static const mcpi_curl_ops ops = {.begin = client_sse_begin,
                                  .judge = client_sse_judge,
                                  .on_authorized = client_sse_on_authorized,
                                  .end_turn = end_turn,
                                  .next_due = client_sse_next_due,
                                  .on_due = client_sse_on_due,
                                  .has_more = client_sse_has_more,
                                  .drop_all = client_sse_drop_all,
                                  .deinit = client_sse_deinit};

/* --- from the library ----------------------------------------------------- */

static int client_sse_send_message(mcp_transport *transport,
                                   const char *message, size_t len,
                                   const mcp_send_info *info) {
  mcpi_sse *sse = transport->userdata;
  int rc = mcpi_curl_check_send(&sse->curl, len);
  return rc == 0 ? mcpi_sse_post(sse, message, len, info) : rc;
}

static void client_sse_set_protocol_version(mcp_transport *transport,
                                            const char *version) {
  mcpi_sse *sse = transport->userdata;
  snprintf(sse->version, sizeof(sse->version), "%s", version);
}

/* --- making one ----------------------------------------------------------- */

/* Without options. */
static mcpi_sse *client_sse_make(mcp_loop *loop, mcp_error *err) {
  mcpi_curl *curl = mcpi_curl_new(sizeof(mcpi_sse), &ops, loop, err);
  if (curl == NULL) {
    return NULL;
  }
  mcpi_sse *sse = MCPI_CONTAINER(curl, mcpi_sse, curl);
  curl->base.flags = MCP_TRANSPORT_OPENS_LATER;
  curl->base.send = client_sse_send_message;
  curl->base.set_protocol_version = client_sse_set_protocol_version;
  mcpi_list_init(&sse->waiting);
  mcpi_list_init(&sse->posted);
  mcpi_transfer_init(&sse->stream, sse);
  sse->endpoint_due_ms = INT64_MAX;
  return sse;
}

static void init_input(mcpi_sse *sse) {
  const mcp_allocator *allocator = &sse->curl.loop->allocator;
  size_t max = sse->curl.options->given.max_message;
  mcpi_transfer_init_input(&sse->in, allocator, max);
  mcpi_sse_reader_init(&sse->reader, allocator, max);
}

mcp_transport *mcpi_sse_new(mcp_loop *loop, const mcpi_curl_options *options) {
  mcpi_sse *sse = client_sse_make(loop, NULL);
  if (sse == NULL) {
    return NULL;
  }
  mcpi_curl_borrow_options(&sse->curl, options);
  init_input(sse);
  return &sse->curl.base;
}

int mcpi_sse_is_open(const mcp_transport *transport) {
  const mcpi_sse *sse = transport->userdata;
  return sse->endpoint != NULL;
}

mcp_transport *mcp_transport_sse(mcp_loop *loop, const char *url,
                                 const mcp_http_client_options *options,
                                 mcp_error *err) {
  mcpi_sse *sse = client_sse_make(loop, err);
  if (sse == NULL) {
    return NULL;
  }
  int rc = mcpi_curl_set_options(&sse->curl, url, options, err);
  if (rc == 0) {
    rc = mcpi_curl_options_refuse_dialect(sse->curl.options, "HTTP+SSE", err);
  }
  init_input(sse);
  if (rc != 0) {
    mcp_transport_free(&sse->curl.base);
    return NULL;
  }
  return &sse->curl.base;
}
