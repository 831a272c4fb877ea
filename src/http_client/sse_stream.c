/* SPDX-License-Identifier: MIT */
/* The stream of events of HTTP+SSE (MCP 2024-11-05, Transports: HTTP with SSE).
 * The session ends with it. */
#include "http_client/sse.h"

#include "base/error.h"
#include "codec/http_media.h"
#include "codec/http_value.h"
#include "http_client/redirect.h"

/* --- the HTTP request ----------------------------------------------------- */

/* Notes about the answer while it comes. */
static long sse_stream_status_of(const mcpi_transfer *stream) {
  long status = 0;
  curl_easy_getinfo(stream->easy, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

static int is_stream(const mcpi_transfer *stream) {
  const char *type = NULL;
  curl_easy_getinfo(stream->easy, CURLINFO_CONTENT_TYPE, &type);
  return mcpi_status_is_fine(sse_stream_status_of(stream)) && type != NULL &&
         mcpi_header_media_is(mcpi_str_z(type), "text/event-stream");
}

/* libcurl names the target only after it has read the whole answer. The
 * deadline of the endpoint limits that. */
static int is_redirect(const mcpi_transfer *stream) {
  return mcpi_status_is_redirect(sse_stream_status_of(stream));
}

/* Only events are read: 0 ends the transfer. */
static size_t sse_stream_on_body(char *bytes, size_t size, size_t count,
                                 void *owner) {
  mcpi_sse *sse = owner;
  mcpi_transfer *stream = &sse->stream;
  size_t len = size * count;
  if (!is_stream(stream)) {
    return is_redirect(stream) ? len : 0;
  }
  mcpi_buf_put(&sse->in, bytes, len);
  stream->error = sse->in.error;
  mcpi_curl_note(&sse->curl, stream);
  return stream->error == 0 ? len : 0;
}

/* A redirect gets no more time. */
static void start_clock(mcpi_sse *sse) {
  uint32_t limit_ms = sse->curl.options->given.connect_timeout_ms;
  if (limit_ms != UINT32_MAX && sse->endpoint_due_ms == INT64_MAX) {
    sse->endpoint_due_ms = mcpi_loop_now(sse->curl.loop) + limit_ms;
  }
  mcpi_curl_arm(&sse->curl);
}

/* The user may need minutes to log in. */
static void sse_stream_await(mcpi_sse *sse) {
  mcpi_transfer_stop(&sse->stream, sse->curl.multi);
  sse->endpoint_due_ms = INT64_MAX;
  mcpi_curl_arm(&sse->curl);
}

int mcpi_sse_stream_begin(mcpi_sse *sse) {
  static const struct curl_slist accept = {
      (char *)(uintptr_t) "Accept: text/event-stream", NULL};
  mcpi_transfer *stream = &sse->stream;
  const mcpi_curl *curl = &sse->curl;
  const char *url = sse->location != NULL ? sse->location : curl->options->url;
  int rc =
      mcpi_transfer_prepare(stream, curl->multi, curl->options, url, &accept);
  if (rc == 0) {
    rc = mcpi_authorization_prepare(&sse->authorization, stream, "GET", url);
  }
  if (rc == MCP_PENDING) {
    sse_stream_await(sse);
    return 0;
  }
  if (rc == 0) {
    mcpi_authorization_listen(&sse->authorization, stream);
    mcpi_transfer_on_body(stream, sse_stream_on_body, sse);
    rc = mcpi_transfer_start(stream, curl->multi);
  }
  if (rc == 0) {
    start_clock(sse);
  }
  return rc;
}

/* --- where to post -------------------------------------------------------- */

static int resolve_data(const mcpi_sse *sse, mcpi_str data, char **out) {
  const char *base =
      sse->location != NULL ? sse->location : sse->curl.options->url;
  mcpi_str text = mcpi_header_trim(data);
  mcpi_buf reference;
  mcpi_buf_init(&reference, &sse->curl.loop->allocator, SIZE_MAX);
  mcpi_buf_puts(&reference, text);
  mcpi_buf_putc(&reference, '\0');
  *out = NULL;
  int rc = reference.error;
  if (rc == 0 && text.len > 0) {
    rc = mcpi_curl_resolve(base, reference.data, reference.allocator, out);
  }
  mcpi_buf_deinit(&reference);
  return rc;
}

/* Messages and headers are sent only to this server. */
static int find_endpoint(const mcpi_sse *sse, mcpi_str data, char **out,
                         mcp_error *err) {
  const mcp_allocator *allocator = &sse->curl.loop->allocator;
  char *endpoint = NULL;
  int rc = resolve_data(sse, data, &endpoint);
  int is_url = endpoint != NULL;
  if (rc == 0 && is_url) {
    rc = mcpi_curl_options_is_same_origin(sse->curl.options, endpoint,
                                          allocator);
  }
  if (rc == 1) {
    *out = endpoint;
    return 0;
  }
  mcpi_strfree(allocator, endpoint);
  return rc < 0 ? mcp_error_set(err, rc, "out of memory")
                : mcp_error_set(
                      err, MCP_ERR_PROTOCOL, "%s: its event endpoint is %s",
                      sse->curl.options->shown,
                      is_url ? "a URL of another origin" : "not a valid URL");
}

static void take_endpoint(mcpi_sse *sse, mcpi_str data) {
  mcp_error err;
  if (find_endpoint(sse, data, &sse->endpoint, &err) != 0) {
    mcpi_curl_end(&sse->curl, &err);
    return;
  }
  sse->endpoint_due_ms = INT64_MAX;
  mcpi_curl_arm(&sse->curl);
  if (sse->curl.base.on_open != NULL && !sse->curl.is_closing) {
    sse->curl.base.on_open(&sse->curl.base);
  }
}

/* --- events --------------------------------------------------------------- */

/* The event may have been the answer to any request, and it may never end. */
static void end_by_long_event(mcpi_sse *sse) {
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_LIMIT,
                "%s: an event is longer than %zu bytes (max_message)",
                sse->curl.options->shown, sse->curl.options->given.max_message);
  mcpi_curl_end(&sse->curl, &err);
}

/* A request may wait for this event indefinitely. */
static void end_without_memory(mcpi_sse *sse) {
  mcp_error err;
  mcpi_no_memory(&err);
  mcpi_curl_end(&sse->curl, &err);
}

/* Before the endpoint has come, this may be a stream of another kind, whose
 * messages are not for this client. */
static void sse_stream_take_whole(mcpi_sse *sse, const mcpi_sse_event *event) {
  const char *wanted = sse->endpoint == NULL ? "endpoint" : "message";
  if (!mcpi_str_eq(event->name, mcpi_str_z(wanted))) {
    return;
  }
  if (sse->endpoint == NULL) {
    take_endpoint(sse, event->data);
  } else {
    sse->curl.base.on_message(&sse->curl.base, event->data.ptr,
                              event->data.len);
  }
}

static void sse_stream_take_event(mcpi_sse *sse, int found,
                                  const mcpi_sse_event *event) {
  switch (found) {
  case MCPI_SSE_EVENT:
    sse_stream_take_whole(sse, event);
    break;
  case MCPI_SSE_TOO_LONG:
    end_by_long_event(sse);
    break;
  case MCPI_SSE_NOMEM:
    end_without_memory(sse);
    break;
  default:
    break; /* it has no data */
  }
}

static void read_events(mcpi_sse *sse) {
  const char *bytes = sse->in.data;
  size_t len = sse->in.len;
  mcpi_sse_event event;
  int found;
  while (!sse->curl.is_ended &&
         (found = mcpi_sse_next(&sse->reader, &bytes, &len, &event)) !=
             MCPI_SSE_MORE) {
    sse_stream_take_event(sse, found, &event);
  }
  mcpi_buf_clear(&sse->in);
}

/* --- the end -------------------------------------------------------------- */

/* Returns 1: the GET continues at another URL. */
static int redirect(mcpi_sse *sse) {
  const mcpi_curl *curl = &sse->curl;
  int rc =
      mcpi_redirect_follow(&sse->stream, MCPI_REDIRECT_GET, curl->options,
                           &curl->loop->allocator, &sse->location, &sse->hops);
  if (rc == 1 && mcpi_sse_stream_begin(sse) != 0) {
    rc = MCP_ERR_NOMEM;
  }
  if (rc < 0) {
    mcpi_transfer_stop(&sse->stream, curl->multi); /* so the reason is memory */
  }
  return rc == 1;
}

static void find_reason(const mcpi_sse *sse, mcp_error *err) {
  const mcpi_transfer *stream = &sse->stream;
  const char *shown = sse->curl.options->shown;
  if (stream->easy == NULL || stream->error == MCP_ERR_NOMEM) {
    mcpi_no_memory(err);
  } else if (stream->error != 0) {
    mcp_error_set(err, stream->error,
                  "%s: more came at once than max_message allows", shown);
  } else if (!mcpi_status_is_fine(stream->status)) {
    mcpi_sse_error(sse, stream, err);
  } else if (!is_stream(stream)) {
    mcp_error_set(err, MCP_ERR_PROTOCOL,
                  "%s: the answer to GET is not a stream of events", shown);
  } else if (stream->result != CURLE_OK) {
    mcpi_sse_error(sse, stream, err);
  } else if (sse->endpoint == NULL) {
    mcp_error_set(err, MCP_ERR_PROTOCOL,
                  "%s: the stream ended before it said where to post", shown);
  }
}

static void begin_again(mcpi_sse *sse) {
  mcp_error err;
  if (mcpi_sse_stream_begin(sse) != 0) {
    mcpi_no_memory(&err);
    mcpi_curl_end(&sse->curl, &err);
  }
}

/* Returns 1 if the answer is about authorization: the GET has begun again, or
 * waits, or the transport has ended. */
static int sse_stream_authorize(mcpi_sse *sse) {
  mcp_error err;
  int rc = MCP_ERR_NOT_FOUND;
  if (!sse->curl.is_closing) {
    rc = mcpi_authorization_refused(&sse->authorization, sse->stream.status,
                                    MCP_REVISION_2024_11_05, &err);
  }
  switch (rc) {
  case 0:
    begin_again(sse);
    break;
  case MCP_PENDING:
    sse_stream_await(sse);
    break;
  case MCP_ERR_NOT_FOUND:
    return 0;
  default:
    mcpi_curl_end(&sse->curl, &err);
    break;
  }
  return 1;
}

void mcpi_sse_stream_authorized(mcpi_sse *sse, const mcp_error *err) {
  if (err == NULL) {
    begin_again(sse);
  } else {
    mcpi_curl_end(&sse->curl, err);
  }
}

static void sse_stream_end(mcpi_sse *sse) {
  mcp_error err = {0};
  if (!sse_stream_authorize(sse) && !redirect(sse)) {
    find_reason(sse, &err);
    mcpi_curl_end(&sse->curl, &err);
  }
}

void mcpi_sse_stream_judge(mcpi_sse *sse) {
  read_events(sse);
  if (sse->stream.is_done) {
    sse_stream_end(sse);
  }
}
