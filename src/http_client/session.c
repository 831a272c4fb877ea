/* SPDX-License-Identifier: MIT */
/* The session of Streamable HTTP as a client sees it: which messages wait for
 * its stream, how it ends, and how another one begins (MCP, Transports: Session
 * Management). */
#include "http_client/streamable.h"

enum {
  /* How long the first requests wait for the session's stream, on which the
   * server may ask something back. */
  HOLD_MS = 1000,
  /* The number of sessions in a row that may end before they have answered
   * anything. */
  MAX_BARREN = 3,
  /* How long a new session waits for the answers to the requests of the old
   * one: each may be a 404. Also the shortest time between two sessions. */
  RENEW_MS = 1000
};

static void streamable_set_state(mcpi_streamable *http,
                                 mcpi_streamable_state state,
                                 int64_t until_ms) {
  http->state = state;
  http->until_ms = until_ms;
  mcpi_curl_arm(&http->curl);
}

/* --- its jobs ------------------------------------------------------------- */

/* Without memory it tries again: there may be memory a moment later. */
void mcpi_streamable_begin(mcpi_http_client_job *job) {
  if (mcpi_http_client_job_begin(job) != 0) {
    mcpi_curl *curl = &job->http->curl;
    job->state = MCPI_JOB_PAUSED;
    job->retry_at_ms = mcpi_loop_now(curl->loop) + HOLD_MS;
    mcpi_curl_arm(curl);
  }
}

static void drop_list(mcpi_list *list) {
  while (!mcpi_list_is_empty(list)) {
    mcpi_http_client_job_drop(
        MCPI_CONTAINER(list->next, mcpi_http_client_job, link));
  }
}

void mcpi_streamable_drop_jobs(mcpi_streamable *http) {
  drop_list(&http->held);
  drop_list(&http->jobs);
}

static mcpi_http_client_job *jobs_find_request(mcpi_list *list,
                                               uint64_t request) {
  mcpi_list *link = list->next;
  for (; link != list; link = link->next) {
    mcpi_http_client_job *job =
        MCPI_CONTAINER(link, mcpi_http_client_job, link);
    if (job->kind == MCPI_JOB_REQUEST && job->request == request) {
      return job;
    }
  }
  return NULL;
}

void mcpi_streamable_drop_request(mcpi_streamable *http, uint64_t request) {
  mcpi_http_client_job *job = jobs_find_request(&http->jobs, request);
  if (job == NULL) {
    job = jobs_find_request(&http->held, request);
  }
  if (job != NULL) {
    mcpi_http_client_job_drop(job);
  }
}

int mcpi_streamable_take_back(mcpi_streamable *http, uint64_t request) {
  mcpi_http_client_job *job =
      request != 0 ? jobs_find_request(&http->jobs, request) : NULL;
  if (job == NULL || job->state != MCPI_JOB_WAITING || job->is_resume) {
    return 0;
  }
  mcpi_http_client_job_drop(job);
  return 1;
}

/* --- its stream ----------------------------------------------------------- */

void mcpi_streamable_send_held(mcpi_streamable *http) {
  http->state = MCPI_STREAMABLE_SENDING;
  http->until_ms = INT64_MAX;
  while (!mcpi_list_is_empty(&http->held)) {
    mcpi_streamable_begin(
        MCPI_CONTAINER(http->held.next, mcpi_http_client_job, link));
  }
}

/* Without a limit while the job waits for authorization: the later messages
 * would wait too. */
void mcpi_streamable_hold(mcpi_http_client_job *job) {
  mcpi_streamable *http = job->http;
  int64_t until_ms = INT64_MAX;
  if (http->curl.is_closing || http->state == MCPI_STREAMABLE_RENEWING) {
    return;
  }
  if (job->state != MCPI_JOB_WAITING) {
    until_ms = mcpi_loop_now(http->curl.loop) +
               http->curl.options->given.notify_timeout_ms + HOLD_MS;
  }
  streamable_set_state(http, MCPI_STREAMABLE_HOLDING, until_ms);
}

void mcpi_streamable_let_go(mcpi_streamable *http) {
  if (http->state == MCPI_STREAMABLE_HOLDING) {
    mcpi_streamable_send_held(http);
  }
}

void mcpi_streamable_open_stream(mcpi_streamable *http) {
  mcpi_http_client_job *job = NULL;
  http->lacks_stream = 0;
  if (!http->curl.is_closing && !http->curl.options->given.skip_stream &&
      http->stream_job == NULL) {
    job = mcpi_http_client_job_new(http, MCPI_JOB_STREAM);
  }
  if (job != NULL && mcpi_http_client_job_begin(job) != 0) {
    mcpi_http_client_job_drop(job);
    job = NULL;
  }
  if (job == NULL) {
    mcpi_streamable_let_go(http);
    return;
  }
  http->stream_job = job;
  if (http->state == MCPI_STREAMABLE_HOLDING) {
    streamable_set_state(http, MCPI_STREAMABLE_HOLDING,
                         mcpi_loop_now(http->curl.loop) + HOLD_MS);
  }
}

/* --- its end -------------------------------------------------------------- */

int mcpi_streamable_end_session(mcpi_http_client_job *job) {
  mcpi_streamable *http = job->http;
  if (http->curl.is_closing || http->barren >= MAX_BARREN) {
    return 0;
  }
  if (job->kind == MCPI_JOB_REQUEST && !job->is_resume) {
    mcpi_http_client_job_stop(job);
    job->state = MCPI_JOB_REFUSED;
  } else {
    mcpi_http_client_job_drop(job);
  }
  if (http->state != MCPI_STREAMABLE_RENEWING) {
    streamable_set_state(http, MCPI_STREAMABLE_RENEWING,
                         mcpi_loop_now(http->curl.loop) + RENEW_MS);
  }
  return 1;
}

static void streamable_forget_session(mcpi_streamable *http) {
  mcpi_streamable_drop_jobs(http);
  mcpi_strfree(&http->curl.loop->allocator, http->session);
  http->session = NULL;
  http->session_number++;
  http->lacks_stream = 0;
  http->version[0] = '\0';
  http->state = MCPI_STREAMABLE_SENDING;
  http->until_ms = INT64_MAX;
}

/* Whether the server has not acted on a request that has begun: it got a 404,
 * or waits for authorization. */
static int job_is_unheard(const mcpi_http_client_job *job) {
  return job->state == MCPI_JOB_REFUSED ||
         (job->state == MCPI_JOB_WAITING && !job->is_resume);
}

/* Finds a request that the server has not acted on, or NULL. */
static mcpi_http_client_job *
streamable_find_refused(const mcpi_streamable *http) {
  const mcpi_list *const lists[] = {&http->jobs, &http->held};
  for (size_t i = 0; i < 2; i++) {
    mcpi_list *link = lists[i]->next;
    for (; link != lists[i]; link = link->next) {
      mcpi_http_client_job *job =
          MCPI_CONTAINER(link, mcpi_http_client_job, link);
      if (job->kind == MCPI_JOB_REQUEST && (i == 1 || job_is_unheard(job))) {
        return job;
      }
    }
  }
  return NULL;
}

static int streamable_is_over(const mcpi_streamable *http) {
  return http->curl.is_ended || http->curl.is_closing;
}

static void streamable_fail_refused(mcpi_streamable *http) {
  mcp_transport *base = &http->curl.base;
  mcpi_http_client_job *job;
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_CLOSED,
                "%s ended the session, and has not acted on this request",
                http->curl.options->shown);
  while (!streamable_is_over(http) &&
         (job = streamable_find_refused(http)) != NULL) {
    uint64_t request = job->request;
    mcpi_http_client_job_drop(job);
    base->on_request_refused(base, request, &err);
  }
}

void mcpi_streamable_renew(mcpi_streamable *http) {
  mcp_transport *base = &http->curl.base;
  mcp_error err;
  http->barren++;
  http->may_renew_ms = mcpi_loop_now(http->curl.loop) + RENEW_MS;
  streamable_fail_refused(http);
  if (streamable_is_over(http)) {
    return;
  }
  streamable_forget_session(http);
  mcp_error_set(&err, MCP_ERR_CLOSED,
                "%s ended the session (HTTP 404): a new session begins",
                http->curl.options->shown);
  base->on_error(base, &err);
  if (!streamable_is_over(http)) {
    base->on_restart(base);
  }
}

static int streamable_has_unanswered(const mcpi_streamable *http) {
  mcpi_list *link = http->jobs.next;
  for (; link != &http->jobs; link = link->next) {
    const mcpi_http_client_job *job =
        MCPI_CONTAINER(link, mcpi_http_client_job, link);
    if (job->kind == MCPI_JOB_REQUEST && !job->is_resume &&
        (job->state == MCPI_JOB_SENT || job->state == MCPI_JOB_PAUSED)) {
      return 1;
    }
  }
  return 0;
}

void mcpi_streamable_end_turn(mcpi_streamable *http) {
  if (http->state == MCPI_STREAMABLE_RENEWING && !streamable_is_over(http) &&
      !streamable_has_unanswered(http) &&
      mcpi_loop_now(http->curl.loop) >= http->may_renew_ms) {
    mcpi_streamable_renew(http);
  }
}
