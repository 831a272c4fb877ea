/* SPDX-License-Identifier: MIT */
#include "wires/plain_post/post.h"

#include "codec/http_media.h"
#include "codec/http_value.h"

/* --- life ----------------------------------------------------------------- */

mcpi_trip *mcpi_trip_new(mcpi_poster *post) {
  const mcp_allocator *allocator = &post->curl.loop->allocator;
  size_t max = post->curl.options->given.max_message;
  mcpi_trip *trip = mcpi_calloc(allocator, 1, sizeof(*trip));
  if (trip == NULL) {
    return NULL;
  }
  trip->post = post;
  trip->allocator = allocator;
  trip->until_ms = INT64_MAX;
  trip->await_ms = -1;
  mcpi_list_init(&trip->link);
  mcpi_transfer_init(&trip->transfer, trip);
  mcpi_authorization_init(&trip->authorization, &post->curl.authorizer);
  mcpi_buf_init(&trip->body, allocator, SIZE_MAX);
  mcpi_buf_init(&trip->id, allocator, SIZE_MAX);
  mcpi_buf_init(&trip->token, allocator, SIZE_MAX);
  mcpi_transfer_init_input(&trip->in, allocator, max);
  mcpi_buf_init(&trip->fragments, allocator, max);
  mcpi_buf_init(&trip->whole, allocator, SIZE_MAX);
  mcpi_sse_reader_init(&trip->sse, allocator, max);
  return trip;
}

static void trip_destroy(mcpi_trip *trip) {
  mcpi_buf_deinit(&trip->body);
  mcpi_buf_deinit(&trip->id);
  mcpi_buf_deinit(&trip->token);
  mcpi_buf_deinit(&trip->in);
  mcpi_buf_deinit(&trip->fragments);
  mcpi_buf_deinit(&trip->whole);
  mcpi_sse_reader_deinit(&trip->sse);
  mcpi_free(trip->allocator, trip, sizeof(*trip));
}

/* The judge of a busy trip sees is_dead, and drops the trip again. */
void mcpi_trip_drop(mcpi_trip *trip) {
  if (!trip->is_dead) {
    mcpi_transfer_stop(&trip->transfer, trip->post->curl.multi);
    mcpi_authorization_deinit(&trip->authorization);
    trip->post->curl.queued -= trip->body.len;
    mcpi_list_remove(&trip->link);
    trip->post = NULL;
    trip->is_dead = 1;
  }
  if (!trip->is_busy) {
    trip_destroy(trip);
  }
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

/* --- what libcurl brings -------------------------------------------------- */

/* With MCP the answer is JSON, whatever its type says. */
static void end_head(mcpi_trip *trip) {
  mcpi_transfer *transfer = &trip->transfer;
  char *type = NULL;
  curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &transfer->status);
  curl_easy_getinfo(transfer->easy, CURLINFO_CONTENT_TYPE, &type);
  trip->has_head = transfer->status >= 200;
  trip->is_stream = trip->form > MCPI_TOOL_BARE && transfer->status < 300 &&
                    type != NULL &&
                    mcpi_header_media_is(mcpi_str_z(type), "text/event-stream");
}

/* An empty line ends the head. */
static size_t on_header(char *bytes, size_t size, size_t count, void *owner) {
  mcpi_trip *trip = owner;
  size_t len = size * count;
  mcpi_str line = mcpi_transfer_line(bytes, len);
  trip->heard_ms = mcpi_loop_now(trip->post->curl.loop);
  if (line.len == 0) {
    end_head(trip);
    mcpi_curl_arm(&trip->post->curl);
  }
  int rc = mcpi_authorization_take(&trip->authorization, line);
  trip->transfer.error = rc != 0 ? rc : trip->transfer.error;
  return rc == 0 ? len : 0; /* 0 ends the transfer */
}

static size_t trip_on_body(char *bytes, size_t size, size_t count,
                           void *owner) {
  mcpi_trip *trip = owner;
  size_t len = size * count;
  trip->heard_ms = mcpi_loop_now(trip->post->curl.loop);
  mcpi_buf_put(&trip->in, bytes, len);
  trip->transfer.error = trip->in.error;
  if (!trip->is_stream &&
      trip->in.len > trip->post->curl.options->given.max_message) {
    trip->transfer.error = MCP_ERR_LIMIT;
  }
  if (trip->transfer.error != 0) {
    return 0; /* ends the transfer */
  }
  if (trip->is_stream) {
    mcpi_curl_note(&trip->post->curl, &trip->transfer);
  }
  return len;
}

/* --- the HTTP request ----------------------------------------------------- */

static struct curl_slist trip_header(const char *line) {
  return (struct curl_slist){(char *)(uintptr_t)line, NULL};
}

/* libcurl accepts any type by default. */
static int add_accept(mcpi_trip *trip) {
  const struct curl_slist json = trip_header("Accept: application/json");
  const struct curl_slist json_or_stream =
      trip_header("Accept: application/json, text/event-stream");
  if (trip->form == MCPI_TRIP_MCP) {
    return 0;
  }
  int is_json = trip->form == MCPI_TOOL_BARE || trip->ping != NULL;
  return mcpi_slist_append_all(&trip->transfer.headers,
                               is_json ? &json : &json_or_stream);
}

/* Returns the rest of its time. */
static uint32_t limit_of(const mcpi_trip *trip) {
  int64_t left_ms = trip->until_ms - mcpi_loop_now(trip->post->curl.loop);
  if (trip->request == 0) {
    return trip->post->curl.options->given.notify_timeout_ms;
  }
  if (trip->until_ms == INT64_MAX) {
    return 0;
  }
  return left_ms > 1 ? (uint32_t)left_ms : 1;
}

static void set_request(mcpi_trip *trip) {
  mcpi_transfer_on_head(&trip->transfer, on_header, trip);
  mcpi_transfer_on_body(&trip->transfer, trip_on_body, trip);
  mcpi_transfer_set_body(&trip->transfer, trip->body.data, trip->body.len,
                         trip->may_repeat);
  mcpi_transfer_set_timeout(&trip->transfer, limit_of(trip));
}

/* Resets what an earlier HTTP request has left. */
static void trip_reset(mcpi_trip *trip) {
  mcpi_buf_clear(&trip->in);
  trip->has_head = 0;
  trip->is_stream = 0;
  trip->due_ms = 0;
}

void mcpi_trip_await(mcpi_trip *trip) {
  const mcpi_curl *curl = &trip->post->curl;
  mcpi_transfer_stop(&trip->transfer, curl->multi);
  trip_reset(trip);
  trip->await_ms = mcpi_loop_now(curl->loop);
}

static void end_await(mcpi_trip *trip) {
  if (trip->await_ms >= 0 && trip->until_ms != INT64_MAX) {
    trip->until_ms += mcpi_loop_now(trip->post->curl.loop) - trip->await_ms;
  }
  trip->await_ms = -1;
}

int mcpi_trip_begin(mcpi_trip *trip) {
  mcpi_transfer *transfer = &trip->transfer;
  const mcpi_curl *curl = &trip->post->curl;
  trip_reset(trip);
  end_await(trip);
  int rc = mcpi_transfer_prepare(transfer, curl->multi, curl->options,
                                 curl->options->url, mcpi_transfer_json);
  if (rc == 0) {
    rc = add_accept(trip);
  }
  if (rc == 0) {
    rc = mcpi_authorization_prepare(&trip->authorization, transfer, "POST",
                                    curl->options->url);
  }
  if (rc == MCP_PENDING) {
    mcpi_trip_await(trip);
    return 0;
  }
  if (rc == 0) {
    set_request(trip);
    rc = mcpi_transfer_start(transfer, curl->multi);
  }
  if (rc != 0) {
    mcpi_transfer_stop(transfer, curl->multi);
  }
  return rc;
}
