/* SPDX-License-Identifier: MIT */
#include "web/post.h"

/* --- the clock ------------------------------------------------------------ */

static void on_timer(uv_timer_t *timer);

int64_t mcpi_trip_due(const mcpi_trip *trip) {
  uint32_t silence_ms = trip->post->options.given.silence_timeout_ms;
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
    if (mcpi_trip_due(trip) != INT64_MAX &&
        (next == NULL || mcpi_trip_due(trip) < mcpi_trip_due(next))) {
      next = trip;
    }
  }
  return next;
}

/* Closing waits for what wants no answer, such as a cancellation. */
static int64_t closing_due(const mcpi_poster *post) {
  return mcpi_list_is_empty(&post->trips) ? 0 : post->close_until_ms;
}

void mcpi_poster_arm(mcpi_poster *post) {
  const mcpi_trip *next = find_next(post);
  if (post->is_ended || (next == NULL && !post->is_closing)) {
    uv_timer_stop(&post->timer);
    return;
  }
  int64_t now_ms = mcpi_loop_now(post->loop);
  int64_t due_ms = post->is_closing ? closing_due(post) : mcpi_trip_due(next);
  uv_update_time(post->uv->uv);
  uv_timer_start(&post->timer, on_timer,
                 due_ms > now_ms ? (uint64_t)(due_ms - now_ms) : 0, 0);
}

static void drop_all(mcpi_poster *post) {
  while (!mcpi_list_is_empty(&post->trips)) {
    mcpi_trip_drop(MCPI_CONTAINER(post->trips.next, mcpi_trip, link));
  }
}

/* From the timer: never inside `close`. */
static void end(mcpi_poster *post) {
  post->is_ended = 1;
  drop_all(post);
  post->base.on_close(&post->base, NULL);
}

static void run_due(mcpi_poster *post) {
  mcpi_guard guard;
  mcpi_guard_enter(&post->guard, &guard);
  int64_t now_ms = mcpi_loop_now(post->loop);
  mcpi_trip *next;
  while (!guard.is_gone && (next = find_next(post)) != NULL &&
         mcpi_trip_due(next) <= now_ms) {
    mcpi_trip_on_due(next);
  }
  if (mcpi_guard_leave(&post->guard, &guard)) {
    mcpi_poster_arm(post);
  }
}

static void on_timer(uv_timer_t *timer) {
  mcpi_poster *post = timer->data;
  mcpi_uv *uv = post->uv;
  mcpi_uv_enter(uv);
  if (post->is_closing) {
    end(post);
  } else {
    run_due(post);
  }
  mcpi_uv_leave(uv);
}

/* --- from libcurl --------------------------------------------------------- */

static void on_done(void *owner, CURL *easy, CURLcode result) {
  (void)owner;
  mcpi_trip_note_done(easy, result);
}

static void on_turn(void *owner) {
  mcpi_poster *post = owner;
  mcpi_guard guard;
  mcpi_guard_enter(&post->guard, &guard);
  while (!guard.is_gone && !mcpi_list_is_empty(&post->ready)) {
    mcpi_trip *trip = MCPI_CONTAINER(post->ready.next, mcpi_trip, ready);
    mcpi_list_remove(&trip->ready);
    mcpi_trip_judge(trip);
  }
  if (mcpi_guard_leave(&post->guard, &guard) && post->is_closing) {
    mcpi_poster_arm(post);
  }
}

static const mcpi_multi_events events = {on_done, on_turn};

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

static uint64_t cancelled_by(const mcp_json *message) {
  int64_t id = 0;
  if (method_is(message, "notifications/cancelled")) {
    mcp_json_try_int(mcp_json_get(mcp_json_get(message, "params"), "requestId"),
                     &id);
  }
  return id > 0 ? (uint64_t)id : 0;
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

/* What the dialect has not is answered here, from the timer. */
static void put_tool(mcpi_trip *trip, const mcp_json *message) {
  const mcp_json *params = mcp_json_get(message, "params");
  mcpi_id_put(&trip->id, mcpi_id_read(mcp_json_get(message, "id")));
  if (method_is(message, "tools/call")) {
    put_call(trip, params);
  } else if (method_is(message, "ping") &&
             trip->post->options.given.dialect != MCP_DIALECT_MCP_CORE_RPC) {
    trip->is_ping = 1;
    mcpi_buf_lit(&trip->body, "{\"name\":\"ping\"}");
  } else {
    trip->is_here = 1;
    trip->due_ms = mcpi_loop_now(trip->post->loop);
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
  trip->cancels = cancelled_by(root);
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

static int start(mcp_transport *transport, mcp_error *err) {
  mcpi_poster *post = transport->userdata;
  post->multi = mcpi_multi_new(post->uv, &events, post);
  if (post->multi == NULL) {
    return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  uv_timer_init(post->uv->uv, &post->timer);
  post->timer.data = post;
  mcpi_uv_hold(post->uv);
  return 0;
}

static void set_limit(mcpi_trip *trip) {
  uint32_t limit_ms = trip->post->options.given.request_timeout_ms;
  if (trip->request != 0 && limit_ms != 0 && limit_ms != UINT32_MAX) {
    trip->until_ms = mcpi_loop_now(trip->post->loop) + limit_ms;
  }
}

static int send_trip(mcpi_trip *trip, const char *message, size_t len,
                     const mcp_send_info *info) {
  mcpi_poster *post = trip->post;
  trip->request = info != NULL ? info->request : 0;
  trip->is_idempotent = info != NULL && info->is_idempotent;
  trip->form = form_of(post->options.given.dialect);
  mcpi_list_append(&post->trips, &trip->link);
  int rc = translate(trip, message, len);
  post->queued += trip->body.len;
  if (rc == 1 && trip->cancels != 0) {
    mcpi_poster_drop_request(post, trip->cancels);
  }
  if (rc != 0) {
    return rc;
  }
  set_limit(trip);
  if (trip->is_here) {
    mcpi_poster_arm(post);
    return 0;
  }
  return mcpi_trip_begin(trip);
}

static int send_message(mcp_transport *transport, const char *message,
                        size_t len, const mcp_send_info *info) {
  mcpi_poster *post = transport->userdata;
  if (post->is_closing || post->multi == NULL) {
    return MCP_ERR_CLOSED;
  }
  /* What the dialect makes of a message may be longer than it. */
  if (post->queued > post->options.given.max_queue ||
      len > post->options.given.max_queue - post->queued) {
    return MCP_ERR_LIMIT;
  }
  mcpi_trip *trip = mcpi_trip_new(post);
  if (trip == NULL) {
    return MCP_ERR_NOMEM;
  }
  int rc = send_trip(trip, message, len, info);
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

/* What waits for an answer waits no more. */
static void drop_requests(mcpi_poster *post) {
  mcpi_list *link = post->trips.next;
  while (link != &post->trips) {
    mcpi_trip *trip = MCPI_CONTAINER(link, mcpi_trip, link);
    link = link->next;
    if (trip->request != 0) {
      mcpi_trip_drop(trip);
    }
  }
}

static void close_transport(mcp_transport *transport) {
  mcpi_poster *post = transport->userdata;
  if (!post->is_closing) {
    post->is_closing = 1;
    post->close_until_ms =
        mcpi_loop_now(post->loop) + post->options.given.close_wait_ms;
    drop_requests(post);
    mcpi_poster_arm(post);
  }
}

static size_t queued(mcp_transport *transport) {
  const mcpi_poster *post = transport->userdata;
  return post->queued;
}

static const char *origin(mcp_transport *transport) {
  const mcpi_poster *post = transport->userdata;
  return post->options.origin;
}

static void destroy(mcpi_poster *post) {
  const mcp_allocator *allocator = &post->loop->allocator;
  mcpi_web_options_deinit(&post->options, allocator);
  mcpi_free(allocator, post, sizeof(*post));
}

static void on_timer_closed(uv_handle_t *handle) {
  mcpi_poster *post = handle->data;
  mcpi_uv *uv = post->uv;
  destroy(post);
  mcpi_uv_drop(uv);
}

static void release(mcp_transport *transport) {
  mcpi_poster *post = transport->userdata;
  mcpi_guard_trip(post->guard);
  post->guard = NULL;
  if (post->multi == NULL) {
    destroy(post);
    return;
  }
  drop_all(post);
  mcpi_multi_free(post->multi);
  uv_close((uv_handle_t *)&post->timer, on_timer_closed);
}

/* --- making one ----------------------------------------------------------- */

/* Which era a dialect's server has is nothing to be kept for its origin: it has
 * none. */
static mcp_transport make_table(mcpi_poster *post) {
  int is_mcp = post->options.given.dialect == MCP_DIALECT_MCP;
  return (mcp_transport){.size = MCP_TRANSPORT_INIT,
                         .flags = MCP_TRANSPORT_PER_REQUEST_STREAM,
                         .userdata = post,
                         .start = start,
                         .send = send_message,
                         .close = close_transport,
                         .release = release,
                         .abort = abort_request,
                         .queued = queued,
                         .origin = is_mcp ? origin : NULL};
}

mcp_transport *mcp_transport_post(mcp_loop *loop, const char *url,
                                  const mcp_http_client_options *options,
                                  mcp_error *err) {
  mcpi_uv *uv = mcpi_uv_of(loop);
  if (uv == NULL) {
    mcp_error_set(err, MCP_ERR_INVALID, "not a loop of mcp_loop_new");
    return NULL;
  }
  mcpi_poster *post = mcpi_calloc(&loop->allocator, 1, sizeof(*post));
  if (post == NULL) {
    mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
    return NULL;
  }
  post->loop = loop;
  post->uv = uv;
  mcpi_list_init(&post->trips);
  mcpi_list_init(&post->ready);
  if (mcpi_web_options_init(&post->options, url, options, &loop->allocator,
                            err) != 0) {
    destroy(post);
    return NULL;
  }
  post->base = make_table(post);
  return &post->base;
}
