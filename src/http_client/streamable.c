/* SPDX-License-Identifier: MIT */
/* Streamable HTTP as a transport, for a client (MCP, Transports: Streamable
 * HTTP). Of the protocol it knows only what its headers and the life of a
 * session need: the methods initialize, notifications/initialized and
 * notifications/cancelled. */
#include "http_client/streamable.h"

#include <stdio.h>

/* --- the clock ------------------------------------------------------------ */

static int64_t streamable_earlier(int64_t a_ms, int64_t b_ms) {
  return a_ms < b_ms ? a_ms : b_ms;
}

static int64_t streamable_next_due(mcpi_curl *curl) {
  mcpi_streamable *http = MCPI_CONTAINER(curl, mcpi_streamable, curl);
  int64_t due_ms = http->until_ms;
  mcpi_list *link = http->jobs.next;
  for (; link != &http->jobs; link = link->next) {
    due_ms = streamable_earlier(
        due_ms, MCPI_CONTAINER(link, mcpi_http_client_job, link)->retry_at_ms);
  }
  return due_ms;
}

static mcpi_http_client_job *streamable_find_due(mcpi_streamable *http,
                                                 int64_t now_ms) {
  mcpi_list *link = http->jobs.next;
  for (; link != &http->jobs; link = link->next) {
    mcpi_http_client_job *job =
        MCPI_CONTAINER(link, mcpi_http_client_job, link);
    if (job->retry_at_ms <= now_ms) {
      return job;
    }
  }
  return NULL;
}

static void streamable_retry_due(mcpi_streamable *http, int64_t now_ms) {
  mcpi_http_client_job *job;
  while ((job = streamable_find_due(http, now_ms)) != NULL) {
    mcpi_streamable_begin(job);
  }
}

static void streamable_on_due(mcpi_curl *curl) {
  mcpi_streamable *http = MCPI_CONTAINER(curl, mcpi_streamable, curl);
  int64_t now_ms = mcpi_loop_now(curl->loop);
  if (http->state == MCPI_STREAMABLE_RENEWING && http->until_ms <= now_ms) {
    mcpi_streamable_renew(http);
    return;
  }
  if (http->until_ms <= now_ms) {
    mcpi_streamable_let_go(http);
  }
  streamable_retry_due(http, now_ms);
}

/* No job is being judged: all may be dropped here. */
static void streamable_on_turn_end(mcpi_curl *curl) {
  mcpi_streamable_end_turn(MCPI_CONTAINER(curl, mcpi_streamable, curl));
}

/* --- the end -------------------------------------------------------------- */

static void streamable_drop_all(mcpi_curl *curl) {
  mcpi_streamable *http = MCPI_CONTAINER(curl, mcpi_streamable, curl);
  mcpi_streamable_drop_jobs(http);
  mcp_transport_free(http->fallback.transport);
  http->fallback.transport = NULL;
}

/* Notifications and responses are still sent. */
static void streamable_drop_requests(mcpi_list *list) {
  mcpi_list *link = list->next;
  while (link != list) {
    mcpi_http_client_job *job =
        MCPI_CONTAINER(link, mcpi_http_client_job, link);
    link = link->next;
    if (job->kind != MCPI_JOB_ONE_WAY) {
      mcpi_http_client_job_drop(job);
    }
  }
}

static void streamable_begin_closing(mcpi_curl *curl) {
  mcpi_streamable *http = MCPI_CONTAINER(curl, mcpi_streamable, curl);
  mcp_transport *other = http->fallback.transport;
  streamable_drop_requests(&http->held);
  streamable_drop_requests(&http->jobs);
  if (other != NULL) {
    other->close(other);
  } else {
    mcpi_streamable_send_held(http);
  }
}

/* A user who closes the client does not log in again for that. */
static void streamable_delete_session(mcpi_streamable *http) {
  mcpi_http_client_job *job = mcpi_http_client_job_new(http, MCPI_JOB_DELETE);
  http->state = MCPI_STREAMABLE_DELETED;
  if (job != NULL && (mcpi_http_client_job_begin(job) != 0 ||
                      job->state == MCPI_JOB_WAITING)) {
    mcpi_http_client_job_drop(job);
  }
}

/* Sends the notifications first, then the end of the session. */
static int streamable_has_more(mcpi_curl *curl) {
  mcpi_streamable *http = MCPI_CONTAINER(curl, mcpi_streamable, curl);
  if (mcpi_list_is_empty(&http->jobs) && http->session != NULL &&
      http->state != MCPI_STREAMABLE_DELETED) {
    streamable_delete_session(http);
  }
  return http->fallback.transport != NULL || !mcpi_list_is_empty(&http->jobs);
}

/* --- from the library ----------------------------------------------------- */

/* Later messages wait for notifications/initialized: it must reach the server
 * before any of them, and each may take another connection. */
static int streamable_send(mcp_transport *transport, const char *message,
                           size_t len, const mcp_send_info *info) {
  mcpi_streamable *http = transport->userdata;
  mcp_transport *other = http->fallback.transport;
  mcpi_http_client_job *job = NULL;
  int rc = mcpi_curl_check_send(&http->curl, len);
  if (rc == 0 && other != NULL) {
    return other->send(other, message, len, info);
  }
  if (rc == 0) {
    rc = mcpi_http_client_job_of_message(&job, http, message, len, info);
  }
  if (rc != 0) {
    return rc;
  }
  if (mcpi_streamable_take_back(http, job->cancels)) {
    mcpi_http_client_job_drop(job);
    return 0;
  }
  if (http->state != MCPI_STREAMABLE_SENDING) {
    mcpi_list_append(&http->held, &job->link);
    return 0;
  }
  if (mcpi_streamable_begin_older(job)) {
    return 0;
  }
  rc = mcpi_http_client_job_begin(job);
  if (rc != 0) {
    mcpi_http_client_job_drop(job);
    return rc;
  }
  if (job->role == MCPI_JOB_INITIALIZED) {
    mcpi_streamable_hold(job);
  }
  return 0;
}

static void streamable_abort(mcp_transport *transport, uint64_t request) {
  mcpi_streamable_drop_request(transport->userdata, request);
}

static void streamable_set_version(mcp_transport *transport,
                                   const char *version) {
  mcpi_streamable *http = transport->userdata;
  mcp_transport *other = http->fallback.transport;
  snprintf(http->version, sizeof(http->version), "%s", version);
  if (other != NULL) {
    other->set_protocol_version(other, version);
  }
}

static const char *streamable_session_id(mcp_transport *transport) {
  mcpi_streamable *http = transport->userdata;
  return http->session;
}

static size_t streamable_queued(mcp_transport *transport) {
  const mcpi_streamable *http = transport->userdata;
  mcp_transport *other = http->fallback.transport;
  return other != NULL ? other->queued(other) : http->curl.queued;
}

static void streamable_deinit(mcpi_curl *curl) {
  const mcpi_streamable *http = MCPI_CONTAINER(curl, mcpi_streamable, curl);
  mcpi_strfree(&curl->loop->allocator, http->session);
}

static void streamable_judge(mcpi_curl *curl, mcpi_transfer *transfer) {
  (void)curl;
  mcpi_http_client_job_judge(transfer->owner);
}

static void streamable_on_authorized(mcpi_curl *curl, mcpi_authorization *a,
                                     const mcp_error *err) {
  (void)curl;
  mcpi_http_client_job_authorized(
      MCPI_CONTAINER(a, mcpi_http_client_job, authorization), err);
}

/* --- making one ----------------------------------------------------------- */

static const mcpi_curl_ops streamable_ops = {
    .judge = streamable_judge,
    .on_authorized = streamable_on_authorized,
    .end_turn = streamable_on_turn_end,
    .next_due = streamable_next_due,
    .on_due = streamable_on_due,
    .begin_closing = streamable_begin_closing,
    .has_more = streamable_has_more,
    .drop_all = streamable_drop_all,
    .deinit = streamable_deinit};

mcp_transport *mcp_transport_http(mcp_loop *loop, const char *url,
                                  const mcp_http_client_options *options,
                                  mcp_error *err) {
  mcpi_curl *curl =
      mcpi_curl_new(sizeof(mcpi_streamable), &streamable_ops, loop, err);
  if (curl == NULL) {
    return NULL;
  }
  mcpi_streamable *http = MCPI_CONTAINER(curl, mcpi_streamable, curl);
  mcp_transport *base = &curl->base;
  mcpi_list_init(&http->jobs);
  mcpi_list_init(&http->held);
  http->until_ms = INT64_MAX;
  base->flags = MCP_TRANSPORT_PER_REQUEST_STREAM;
  base->send = streamable_send;
  base->set_protocol_version = streamable_set_version;
  base->session_id = streamable_session_id;
  base->abort = streamable_abort;
  base->queued = streamable_queued;
  if (mcpi_curl_set_options(curl, url, options, err) != 0 ||
      mcpi_curl_options_refuse_dialect(curl->options, "Streamable HTTP", err) !=
          0) {
    mcp_transport_free(base);
    return NULL;
  }
  return base;
}
