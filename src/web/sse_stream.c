/* SPDX-License-Identifier: MIT */
/* The stream of events of HTTP+SSE (PROTOCOL 3.3). With it the session ends. */
#include "web/sse.h"

#include "codec/http_media.h"
#include "codec/http_value.h"

enum { MAX_HOPS = 5 };

/* --- the HTTP request ----------------------------------------------------- */

static int is_fine(CURL *easy) {
  long status = 0;
  const char *type = NULL;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &type);
  return status >= 200 && status < 300 && type != NULL &&
         mcpi_http_media_is(mcpi_str_z(type), "text/event-stream");
}

/* libcurl tells where to only once it has read the answer to its end; how long
 * that may take is the endpoint's deadline. */
static int is_redirect(CURL *easy) {
  long status = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  return status >= 300 && status < 400;
}

/* Anything but events is of no interest: 0 ends the transfer. */
static size_t on_body(char *bytes, size_t size, size_t count, void *owner) {
  mcpi_sse *sse = owner;
  size_t len = size * count;
  if (!is_fine(sse->stream.easy)) {
    return is_redirect(sse->stream.easy) ? len : 0;
  }
  mcpi_buf_put(&sse->in, bytes, len);
  sse->error = sse->in.error;
  return sse->error == 0 ? len : 0;
}

int mcpi_sse_stream_begin(mcpi_sse *sse) {
  static const struct curl_slist accept = {
      (char *)(uintptr_t) "Accept: text/event-stream", NULL};
  const char *url = sse->location != NULL ? sse->location : sse->options->url;
  int rc = mcpi_sse_trip_begin(sse, &sse->stream, url, &accept);
  if (rc == 0) {
    curl_easy_setopt(sse->stream.easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(sse->stream.easy, CURLOPT_WRITEDATA, sse);
    rc = mcpi_sse_trip_start(sse, &sse->stream);
  }
  return rc;
}

/* --- where to post -------------------------------------------------------- */

/* A reference that is none leaves NULL. 0 or MCP_ERR_NOMEM. */
static int resolve(const mcpi_sse *sse, const char *reference, char **out) {
  CURLU *url = curl_url();
  char *whole = NULL;
  const char *base = sse->location != NULL ? sse->location : sse->options->url;
  if (url != NULL && curl_url_set(url, CURLUPART_URL, base, 0) == CURLUE_OK &&
      curl_url_set(url, CURLUPART_URL, reference, 0) == CURLUE_OK) {
    curl_url_get(url, CURLUPART_URL, &whole, 0);
  }
  *out = mcpi_strdup(&sse->loop->allocator, whole);
  int rc = url == NULL || (whole != NULL && *out == NULL) ? MCP_ERR_NOMEM : 0;
  curl_free(whole);
  curl_url_cleanup(url);
  return rc;
}

static int resolve_data(const mcpi_sse *sse, mcpi_str data, char **out) {
  mcpi_str text = mcpi_http_trim(data);
  mcpi_buf reference;
  mcpi_buf_init(&reference, &sse->loop->allocator, SIZE_MAX);
  mcpi_buf_puts(&reference, text);
  mcpi_buf_putc(&reference, '\0');
  *out = NULL;
  int rc = reference.error;
  if (rc == 0 && text.len > 0) {
    rc = resolve(sse, reference.data, out);
  }
  mcpi_buf_deinit(&reference);
  return rc;
}

/* Nobody else gets what is sent to this server. */
static int find_endpoint(const mcpi_sse *sse, mcpi_str data, char **out,
                         mcp_error *err) {
  const mcp_allocator *allocator = &sse->loop->allocator;
  char *endpoint;
  if (resolve_data(sse, data, &endpoint) != 0) {
    return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  if (endpoint == NULL ||
      !mcpi_web_is_same_origin(sse->options, endpoint, allocator)) {
    int is_url = endpoint != NULL;
    mcpi_strfree(allocator, endpoint);
    return mcp_error_set(err, MCP_ERR_PROTOCOL, "%s: its event endpoint is %s",
                         sse->options->shown,
                         is_url ? "a URL of another origin" : "no URL");
  }
  *out = endpoint;
  return 0;
}

static void take_endpoint(mcpi_sse *sse, mcpi_str data) {
  mcp_error err;
  if (find_endpoint(sse, data, &sse->endpoint, &err) != 0) {
    mcpi_sse_end(sse, &err);
    return;
  }
  if (!sse->is_closing) {
    uv_timer_stop(&sse->timer);
  }
  mcpi_sse_post_next(sse);
}

/* --- events --------------------------------------------------------------- */

static void report_long(mcpi_sse *sse) {
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_LIMIT, "%s: an event longer than %zu bytes",
                sse->options->shown, sse->options->given.max_message);
  sse->base.on_error(&sse->base, &err);
}

/* Somebody may wait for it for good. */
static void end_without_memory(mcpi_sse *sse) {
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_NOMEM, "out of memory");
  mcpi_sse_end(sse, &err);
}

static void take_whole(mcpi_sse *sse, const mcpi_sse_event *event) {
  if (mcpi_str_eq(event->name, MCPI_STR("message"))) {
    sse->base.on_message(&sse->base, event->data.ptr, event->data.len);
  } else if (sse->endpoint == NULL &&
             mcpi_str_eq(event->name, MCPI_STR("endpoint"))) {
    take_endpoint(sse, event->data);
  }
}

static void take_event(mcpi_sse *sse, int found, const mcpi_sse_event *event) {
  switch (found) {
  case MCPI_SSE_EVENT:
    take_whole(sse, event);
    break;
  case MCPI_SSE_TOO_LONG:
    report_long(sse);
    break;
  case MCPI_SSE_NOMEM:
    end_without_memory(sse);
    break;
  default:
    break; /* it has no data */
  }
}

/* The bytes are taken out of the transport, which may be gone after an event. */
void mcpi_sse_stream_read(mcpi_sse *sse) {
  mcpi_buf in = sse->in;
  const char *bytes = in.data;
  size_t len = in.len;
  mcpi_sse_event event;
  mcpi_guard guard;
  int found;
  mcpi_buf_init(&sse->in, in.allocator, in.max);
  mcpi_guard_enter(&sse->guard, &guard);
  while (!guard.is_gone && !sse->is_ended &&
         (found = mcpi_sse_next(&sse->reader, &bytes, &len, &event)) !=
             MCPI_SSE_MORE) {
    take_event(sse, found, &event);
  }
  if (mcpi_guard_leave(&sse->guard, &guard)) {
    mcpi_buf_deinit(&sse->in);
    mcpi_buf_clear(&in);
    sse->in = in;
  } else {
    mcpi_buf_deinit(&in);
  }
}

/* --- the end -------------------------------------------------------------- */

/* Within the origin alone. 1: the GET goes on elsewhere. */
static int redirect(mcpi_sse *sse) {
  char *url = NULL;
  curl_easy_getinfo(sse->stream.easy, CURLINFO_REDIRECT_URL, &url);
  if (url == NULL || sse->hops >= MAX_HOPS ||
      !mcpi_web_is_same_origin(sse->options, url, &sse->loop->allocator)) {
    return 0;
  }
  char *copy = mcpi_strdup(&sse->loop->allocator, url);
  if (copy == NULL) {
    return 0;
  }
  mcpi_strfree(&sse->loop->allocator, sse->location);
  sse->location = copy;
  sse->hops++;
  mcpi_sse_trip_stop(sse, &sse->stream);
  if (mcpi_sse_stream_begin(sse) != 0) {
    mcpi_sse_trip_stop(sse, &sse->stream); /* so it was memory */
    return 0;
  }
  return 1;
}

static int is_answer(CURL *easy) {
  long status = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  return status >= 200 && status < 300;
}

static void find_reason(const mcpi_sse *sse, mcp_error *err) {
  const mcpi_sse_trip *trip = &sse->stream;
  const char *shown = sse->options->shown;
  if (trip->easy == NULL || sse->error == MCP_ERR_NOMEM) {
    mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  } else if (sse->error != 0) {
    mcp_error_set(err, sse->error,
                  "%s: more came at once than max_message allows", shown);
  } else if (!is_answer(trip->easy)) {
    mcpi_sse_trip_error(sse, trip, err);
  } else if (!is_fine(trip->easy)) {
    mcp_error_set(err, MCP_ERR_PROTOCOL,
                  "%s: what GET brings is no stream of events", shown);
  } else if (trip->result != CURLE_OK) {
    mcpi_sse_trip_error(sse, trip, err);
  } else if (sse->endpoint == NULL) {
    mcp_error_set(err, MCP_ERR_PROTOCOL,
                  "%s: the stream ended before it told where to post", shown);
  }
}

void mcpi_sse_stream_judge(mcpi_sse *sse) {
  mcp_error err = {0};
  if (redirect(sse)) {
    return;
  }
  find_reason(sse, &err);
  mcpi_sse_end(sse, &err);
}
