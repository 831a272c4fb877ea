/* SPDX-License-Identifier: MIT */
/* Streamable HTTP as a transport, for a client (PROTOCOL 3.4, 3.5). It knows of
 * the protocol what its headers and the life of a session need: the methods
 * initialize, notifications/initialized and notifications/cancelled. */
#include "web/web.h"

#include <stdio.h>

enum {
  /* How long the first requests wait for the session's stream, on which the
   * server may ask something back. */
  HOLD_MS = 1000,
  /* Sessions that end before they have answered anything. */
  MAX_BARREN = 3
};

/* --- the clock ------------------------------------------------------------ */

static void on_timer(uv_timer_t *timer);

static int64_t earlier(int64_t a_ms, int64_t b_ms) {
  return b_ms != 0 && (a_ms == 0 || b_ms < a_ms) ? b_ms : a_ms;
}

void mcpi_web_arm(mcpi_web *web) {
  int64_t due_ms = web->is_closing ? web->close_until_ms : 0;
  if (web->is_holding) {
    due_ms = earlier(due_ms, web->hold_until_ms);
  }
  mcpi_list *link = web->calls.next;
  for (; link != &web->calls; link = link->next) {
    due_ms =
        earlier(due_ms, MCPI_CONTAINER(link, mcpi_call, link)->retry_at_ms);
  }
  if (due_ms == 0 || web->is_ended) {
    uv_timer_stop(&web->timer);
    return;
  }
  int64_t delay_ms = due_ms - mcpi_loop_now(web->loop);
  uv_update_time(web->uv->uv);
  uv_timer_start(&web->timer, on_timer, delay_ms > 0 ? (uint64_t)delay_ms : 0,
                 0);
}

static mcpi_call *find_due(mcpi_web *web, int64_t now_ms) {
  mcpi_list *link = web->calls.next;
  for (; link != &web->calls; link = link->next) {
    mcpi_call *call = MCPI_CONTAINER(link, mcpi_call, link);
    if (call->retry_at_ms != 0 && call->retry_at_ms <= now_ms) {
      return call;
    }
  }
  return NULL;
}

/* One that cannot be begun is tried again later: memory comes and goes. */
static void retry_due(mcpi_web *web) {
  int64_t now_ms = mcpi_loop_now(web->loop);
  mcpi_call *call;
  while ((call = find_due(web, now_ms)) != NULL) {
    if (mcpi_call_begin(call) != 0) {
      call->retry_at_ms = now_ms + HOLD_MS;
    }
  }
}

/* --- the end -------------------------------------------------------------- */

static void drop_all(mcpi_list *list) {
  while (!mcpi_list_is_empty(list)) {
    mcpi_call_drop(MCPI_CONTAINER(list->next, mcpi_call, link));
  }
}

void mcpi_web_end(mcpi_web *web, const mcp_error *err) {
  if (web->is_ended) {
    return;
  }
  web->is_ended = 1;
  drop_all(&web->held);
  drop_all(&web->calls);
  mcpi_web_arm(web);
  web->base.on_close(&web->base, err);
}

static void say_delete(mcpi_web *web) {
  mcpi_call *call = mcpi_call_plain(web, MCPI_WEB_DELETE);
  web->has_deleted = 1;
  if (call != NULL && mcpi_call_begin(call) != 0) {
    mcpi_call_drop(call);
  }
}

/* First what was to be told, then the session's end. The end itself is told from
 * the timer: never inside `close`. */
void mcpi_web_go_on_closing(mcpi_web *web) {
  if (mcpi_list_is_empty(&web->calls) && web->session != NULL &&
      !web->has_deleted) {
    say_delete(web);
  }
  if (mcpi_list_is_empty(&web->calls)) {
    web->close_until_ms = mcpi_loop_now(web->loop);
  }
  mcpi_web_arm(web);
}

/* What waits for an answer waits no more. */
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

static void close_transport(mcp_transport *transport) {
  mcpi_web *web = transport->userdata;
  if (web->is_closing) {
    return;
  }
  web->is_closing = 1;
  web->close_until_ms =
      mcpi_loop_now(web->loop) + web->options.given.close_wait_ms;
  drop_requests(&web->held);
  drop_requests(&web->calls);
  if (web->older != NULL) {
    web->older->close(web->older);
    mcpi_web_arm(web);
    return;
  }
  mcpi_web_let_go(web);
  mcpi_web_go_on_closing(web);
}

static void on_timer(uv_timer_t *timer) {
  mcpi_web *web = timer->data;
  mcpi_uv *uv = web->uv;
  int64_t now_ms = mcpi_loop_now(web->loop);
  mcpi_uv_enter(uv);
  if (web->is_closing && web->close_until_ms <= now_ms) {
    mcpi_web_end(web, NULL);
    mcpi_uv_leave(uv);
    return;
  }
  if (web->is_holding && web->hold_until_ms <= now_ms) {
    mcpi_web_let_go(web);
  }
  retry_due(web);
  mcpi_web_arm(web);
  mcpi_uv_leave(uv);
}

/* --- the session ---------------------------------------------------------- */

/* Those that cannot be begun fail as any other: by what libcurl would say. */
void mcpi_web_let_go(mcpi_web *web) {
  web->is_holding = 0;
  while (!mcpi_list_is_empty(&web->held)) {
    mcpi_call *call = MCPI_CONTAINER(web->held.next, mcpi_call, link);
    if (mcpi_call_begin(call) != 0) {
      call->retry_at_ms = mcpi_loop_now(web->loop) + HOLD_MS;
      mcpi_web_arm(web);
    }
  }
}

void mcpi_web_open_stream(mcpi_web *web) {
  mcpi_call *call =
      web->is_closing || web->options.given.no_stream || web->listen != NULL
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
  web->hold_until_ms = mcpi_loop_now(web->loop) + HOLD_MS;
  mcpi_web_arm(web);
}

static void forget_session(mcpi_web *web) {
  drop_all(&web->held);
  drop_all(&web->calls);
  mcpi_strfree(&web->loop->allocator, web->session);
  web->session = NULL;
  web->session_number++;
  web->version[0] = '\0';
  web->is_holding = 0;
}

int mcpi_web_renew(mcpi_web *web, const mcpi_call *call) {
  mcp_transport *base = &web->base;
  mcpi_guard guard;
  mcp_error err;
  if (web->is_closing || call->session_number != web->session_number ||
      web->barren >= MAX_BARREN) {
    return 0;
  }
  web->barren++;
  forget_session(web);
  mcp_error_set(&err, MCP_ERR_CLOSED,
                "%s has ended the session: a new one is begun",
                web->options.shown);
  mcpi_guard_enter(&web->guard, &guard);
  base->on_error(base, &err);
  if (mcpi_guard_leave(&web->guard, &guard) && !web->is_closing) {
    base->on_restart(base);
  }
  return 1;
}

/* --- from libcurl --------------------------------------------------------- */

static void on_done(void *owner, CURL *easy, CURLcode result) {
  (void)owner;
  mcpi_call_note_done(easy, result);
}

static void on_turn(void *owner) {
  mcpi_web *web = owner;
  mcpi_guard guard;
  mcpi_guard_enter(&web->guard, &guard);
  while (!guard.is_gone && !mcpi_list_is_empty(&web->ready)) {
    mcpi_call *call = MCPI_CONTAINER(web->ready.next, mcpi_call, ready);
    mcpi_list_remove(&call->ready);
    mcpi_call_judge(call);
  }
  mcpi_guard_leave(&web->guard, &guard);
}

static const mcpi_multi_events events = {on_done, on_turn};

/* --- from the library ----------------------------------------------------- */

static int start(mcp_transport *transport, mcp_error *err) {
  mcpi_web *web = transport->userdata;
  web->multi = mcpi_multi_new(web->uv, &events, web);
  if (web->multi == NULL) {
    return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  uv_timer_init(web->uv->uv, &web->timer);
  web->timer.data = web;
  mcpi_uv_hold(web->uv);
  return 0;
}

/* Behind notifications/initialized all waits: the server must know of it before
 * anything else comes, by whatever connection. */
static int send_message(mcp_transport *transport, const char *message,
                        size_t len, const mcp_send_info *info) {
  mcpi_web *web = transport->userdata;
  mcpi_call *call = NULL;
  if (web->is_closing || web->multi == NULL) {
    return MCP_ERR_CLOSED;
  }
  if (web->older != NULL) {
    return web->older->send(web->older, message, len, info);
  }
  if (len > web->options.given.max_queue - web->queued) {
    return MCP_ERR_LIMIT;
  }
  int rc = mcpi_call_of_message(&call, web, message, len, info);
  if (rc != 0) {
    return rc;
  }
  if (web->is_holding) {
    mcpi_list_append(&web->held, &call->link);
    return 0;
  }
  rc = mcpi_call_begin(call);
  if (rc != 0) {
    mcpi_call_drop(call);
    return rc;
  }
  if (call->is_initialized) {
    web->is_holding = 1;
    web->hold_until_ms = mcpi_loop_now(web->loop) +
                         web->options.given.notify_timeout_ms + HOLD_MS;
    mcpi_web_arm(web);
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

static const char *origin(mcp_transport *transport) {
  mcpi_web *web = transport->userdata;
  return web->options.origin;
}

static size_t queued(mcp_transport *transport) {
  const mcpi_web *web = transport->userdata;
  return web->older != NULL ? web->older->queued(web->older) : web->queued;
}

static void destroy(mcpi_web *web) {
  const mcp_allocator *allocator = &web->loop->allocator;
  mcpi_strfree(allocator, web->session);
  mcpi_web_options_deinit(&web->options, allocator);
  mcpi_free(allocator, web, sizeof(*web));
}

static void on_timer_closed(uv_handle_t *handle) {
  mcpi_web *web = handle->data;
  mcpi_uv *uv = web->uv;
  destroy(web);
  mcpi_uv_drop(uv);
}

static void release(mcp_transport *transport) {
  mcpi_web *web = transport->userdata;
  mcpi_guard_trip(web->guard);
  web->guard = NULL;
  if (web->multi == NULL) {
    destroy(web);
    return;
  }
  drop_all(&web->held);
  drop_all(&web->calls);
  mcp_transport_free(web->older);
  mcpi_multi_free(web->multi);
  uv_close((uv_handle_t *)&web->timer, on_timer_closed);
}

/* --- making one ----------------------------------------------------------- */

static mcp_transport make_table(mcpi_web *web) {
  return (mcp_transport){.size = MCP_TRANSPORT_INIT,
                         .flags = MCP_TRANSPORT_PER_REQUEST_STREAM,
                         .userdata = web,
                         .start = start,
                         .send = send_message,
                         .close = close_transport,
                         .release = release,
                         .set_protocol_version = set_protocol_version,
                         .session_id = session_id,
                         .abort = abort_request,
                         .queued = queued,
                         .origin = origin};
}

static int check_dialect(const mcpi_web_options *options, mcp_error *err) {
  return options->given.dialect == MCP_DIALECT_MCP
             ? 0
             : mcp_error_set(err, MCP_ERR_INVALID,
                             "dialect: Streamable HTTP speaks MCP alone; "
                             "mcp_transport_post speaks others");
}

mcp_transport *mcp_transport_http(mcp_loop *loop, const char *url,
                                  const mcp_http_client_options *options,
                                  mcp_error *err) {
  mcpi_uv *uv = mcpi_uv_of(loop);
  if (uv == NULL) {
    mcp_error_set(err, MCP_ERR_INVALID, "not a loop of mcp_loop_new");
    return NULL;
  }
  mcpi_web *web = mcpi_calloc(&loop->allocator, 1, sizeof(*web));
  if (web == NULL) {
    mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
    return NULL;
  }
  web->loop = loop;
  web->uv = uv;
  mcpi_list_init(&web->calls);
  mcpi_list_init(&web->held);
  mcpi_list_init(&web->ready);
  web->base = make_table(web);
  if (mcpi_web_options_init(&web->options, url, options, &loop->allocator,
                            err) != 0 ||
      check_dialect(&web->options, err) != 0) {
    destroy(web);
    return NULL;
  }
  return &web->base;
}
