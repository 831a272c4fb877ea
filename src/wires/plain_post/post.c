/* SPDX-License-Identifier: MIT */
#include "wires/plain_post/post.h"

#include "core/outgoing.h"

/* --- the clock ------------------------------------------------------------ */

static int64_t plain_post_due_of(const mcpi_trip *trip) {
  uint32_t silence_ms = trip->post->curl.options->given.silence_timeout_ms;
  if (trip->due_ms != 0) {
    return trip->due_ms;
  }
  return trip->is_stream && silence_ms != 0 ? trip->heard_ms + silence_ms
                                            : INT64_MAX;
}

static mcpi_trip *plain_post_find_next(const mcpi_poster *post) {
  mcpi_trip *next = NULL;
  mcpi_list *link = post->trips.next;
  for (; link != &post->trips; link = link->next) {
    mcpi_trip *trip = MCPI_CONTAINER(link, mcpi_trip, link);
    if (plain_post_due_of(trip) != INT64_MAX &&
        (next == NULL || plain_post_due_of(trip) < plain_post_due_of(next))) {
      next = trip;
    }
  }
  return next;
}

static int64_t plain_post_next_due(mcpi_curl *curl) {
  const mcpi_trip *next =
      plain_post_find_next(MCPI_CONTAINER(curl, mcpi_poster, curl));
  return next != NULL ? plain_post_due_of(next) : INT64_MAX;
}

static void plain_post_on_due(mcpi_curl *curl) {
  int64_t now_ms = mcpi_loop_now(curl->loop);
  while (plain_post_next_due(curl) <= now_ms) {
    mcpi_trip_on_due(
        plain_post_find_next(MCPI_CONTAINER(curl, mcpi_poster, curl)));
  }
}

/* --- the end -------------------------------------------------------------- */

static void plain_post_drop_all(mcpi_curl *curl) {
  mcpi_poster *post = MCPI_CONTAINER(curl, mcpi_poster, curl);
  while (!mcpi_list_is_empty(&post->trips)) {
    mcpi_trip_drop(MCPI_CONTAINER(post->trips.next, mcpi_trip, link));
  }
}

/* Drops requests; other messages are still sent. */
static void plain_post_drop_requests(mcpi_curl *curl) {
  mcpi_poster *post = MCPI_CONTAINER(curl, mcpi_poster, curl);
  mcpi_list *link = post->trips.next;
  while (link != &post->trips) {
    mcpi_trip *trip = MCPI_CONTAINER(link, mcpi_trip, link);
    link = link->next;
    if (trip->request != 0) {
      mcpi_trip_drop(trip);
    }
  }
}

/* For example a cancellation. */
static int plain_post_has_more(mcpi_curl *curl) {
  const mcpi_poster *post = MCPI_CONTAINER(curl, mcpi_poster, curl);
  return !mcpi_list_is_empty(&post->trips);
}

/* --- what becomes of a message -------------------------------------------- */

static int plain_post_form_of(uint32_t dialect) {
  switch (dialect) {
  case MCP_DIALECT_MCP:
    return MCPI_TRIP_MCP;
  case MCP_DIALECT_MCP_CORE_BARE:
    return MCPI_TOOL_BARE;
  default:
    return MCPI_TOOL_ENVELOPE;
  }
}

static int plain_post_method_is(const mcp_send_info *info, const char *method) {
  return info->method != NULL && strcmp(info->method, method) == 0;
}

/* The progress token of a sender that fills in mcp_send_info is the id. */
static int plain_post_put_token(mcpi_trip *trip, mcpi_outgoing *message) {
  const mcp_send_info *info = &message->info;
  const mcp_json *params = NULL;
  if (info->wants_progress) {
    mcpi_buf_put(&trip->token, info->id, info->id_len);
  }
  if (message->doc == NULL) {
    return 0;
  }
  int rc = mcpi_outgoing_params(message, &params);
  const mcpi_id token = mcpi_id_read(
      mcp_json_get(mcp_json_get(params, "_meta"), "progressToken"));
  if (token.kind != MCPI_ID_NONE) {
    mcpi_id_put(&trip->token, token);
  }
  return rc;
}

static int put_call(mcpi_trip *trip, mcpi_outgoing *message) {
  const mcp_send_info *info = &message->info;
  const mcpi_tool_request request = {.form = trip->form,
                                     .name =
                                         mcpi_str_n(info->name, info->name_len),
                                     .arguments = info->arguments};
  mcpi_tool_request_put(&request, mcpi_buf_str(&trip->id), &trip->body);
  return plain_post_put_token(trip, message);
}

/* To ask whether the server is there, 2026-07-28 has server/discover. Until the
 * client is connected, that request asks what the server can do instead. NULL:
 * the message is not a ping. */
static const char *ping_of(const mcpi_poster *post, const mcp_send_info *info) {
  if (post->curl.options->given.dialect == MCP_DIALECT_MCP_CORE_RPC) {
    return NULL;
  }
  if (plain_post_method_is(info, "ping")) {
    return "ping";
  }
  return post->is_connected && plain_post_method_is(info, "server/discover")
             ? "server/discover"
             : NULL;
}

/* Answers a request that the dialect does not have, from the timer: later than
 * everything that is due now, so that a program which asks again at each answer
 * leaves time for others. */
static int plain_post_answer_here(mcpi_trip *trip, mcpi_outgoing *message) {
  const mcp_json *params = NULL;
  int rc = mcpi_outgoing_params(message, &params);
  if (rc == 0) {
    trip->is_here = 1;
    trip->due_ms = mcpi_loop_now(trip->post->curl.loop) + 1;
    mcpi_tool_local_put(&trip->body, mcpi_buf_str(&trip->id),
                        mcpi_str_z(message->info.method), params);
  }
  return rc;
}

static int plain_post_put_tool(mcpi_trip *trip, mcpi_outgoing *message) {
  const mcp_send_info *info = &message->info;
  mcpi_buf_put(&trip->id, info->id, info->id_len);
  trip->ping = ping_of(trip->post, info);
  if (plain_post_method_is(info, "tools/call")) {
    return put_call(trip, message);
  }
  if (trip->ping != NULL) {
    mcpi_buf_lit(&trip->body, "{\"name\":\"ping\"}");
    return 0;
  }
  return plain_post_answer_here(trip, message);
}

/* Returns 0; or 1 if the message is not sent, because the dialect does not have
 * it. */
static int plain_post_translate(mcpi_trip *trip, mcpi_outgoing *message) {
  int rc = 0;
  trip->cancels = message->info.cancels;
  if (trip->form == MCPI_TRIP_MCP) {
    mcpi_buf_put(&trip->body, message->text, message->len);
  } else if (trip->request != 0) {
    rc = plain_post_put_tool(trip, message);
  } else {
    rc = 1;
  }
  int has_failed =
      trip->body.error != 0 || trip->id.error != 0 || trip->token.error != 0;
  return has_failed ? MCP_ERR_NOMEM : rc;
}

/* --- from the library ----------------------------------------------------- */

static void set_limit(mcpi_trip *trip) {
  uint32_t limit_ms = trip->post->curl.options->given.request_timeout_ms;
  if (trip->request != 0 && limit_ms != 0 && limit_ms != UINT32_MAX) {
    trip->until_ms = mcpi_loop_now(trip->post->curl.loop) + limit_ms;
  }
}

static int send_trip(mcpi_trip *trip, mcpi_outgoing *message) {
  mcpi_poster *post = trip->post;
  trip->request = message->info.request;
  trip->is_idempotent = message->info.is_idempotent != 0;
  trip->may_repeat = mcpi_outgoing_may_repeat(message);
  trip->form = plain_post_form_of(post->curl.options->given.dialect);
  mcpi_list_append(&post->trips, &trip->link);
  int rc = plain_post_translate(trip, message);
  post->curl.queued += trip->body.len;
  if (rc == 1 && trip->cancels != 0) {
    mcpi_poster_drop_request(post, trip->cancels);
  }
  if (rc != 0) {
    return rc;
  }
  set_limit(trip);
  if (trip->is_here) {
    mcpi_curl_arm(&post->curl);
    return 0;
  }
  return mcpi_trip_begin(trip);
}

static int plain_post_send_message(mcp_transport *transport,
                                   const char *message, size_t len,
                                   const mcp_send_info *info) {
  mcpi_poster *post = transport->userdata;
  int rc = mcpi_curl_check_send(&post->curl, len);
  if (rc != 0) {
    return rc;
  }
  mcpi_outgoing outgoing;
  mcpi_trip *trip = NULL;
  rc = mcpi_outgoing_init(&outgoing, &post->curl.loop->allocator, message, len,
                          info);
  if (rc == 0) {
    trip = mcpi_trip_new(post);
    rc = trip != NULL ? send_trip(trip, &outgoing) : MCP_ERR_NOMEM;
  }
  if (rc != 0 && trip != NULL) {
    mcpi_trip_drop(trip);
  }
  mcpi_outgoing_deinit(&outgoing);
  return rc < 0 ? rc : 0;
}

static void plain_post_abort_request(mcp_transport *transport,
                                     uint64_t request) {
  mcpi_poster_drop_request(transport->userdata, request);
}

static void plain_post_set_protocol_version(mcp_transport *transport,
                                            const char *version) {
  mcpi_poster *post = transport->userdata;
  (void)version; /* no header names it */
  post->is_connected = 1;
}

/* --- making one ----------------------------------------------------------- */

static void plain_post_judge(mcpi_curl *curl, mcpi_transfer *transfer) {
  (void)curl;
  mcpi_trip_judge(transfer->owner);
}

static void plain_post_on_authorized(mcpi_curl *curl, mcpi_authorization *a,
                                     const mcp_error *err) {
  (void)curl;
  mcpi_trip_authorized(MCPI_CONTAINER(a, mcpi_trip, authorization), err);
}

static void plain_post_deinit(mcpi_curl *curl) {
  (void)curl; /* it has only its trips */
}

static const mcpi_curl_ops ops = {.judge = plain_post_judge,
                                  .on_authorized = plain_post_on_authorized,
                                  .next_due = plain_post_next_due,
                                  .on_due = plain_post_on_due,
                                  .begin_closing = plain_post_drop_requests,
                                  .has_more = plain_post_has_more,
                                  .drop_all = plain_post_drop_all,
                                  .deinit = plain_post_deinit};

mcp_transport *mcp_transport_post(mcp_loop *loop, const char *url,
                                  const mcp_http_client_options *options,
                                  mcp_error *err) {
  mcpi_curl *curl = mcpi_curl_new(sizeof(mcpi_poster), &ops, loop, err);
  if (curl == NULL) {
    return NULL;
  }
  mcp_transport *base = &curl->base;
  mcpi_list_init(&MCPI_CONTAINER(curl, mcpi_poster, curl)->trips);
  base->flags = MCP_TRANSPORT_PER_REQUEST_STREAM;
  base->send = plain_post_send_message;
  base->abort = plain_post_abort_request;
  base->set_protocol_version = plain_post_set_protocol_version;
  if (mcpi_curl_set_options(curl, url, options, err) != 0) {
    mcp_transport_free(base);
    return NULL;
  }
  if (curl->options->given.dialect != MCP_DIALECT_MCP) {
    base->origin = NULL; /* such servers have no era to remember */
  }
  return base;
}
