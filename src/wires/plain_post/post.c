/* SPDX-License-Identifier: MIT */
#include "wires/plain_post/post.h"

#include "http_client/rpc.h"

/* --- the clock ------------------------------------------------------------ */

static int64_t due_of(const mcpi_trip *trip) {
  uint32_t silence_ms = trip->post->curl.options->given.silence_timeout_ms;
  if (trip->due_ms != 0) {
    return trip->due_ms;
  }
  return trip->is_stream && silence_ms != 0 ? trip->heard_ms + silence_ms
                                            : INT64_MAX;
}

static mcpi_trip *find_next(const mcpi_poster *post) {
  mcpi_trip *next = NULL;
  mcpi_list *link = post->trips.next;
  for (; link != &post->trips; link = link->next) {
    mcpi_trip *trip = MCPI_CONTAINER(link, mcpi_trip, link);
    if (due_of(trip) != INT64_MAX &&
        (next == NULL || due_of(trip) < due_of(next))) {
      next = trip;
    }
  }
  return next;
}

static int64_t next_due(mcpi_curl *curl) {
  const mcpi_trip *next = find_next(MCPI_CONTAINER(curl, mcpi_poster, curl));
  return next != NULL ? due_of(next) : INT64_MAX;
}

static void on_due(mcpi_curl *curl) {
  int64_t now_ms = mcpi_loop_now(curl->loop);
  while (next_due(curl) <= now_ms) {
    mcpi_trip_on_due(find_next(MCPI_CONTAINER(curl, mcpi_poster, curl)));
  }
}

/* --- the end -------------------------------------------------------------- */

static void drop_all(mcpi_curl *curl) {
  mcpi_poster *post = MCPI_CONTAINER(curl, mcpi_poster, curl);
  while (!mcpi_list_is_empty(&post->trips)) {
    mcpi_trip_drop(MCPI_CONTAINER(post->trips.next, mcpi_trip, link));
  }
}

/* What waits for an answer. */
static void drop_requests(mcpi_curl *curl) {
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

/* Such as a cancellation. */
static int has_more(mcpi_curl *curl) {
  const mcpi_poster *post = MCPI_CONTAINER(curl, mcpi_poster, curl);
  return !mcpi_list_is_empty(&post->trips);
}

/* --- what becomes of a message -------------------------------------------- */

static int form_of(uint32_t dialect) {
  switch (dialect) {
  case MCP_DIALECT_MCP:
    return MCPI_TRIP_MCP;
  case MCP_DIALECT_MCP_CORE_BARE:
    return MCPI_TOOL_BARE;
  default:
    return MCPI_TOOL_ENVELOPE;
  }
}

static int method_is(const mcp_json *message, const char *method) {
  return mcpi_str_eq(
      mcpi_str_z(mcp_json_string(mcp_json_get(message, "method"))),
      mcpi_str_z(method));
}

static mcpi_str string_of(const mcp_json *value) {
  size_t len;
  const char *text = mcp_json_string_n(value, &len);
  return mcpi_str_n(text, len);
}

static void put_call(mcpi_trip *trip, const mcp_json *params) {
  const mcpi_tool_request request = {
      .form = trip->form,
      .name = string_of(mcp_json_get(params, "name")),
      .arguments = mcp_json_get(params, "arguments")};
  const mcpi_id token = mcpi_id_read(
      mcp_json_get(mcp_json_get(params, "_meta"), "progressToken"));
  mcpi_tool_request_put(&request, mcpi_str_n(trip->id.data, trip->id.len),
                        &trip->body);
  if (token.kind != MCPI_ID_NONE) {
    mcpi_id_put(&trip->token, token);
  }
}

/* To ask whether the server is there, 2026-07-28 has server/discover, which
 * until it is connected asks what the server can do. NULL: the message is no
 * ping. */
static const char *ping_of(const mcpi_poster *post, const mcp_json *message) {
  if (post->curl.options->given.dialect == MCP_DIALECT_MCP_CORE_RPC) {
    return NULL;
  }
  if (method_is(message, "ping")) {
    return "ping";
  }
  return post->is_connected && method_is(message, "server/discover")
             ? "server/discover"
             : NULL;
}

/* What the dialect has not is answered here, from the timer. */
static void put_tool(mcpi_trip *trip, const mcp_json *message) {
  const mcp_json *params = mcp_json_get(message, "params");
  mcpi_id_put(&trip->id, mcpi_id_read(mcp_json_get(message, "id")));
  trip->ping = ping_of(trip->post, message);
  if (method_is(message, "tools/call")) {
    put_call(trip, params);
  } else if (trip->ping != NULL) {
    mcpi_buf_lit(&trip->body, "{\"name\":\"ping\"}");
  } else {
    trip->is_here = 1;
    /* Later than all that is due now: who asks again keeps nobody else off. */
    trip->due_ms = mcpi_loop_now(trip->post->curl.loop) + 1;
    mcpi_tool_local_put(&trip->body, mcpi_str_n(trip->id.data, trip->id.len),
                        string_of(mcp_json_get(message, "method")), params);
  }
}

/* 0; 1: it is not sent, as the dialect has nothing of the kind. */
static int translate(mcpi_trip *trip, const char *message, size_t len) {
  mcp_doc *doc = NULL;
  int rc = mcp_doc_parse(&doc, message, len, NULL, trip->allocator, NULL);
  if (rc != 0) {
    return rc;
  }
  const mcp_json *root = mcp_doc_root(doc);
  trip->cancels = mcpi_rpc_cancels(root);
  if (trip->form == MCPI_TRIP_MCP) {
    mcpi_buf_put(&trip->body, message, len);
  } else if (trip->request != 0) {
    put_tool(trip, root);
  } else {
    rc = 1;
  }
  mcp_doc_free(doc);
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

static int send_trip(mcpi_trip *trip, const char *message, size_t len,
                     const mcp_send_info *info) {
  mcpi_poster *post = trip->post;
  trip->request = info != NULL ? info->request : 0;
  trip->is_idempotent = info != NULL && info->is_idempotent;
  trip->form = form_of(post->curl.options->given.dialect);
  mcpi_list_append(&post->trips, &trip->link);
  int rc = translate(trip, message, len);
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

static int send_message(mcp_transport *transport, const char *message,
                        size_t len, const mcp_send_info *info) {
  mcpi_poster *post = transport->userdata;
  int rc = mcpi_curl_check_send(&post->curl, len);
  if (rc != 0) {
    return rc;
  }
  mcpi_trip *trip = mcpi_trip_new(post);
  if (trip == NULL) {
    return MCP_ERR_NOMEM;
  }
  rc = send_trip(trip, message, len, info);
  if (rc != 0) {
    mcpi_trip_drop(trip);
  }
  return rc < 0 ? rc : 0;
}

void mcpi_poster_drop_request(mcpi_poster *post, uint64_t request) {
  mcpi_list *link = post->trips.next;
  for (; link != &post->trips; link = link->next) {
    mcpi_trip *trip = MCPI_CONTAINER(link, mcpi_trip, link);
    if (trip->request == request) {
      mcpi_trip_drop(trip);
      return;
    }
  }
}

static void abort_request(mcp_transport *transport, uint64_t request) {
  mcpi_poster_drop_request(transport->userdata, request);
}

static void set_protocol_version(mcp_transport *transport,
                                 const char *version) {
  mcpi_poster *post = transport->userdata;
  (void)version; /* which no header tells */
  post->is_connected = 1;
}

/* --- making one ----------------------------------------------------------- */

static void judge(mcpi_curl *curl, mcpi_transfer *transfer) {
  (void)curl;
  mcpi_trip_judge(transfer->owner);
}

static void deinit(mcpi_curl *curl) {
  (void)curl; /* it has nothing but its trips */
}

static const mcpi_curl_ops ops = {.judge = judge,
                                  .next_due = next_due,
                                  .on_due = on_due,
                                  .begin_closing = drop_requests,
                                  .has_more = has_more,
                                  .drop_all = drop_all,
                                  .deinit = deinit};

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
  base->send = send_message;
  base->abort = abort_request;
  base->set_protocol_version = set_protocol_version;
  if (mcpi_curl_set_options(curl, url, options, err) != 0) {
    mcp_transport_free(base);
    return NULL;
  }
  if (curl->options->given.dialect != MCP_DIALECT_MCP) {
    base->origin = NULL; /* its servers have no era to be kept */
  }
  return base;
}
