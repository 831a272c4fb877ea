/* SPDX-License-Identifier: MIT */
/* A server that refuses `initialize` may be one of 2024-11-05 (MCP 2025-11-25,
 * Transports: Backwards Compatibility): then the stream of a GET of the same
 * URL names the URL for messages. The refused message goes there; if that
 * fails, the refusal stands.
 *
 * The loop remembers the URL of such a server, and the client begins with the
 * GET next time. If that fails, the server has been replaced: the loop forgets
 * its era too, and the message is posted as to an unknown server. */
#include "http_client/sse.h"
#include "http_client/streamable.h"

#include "core/transport.h"
#include "core/verdicts.h"
#include <mcp/server.h>

/* A server of the modern era says so in its refusals. */
static int is_modern_refusal(const mcp_json *error) {
  int64_t code = 0;
  mcp_json_try_int(mcp_json_get(error, "code"), &code);
  return code == MCP_RPC_HEADER_MISMATCH ||
         code == MCP_RPC_MISSING_CAPABILITY ||
         code == MCP_RPC_UNSUPPORTED_VERSION;
}

/* A server that has given out a session does not speak HTTP+SSE. */
static int is_sign(const mcpi_http_client_job *job, const mcp_json *error) {
  const mcpi_streamable *http = job->http;
  return job->role == MCPI_JOB_INITIALIZE && job->transfer.status >= 400 &&
         job->transfer.status < 500 &&
         http->fallback.state == MCPI_FALLBACK_UNTRIED &&
         http->session_number == 0 && !http->curl.is_closing &&
         !is_modern_refusal(error);
}

/* --- from the other transport --------------------------------------------- */

static void older_on_message(mcp_transport *older, const char *message,
                             size_t len) {
  mcpi_streamable *http = older->owner;
  if (http->fallback.state == MCPI_FALLBACK_TRYING) {
    mcpi_verdicts_set_sse(http->curl.loop, http->curl.options->url, 1);
    mcpi_http_client_job_drop(http->fallback.initialize);
  }
  http->curl.base.on_message(&http->curl.base, message, len);
}

static void older_on_error(mcp_transport *older, const mcp_error *err) {
  mcpi_streamable *http = older->owner;
  http->curl.base.on_error(&http->curl.base, err);
}

static void older_on_request_failed(mcp_transport *older, uint64_t request,
                                    const mcp_error *err) {
  mcpi_streamable *http = older->owner;
  http->curl.base.on_request_failed(&http->curl.base, request, err);
}

static void older_on_waiting(mcp_transport *older, int32_t is_waiting) {
  mcpi_streamable *http = older->owner;
  mcpi_transport_report_waiting(&http->curl.base, is_waiting);
}

/* Whether the GET has failed because it is not authorized. That shows nothing
 * about the server's era. */
static int is_unauthorized(const mcpi_streamable *http, const mcp_error *err) {
  return http->curl.options->auth != NULL && err != NULL &&
         (err->status == 401 || err->status == 403);
}

/* The era may have changed as well. */
static void forget_older(mcpi_streamable *http) {
  mcp_loop *loop = http->curl.loop;
  mcpi_verdicts_set_sse(loop, http->curl.options->url, 0);
  mcpi_verdicts_set(loop, http->curl.options->origin, NULL);
  http->fallback.state = MCPI_FALLBACK_UNTRIED;
}

static void older_on_close(mcp_transport *older, const mcp_error *err) {
  mcpi_streamable *http = older->owner;
  mcpi_http_client_job *refused = http->fallback.initialize;
  if (http->curl.is_closing || http->fallback.state != MCPI_FALLBACK_TRYING ||
      mcpi_sse_is_open(older)) {
    mcpi_curl_end(&http->curl, err);
    return;
  }
  http->fallback = (mcpi_fallback){.state = MCPI_FALLBACK_REFUSED};
  mcp_transport_free(older);
  if (is_unauthorized(http, err)) {
    http->curl.ops->on_authorized(&http->curl, &refused->authorization, err);
  } else if (mcpi_http_client_job_has_head(refused)) {
    http->curl.ops->judge(&http->curl, &refused->transfer);
  } else {
    forget_older(http);
    mcpi_streamable_begin(refused);
  }
}

/* --- trying --------------------------------------------------------------- */

static int older_start(mcpi_streamable *http, const mcpi_http_client_job *job) {
  mcp_transport *older = http->fallback.transport;
  const mcp_send_info info = {.size = sizeof(info),
                              .request = job->request,
                              .kind = MCP_MESSAGE_REQUEST,
                              .method = "initialize"};
  older->owner = http;
  older->on_message = older_on_message;
  older->on_error = older_on_error;
  older->on_request_failed = older_on_request_failed;
  older->on_close = older_on_close;
  older->on_waiting = older_on_waiting;
  int rc = older->start(older, NULL);
  return rc == 0 ? older->send(older, job->body, job->body_len, &info) : rc;
}

static int try_older(mcpi_http_client_job *job) {
  mcpi_streamable *http = job->http;
  mcpi_fallback *fallback = &http->fallback;
  fallback->transport = mcpi_sse_new(http->curl.loop, http->curl.options);
  if (fallback->transport == NULL || older_start(http, job) != 0) {
    mcp_transport_free(fallback->transport);
    *fallback = (mcpi_fallback){.state = MCPI_FALLBACK_REFUSED};
    return 0;
  }
  fallback->state = MCPI_FALLBACK_TRYING;
  fallback->initialize = job;
  return 1;
}

int mcpi_streamable_fall_back(mcpi_http_client_job *job,
                              const mcp_json *error) {
  return is_sign(job, error) && try_older(job);
}

int mcpi_streamable_begin_older(mcpi_http_client_job *job) {
  mcpi_streamable *http = job->http;
  if (job->role != MCPI_JOB_INITIALIZE ||
      http->fallback.state != MCPI_FALLBACK_UNTRIED ||
      http->session_number != 0 ||
      !mcpi_verdicts_is_sse(http->curl.loop, http->curl.options->url)) {
    return 0;
  }
  mcpi_list_append(&http->jobs, &job->link);
  return try_older(job);
}
