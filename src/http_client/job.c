/* SPDX-License-Identifier: MIT */
/* One message that is being sent (MCP, Transports: Streamable HTTP): the HTTP
 * request that carries it, and the answer. */
#include "http_client/streamable.h"

#include "codec/http_media.h"
#include "codec/http_value.h"
#include "core/outgoing.h"
#include <mcp/http.h>

enum {
  /* The limit for a session's id, and for a Last-Event-ID: longer than servers
   * use. */
  ID_MAX_LEN = 4096
};

/* --- from the message to its headers -------------------------------------- */

static int is_visible(mcpi_str text) {
  for (size_t i = 0; i < text.len; i++) {
    if (text.ptr[i] < 0x21 || text.ptr[i] > 0x7e) {
      return 0;
    }
  }
  return text.len > 0;
}

static int job_add_visible(mcpi_http_client_job *job, const char *name,
                           const char *value) {
  mcpi_str text = mcpi_str_z(value);
  return is_visible(text) ? mcpi_slist_add_header(&job->mirror, job->allocator,
                                                  name, text.ptr, text.len)
                          : MCP_ERR_INVALID;
}

static int job_add_name(mcpi_http_client_job *job, mcpi_str name) {
  mcpi_buf encoded;
  mcpi_buf_init(&encoded, job->allocator, SIZE_MAX);
  mcpi_header_put_text(&encoded, name);
  int rc = encoded.error != 0
               ? MCP_ERR_NOMEM
               : mcpi_slist_add_header(&job->mirror, job->allocator, "Mcp-Name",
                                       encoded.data, encoded.len);
  mcpi_buf_deinit(&encoded);
  return rc;
}

/* Headers that repeat members of a modern message, and those that the client
 * took from a tool's arguments. */
static int job_add_mirror(mcpi_http_client_job *job,
                          const mcp_send_info *info) {
  int rc = job_add_visible(job, "MCP-Protocol-Version", info->revision);
  if (rc == 0) {
    rc = job_add_visible(job, "Mcp-Method", info->method);
  }
  if (rc == 0 && info->name != NULL) {
    rc = job_add_name(job, mcpi_str_n(info->name, info->name_len));
  }
  for (size_t i = 0; rc == 0 && i < info->header_count; i++) {
    const mcp_http_header *header = &info->headers[i];
    rc = mcpi_slist_add_header(&job->mirror, job->allocator, header->name,
                               header->value, strlen(header->value));
  }
  return rc;
}

/* --- life ----------------------------------------------------------------- */

mcpi_http_client_job *mcpi_http_client_job_new(mcpi_streamable *http,
                                               mcpi_job_kind kind) {
  const mcp_allocator *allocator = &http->curl.loop->allocator;
  mcpi_http_client_job *job = mcpi_calloc(allocator, 1, sizeof(*job));
  if (job == NULL) {
    return NULL;
  }
  size_t max = http->curl.options->given.max_message;
  job->http = http;
  job->allocator = allocator;
  job->kind = kind;
  job->retry_at_ms = INT64_MAX;
  mcpi_list_init(&job->link);
  mcpi_transfer_init(&job->transfer, job);
  mcpi_authorization_init(&job->authorization, &http->curl.authorizer);
  mcpi_transfer_init_input(&job->in, allocator, max);
  mcpi_sse_reader_init(&job->sse, allocator, max);
  return job;
}

static int job_method_is(const mcp_send_info *info, const char *method) {
  return info->method != NULL && strcmp(info->method, method) == 0;
}

static int job_take_message(mcpi_http_client_job *job,
                            const mcpi_outgoing *message) {
  const mcp_send_info *info = &message->info;
  job->request = info->request;
  job->cancels = info->cancels;
  job->is_final = info->is_final != 0;
  job->may_repeat = mcpi_outgoing_may_repeat(message);
  job->is_modern = info->revision != NULL;
  if (job_method_is(info, "initialize")) {
    job->role = MCPI_JOB_INITIALIZE;
  } else if (job_method_is(info, "notifications/initialized")) {
    job->role = MCPI_JOB_INITIALIZED;
  }
  int rc = job->is_modern ? job_add_mirror(job, info) : 0;
  if (rc != 0) {
    return rc;
  }
  job->body = mcpi_alloc(job->allocator, message->len);
  if (job->body == NULL) {
    return MCP_ERR_NOMEM;
  }
  memcpy(job->body, message->text, message->len);
  job->body_len = message->len;
  job->http->curl.queued += message->len;
  return 0;
}

int mcpi_http_client_job_of_message(mcpi_http_client_job **out,
                                    mcpi_streamable *http, const char *message,
                                    size_t len, const mcp_send_info *info) {
  mcpi_outgoing outgoing;
  mcpi_http_client_job *job = NULL;
  int rc = mcpi_outgoing_init(&outgoing, &http->curl.loop->allocator, message,
                              len, info);
  if (rc == 0) {
    job = mcpi_http_client_job_new(
        http, outgoing.info.request != 0 ? MCPI_JOB_REQUEST : MCPI_JOB_ONE_WAY);
    rc = job != NULL ? job_take_message(job, &outgoing) : MCP_ERR_NOMEM;
  }
  mcpi_outgoing_deinit(&outgoing);
  if (rc == 0) {
    *out = job;
  } else if (job != NULL) {
    mcpi_http_client_job_drop(job);
  }
  return rc;
}

static void job_drop_body(mcpi_http_client_job *job) {
  if (job->http != NULL) {
    job->http->curl.queued -= job->body_len;
  }
  mcpi_free(job->allocator, job->body, job->body_len);
  job->body = NULL;
  job->body_len = 0;
}

/* For a job that is OVER: its body has been dropped. */
static void job_free(mcpi_http_client_job *job) {
  const mcp_allocator *allocator = job->allocator;
  curl_slist_free_all(job->mirror);
  mcpi_strfree(allocator, job->location);
  mcpi_strfree(allocator, job->session);
  mcpi_buf_deinit(&job->in);
  mcpi_sse_reader_deinit(&job->sse);
  mcpi_free(allocator, job, sizeof(*job));
}

void mcpi_http_client_job_stop(mcpi_http_client_job *job) {
  mcpi_transfer_stop(&job->transfer, job->http->curl.multi);
}

void mcpi_http_client_job_drop(mcpi_http_client_job *job) {
  if (job->state != MCPI_JOB_OVER) {
    mcpi_http_client_job_stop(job);
    mcpi_authorization_deinit(&job->authorization);
    job_drop_body(job);
    mcpi_list_remove(&job->link);
    if (job->http->stream_job == job) {
      job->http->stream_job = NULL;
    }
    if (job->http->fallback.initialize == job) {
      job->http->fallback.initialize = NULL;
      job->http->fallback.state = MCPI_FALLBACK_FOUND;
    }
    job->http = NULL;
    job->state = MCPI_JOB_OVER;
  }
  if (!job->is_judged) {
    job_free(job);
  }
}

/* --- what libcurl brings -------------------------------------------------- */

/* Ignores an id that no header could send back. */
static void job_take_session(mcpi_http_client_job *job, mcpi_str value) {
  mcpi_strfree(job->allocator, job->session);
  job->session = NULL;
  if (is_visible(value) && value.len <= ID_MAX_LEN) {
    char copy[ID_MAX_LEN + 1];
    memcpy(copy, value.ptr, value.len);
    copy[value.len] = '\0';
    job->session = mcpi_strdup(job->allocator, copy);
    job->transfer.error = job->session == NULL ? MCP_ERR_NOMEM : 0;
  }
}

static void job_take_type(mcpi_http_client_job *job, mcpi_str value) {
  if (mcpi_header_media_is(value, "application/json")) {
    job->content = MCPI_JOB_JSON;
  } else if (mcpi_header_media_is(value, "text/event-stream")) {
    job->content = MCPI_JOB_EVENTS;
  } else {
    job->content = MCPI_JOB_OTHER;
  }
}

static void job_begin_head(mcpi_http_client_job *job) {
  job->content = MCPI_JOB_OTHER;
  mcpi_strfree(job->allocator, job->session);
  job->session = NULL;
}

/* Ignores heads before the last one (100, 103, a proxy's). */
static void job_end_head(mcpi_http_client_job *job) {
  mcpi_transfer *transfer = &job->transfer;
  curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &transfer->status);
  if (transfer->status >= 200) {
    if (job->state == MCPI_JOB_SENT) {
      job->state = MCPI_JOB_HEADED;
    }
    mcpi_curl_note(&job->http->curl, transfer);
  }
}

static size_t job_on_header(char *bytes, size_t size, size_t count,
                            void *owner) {
  mcpi_http_client_job *job = owner;
  size_t len = size * count;
  mcpi_str line = mcpi_transfer_line(bytes, len);
  mcpi_str value;
  if (line.len == 0) {
    job_end_head(job);
  } else if (line.len > 5 && memcmp(line.ptr, "HTTP/", 5) == 0) {
    job_begin_head(job);
  } else if (mcpi_header_is_named(line, "Mcp-Session-Id", &value)) {
    job_take_session(job, value);
  } else if (mcpi_header_is_named(line, "Content-Type", &value)) {
    job_take_type(job, value);
  }
  int rc = mcpi_authorization_take(&job->authorization, line);
  job->transfer.error = rc != 0 ? rc : job->transfer.error;
  return job->transfer.error == 0 ? len : 0; /* 0 ends the transfer */
}

static size_t job_on_body(char *bytes, size_t size, size_t count, void *owner) {
  mcpi_http_client_job *job = owner;
  size_t len = size * count;
  mcpi_curl *curl = &job->http->curl;
  mcpi_buf_put(&job->in, bytes, len);
  job->transfer.error = job->in.error;
  if (job->content != MCPI_JOB_EVENTS &&
      job->in.len > curl->options->given.max_message) {
    job->transfer.error = MCP_ERR_LIMIT;
  }
  if (job->transfer.error != 0) {
    return 0; /* ends the transfer */
  }
  if (job->content == MCPI_JOB_EVENTS) {
    mcpi_curl_note(curl, &job->transfer);
  }
  return len;
}

/* --- the HTTP request ----------------------------------------------------- */

static int job_add_session(mcpi_http_client_job *job) {
  const mcpi_streamable *http = job->http;
  int rc = 0;
  if (job->is_modern || job->role == MCPI_JOB_INITIALIZE) {
    return 0;
  }
  if (http->session != NULL) {
    rc = mcpi_slist_add_header(&job->transfer.headers, job->allocator,
                               "Mcp-Session-Id", http->session,
                               strlen(http->session));
  }
  if (rc == 0 && http->version[0] != '\0') {
    rc = mcpi_slist_add_header(&job->transfer.headers, job->allocator,
                               "MCP-Protocol-Version", http->version,
                               strlen(http->version));
  }
  return rc;
}

/* An id that no header can carry counts as absent: the server then begins where
 * it likes. */
static int job_is_plain(mcpi_str id) {
  for (size_t i = 0; i < id.len; i++) {
    unsigned char byte = (unsigned char)id.ptr[i];
    if (byte < 0x20 || byte == 0x7f) {
      return 0;
    }
  }
  return id.len <= ID_MAX_LEN;
}

static int job_add_last_id(mcpi_http_client_job *job) {
  mcpi_str id = mcpi_sse_last_id(&job->sse);
  return id.len > 0 && job_is_plain(id)
             ? mcpi_slist_add_header(&job->transfer.headers, job->allocator,
                                     "Last-Event-ID", id.ptr, id.len)
             : 0;
}

static int job_is_post(const mcpi_http_client_job *job) {
  return !job->is_resume &&
         (job->kind == MCPI_JOB_REQUEST || job->kind == MCPI_JOB_ONE_WAY);
}

static const struct curl_slist *job_accepts(const mcpi_http_client_job *job) {
  static const struct curl_slist stream = {
      (char *)(uintptr_t) "Accept: text/event-stream", NULL};
  static const struct curl_slist json_or_stream = {
      (char *)(uintptr_t) "Accept: application/json, text/event-stream",
      (struct curl_slist *)(uintptr_t)mcpi_transfer_json};
  return job_is_post(job) ? &json_or_stream : &stream;
}

static int job_add_headers(mcpi_http_client_job *job) {
  int rc = mcpi_slist_append_all(&job->transfer.headers, job->mirror);
  if (rc == 0) {
    rc = job_add_session(job);
  }
  if (rc == 0 && !job_is_post(job)) {
    rc = job_add_last_id(job);
  }
  return rc;
}

static uint32_t job_limit(const mcpi_http_client_job *job) {
  const mcp_http_client_options *given = &job->http->curl.options->given;
  switch (job->kind) {
  case MCPI_JOB_ONE_WAY:
  case MCPI_JOB_DELETE:
    return given->notify_timeout_ms;
  case MCPI_JOB_REQUEST:
    return given->request_timeout_ms;
  default:
    return 0;
  }
}

static void job_set_callbacks(mcpi_http_client_job *job) {
  mcpi_transfer_on_head(&job->transfer, job_on_header, job);
  mcpi_transfer_on_body(&job->transfer, job_on_body, job);
}

/* Returns 0 or MCP_ERR_NOMEM. */
static int job_set_method(mcpi_http_client_job *job) {
  if (job_is_post(job)) {
    mcpi_transfer_set_body(&job->transfer, job->body, job->body_len,
                           job->may_repeat);
  } else if (job->kind == MCPI_JOB_DELETE) {
    return mcpi_easy_set_string(job->transfer.easy, CURLOPT_CUSTOMREQUEST,
                                "DELETE");
  }
  return 0;
}

static const char *job_method(const mcpi_http_client_job *job) {
  if (job_is_post(job)) {
    return "POST";
  }
  return job->kind == MCPI_JOB_DELETE ? "DELETE" : "GET";
}

/* Returns 0, MCP_PENDING or MCP_ERR_NOMEM. */
static int job_prepare(mcpi_http_client_job *job) {
  mcpi_transfer *transfer = &job->transfer;
  const mcpi_curl *curl = &job->http->curl;
  const char *url = job->location != NULL ? job->location : curl->options->url;
  int rc = mcpi_transfer_prepare(transfer, curl->multi, curl->options, url,
                                 job_accepts(job));
  if (rc == 0) {
    rc = job_add_headers(job);
  }
  if (rc == 0) {
    rc = job_set_method(job);
  }
  if (rc == 0) {
    rc = mcpi_authorization_prepare(&job->authorization, transfer,
                                    job_method(job), url);
  }
  if (rc == 0) {
    job_set_callbacks(job);
    mcpi_transfer_set_timeout(transfer, job_limit(job));
    rc = mcpi_transfer_start(transfer, curl->multi);
  }
  return rc;
}

void mcpi_http_client_job_await(mcpi_http_client_job *job) {
  mcpi_http_client_job_stop(job);
  job->state = MCPI_JOB_WAITING;
}

/* Keeps the place in the stream of an earlier HTTP request. */
int mcpi_http_client_job_begin(mcpi_http_client_job *job) {
  mcpi_streamable *http = job->http;
  job_begin_head(job);
  mcpi_buf_clear(&job->in);
  mcpi_sse_restart(&job->sse);
  job->state = MCPI_JOB_SENT;
  job->retry_at_ms = INT64_MAX;
  job->session_number = http->session_number;
  job->begun_ms = mcpi_loop_now(http->curl.loop);
  mcpi_list_remove(&job->link);
  mcpi_list_append(&http->jobs, &job->link);
  int rc = job_prepare(job);
  if (rc == MCP_PENDING) {
    mcpi_http_client_job_await(job);
    return 0;
  }
  if (rc != 0) {
    mcpi_http_client_job_stop(job);
  }
  return rc;
}
