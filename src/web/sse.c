/* SPDX-License-Identifier: MIT */
/* HTTP+SSE as a transport, for a client (PROTOCOL 3.3). */
#include "web/sse.h"

#include "web/easy.h"

#include <stdio.h>

enum {
  /* Beside the longest message: the names of its fields, and what libcurl brings
   * behind it before the turn comes to read. */
  SLACK = 4 * 1024 * 1024
};

/* --- trips ---------------------------------------------------------------- */

int mcpi_sse_trip_begin(mcpi_sse *sse, mcpi_sse_trip *trip, const char *url,
                        const struct curl_slist *headers) {
  const mcpi_web_options *options = sse->options;
  *trip = (mcpi_sse_trip){.easy = curl_easy_init()};
  CURL *easy = trip->easy;
  if (easy == NULL || mcpi_easy_copy_list(&trip->headers, options->headers) ||
      mcpi_easy_copy_list(&trip->headers, headers) ||
      mcpi_easy_set_string(easy, CURLOPT_URL, url) ||
      mcpi_easy_set_connection(easy, options)) {
    return MCP_ERR_NOMEM;
  }
  curl_easy_setopt(easy, CURLOPT_PRIVATE, trip);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, trip->trouble);
  return 0;
}

int mcpi_sse_trip_start(mcpi_sse *sse, mcpi_sse_trip *trip) {
  curl_easy_setopt(trip->easy, CURLOPT_HTTPHEADER, trip->headers);
  return mcpi_multi_add(sse->multi, trip->easy);
}

/* One that was not started libcurl does not know. */
void mcpi_sse_trip_stop(mcpi_sse *sse, mcpi_sse_trip *trip) {
  if (trip->easy != NULL) {
    mcpi_multi_remove(sse->multi, trip->easy);
    curl_easy_cleanup(trip->easy);
  }
  curl_slist_free_all(trip->headers);
  trip->easy = NULL;
  trip->headers = NULL;
  trip->is_done = 0;
}

void mcpi_sse_trip_error(const mcpi_sse *sse, const mcpi_sse_trip *trip,
                         mcp_error *err) {
  long status = 0;
  curl_easy_getinfo(trip->easy, CURLINFO_RESPONSE_CODE, &status);
  if (status < 300) {
    mcp_error_set(err,
                  trip->result == CURLE_OPERATION_TIMEDOUT ? MCP_ERR_TIMEOUT
                                                           : MCP_ERR_IO,
                  "%s: %s", sse->options->shown,
                  mcpi_easy_trouble(trip->result, trip->trouble));
  } else {
    mcp_error_set(err, mcpi_easy_code_of(status), "%s answered HTTP %ld",
                  sse->options->shown, status);
  }
  err->status = (int32_t)status;
}

/* --- the end -------------------------------------------------------------- */

static void drop_letters(mcpi_sse *sse) {
  while (!mcpi_list_is_empty(&sse->letters)) {
    mcpi_sse_letter_drop(
        sse, MCPI_CONTAINER(sse->letters.next, mcpi_sse_letter, link));
  }
}

static void stop(mcpi_sse *sse) {
  uv_timer_stop(&sse->timer);
  mcpi_sse_trip_stop(sse, &sse->stream);
  mcpi_sse_trip_stop(sse, &sse->post);
  drop_letters(sse);
}

void mcpi_sse_end(mcpi_sse *sse, const mcp_error *err) {
  if (!sse->is_ended) {
    sse->is_ended = 1;
    stop(sse);
    sse->base.on_close(&sse->base, err);
  }
}

static void fail_late(mcpi_sse *sse) {
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_TIMEOUT,
                "%s: no event told where to post within %lu ms",
                sse->options->shown,
                (unsigned long)sse->options->given.connect_timeout_ms);
  mcpi_sse_end(sse, &err);
}

static void on_timer(uv_timer_t *timer) {
  mcpi_sse *sse = timer->data;
  mcpi_uv *uv = sse->uv;
  mcpi_uv_enter(uv);
  if (sse->is_closing) {
    mcpi_sse_end(sse, NULL);
  } else {
    fail_late(sse);
  }
  mcpi_uv_leave(uv);
}

static void start_timer(mcpi_sse *sse, uint32_t ms) {
  uv_update_time(sse->uv->uv);
  uv_timer_start(&sse->timer, on_timer, ms, 0);
}

/* What was sent goes out first, while the stream is open: without it there is
 * nobody to go to. It may have to wait for the endpoint. */
static void close_transport(mcp_transport *transport) {
  mcpi_sse *sse = transport->userdata;
  if (sse->is_closing || sse->is_ended) {
    return;
  }
  int is_quiet = mcpi_list_is_empty(&sse->letters);
  sse->is_closing = 1;
  start_timer(sse, is_quiet ? 0 : sse->options->given.close_wait_ms);
}

/* --- from libcurl --------------------------------------------------------- */

static void on_done(void *owner, CURL *easy, CURLcode result) {
  char *trip = NULL;
  (void)owner;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &trip);
  ((mcpi_sse_trip *)(void *)trip)->is_done = 1;
  ((mcpi_sse_trip *)(void *)trip)->result = result;
}

static void on_turn(void *owner) {
  mcpi_sse *sse = owner;
  mcpi_guard guard;
  mcpi_guard_enter(&sse->guard, &guard);
  mcpi_sse_stream_read(sse);
  if (!guard.is_gone && sse->post.is_done) {
    mcpi_sse_post_judge(sse);
  }
  if (!guard.is_gone && sse->stream.is_done) {
    mcpi_sse_stream_judge(sse);
  }
  mcpi_guard_leave(&sse->guard, &guard);
}

static const mcpi_multi_events events = {on_done, on_turn};

/* --- from the library ----------------------------------------------------- */

static int start(mcp_transport *transport, mcp_error *err) {
  mcpi_sse *sse = transport->userdata;
  uint32_t limit_ms = sse->options->given.connect_timeout_ms;
  sse->multi = mcpi_multi_new(sse->uv, &events, sse);
  if (sse->multi == NULL) {
    return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  uv_timer_init(sse->uv->uv, &sse->timer);
  sse->timer.data = sse;
  mcpi_uv_hold(sse->uv);
  if (mcpi_sse_stream_begin(sse) != 0) {
    return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  if (limit_ms != UINT32_MAX) {
    start_timer(sse, limit_ms);
  }
  return 0;
}

static mcpi_sse_letter *letter_new(const mcpi_sse *sse, const char *message,
                                   size_t len, uint64_t request) {
  mcpi_sse_letter *letter =
      mcpi_alloc(&sse->loop->allocator, sizeof(*letter) + len);
  if (letter != NULL) {
    mcpi_list_init(&letter->link);
    letter->request = request;
    letter->len = len;
    memcpy(letter->bytes, message, len);
  }
  return letter;
}

static int send_message(mcp_transport *transport, const char *message,
                        size_t len, const mcp_send_info *info) {
  mcpi_sse *sse = transport->userdata;
  if (sse->is_closing || sse->is_ended || sse->multi == NULL) {
    return MCP_ERR_CLOSED;
  }
  if (len > sse->options->given.max_queue - sse->queued) {
    return MCP_ERR_LIMIT;
  }
  mcpi_sse_letter *letter =
      letter_new(sse, message, len, info != NULL ? info->request : 0);
  if (letter == NULL) {
    return MCP_ERR_NOMEM;
  }
  int is_first = mcpi_list_is_empty(&sse->letters);
  mcpi_list_append(&sse->letters, &letter->link);
  sse->queued += len;
  if (is_first && sse->endpoint != NULL && mcpi_sse_post_begin(sse) != 0) {
    mcpi_sse_letter_drop(sse, letter);
    return MCP_ERR_NOMEM;
  }
  return 0;
}

static void set_protocol_version(mcp_transport *transport,
                                 const char *version) {
  mcpi_sse *sse = transport->userdata;
  snprintf(sse->version, sizeof(sse->version), "%s", version);
}

static const char *origin(mcp_transport *transport) {
  const mcpi_sse *sse = transport->userdata;
  return sse->options->origin;
}

static size_t queued(mcp_transport *transport) {
  const mcpi_sse *sse = transport->userdata;
  return sse->queued;
}

static void destroy(mcpi_sse *sse) {
  const mcp_allocator *allocator = &sse->loop->allocator;
  mcpi_strfree(allocator, sse->location);
  mcpi_strfree(allocator, sse->endpoint);
  mcpi_buf_deinit(&sse->in);
  mcpi_sse_reader_deinit(&sse->reader);
  mcpi_web_options_deinit(&sse->own, allocator);
  mcpi_free(allocator, sse, sizeof(*sse));
}

static void on_timer_closed(uv_handle_t *handle) {
  mcpi_sse *sse = handle->data;
  mcpi_uv *uv = sse->uv;
  destroy(sse);
  mcpi_uv_drop(uv);
}

static void release(mcp_transport *transport) {
  mcpi_sse *sse = transport->userdata;
  mcpi_guard_trip(sse->guard);
  sse->guard = NULL;
  if (sse->multi == NULL) {
    destroy(sse);
    return;
  }
  stop(sse);
  mcpi_multi_free(sse->multi);
  uv_close((uv_handle_t *)&sse->timer, on_timer_closed);
}

/* --- making one ----------------------------------------------------------- */

static mcp_transport make_table(mcpi_sse *sse) {
  return (mcp_transport){.size = MCP_TRANSPORT_INIT,
                         .userdata = sse,
                         .start = start,
                         .send = send_message,
                         .close = close_transport,
                         .release = release,
                         .set_protocol_version = set_protocol_version,
                         .queued = queued,
                         .origin = origin};
}

/* Without options. */
static mcpi_sse *make(mcp_loop *loop, mcpi_uv *uv) {
  mcpi_sse *sse = mcpi_calloc(&loop->allocator, 1, sizeof(*sse));
  if (sse != NULL) {
    sse->loop = loop;
    sse->uv = uv;
    sse->base = make_table(sse);
    mcpi_list_init(&sse->letters);
  }
  return sse;
}

static void take_options(mcpi_sse *sse, const mcpi_web_options *options) {
  const mcp_allocator *allocator = &sse->loop->allocator;
  size_t max = options->given.max_message;
  sse->options = options;
  mcpi_buf_init(&sse->in, allocator,
                max < SIZE_MAX - SLACK ? max + SLACK : max);
  mcpi_sse_reader_init(&sse->reader, allocator, max);
}

mcp_transport *mcpi_sse_new(mcp_loop *loop, mcpi_uv *uv,
                            const mcpi_web_options *options) {
  mcpi_sse *sse = make(loop, uv);
  if (sse == NULL) {
    return NULL;
  }
  take_options(sse, options);
  return &sse->base;
}

int mcpi_sse_is_open(const mcp_transport *transport) {
  const mcpi_sse *sse = transport->userdata;
  return sse->endpoint != NULL;
}

mcp_transport *mcp_transport_sse(mcp_loop *loop, const char *url,
                                 const mcp_http_client_options *options,
                                 mcp_error *err) {
  mcpi_uv *uv = mcpi_uv_of(loop);
  if (uv == NULL) {
    mcp_error_set(err, MCP_ERR_INVALID, "not a loop of mcp_loop_new");
    return NULL;
  }
  mcpi_sse *sse = make(loop, uv);
  if (sse == NULL) {
    mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
    return NULL;
  }
  int rc =
      mcpi_web_options_init(&sse->own, url, options, &loop->allocator, err);
  take_options(sse, &sse->own);
  if (rc != 0) {
    destroy(sse);
    return NULL;
  }
  return &sse->base;
}
