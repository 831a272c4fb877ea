/* SPDX-License-Identifier: MIT */
/* Decides how a job continues, by the server's answer (MCP, Transports:
 * Streamable HTTP).
 *
 * Each callback of the owner may end the job, the session and the transport.
 * While this file looks at the answer of a job, it keeps the memory of the job,
 * even if a callback ends the job. Then the state of the job is OVER, and
 * nothing but the memory is left. */
#include "http_client/streamable.h"

#include "base/error.h"
#include "core/backoff.h"
#include "http_client/redirect.h"
#include "http_client/rpc.h"

#include <stdio.h>

enum {
  /* Pauses that a server may ask for. A shorter one would keep both sides busy,
   * and a longer one would delay a stream too much. */
  RETRY_TOLD_MIN_MS = 100,
  RETRY_TOLD_MAX_MS = 3600 * 1000
};

/* --- reporting ------------------------------------------------------------ */

static int job_is_get(const mcpi_http_client_job *job) {
  return job->is_resume || job->kind == MCPI_JOB_STREAM;
}

static mcpi_redirect_rule job_rule(const mcpi_http_client_job *job) {
  return job_is_get(job) ? MCPI_REDIRECT_GET : MCPI_REDIRECT_POST;
}

static const char *job_url(const mcpi_http_client_job *job) {
  return job->http->curl.options->shown;
}

/* Ends the job. A request completes with the error; the failure of another job
 * is reported. */
static void job_fail(mcpi_http_client_job *job, const mcp_error *err) {
  mcpi_streamable *http = job->http;
  mcp_transport *base = &http->curl.base;
  uint64_t request = job->request;
  int is_request = job->kind == MCPI_JOB_REQUEST;
  int is_initialized = job->role == MCPI_JOB_INITIALIZED;
  mcpi_http_client_job_drop(job);
  if (http->curl.is_closing) {
    return;
  }
  if (is_request) {
    base->on_request_failed(base, request, err);
  } else {
    base->on_error(base, err);
  }
  if (is_initialized && !http->curl.is_ended) {
    mcpi_streamable_open_stream(http);
  }
}

static int job_is_over(const mcpi_http_client_job *job) {
  return job->state == MCPI_JOB_OVER;
}

static int job_is_fine(const mcpi_http_client_job *job) {
  return mcpi_status_is_fine(job->transfer.status);
}

static void job_fail_with(mcpi_http_client_job *job, int code,
                          const char *what) {
  mcp_error err;
  mcp_error_set(&err, code, "%s: %s", job_url(job), what);
  err.status = (int32_t)job->transfer.status;
  job_fail(job, &err);
}

/* `note`: our words about what follows; NULL: the error quotes the server's. */
static void job_fail_by_refusal(mcpi_http_client_job *job, const char *note,
                                mcpi_str said) {
  char text[MCPI_REDIRECT_TEXT_SIZE];
  mcp_error err;
  if (note == NULL && mcpi_status_is_redirect(job->transfer.status)) {
    mcpi_redirect_explain_transfer(&job->transfer, job_rule(job),
                                   job->http->curl.options, job->allocator,
                                   text);
    note = text;
  }
  mcp_error_set(
      &err, mcpi_status_error(job->transfer.status),
      "%s answered HTTP %ld%s%s%s", job_url(job), job->transfer.status,
      mcpi_authorization_hint(job->transfer.status, job->http->curl.options),
      note != NULL ? ": " : "", note != NULL ? note : "");
  if (note == NULL) {
    mcpi_refusal_quote(&job->transfer, job->http->curl.options, said, &err);
  }
  err.status = (int32_t)job->transfer.status;
  job_fail(job, &err);
}

static void job_fail_by_status(mcpi_http_client_job *job, const char *note) {
  job_fail_by_refusal(job, note,
                      job->content != MCPI_JOB_EVENTS ? mcpi_buf_str(&job->in)
                                                      : mcpi_str_n(NULL, 0));
}

static void job_fail_by_curl(mcpi_http_client_job *job) {
  const char *why;
  int code = mcpi_transfer_failure(&job->transfer, &why);
  job_fail_with(job, code, why);
}

static int job_is_waiting(const mcpi_http_client_job *job) {
  mcp_transport *base = &job->http->curl.base;
  return base->is_waiting(base, job->request);
}

static void job_deliver(mcpi_http_client_job *job, const char *message,
                        size_t len) {
  mcp_transport *base = &job->http->curl.base;
  if (!job->http->curl.is_closing) {
    if (job->role != MCPI_JOB_INITIALIZE) {
      job->http->barren = 0;
    }
    base->on_message(base, message, len);
  }
}

/* --- authorization -------------------------------------------------------- */

/* NULL: not known yet. */
static const char *job_revision(const mcpi_http_client_job *job) {
  if (job->is_modern) {
    return strchr(job->mirror->data, ':') + 2;
  }
  return job->http->version[0] != '\0' ? job->http->version : NULL;
}

static void job_hold_others(mcpi_http_client_job *job) {
  if (job->role == MCPI_JOB_INITIALIZED) {
    mcpi_streamable_hold(job);
  }
}

static void job_begin_again(mcpi_http_client_job *job) {
  mcpi_streamable_begin(job);
  job_hold_others(job);
}

/* The session's stream would only ask the user once more: it is opened when
 * another request has succeeded. */
static void job_fail_unauthorized(mcpi_http_client_job *job,
                                  const mcp_error *err) {
  mcpi_streamable *http = job->http;
  if (job->kind == MCPI_JOB_STREAM || job->role == MCPI_JOB_INITIALIZED) {
    job->role = MCPI_JOB_ORDINARY;
    http->lacks_stream = 1;
    mcpi_streamable_let_go(http);
  }
  if (job->cancels != 0) {
    mcpi_streamable_drop_request(http, job->cancels);
  }
  job_fail(job, err);
}

/* Returns 1 if the answer is about authorization: the job has begun again,
 * waits, or has failed. */
static int job_authorize(mcpi_http_client_job *job) {
  mcp_error err;
  if (job->http->curl.is_closing) {
    return 0;
  }
  int rc = mcpi_authorization_refused(&job->authorization, job->transfer.status,
                                      job_revision(job), &err);
  switch (rc) {
  case 0:
    job_begin_again(job);
    break;
  case MCP_PENDING:
    mcpi_http_client_job_await(job);
    job_hold_others(job);
    break;
  case MCP_ERR_NOT_FOUND:
    return 0;
  default:
    job_fail_unauthorized(job, &err);
    break;
  }
  return 1;
}

/* --- streams -------------------------------------------------------------- */

/* Returns the pause that the server asks for. It grows each time, up to the
 * pause for a server that does not ask. */
static int64_t job_told_pause(const mcpi_http_client_job *job) {
  int64_t pause_ms = RETRY_TOLD_MIN_MS;
  for (uint32_t i = 0; i < job->pauses && pause_ms < MCPI_BACKOFF_MIN_MS; i++) {
    pause_ms += pause_ms / 2;
  }
  pause_ms = pause_ms < MCPI_BACKOFF_MIN_MS ? pause_ms : MCPI_BACKOFF_MIN_MS;
  pause_ms = pause_ms > job->sse.retry_ms ? pause_ms : job->sse.retry_ms;
  return pause_ms < RETRY_TOLD_MAX_MS ? pause_ms : RETRY_TOLD_MAX_MS;
}

/* A server that ends idle streams sometimes does not ask for long pauses: a
 * stream that lasted longer than the longest pause counts like a message. */
static void job_pause(mcpi_http_client_job *job) {
  int64_t now_ms = mcpi_loop_now(job->http->curl.loop);
  if (mcpi_http_client_job_has_head(job) && job_is_fine(job) &&
      job->content == MCPI_JOB_EVENTS &&
      now_ms - job->begun_ms > MCPI_BACKOFF_MAX_MS) {
    job->pauses = 0;
  }
  int64_t pause_ms = job->sse.retry_ms < 0 ? mcpi_backoff_ms(job->pauses)
                                           : job_told_pause(job);
  mcpi_http_client_job_stop(job);
  job->state = MCPI_JOB_PAUSED;
  job->retry_at_ms = now_ms + pause_ms;
  job->retries++;
  job->pauses++;
  mcpi_curl_arm(&job->http->curl);
}

static int job_can_resume(const mcpi_http_client_job *job) {
  return !job->is_modern && mcpi_sse_last_id(&job->sse).len > 0 &&
         job->retries < job->http->curl.options->given.max_retries;
}

/* A stream has ended, or could not be resumed. */
static void job_end_events(mcpi_http_client_job *job) {
  if (job->http->curl.is_closing || !job_is_waiting(job)) {
    mcpi_http_client_job_drop(job);
  } else if (mcpi_http_client_job_has_head(job) &&
             job->transfer.result == CURLE_OPERATION_TIMEDOUT) {
    job_fail_by_curl(job); /* the limit of the request, not of the connection */
  } else if (job_can_resume(job)) {
    job->is_resume = 1;
    job_pause(job);
  } else {
    job_fail_with(job, MCP_ERR_IO, "the stream ended before the answer came");
  }
}

/* The event may have been the answer, so its request ends. The stream of the
 * session belongs to no request: the client closes it, since the event may
 * never end, and opens it again. */
static void job_lose_long_event(mcpi_http_client_job *job) {
  char text[80];
  mcp_error err;
  snprintf(text, sizeof(text),
           "an event is longer than %zu bytes (max_message)",
           job->http->curl.options->given.max_message);
  if (job->kind == MCPI_JOB_REQUEST) {
    job_fail_with(job, MCP_ERR_LIMIT, text);
  } else {
    mcp_error_set(&err, MCP_ERR_LIMIT, "%s: %s", job_url(job), text);
    job->http->curl.base.on_error(&job->http->curl.base, &err);
    if (!job_is_over(job)) {
      job_pause(job);
    }
  }
}

static void job_report_nomem(mcpi_http_client_job *job) {
  mcp_error err;
  mcpi_no_memory(&err);
  job->http->curl.base.on_error(&job->http->curl.base, &err);
}

/* An event without data, such as one that only has an id, shows that the server
 * is there, but not that a new stream should be opened soon. */
static void job_take_event(mcpi_http_client_job *job, int found,
                           const mcpi_sse_event *event) {
  switch (found) {
  case MCPI_SSE_TOO_LONG:
    job_lose_long_event(job);
    break;
  case MCPI_SSE_NOMEM:
    job_report_nomem(job);
    break;
  default:
    job->retries = 0;
    if (found == MCPI_SSE_EVENT &&
        mcpi_str_eq(event->name, MCPI_STR("message"))) {
      job->pauses = 0;
      job_deliver(job, event->data.ptr, event->data.len);
    }
    break;
  }
}

static void job_read_events(mcpi_http_client_job *job) {
  const char *bytes = job->in.data;
  size_t len = job->in.len;
  mcpi_sse_event event;
  int found = MCPI_SSE_EMPTY;
  while (!job_is_over(job) && found != MCPI_SSE_TOO_LONG &&
         (found = mcpi_sse_next(&job->sse, &bytes, &len, &event)) !=
             MCPI_SSE_MORE) {
    job_take_event(job, found, &event);
  }
  mcpi_buf_clear(&job->in);
}

/* --- answers in one piece ------------------------------------------------- */

static int write_error(mcp_builder *out, uint64_t id, const mcp_json *error) {
  mcp_builder_object(out, NULL);
  mcp_builder_string(out, "jsonrpc", "2.0");
  mcp_builder_int(out, "id", (int64_t)id);
  mcp_builder_value(out, "error", error);
  return mcp_builder_end(out);
}

/* The error of a 4xx answer is this request's, whatever id it has: a server
 * that refuses a request before it has read the id leaves the id out. */
static void job_deliver_error(mcpi_http_client_job *job,
                              const mcp_json *error) {
  mcp_builder *out = mcp_builder_new(job->allocator, NULL);
  size_t len;
  const char *text = NULL;
  if (write_error(out, job->request, error) == 0) {
    text = mcp_builder_text(out, &len);
  }
  if (text != NULL) {
    job_deliver(job, text, len);
  }
  mcp_builder_free(out);
  if (!job_is_over(job) && job_is_waiting(job)) {
    job_fail_by_status(job, NULL);
  } else if (!job_is_over(job)) {
    mcpi_http_client_job_drop(job);
  }
}

/* The document is owned by the caller; NULL when the body is not JSON. */
static mcp_doc *job_parse_body(const mcpi_http_client_job *job) {
  if (job->content != MCPI_JOB_JSON || job->transfer.result != CURLE_OK) {
    return NULL;
  }
  return mcp_doc_parse(job->in.data, job->in.len, NULL, job->allocator, NULL);
}

static const mcp_json *error_in(const mcp_doc *doc) {
  return doc != NULL ? mcp_json_get(mcp_doc_root(doc), "error") : NULL;
}

static void job_judge_refusal(mcpi_http_client_job *job) {
  mcp_doc *doc = job_parse_body(job);
  const mcp_json *error = error_in(doc);
  const char *said;
  size_t len;
  if (mcpi_status_error(job->transfer.status) == MCP_ERR_PROTOCOL &&
      mcpi_streamable_fall_back(job, error)) {
    mcp_doc_free(doc);
    return;
  }
  if (!mcpi_rpc_is_error(error)) {
    job_fail_by_status(job, NULL);
  } else if (job->kind == MCPI_JOB_REQUEST &&
             mcpi_status_error(job->transfer.status) == MCP_ERR_PROTOCOL) {
    job_deliver_error(job, error);
  } else {
    said = mcp_json_string_n(mcp_json_get(error, "message"), &len);
    job_fail_by_refusal(job, NULL, mcpi_str_n(said, len));
  }
  mcp_doc_free(doc);
}

static void job_take_answer(mcpi_http_client_job *job) {
  if (job->transfer.result != CURLE_OK) {
    job_fail_by_curl(job);
    return;
  }
  if (job->content != MCPI_JOB_JSON) {
    job_fail_with(job, MCP_ERR_PROTOCOL,
                  "the answer is neither JSON nor events");
    return;
  }
  job_deliver(job, job->in.data, job->in.len);
  if (!job_is_over(job) && job_is_waiting(job)) {
    job_fail_with(job, MCP_ERR_PROTOCOL, "the answer is not to this request");
  } else if (!job_is_over(job)) {
    mcpi_http_client_job_drop(job);
  }
}

/* --- by kind -------------------------------------------------------------- */

/* Follows a redirect. Returns 1 if nothing is left to do: the job has begun
 * again, or has failed. 0: the answer is not a redirect that is followed. */
static int job_redirect(mcpi_http_client_job *job) {
  int rc = mcpi_redirect_follow(&job->transfer, job_rule(job),
                                job->http->curl.options, job->allocator,
                                &job->location, &job->hops);
  if (rc != 0 && (rc < 0 || mcpi_http_client_job_begin(job) != 0)) {
    job_fail_with(job, MCP_ERR_NOMEM, "out of memory");
  }
  return rc != 0;
}

/* The client has sent the request twice. The second error is the answer:
 * another session would not change it. */
static int job_is_final_error(const mcpi_http_client_job *job) {
  mcp_doc *doc = job->is_final ? job_parse_body(job) : NULL;
  int is_error = mcpi_rpc_is_error(error_in(doc));
  mcp_doc_free(doc);
  return is_error;
}

/* A server that has no route for GET also answers 404. Such an answer is about
 * the session only if a GET brought events before. */
static int job_has_lost_session(const mcpi_http_client_job *job) {
  const mcpi_streamable *http = job->http;
  return job->transfer.status == 404 && !job->is_modern &&
         job->role != MCPI_JOB_INITIALIZE && job->kind != MCPI_JOB_DELETE &&
         http->session != NULL && job->session_number == http->session_number &&
         (!job_is_get(job) || http->has_streamed) && !job_is_final_error(job);
}

/* A server with an internal error may be back soon; a server that refuses will
 * refuse again. */
static void job_end_resume(mcpi_http_client_job *job) {
  if (mcpi_http_client_job_has_head(job) &&
      mcpi_status_error(job->transfer.status) != MCP_ERR_IO &&
      job_is_waiting(job)) {
    job_fail_by_status(job, NULL);
  } else {
    job_end_events(job);
  }
}

static void job_end_request(mcpi_http_client_job *job) {
  if (mcpi_http_client_job_has_head(job) && job_is_fine(job) &&
      job->content == MCPI_JOB_EVENTS) {
    job_end_events(job);
  } else if (job->is_resume) {
    job_end_resume(job);
  } else if (!mcpi_http_client_job_has_head(job)) {
    job_fail_by_curl(job);
  } else if (job_is_fine(job)) {
    job_take_answer(job);
  } else {
    job_judge_refusal(job);
  }
}

static void job_end_one_way(mcpi_http_client_job *job) {
  mcpi_streamable *http = job->http;
  int is_initialized = job->role == MCPI_JOB_INITIALIZED;
  if (job->cancels != 0) { /* no request waits, whatever the answer is */
    mcpi_streamable_drop_request(http, job->cancels);
  }
  if (!mcpi_http_client_job_has_head(job)) {
    job_fail_by_curl(job);
    return;
  }
  if (!job_is_fine(job)) {
    job_judge_refusal(job);
    return;
  }
  mcpi_http_client_job_drop(job);
  if (is_initialized && !http->curl.is_closing) {
    mcpi_streamable_open_stream(http);
  }
}

/* Whether the server says that sessions have no streams. Servers do so in many
 * ways. */
static int job_has_no_stream(const mcpi_http_client_job *job) {
  return mcpi_http_client_job_has_head(job) &&
         (job_is_fine(job)
              ? job->content != MCPI_JOB_EVENTS
              : mcpi_status_error(job->transfer.status) != MCP_ERR_IO &&
                    job->transfer.status != 409);
}

/* A stream that was open is reopened each time: servers end it sometimes. */
static void job_end_stream(mcpi_http_client_job *job) {
  mcpi_streamable *http = job->http;
  int was_open = mcpi_http_client_job_has_head(job) && job_is_fine(job);
  mcpi_streamable_let_go(http);
  if (http->curl.is_closing || job_has_no_stream(job)) {
    mcpi_http_client_job_drop(job);
  } else if (was_open || job->retries < http->curl.options->given.max_retries) {
    job_pause(job);
  } else if (mcpi_http_client_job_has_head(job)) {
    job_fail_by_status(job, "no further attempt is made to open its stream");
  } else {
    job_fail_by_curl(job);
  }
}

static void job_end(mcpi_http_client_job *job) {
  if (mcpi_http_client_job_has_head(job) && job_authorize(job)) {
    return;
  }
  if (mcpi_http_client_job_has_head(job) && job_redirect(job)) {
    return;
  }
  if (mcpi_http_client_job_has_head(job) && job_has_lost_session(job) &&
      mcpi_streamable_end_session(job)) {
    return;
  }
  switch (job->kind) {
  case MCPI_JOB_REQUEST:
    job_end_request(job);
    break;
  case MCPI_JOB_ONE_WAY:
    job_end_one_way(job);
    break;
  case MCPI_JOB_STREAM:
    job_end_stream(job);
    break;
  default:
    mcpi_http_client_job_drop(job);
    break;
  }
}

/* --- all ------------------------------------------------------------------ */

static void job_keep_session(mcpi_http_client_job *job) {
  mcpi_streamable *http = job->http;
  if (job->role == MCPI_JOB_INITIALIZE && job_is_fine(job) &&
      job->session != NULL) {
    mcpi_strfree(job->allocator, http->session);
    http->session = job->session;
    job->session = NULL;
  }
}

static void job_judge_head(mcpi_http_client_job *job) {
  mcpi_streamable *http = job->http;
  job->state = MCPI_JOB_ANSWERED;
  job_keep_session(job);
  if (job->content == MCPI_JOB_EVENTS && job_is_fine(job) && job_is_get(job)) {
    http->has_streamed = 1;
    http->barren = 0; /* the server knew the session */
  }
  if (job->kind == MCPI_JOB_STREAM && job_is_fine(job)) {
    mcpi_streamable_let_go(http);
  }
  if (http->lacks_stream && job_is_fine(job) &&
      http->state == MCPI_STREAMABLE_SENDING) {
    mcpi_streamable_open_stream(http);
  }
}

static int job_has_events(const mcpi_http_client_job *job) {
  return job->content == MCPI_JOB_EVENTS && job_is_fine(job) &&
         (job->kind == MCPI_JOB_REQUEST || job->kind == MCPI_JOB_STREAM);
}

static void job_judge(mcpi_http_client_job *job) {
  if (job->state == MCPI_JOB_HEADED) {
    job_judge_head(job);
  }
  if (job->state == MCPI_JOB_ANSWERED && job_has_events(job)) {
    job_read_events(job);
  }
  if (!job_is_over(job) && job->transfer.is_done) {
    job_end(job);
  }
}

static void job_leave(mcpi_http_client_job *job) {
  job->is_judged = 0;
  if (job_is_over(job)) {
    mcpi_http_client_job_drop(job);
  }
}

void mcpi_http_client_job_judge(mcpi_http_client_job *job) {
  job->is_judged = 1;
  job_judge(job);
  job_leave(job);
}

void mcpi_http_client_job_authorized(mcpi_http_client_job *job,
                                     const mcp_error *err) {
  job->is_judged = 1;
  if (err == NULL) {
    job_begin_again(job);
  } else {
    job_fail_unauthorized(job, err);
  }
  job_leave(job);
}
