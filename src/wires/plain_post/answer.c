/* SPDX-License-Identifier: MIT */
/* Each callback of the owner may end the trip and the transport. So a trip is
 * busy (is_busy) while this file looks at its answer: then its memory stays,
 * even if a callback ends the trip. is_dead says that the trip has ended
 * meanwhile. */
#include "wires/plain_post/post.h"

#include "core/backoff.h"
#include "http_client/redirect.h"
#include "http_client/rpc.h"

#include <stdio.h>

enum {
  /* The most by which libcurl's clock and the loop's may differ. */
  TOLERANCE_MS = 20,
  /* The longest pause of a Retry-After header; a longer one is shortened to
   * this. */
  RETRY_TOLD_MAX_S = 3600
};

static mcpi_str trip_answer_text_of(const mcpi_buf *buf) {
  return mcpi_str_n(buf->data, buf->len);
}

/* --- reporting ------------------------------------------------------------ */

static const char *shown(const mcpi_trip *trip) {
  return trip->post->curl.options->shown;
}

static void trip_answer_deliver(mcpi_trip *trip, const char *text, size_t len) {
  mcp_transport *base = &trip->post->curl.base;
  if (!trip->post->curl.is_closing) {
    base->on_message(base, text, len);
  }
}

static int trip_answer_is_waiting(const mcpi_trip *trip) {
  if (trip->is_dead || trip->request == 0 || trip->post->curl.is_closing) {
    return 0;
  }
  mcp_transport *base = &trip->post->curl.base;
  return base->is_waiting(base, trip->request);
}

/* Ends the trip. A request completes with the error; the failure of another
 * message is reported. */
static void trip_answer_end_with(mcpi_trip *trip, const mcp_error *err) {
  mcpi_poster *post = trip->post;
  mcp_transport *base = &post->curl.base;
  uint64_t request = trip->request;
  mcpi_trip_drop(trip);
  if (post->curl.is_closing) {
    return;
  }
  if (request != 0) {
    base->on_request_failed(base, request, err);
  } else {
    base->on_error(base, err);
  }
}

static void trip_answer_fail(mcpi_trip *trip, int code, const char *what) {
  mcp_error err;
  mcp_error_set(&err, code, "%s: %s", shown(trip), what);
  err.status = (int32_t)trip->transfer.status;
  trip_answer_end_with(trip, &err);
}

/* Delivers the answer, and ends the trip. */
static void trip_answer_request(mcpi_trip *trip, mcpi_buf *message) {
  if (message->error != 0) {
    trip_answer_fail(trip, MCP_ERR_NOMEM, "out of memory");
  } else {
    trip_answer_deliver(trip, message->data, message->len);
  }
  if (trip_answer_is_waiting(trip)) {
    trip_answer_fail(trip, MCP_ERR_PROTOCOL,
                     "the answer is not to this request");
  } else if (!trip->is_dead) {
    mcpi_trip_drop(trip);
  }
  mcpi_buf_deinit(message);
}

static mcpi_buf begin_message(const mcpi_trip *trip) {
  mcpi_buf message;
  mcpi_buf_init(&message, trip->allocator, SIZE_MAX);
  return message;
}

/* Writes how the server refused the message. */
static void set_refusal(const mcpi_trip *trip, mcp_error *err) {
  char where[MCPI_REDIRECT_TEXT_SIZE];
  long status = trip->transfer.status;
  mcpi_redirect_explain_transfer(&trip->transfer, MCPI_REDIRECT_NONE,
                                 trip->post->curl.options, trip->allocator,
                                 where);
  mcp_error_set(err, mcpi_status_error(status), "%s: HTTP %ld%s%s%s",
                shown(trip), status,
                mcpi_authorization_hint(status, trip->post->curl.options),
                where[0] != '\0' ? ": " : "", where);
  err->status = (int32_t)status;
  mcpi_refusal_quote(&trip->transfer, trip->post->curl.options,
                     trip_answer_text_of(&trip->in), err);
}

static void fail_by_status(mcpi_trip *trip) {
  mcp_error err;
  set_refusal(trip, &err);
  trip_answer_end_with(trip, &err);
}

static int is_out_of_time(const mcpi_trip *trip) {
  int64_t now_ms = mcpi_loop_now(trip->post->curl.loop);
  return trip->until_ms <= now_ms + TOLERANCE_MS;
}

static void trip_answer_fail_by_curl(mcpi_trip *trip) {
  char text[128];
  const char *why;
  int code = mcpi_transfer_failure(&trip->transfer, &why);
  if (code == MCP_ERR_TIMEOUT && is_out_of_time(trip)) {
    snprintf(text, sizeof(text), "no answer within %lu ms (request_timeout_ms)",
             (unsigned long)trip->post->curl.options->given.request_timeout_ms);
    why = text;
  }
  trip_answer_fail(trip, code, why);
}

/* --- once more ------------------------------------------------------------ */

static int may_pass(const mcpi_trip *trip) {
  long status = trip->transfer.status;
  return trip->has_head ? status == 429 || (status >= 502 && status <= 504)
                        : mcpi_transfer_may_pass(&trip->transfer);
}

/* Returns how long to wait before the next attempt: the server's Retry-After,
 * else a time that grows with each attempt. */
static int64_t pause_ms(const mcpi_trip *trip) {
  curl_off_t told_s = 0;
  curl_easy_getinfo(trip->transfer.easy, CURLINFO_RETRY_AFTER, &told_s);
  if (told_s <= 0) {
    return mcpi_backoff_ms(trip->tries);
  }
  return 1000 *
         (int64_t)(told_s < RETRY_TOLD_MAX_S ? told_s : RETRY_TOLD_MAX_S);
}

/* Tries again if there is time left for an answer. */
static int try_again(mcpi_trip *trip) {
  mcpi_poster *post = trip->post;
  if (!trip->is_idempotent ||
      trip->tries >= post->curl.options->given.max_retries ||
      post->curl.is_closing || !may_pass(trip)) {
    return 0;
  }
  int64_t due_ms = mcpi_loop_now(post->curl.loop) + pause_ms(trip);
  if (due_ms >= trip->until_ms) {
    return 0;
  }
  trip->tries++;
  mcpi_transfer_stop(&trip->transfer, post->curl.multi);
  trip->due_ms = due_ms;
  mcpi_curl_arm(&post->curl);
  return 1;
}

/* --- authorization -------------------------------------------------------- */

static void trip_begin_again(mcpi_trip *trip) {
  if (mcpi_trip_begin(trip) != 0) {
    trip_answer_fail(trip, MCP_ERR_NOMEM, "out of memory");
  }
}

/* Returns 1 if the answer is about authorization: the trip has begun again,
 * waits, or has failed. */
static int trip_authorize(mcpi_trip *trip) {
  mcp_error err;
  if (!trip->has_head || trip->post->curl.is_closing) {
    return 0;
  }
  int rc = mcpi_authorization_refused(&trip->authorization,
                                      trip->transfer.status, NULL, &err);
  switch (rc) {
  case 0:
    trip_begin_again(trip);
    break;
  case MCP_PENDING:
    mcpi_trip_await(trip);
    break;
  case MCP_ERR_NOT_FOUND:
    return 0;
  default:
    trip_answer_end_with(trip, &err);
    break;
  }
  return 1;
}

/* --- answers in one piece ------------------------------------------------- */

static mcp_doc *trip_answer_parse(const mcpi_trip *trip, mcpi_str text) {
  return mcp_doc_parse(text.ptr, text.len, NULL, trip->allocator, NULL);
}

/* For MCP: delivers the message as it came. */
static void take_message(mcpi_trip *trip) {
  mcpi_buf message = trip->in;
  mcpi_buf_init(&trip->in, message.allocator, message.max);
  if (trip->request != 0 && message.len == 0) {
    char text[64];
    snprintf(text, sizeof(text), "HTTP %ld, without an answer",
             trip->transfer.status);
    mcpi_buf_deinit(&message);
    trip_answer_fail(trip, MCP_ERR_PROTOCOL, text);
  } else if (message.len == 0) {
    mcpi_buf_deinit(&message);
    mcpi_trip_drop(trip);
  } else {
    trip_answer_request(trip, &message);
  }
}

/* Delivers a JSON-RPC error in the body, because it says more than the status.
 * Fails by the status if the request still waits for its answer, or if the
 * message was not a request. */
static void refuse_message(mcpi_trip *trip) {
  mcp_doc *doc = trip_answer_parse(trip, trip_answer_text_of(&trip->in));
  int says_why = mcpi_rpc_is_error(mcp_json_get(mcp_doc_root(doc), "error"));
  mcp_doc_free(doc);
  if (says_why && trip->request != 0) {
    trip_answer_deliver(trip, trip->in.data, trip->in.len);
  }
  if (trip->is_dead) {
    return;
  }
  if (trip->request == 0 || trip_answer_is_waiting(trip)) {
    fail_by_status(trip);
  } else {
    mcpi_trip_drop(trip);
  }
}

/* --- the dialect's -------------------------------------------------------- */

/* Uses the answer's own error, or an error with the status as its code. */
static void refuse_tool(mcpi_trip *trip) {
  mcpi_buf message = begin_message(trip);
  mcp_doc *doc = trip_answer_parse(trip, trip_answer_text_of(&trip->in));
  const mcp_json *error = mcp_json_get(mcp_doc_root(doc), "error");
  size_t len = 0;
  const char *said = mcp_json_string_n(error, &len);
  mcp_error err;
  if (mcpi_rpc_is_error(error)) {
    mcpi_tool_error_put_mcp(&message, trip_answer_text_of(&trip->id), error);
  } else {
    set_refusal(trip, &err);
    mcpi_tool_refusal_put(
        &message, trip_answer_text_of(&trip->id), (int)trip->transfer.status,
        len > 0 ? mcpi_str_n(said, len) : mcpi_str_z(err.message));
  }
  mcp_doc_free(doc);
  trip_answer_request(trip, &message);
}

static void trip_answer_take_whole(mcpi_trip *trip, const mcp_json *root) {
  mcpi_buf message = begin_message(trip);
  mcpi_tool_answer_put_mcp(&message, trip_answer_text_of(&trip->id), root);
  trip_answer_request(trip, &message);
}

static void take_bare(mcpi_trip *trip, const mcp_json *root) {
  mcpi_buf message = begin_message(trip);
  mcpi_tool_response_put_mcp(&message, trip_answer_text_of(&trip->id), root);
  trip_answer_request(trip, &message);
}

static void fail_fault(mcpi_trip *trip, const char *fault) {
  char text[160];
  snprintf(text, sizeof(text), "the answer is not the dialect's: %s", fault);
  trip_answer_fail(trip, MCP_ERR_PROTOCOL, text);
}

static const char *fault_of(const mcpi_trip *trip, const mcp_json *root) {
  return mcpi_tool_answer_fault(root, trip_answer_text_of(&trip->id),
                                trip->allocator);
}

/* Handles either kind of answer: a toolError in place of a toolResponse also
 * ends the call as an error. */
static void trip_answer_on_answer(mcpi_trip *trip, const mcp_json *root) {
  const char *fault = fault_of(trip, root);
  if (fault == NULL) {
    trip_answer_take_whole(trip, root);
  } else {
    fail_fault(trip, fault);
  }
}

static void take_tool(mcpi_trip *trip) {
  mcp_doc *doc = trip_answer_parse(trip, trip_answer_text_of(&trip->in));
  const mcp_json *root = mcp_doc_root(doc);
  if (doc == NULL) {
    fail_fault(trip, "it is not JSON");
  } else if (trip->form == MCPI_TOOL_BARE) {
    take_bare(trip, root);
  } else {
    trip_answer_on_answer(trip, root);
  }
  mcp_doc_free(doc);
}

static void take_pong(mcpi_trip *trip) {
  mcpi_buf message = begin_message(trip);
  mcpi_tool_local_put(&message, trip_answer_text_of(&trip->id),
                      mcpi_str_z(trip->ping), NULL);
  trip_answer_request(trip, &message);
}

/* --- its event streams ---------------------------------------------------- */

/* Past max_message fragments are shown, but not kept. */
static void keep_fragment(mcpi_trip *trip, mcpi_str data) {
  mcpi_buf *all = &trip->fragments;
  size_t before = all->len;
  if (before > 0) {
    mcpi_buf_putc(all, ',');
  }
  mcpi_buf_puts(all, data);
  if (all->error != 0) {
    mcpi_buf_rewind(all, before);
  }
}

static void trip_answer_show_fragment(mcpi_trip *trip,
                                      const mcp_json *fragment) {
  trip->fragment_count++;
  if (trip->token.len == 0) {
    return;
  }
  mcpi_buf message = begin_message(trip);
  mcpi_fragment_put_progress(&message, trip_answer_text_of(&trip->token),
                             trip->fragment_count, fragment);
  if (message.error == 0) {
    trip_answer_deliver(trip, message.data, message.len);
  }
  mcpi_buf_deinit(&message);
}

static void trip_answer_on_error(mcpi_trip *trip, const mcp_json *root) {
  if (mcpi_tool_answer_kind(root) == MCPI_TOOL_RESPONSE) {
    fail_fault(trip, "an error event has a toolResponse");
  } else {
    trip_answer_on_answer(trip, root);
  }
}

/* Handles a fragment, or, as some implementations do it, the complete
 * answer. */
static void on_result(mcpi_trip *trip, mcpi_str data, const mcp_json *root) {
  if (mcpi_tool_answer_kind(root) != MCPI_TOOL_NO_ANSWER) {
    const char *fault = fault_of(trip, root);
    if (fault == NULL) {
      mcpi_buf_puts(&trip->whole, data);
    } else {
      fail_fault(trip, fault);
    }
  } else if (mcp_json_type(root) == MCP_JSON_OBJECT) {
    keep_fragment(trip, data);
    trip_answer_show_fragment(trip, root);
  }
}

static int trip_answer_is_name(const mcpi_sse_event *event, const char *name) {
  return mcpi_str_eq(event->name, mcpi_str_z(name));
}

static void trip_answer_take_event(mcpi_trip *trip,
                                   const mcpi_sse_event *event) {
  mcp_doc *doc = trip_answer_parse(trip, event->data);
  const mcp_json *root = mcp_doc_root(doc);
  mcpi_buf_clear(&trip->whole);
  if (trip_answer_is_name(event, "result")) {
    on_result(trip, event->data, root);
  } else if (trip_answer_is_name(event, "error")) {
    trip_answer_on_error(trip, root);
  } else if (trip_answer_is_name(event, "complete") ||
             (trip_answer_is_name(event, "message") &&
              mcpi_tool_answer_kind(root) != MCPI_TOOL_NO_ANSWER)) {
    trip_answer_on_answer(trip, root);
  }
  mcp_doc_free(doc);
}

static void read_stream(mcpi_trip *trip) {
  const char *bytes = trip->in.data;
  size_t len = trip->in.len;
  mcpi_sse_event event;
  int found;
  while (!trip->is_dead && (found = mcpi_sse_next(&trip->sse, &bytes, &len,
                                                  &event)) != MCPI_SSE_MORE) {
    if (found == MCPI_SSE_EVENT) {
      trip_answer_take_event(trip, &event);
    } else if (found == MCPI_SSE_TOO_LONG) {
      trip_answer_fail(trip, MCP_ERR_LIMIT,
                       "an event is longer than max_message");
    } else if (found == MCPI_SSE_NOMEM) {
      trip_answer_fail(trip, MCP_ERR_NOMEM, "out of memory");
    }
  }
  mcpi_buf_clear(&trip->in);
}

static void trip_answer_end_stream(mcpi_trip *trip) {
  mcp_doc *doc =
      trip->whole.len > 0
          ? trip_answer_parse(trip, trip_answer_text_of(&trip->whole))
          : NULL;
  if (trip->transfer.result == CURLE_OPERATION_TIMEDOUT ||
      trip->transfer.error != 0) {
    trip_answer_fail_by_curl(trip);
  } else if (doc != NULL) {
    trip_answer_take_whole(trip, mcp_doc_root(doc));
  } else {
    mcpi_buf message = begin_message(trip);
    mcpi_fragments_put_broken(&message, trip_answer_text_of(&trip->id),
                              trip_answer_text_of(&trip->fragments),
                              trip->post->curl.loop->hash_seed);
    trip_answer_request(trip, &message);
  }
  mcp_doc_free(doc);
}

/* --- all ------------------------------------------------------------------ */

static int is_fine(const mcpi_trip *trip) {
  return mcpi_status_is_fine(trip->transfer.status);
}

static void end_trip(mcpi_trip *trip) {
  uint64_t cancels = trip->cancels;
  mcpi_poster *post = trip->post;
  int is_mcp = trip->form == MCPI_TRIP_MCP;
  if (trip_authorize(trip)) {
    return;
  }
  if (cancels != 0) {
    mcpi_poster_drop_request(post, cancels);
  }
  if (trip->is_stream) {
    trip_answer_end_stream(trip);
  } else if (try_again(trip)) {
    return;
  } else if (!trip->has_head || trip->transfer.result != CURLE_OK) {
    trip_answer_fail_by_curl(trip);
  } else if (is_mcp) {
    (is_fine(trip) ? take_message : refuse_message)(trip);
  } else if (!is_fine(trip)) {
    refuse_tool(trip);
  } else {
    (trip->ping != NULL ? take_pong : take_tool)(trip);
  }
}

static void trip_answer_judge(mcpi_trip *trip) {
  if (trip->has_head && trip->is_stream) {
    read_stream(trip);
  }
  if (!trip->is_dead && trip->transfer.is_done) {
    end_trip(trip);
  }
}

static void trip_answer_leave(mcpi_trip *trip) {
  trip->is_busy = 0;
  if (trip->is_dead) {
    mcpi_trip_drop(trip);
  }
}

void mcpi_trip_judge(mcpi_trip *trip) {
  trip->is_busy = 1;
  trip_answer_judge(trip);
  trip_answer_leave(trip);
}

void mcpi_trip_on_due(mcpi_trip *trip) {
  trip->is_busy = 1;
  if (trip->is_here) {
    trip_answer_request(trip, &trip->body);
  } else if (trip->due_ms == 0) {
    trip_answer_fail(trip, MCP_ERR_TIMEOUT,
                     "the stream has brought nothing for silence_timeout_ms");
  } else {
    trip_begin_again(trip);
  }
  trip_answer_leave(trip);
}

void mcpi_trip_authorized(mcpi_trip *trip, const mcp_error *err) {
  trip->is_busy = 1;
  if (err == NULL) {
    trip_begin_again(trip);
  } else {
    trip_answer_end_with(trip, err);
  }
  trip_answer_leave(trip);
}
