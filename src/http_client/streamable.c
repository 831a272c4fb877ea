/* SPDX-License-Identifier: MIT */
/* Streamable HTTP as a transport, for a client (PROTOCOL 3.4, 3.5). It knows of
 * the protocol what its headers and the life of a session need: the methods
 * initialize, notifications/initialized and notifications/cancelled. */
#include "http_client/streamable.h"

#include <stdio.h>

enum {
  /* How long the first requests wait for the session's stream, on which the
   * server may ask something back. */
  HOLD_MS = 1000,
  /* Sessions that end before they have answered anything. */
  MAX_BARREN = 3,
  /* How long a new session waits for the answers to what the old one was asked:
   * each may be a 404 that is on its way. So long is also between two sessions
   * at least. */
  RENEW_MS = 1000
};

static void renew(mcpi_web *web);

/* --- the clock ------------------------------------------------------------ */

static int64_t earlier(int64_t a_ms, int64_t b_ms) {
  return a_ms < b_ms ? a_ms : b_ms;
}

static int64_t next_due(mcpi_curl *curl) {
  mcpi_web *web = MCPI_CONTAINER(curl, mcpi_web, curl);
  int64_t due_ms = web->is_holding ? web->hold_until_ms : INT64_MAX;
  due_ms = earlier(due_ms, web->renew_at_ms);
  mcpi_list *link = web->calls.next;
  for (; link != &web->calls; link = link->next) {
    due_ms =
        earlier(due_ms, MCPI_CONTAINER(link, mcpi_call, link)->retry_at_ms);
  }
  return due_ms;
}

static mcpi_call *find_due(mcpi_web *web, int64_t now_ms) {
  mcpi_list *link = web->calls.next;
  for (; link != &web->calls; link = link->next) {
    mcpi_call *call = MCPI_CONTAINER(link, mcpi_call, link);
    if (call->retry_at_ms <= now_ms) {
      return call;
    }
  }
  return NULL;
}

/* Memory comes and goes. */
void mcpi_web_begin(mcpi_call *call) {
  if (mcpi_call_begin(call) != 0) {
    mcpi_curl *curl = &call->web->curl;
    call->retry_at_ms = mcpi_loop_now(curl->loop) + HOLD_MS;
    mcpi_curl_arm(curl);
  }
}

static void retry_due(mcpi_web *web, int64_t now_ms) {
  mcpi_call *call;
  while ((call = find_due(web, now_ms)) != NULL) {
    mcpi_web_begin(call);
  }
}

static void on_due(mcpi_curl *curl) {
  mcpi_web *web = MCPI_CONTAINER(curl, mcpi_web, curl);
  int64_t now_ms = mcpi_loop_now(curl->loop);
  if (web->renew_at_ms <= now_ms) {
    renew(web);
    return;
  }
  if (web->is_holding && web->hold_until_ms <= now_ms) {
    mcpi_web_let_go(web);
  }
  retry_due(web, now_ms);
}

/* --- the end -------------------------------------------------------------- */

static void drop_list(mcpi_list *list) {
  while (!mcpi_list_is_empty(list)) {
    mcpi_call_drop(MCPI_CONTAINER(list->next, mcpi_call, link));
  }
}

static void drop_calls(mcpi_web *web) {
  drop_list(&web->held);
  drop_list(&web->calls);
}

static void drop_all(mcpi_curl *curl) {
  mcpi_web *web = MCPI_CONTAINER(curl, mcpi_web, curl);
  drop_calls(web);
  mcp_transport_free(web->older);
  web->older = NULL;
}

/* What waits for an answer. */
static void drop_requests(mcpi_list *list) {
  mcpi_list *link = list->next;
  while (link != list) {
    mcpi_call *call = MCPI_CONTAINER(link, mcpi_call, link);
    link = link->next;
    if (call->kind != MCPI_WEB_NOTE) {
      mcpi_call_drop(call);
    }
  }
}

static void begin_closing(mcpi_curl *curl) {
  mcpi_web *web = MCPI_CONTAINER(curl, mcpi_web, curl);
  drop_requests(&web->held);
  drop_requests(&web->calls);
  if (web->older != NULL) {
    web->older->close(web->older);
  } else {
    mcpi_web_let_go(web);
  }
}

static void say_delete(mcpi_web *web) {
  mcpi_call *call = mcpi_call_plain(web, MCPI_WEB_DELETE);
  web->has_deleted = 1;
  if (call != NULL && mcpi_call_begin(call) != 0) {
    mcpi_call_drop(call);
  }
}

/* First what was to be told, then the session's end. */
static int has_more(mcpi_curl *curl) {
  mcpi_web *web = MCPI_CONTAINER(curl, mcpi_web, curl);
  if (mcpi_list_is_empty(&web->calls) && web->session != NULL &&
      !web->has_deleted) {
    say_delete(web);
  }
  return web->older != NULL || !mcpi_list_is_empty(&web->calls);
}

/* --- the session ---------------------------------------------------------- */

void mcpi_web_let_go(mcpi_web *web) {
  web->is_holding = 0;
  while (!mcpi_list_is_empty(&web->held)) {
    mcpi_web_begin(MCPI_CONTAINER(web->held.next, mcpi_call, link));
  }
}

void mcpi_web_open_stream(mcpi_web *web) {
  mcpi_call *call = web->curl.is_closing ||
                            web->curl.options->given.no_stream ||
                            web->listen != NULL
                        ? NULL
                        : mcpi_call_plain(web, MCPI_WEB_LISTEN);
  if (call != NULL && mcpi_call_begin(call) != 0) {
    mcpi_call_drop(call);
    call = NULL;
  }
  if (call == NULL) {
    mcpi_web_let_go(web);
    return;
  }
  web->listen = call;
  web->hold_until_ms = mcpi_loop_now(web->curl.loop) + HOLD_MS;
  mcpi_curl_arm(&web->curl);
}

static void forget_session(mcpi_web *web) {
  drop_calls(web);
  mcpi_strfree(&web->curl.loop->allocator, web->session);
  web->session = NULL;
  web->session_number++;
  web->renew_at_ms = INT64_MAX;
  web->version[0] = '\0';
  web->is_holding = 0;
}

/* A request that the server has not acted on: it was not sent, or was answered
 * 404. NULL: there is none. */
static mcpi_call *find_refused(const mcpi_web *web) {
  const mcpi_list *const lists[] = {&web->calls, &web->held};
  for (size_t i = 0; i < 2; i++) {
    mcpi_list *link = lists[i]->next;
    for (; link != lists[i]; link = link->next) {
      mcpi_call *call = MCPI_CONTAINER(link, mcpi_call, link);
      if (call->kind == MCPI_WEB_REQUEST && (call->is_refused || i == 1)) {
        return call;
      }
    }
  }
  return NULL;
}

static int is_over(const mcpi_web *web) {
  return web->curl.is_ended || web->curl.is_closing;
}

static void fail_refused(mcpi_web *web) {
  mcp_transport *base = &web->curl.base;
  mcpi_call *call;
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_CLOSED,
                "%s ended the session, and has not acted on this request",
                web->curl.options->shown);
  while (!is_over(web) && (call = find_refused(web)) != NULL) {
    uint64_t request = call->request;
    mcpi_call_drop(call);
    base->on_request_refused(base, request, &err);
  }
}

static void renew(mcpi_web *web) {
  mcp_transport *base = &web->curl.base;
  mcp_error err;
  web->barren++;
  web->may_renew_ms = mcpi_loop_now(web->curl.loop) + RENEW_MS;
  fail_refused(web);
  if (is_over(web)) {
    return;
  }
  forget_session(web);
  mcp_error_set(&err, MCP_ERR_CLOSED,
                "%s ended the session (HTTP 404): a new session begins",
                web->curl.options->shown);
  base->on_error(base, &err);
  if (!is_over(web)) {
    base->on_restart(base);
  }
}

static int has_unanswered(const mcpi_web *web) {
  mcpi_list *link = web->calls.next;
  for (; link != &web->calls; link = link->next) {
    const mcpi_call *call = MCPI_CONTAINER(link, mcpi_call, link);
    if (call->kind == MCPI_WEB_REQUEST && !call->is_resume && !call->has_head) {
      return 1;
    }
  }
  return 0;
}

/* Not from where a call is judged: it would be in use. */
static void end_turn(mcpi_curl *curl) {
  mcpi_web *web = MCPI_CONTAINER(curl, mcpi_web, curl);
  if (web->renew_at_ms != INT64_MAX && !is_over(web) && !has_unanswered(web) &&
      mcpi_loop_now(curl->loop) >= web->may_renew_ms) {
    renew(web);
  }
}

int mcpi_web_end_session(mcpi_call *call) {
  mcpi_web *web = call->web;
  if (web->curl.is_closing || web->barren >= MAX_BARREN) {
    return 0;
  }
  if (call->kind == MCPI_WEB_REQUEST && !call->is_resume) {
    mcpi_call_stop(call);
    call->is_refused = 1;
  } else {
    mcpi_call_drop(call);
  }
  if (web->renew_at_ms == INT64_MAX) {
    web->renew_at_ms = mcpi_loop_now(web->curl.loop) + RENEW_MS;
    mcpi_curl_arm(&web->curl);
  }
  return 1;
}

/* --- from the library ----------------------------------------------------- */

/* Behind notifications/initialized all waits: the server must know of it before
 * anything else comes, by whatever connection. */
static int send_message(mcp_transport *transport, const char *message,
                        size_t len, const mcp_send_info *info) {
  mcpi_web *web = transport->userdata;
  mcpi_call *call = NULL;
  int rc = mcpi_curl_check_send(&web->curl, len);
  if (rc == 0 && web->older != NULL) {
    return web->older->send(web->older, message, len, info);
  }
  rc = rc != 0 ? rc : mcpi_call_of_message(&call, web, message, len, info);
  if (rc != 0) {
    return rc;
  }
  if (web->is_holding || web->renew_at_ms != INT64_MAX) {
    mcpi_list_append(&web->held, &call->link);
    return 0;
  }
  if (mcpi_web_begin_older(call)) {
    return 0;
  }
  rc = mcpi_call_begin(call);
  if (rc != 0) {
    mcpi_call_drop(call);
    return rc;
  }
  if (call->is_initialized) {
    web->is_holding = 1;
    web->hold_until_ms = mcpi_loop_now(web->curl.loop) +
                         web->curl.options->given.notify_timeout_ms + HOLD_MS;
    mcpi_curl_arm(&web->curl);
  }
  return 0;
}

static mcpi_call *find_request(mcpi_list *list, uint64_t request) {
  mcpi_list *link = list->next;
  for (; link != list; link = link->next) {
    mcpi_call *call = MCPI_CONTAINER(link, mcpi_call, link);
    if (call->kind == MCPI_WEB_REQUEST && call->request == request) {
      return call;
    }
  }
  return NULL;
}

void mcpi_web_drop_request(mcpi_web *web, uint64_t request) {
  mcpi_call *call = find_request(&web->calls, request);
  if (call == NULL) {
    call = find_request(&web->held, request);
  }
  if (call != NULL) {
    mcpi_call_drop(call);
  }
}

static void abort_request(mcp_transport *transport, uint64_t request) {
  mcpi_web_drop_request(transport->userdata, request);
}

static void set_protocol_version(mcp_transport *transport,
                                 const char *version) {
  mcpi_web *web = transport->userdata;
  snprintf(web->version, sizeof(web->version), "%s", version);
  if (web->older != NULL) {
    web->older->set_protocol_version(web->older, version);
  }
}

static const char *session_id(mcp_transport *transport) {
  mcpi_web *web = transport->userdata;
  return web->session;
}

static size_t queued(mcp_transport *transport) {
  const mcpi_web *web = transport->userdata;
  return web->older != NULL ? web->older->queued(web->older) : web->curl.queued;
}

static void deinit(mcpi_curl *curl) {
  const mcpi_web *web = MCPI_CONTAINER(curl, mcpi_web, curl);
  mcpi_strfree(&curl->loop->allocator, web->session);
}

static void judge(mcpi_curl *curl, mcpi_transfer *transfer) {
  (void)curl;
  mcpi_call_judge(transfer->owner);
}

/* --- making one ----------------------------------------------------------- */

static const mcpi_curl_ops ops = {.judge = judge,
                                  .end_turn = end_turn,
                                  .next_due = next_due,
                                  .on_due = on_due,
                                  .begin_closing = begin_closing,
                                  .has_more = has_more,
                                  .drop_all = drop_all,
                                  .deinit = deinit};

mcp_transport *mcp_transport_http(mcp_loop *loop, const char *url,
                                  const mcp_http_client_options *options,
                                  mcp_error *err) {
  mcpi_curl *curl = mcpi_curl_new(sizeof(mcpi_web), &ops, loop, err);
  if (curl == NULL) {
    return NULL;
  }
  mcpi_web *web = MCPI_CONTAINER(curl, mcpi_web, curl);
  mcp_transport *base = &curl->base;
  mcpi_list_init(&web->calls);
  mcpi_list_init(&web->held);
  web->renew_at_ms = INT64_MAX;
  base->flags = MCP_TRANSPORT_PER_REQUEST_STREAM;
  base->send = send_message;
  base->set_protocol_version = set_protocol_version;
  base->session_id = session_id;
  base->abort = abort_request;
  base->queued = queued;
  if (mcpi_curl_set_options(curl, url, options, err) != 0 ||
      mcpi_web_refuse_dialect(curl->options, "Streamable HTTP", err) != 0) {
    mcp_transport_free(base);
    return NULL;
  }
  return base;
}
