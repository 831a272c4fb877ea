/* SPDX-License-Identifier: MIT */
#include "web/post.h"

#include "codec/http_media.h"
#include "codec/http_value.h"

/* Beside the longest message: the field names of its event, and what libcurl
 * brings behind it before the turn comes to read. */
enum { SLACK = 4 * 1024 * 1024 };

/* --- life ----------------------------------------------------------------- */

mcpi_trip *mcpi_trip_new(mcpi_poster *post) {
  const mcp_allocator *allocator = &post->loop->allocator;
  size_t max = post->options.given.max_message;
  mcpi_trip *trip = mcpi_calloc(allocator, 1, sizeof(*trip));
  if (trip == NULL) {
    return NULL;
  }
  trip->post = post;
  trip->allocator = allocator;
  trip->until_ms = INT64_MAX;
  mcpi_list_init(&trip->ready);
  mcpi_list_init(&trip->link);
  mcpi_buf_init(&trip->body, allocator, SIZE_MAX);
  mcpi_buf_init(&trip->id, allocator, SIZE_MAX);
  mcpi_buf_init(&trip->token, allocator, SIZE_MAX);
  mcpi_buf_init(&trip->in, allocator,
                max < SIZE_MAX - SLACK ? max + SLACK : max);
  mcpi_buf_init(&trip->fragments, allocator, max);
  mcpi_buf_init(&trip->whole, allocator, SIZE_MAX);
  mcpi_sse_reader_init(&trip->sse, allocator, max);
  return trip;
}

static void destroy(mcpi_trip *trip) {
  mcpi_buf_deinit(&trip->body);
  mcpi_buf_deinit(&trip->id);
  mcpi_buf_deinit(&trip->token);
  mcpi_buf_deinit(&trip->in);
  mcpi_buf_deinit(&trip->fragments);
  mcpi_buf_deinit(&trip->whole);
  mcpi_sse_reader_deinit(&trip->sse);
  mcpi_free(trip->allocator, trip, sizeof(*trip));
}

void mcpi_trip_stop(mcpi_trip *trip) {
  if (trip->easy != NULL) {
    mcpi_multi_remove(trip->post->multi, trip->easy);
    curl_easy_cleanup(trip->easy);
    trip->easy = NULL;
  }
  curl_slist_free_all(trip->headers);
  trip->headers = NULL;
  mcpi_list_remove(&trip->ready);
}

/* Who stands on it sees is_dead, and drops it again when he leaves. */
void mcpi_trip_drop(mcpi_trip *trip) {
  if (!trip->is_dead) {
    mcpi_trip_stop(trip);
    trip->post->queued -= trip->body.len;
    mcpi_list_remove(&trip->link);
    trip->post = NULL;
    trip->is_dead = 1;
  }
  if (!trip->is_busy) {
    destroy(trip);
  }
}

/* --- what libcurl brings -------------------------------------------------- */

static void note_ready(mcpi_trip *trip) {
  if (mcpi_list_is_empty(&trip->ready)) {
    mcpi_list_append(&trip->post->ready, &trip->ready);
  }
}

void mcpi_trip_note_done(CURL *easy, CURLcode result) {
  char *owner = NULL;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &owner);
  mcpi_trip *trip = (mcpi_trip *)(void *)owner;
  trip->is_done = 1;
  trip->result = result;
  note_ready(trip);
}

/* Of MCP the answer is JSON, whatever its type says. */
static void end_head(mcpi_trip *trip) {
  char *type = NULL;
  curl_easy_getinfo(trip->easy, CURLINFO_RESPONSE_CODE, &trip->status);
  curl_easy_getinfo(trip->easy, CURLINFO_CONTENT_TYPE, &type);
  trip->has_head = trip->status >= 200;
  trip->is_stream = trip->form > MCPI_TOOL_BARE && trip->status < 300 &&
                    type != NULL &&
                    mcpi_http_media_is(mcpi_str_z(type), "text/event-stream");
}

/* An empty line ends the head. */
static size_t on_header(char *bytes, size_t size, size_t count, void *owner) {
  mcpi_trip *trip = owner;
  size_t len = size * count;
  trip->heard_ms = mcpi_loop_now(trip->post->loop);
  if (len <= 2 && (bytes[0] == '\r' || bytes[0] == '\n')) {
    end_head(trip);
    mcpi_poster_arm(trip->post);
  }
  return len;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *owner) {
  mcpi_trip *trip = owner;
  size_t len = size * count;
  trip->heard_ms = mcpi_loop_now(trip->post->loop);
  mcpi_buf_put(&trip->in, bytes, len);
  trip->error = trip->in.error;
  if (!trip->is_stream &&
      trip->in.len > trip->post->options.given.max_message) {
    trip->error = MCP_ERR_LIMIT;
  }
  if (trip->error != 0) {
    return 0; /* ends the transfer */
  }
  if (trip->is_stream) {
    note_ready(trip);
  }
  return len;
}

/* --- the HTTP request ----------------------------------------------------- */

/* libcurl accepts any type unless it is told otherwise. */
static const char *accepts(const mcpi_trip *trip) {
  if (trip->form == MCPI_TRIP_MCP) {
    return NULL;
  }
  return trip->form == MCPI_TOOL_BARE || trip->is_ping
             ? "Accept: application/json"
             : "Accept: application/json, text/event-stream";
}

static int add_headers(mcpi_trip *trip) {
  static const struct curl_slist expect = {(char *)(uintptr_t) "Expect:", NULL};
  static const struct curl_slist type = {
      (char *)(uintptr_t) "Content-Type: application/json",
      (struct curl_slist *)(uintptr_t)&expect};
  const struct curl_slist accept = {(char *)(uintptr_t)accepts(trip), NULL};
  int rc = mcpi_easy_copy_list(&trip->headers, trip->post->options.headers);
  rc = rc != 0 ? rc : mcpi_easy_copy_list(&trip->headers, &type);
  return rc == 0 && accept.data != NULL
             ? mcpi_easy_copy_list(&trip->headers, &accept)
             : rc;
}

/* What is left of its time. */
static uint32_t limit_of(const mcpi_trip *trip) {
  int64_t left_ms = trip->until_ms - mcpi_loop_now(trip->post->loop);
  if (trip->request == 0) {
    return trip->post->options.given.notify_timeout_ms;
  }
  if (trip->until_ms == INT64_MAX) {
    return 0;
  }
  return left_ms > 1 ? (uint32_t)left_ms : 1;
}

static int set_request(mcpi_trip *trip) {
  CURL *easy = trip->easy;
  curl_easy_setopt(easy, CURLOPT_PRIVATE, trip);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, trip->trouble);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, trip);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, trip);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, trip->headers);
  curl_easy_setopt(easy, CURLOPT_POST, 1L);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, trip->body.data);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                   (curl_off_t)trip->body.len);
  mcpi_easy_set_timeout(easy, limit_of(trip));
  return mcpi_easy_set_string(easy, CURLOPT_URL, trip->post->options.url);
}

/* Nothing of an earlier HTTP request is left. */
static void reset(mcpi_trip *trip) {
  mcpi_trip_stop(trip);
  mcpi_buf_clear(&trip->in);
  trip->trouble[0] = '\0';
  trip->status = 0;
  trip->has_head = 0;
  trip->is_stream = 0;
  trip->is_done = 0;
  trip->error = 0;
  trip->result = CURLE_OK;
  trip->due_ms = 0;
}

int mcpi_trip_begin(mcpi_trip *trip) {
  mcpi_poster *post = trip->post;
  reset(trip);
  trip->easy = curl_easy_init();
  if (trip->easy == NULL) {
    return MCP_ERR_NOMEM;
  }
  if (add_headers(trip) != 0 ||
      mcpi_easy_set_connection(trip->easy, &post->options) != 0 ||
      set_request(trip) != 0 || mcpi_multi_add(post->multi, trip->easy) != 0) {
    curl_easy_cleanup(trip->easy);
    trip->easy = NULL;
    return MCP_ERR_NOMEM;
  }
  return 0;
}
