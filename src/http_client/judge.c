/* SPDX-License-Identifier: MIT */
/* What becomes of a call, by what was answered (PROTOCOL 2.9, 3.4, 3.5).
 *
 * Whatever is told may end the call, the session and the transport. So a call
 * is marked busy while it is judged, which keeps its memory, and is_dead says
 * that nothing else of it is there. */
#include "http_client/streamable.h"

#include "core/backoff.h"
#include "http_client/redirect.h"
#include "http_client/rpc.h"

#include <stdio.h>

enum {
  /* What a server may ask for: sooner would keep both sides busy, and later
   * nobody waits for a stream. */
  RETRY_TOLD_MIN_MS = 100,
  RETRY_TOLD_MAX_MS = 3600 * 1000
};

/* --- telling -------------------------------------------------------------- */

static int is_get(const mcpi_call *call) {
  return call->is_resume || call->kind == MCPI_WEB_LISTEN;
}

static mcpi_redirect_rule rule_of(const mcpi_call *call) {
  return is_get(call) ? MCPI_REDIRECT_GET : MCPI_REDIRECT_POST;
}

static const char *shown(const mcpi_call *call) {
  return call->web->curl.options->shown;
}

/* Ends a request with an error of its own; of the rest it is reported. */
static void fail(mcpi_call *call, const mcp_error *err) {
  mcpi_web *web = call->web;
  mcp_transport *base = &web->curl.base;
  uint64_t request = call->request;
  int is_request = call->kind == MCPI_WEB_REQUEST;
  int is_initialized = call->is_initialized;
  mcpi_call_drop(call);
  if (web->curl.is_closing) {
    return;
  }
  if (is_request) {
    base->on_request_failed(base, request, err);
  } else {
    base->on_error(base, err);
  }
  if (is_initialized && !web->curl.is_ended) {
    mcpi_web_open_stream(web);
  }
}

static int is_fine(const mcpi_call *call) {
  return mcpi_status_is_fine(call->transfer.status);
}

static void fail_with(mcpi_call *call, int code, const char *what) {
  mcp_error err;
  mcp_error_set(&err, code, "%s: %s", shown(call), what);
  err.status = (int32_t)call->transfer.status;
  fail(call, &err);
}

/* said: the server's words, or ours on what follows; NULL: none. */
static void fail_by_status(mcpi_call *call, const char *said) {
  char text[MCPI_REDIRECT_TEXT_SIZE];
  mcp_error err;
  if (said == NULL && mcpi_status_is_redirect(call->transfer.status)) {
    mcpi_redirect_explain_transfer(&call->transfer, rule_of(call),
                                   call->web->curl.options, call->allocator,
                                   text);
    said = text;
  }
  mcp_error_set(&err, mcpi_status_error(call->transfer.status),
                "%s answered HTTP %ld%s%s", shown(call), call->transfer.status,
                said != NULL ? ": " : "", said != NULL ? said : "");
  err.status = (int32_t)call->transfer.status;
  fail(call, &err);
}

static void fail_by_curl(mcpi_call *call) {
  const char *why;
  int code = mcpi_transfer_failure(&call->transfer, &why);
  fail_with(call, code, why);
}

static int is_waiting(const mcpi_call *call) {
  mcp_transport *base = &call->web->curl.base;
  return base->is_waiting(base, call->request);
}

static void deliver(mcpi_call *call, const char *message, size_t len) {
  mcp_transport *base = &call->web->curl.base;
  if (!call->web->curl.is_closing) {
    call->web->barren = call->is_initialize ? call->web->barren : 0;
    base->on_message(base, message, len);
  }
}

/* --- streams -------------------------------------------------------------- */

/* The pause that the server asks for, but longer each time up to that of a
 * server that asks for none. */
static int64_t told_pause(const mcpi_call *call) {
  int64_t pause_ms = RETRY_TOLD_MIN_MS;
  for (uint32_t i = 0; i < call->pauses && pause_ms < MCPI_BACKOFF_MIN_MS;
       i++) {
    pause_ms += pause_ms / 2;
  }
  pause_ms = pause_ms < MCPI_BACKOFF_MIN_MS ? pause_ms : MCPI_BACKOFF_MIN_MS;
  pause_ms = pause_ms > call->sse.retry_ms ? pause_ms : call->sse.retry_ms;
  return pause_ms < RETRY_TOLD_MAX_MS ? pause_ms : RETRY_TOLD_MAX_MS;
}

/* A server that ends idle streams now and then does not ask for long pauses: a
 * stream that lasted longer than the longest pause counts like a message. */
static void retry_later(mcpi_call *call) {
  int64_t now_ms = mcpi_loop_now(call->web->curl.loop);
  if (call->has_head && is_fine(call) && call->is_stream &&
      now_ms - call->begun_ms > MCPI_BACKOFF_MAX_MS) {
    call->pauses = 0;
  }
  int64_t pause_ms =
      call->sse.retry_ms < 0 ? mcpi_backoff_ms(call->pauses) : told_pause(call);
  mcpi_call_stop(call);
  call->retry_at_ms = now_ms + pause_ms;
  call->retries++;
  call->pauses++;
  mcpi_curl_arm(&call->web->curl);
}

static int can_resume(const mcpi_call *call) {
  return !call->is_modern && mcpi_sse_last_id(&call->sse).len > 0 &&
         call->retries < call->web->curl.options->given.max_retries;
}

/* A stream is over, or could not be taken up again. */
static void end_stream(mcpi_call *call) {
  if (call->web->curl.is_closing || !is_waiting(call)) {
    mcpi_call_drop(call);
  } else if (call->has_head &&
             call->transfer.result == CURLE_OPERATION_TIMEDOUT) {
    fail_by_curl(call); /* not its connection's limit but its own */
  } else if (can_resume(call)) {
    call->is_resume = 1;
    retry_later(call);
  } else {
    fail_with(call, MCP_ERR_IO, "the stream ended before the answer came");
  }
}

/* The event may have been the answer, so its request ends. The stream of the
 * session belongs to no request: the client closes it, since the event may
 * never end, and opens it again. */
static void lose_long_event(mcpi_call *call) {
  char text[80];
  mcp_error err;
  snprintf(text, sizeof(text),
           "an event is longer than %zu bytes (max_message)",
           call->web->curl.options->given.max_message);
  if (call->kind == MCPI_WEB_REQUEST) {
    fail_with(call, MCP_ERR_LIMIT, text);
  } else {
    mcp_error_set(&err, MCP_ERR_LIMIT, "%s: %s", shown(call), text);
    call->web->curl.base.on_error(&call->web->curl.base, &err);
    if (!call->is_dead) {
      retry_later(call);
    }
  }
}

static void report_lack_of_memory(mcpi_call *call) {
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_NOMEM, "out of memory");
  call->web->curl.base.on_error(&call->web->curl.base, &err);
}

/* An event without data, such as one that only has an id, shows that the server
 * is there, but not that it is worth while to come back soon. */
static void take_event(mcpi_call *call, int found,
                       const mcpi_sse_event *event) {
  switch (found) {
  case MCPI_SSE_TOO_LONG:
    lose_long_event(call);
    break;
  case MCPI_SSE_NOMEM:
    report_lack_of_memory(call);
    break;
  default:
    call->retries = 0;
    if (found == MCPI_SSE_EVENT &&
        mcpi_str_eq(event->name, MCPI_STR("message"))) {
      call->pauses = 0;
      deliver(call, event->data.ptr, event->data.len);
    }
    break;
  }
}

static void read_stream(mcpi_call *call) {
  const char *bytes = call->in.data;
  size_t len = call->in.len;
  mcpi_sse_event event;
  int found = MCPI_SSE_EMPTY;
  while (!call->is_dead && found != MCPI_SSE_TOO_LONG &&
         (found = mcpi_sse_next(&call->sse, &bytes, &len, &event)) !=
             MCPI_SSE_MORE) {
    take_event(call, found, &event);
  }
  mcpi_buf_clear(&call->in);
}

/* --- answers in one piece ------------------------------------------------- */

static int write_error(mcp_builder *out, uint64_t id, const mcp_json *error) {
  mcp_builder_object(out, NULL);
  mcp_builder_string(out, "jsonrpc", "2.0");
  mcp_builder_int(out, "id", (int64_t)id);
  mcp_builder_value(out, "error", error);
  return mcp_builder_end(out);
}

/* The error of a 4xx answer is this request's, whatever id it has: servers that
 * refuse before they have read one leave it out. */
static void deliver_error(mcpi_call *call, const mcp_json *error) {
  mcp_builder *out = mcp_builder_new(call->allocator);
  size_t len;
  const char *text = NULL;
  if (write_error(out, call->request, error) == 0) {
    text = mcp_builder_text(out, &len);
  }
  if (text != NULL) {
    deliver(call, text, len);
  }
  mcp_builder_free(out);
  if (!call->is_dead && is_waiting(call)) {
    fail_by_status(call, NULL);
  } else if (!call->is_dead) {
    mcpi_call_drop(call);
  }
}

/* The document is owned by the caller; NULL when the body is not JSON. */
static mcp_doc *parse_body(const mcpi_call *call) {
  mcp_doc *doc = NULL;
  if (call->is_json && call->transfer.result == CURLE_OK) {
    mcp_doc_parse(&doc, call->in.data, call->in.len, NULL, call->allocator,
                  NULL);
  }
  return doc;
}

static const mcp_json *error_in(const mcp_doc *doc) {
  return doc != NULL ? mcp_json_get(mcp_doc_root(doc), "error") : NULL;
}

static void judge_refusal(mcpi_call *call) {
  mcp_doc *doc = parse_body(call);
  const mcp_json *error = error_in(doc);
  if (mcpi_status_error(call->transfer.status) == MCP_ERR_PROTOCOL &&
      mcpi_web_fall_back(call, error)) {
    mcp_doc_free(doc);
    return;
  }
  if (!mcpi_rpc_is_error(error)) {
    fail_by_status(call, NULL);
  } else if (call->kind == MCPI_WEB_REQUEST &&
             mcpi_status_error(call->transfer.status) == MCP_ERR_PROTOCOL) {
    deliver_error(call, error);
  } else {
    fail_by_status(call, mcp_json_string(mcp_json_get(error, "message")));
  }
  mcp_doc_free(doc);
}

static void take_answer(mcpi_call *call) {
  if (call->transfer.result != CURLE_OK) {
    fail_by_curl(call);
    return;
  }
  if (!call->is_json) {
    fail_with(call, MCP_ERR_PROTOCOL, "the answer is neither JSON nor events");
    return;
  }
  deliver(call, call->in.data, call->in.len);
  if (!call->is_dead && is_waiting(call)) {
    fail_with(call, MCP_ERR_PROTOCOL, "the answer is none to the request");
  } else if (!call->is_dead) {
    mcpi_call_drop(call);
  }
}

/* --- by kind -------------------------------------------------------------- */

static int redirect(mcpi_call *call) {
  int rc = mcpi_redirect_follow(&call->transfer, rule_of(call),
                                call->web->curl.options, call->allocator,
                                &call->location, &call->hops);
  if (rc != 0 && (rc < 0 || mcpi_call_begin(call) != 0)) {
    fail_with(call, MCP_ERR_NOMEM, "out of memory");
  }
  return rc != 0;
}

/* The client has sent the request twice. What the server says the second time
 * is the answer: another session would not change it. */
static int is_final_error(const mcpi_call *call) {
  mcp_doc *doc = call->is_final ? parse_body(call) : NULL;
  int is_error = mcpi_rpc_is_error(error_in(doc));
  mcp_doc_free(doc);
  return is_error;
}

/* A server may have no route for GET, which it says with 404 as well: such an
 * answer speaks of the session only if a GET brought events before. */
static int is_session_over(const mcpi_call *call) {
  const mcpi_web *web = call->web;
  return call->transfer.status == 404 && !call->is_modern &&
         !call->is_initialize && call->kind != MCPI_WEB_DELETE &&
         web->session != NULL && call->session_number == web->session_number &&
         (!is_get(call) || web->has_streamed) && !is_final_error(call);
}

/* A server that is away for a while may be back soon; one that will not, will
 * not. */
static void end_resume(mcpi_call *call) {
  if (call->has_head &&
      mcpi_status_error(call->transfer.status) != MCP_ERR_IO &&
      is_waiting(call)) {
    fail_by_status(call, NULL);
  } else {
    end_stream(call);
  }
}

static void end_request(mcpi_call *call) {
  if (call->has_head && is_fine(call) && call->is_stream) {
    end_stream(call);
  } else if (call->is_resume) {
    end_resume(call);
  } else if (!call->has_head) {
    fail_by_curl(call);
  } else if (is_fine(call)) {
    take_answer(call);
  } else {
    judge_refusal(call);
  }
}

static void end_note(mcpi_call *call) {
  mcpi_web *web = call->web;
  int is_initialized = call->is_initialized;
  if (call->cancels != 0) { /* nobody waits, whatever was answered */
    mcpi_web_drop_request(web, call->cancels);
  }
  if (!call->has_head) {
    fail_by_curl(call);
    return;
  }
  if (!is_fine(call)) {
    judge_refusal(call);
    return;
  }
  mcpi_call_drop(call);
  if (is_initialized && !web->curl.is_closing) {
    mcpi_web_open_stream(web);
  }
}

/* A server may have none, and says so in many ways. */
static int has_no_stream(const mcpi_call *call) {
  return call->has_head &&
         (is_fine(call)
              ? !call->is_stream
              : mcpi_status_error(call->transfer.status) != MCP_ERR_IO &&
                    call->transfer.status != 409);
}

/* One that was open is opened again and again: servers end it now and then. */
static void end_listen(mcpi_call *call) {
  mcpi_web *web = call->web;
  int was_open = call->has_head && is_fine(call);
  mcpi_web_let_go(web);
  if (web->curl.is_closing || has_no_stream(call)) {
    mcpi_call_drop(call);
  } else if (was_open || call->retries < web->curl.options->given.max_retries) {
    retry_later(call);
  } else if (call->has_head) {
    fail_by_status(call, "no further attempt is made to open its stream");
  } else {
    fail_by_curl(call);
  }
}

static void end_call(mcpi_call *call) {
  if (call->has_head && redirect(call)) {
    return;
  }
  if (call->has_head && is_session_over(call) && mcpi_web_end_session(call)) {
    return;
  }
  switch (call->kind) {
  case MCPI_WEB_REQUEST:
    end_request(call);
    break;
  case MCPI_WEB_NOTE:
    end_note(call);
    break;
  case MCPI_WEB_LISTEN:
    end_listen(call);
    break;
  default:
    mcpi_call_drop(call);
    break;
  }
}

/* --- all ------------------------------------------------------------------ */

static void keep_session(mcpi_call *call) {
  mcpi_web *web = call->web;
  if (call->is_initialize && is_fine(call) && call->session != NULL) {
    mcpi_strfree(call->allocator, web->session);
    web->session = call->session;
    call->session = NULL;
  }
}

static void judge_head(mcpi_call *call) {
  call->is_head_judged = 1;
  keep_session(call);
  if (call->is_stream && is_fine(call) && is_get(call)) {
    call->web->has_streamed = 1;
    call->web->barren = 0; /* the server knew the session */
  }
  if (call->kind == MCPI_WEB_LISTEN && is_fine(call)) {
    mcpi_web_let_go(call->web);
  }
}

static int has_events(const mcpi_call *call) {
  return call->is_stream && is_fine(call) &&
         (call->kind == MCPI_WEB_REQUEST || call->kind == MCPI_WEB_LISTEN);
}

static void judge(mcpi_call *call) {
  if (call->has_head && !call->is_head_judged) {
    judge_head(call);
  }
  if (!call->is_dead && call->has_head && has_events(call)) {
    read_stream(call);
  }
  if (!call->is_dead && call->transfer.is_done) {
    end_call(call);
  }
}

void mcpi_call_judge(mcpi_call *call) {
  call->is_busy = 1;
  judge(call);
  call->is_busy = 0;
  if (call->is_dead) {
    mcpi_call_drop(call);
  }
}
