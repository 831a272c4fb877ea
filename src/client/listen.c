/* SPDX-License-Identifier: MIT */
/* What a listen is, by its state and its stage:
 *
 *     WAITING, ASKED --> WAITING, OPEN --> LOST, BROKEN --> ENDED
 *                             ^                 |
 *                             |                 v
 *                             +--------- WAITING, BROKEN
 *
 * A lost listen is sent again at once when the far side was replaced, and after
 * a pause when the stream broke or the server ended it. After a pause only a
 * listen that was OPEN before is sent again. */
#include "client/listen.h"

#include "client/params.h"
#include "client/report.h"
#include "client/send.h"
#include "client/settle.h"
#include "core/backoff.h"
#include "core/context.h"

enum {
  /* A stream that was open for this long was not a failed try. */
  STEADY_MS = 5000
};

/* --- the end ------------------------------------------------------------ */

static void listen_tell_end(mcpi_request *request, mcpi_str reason) {
  if (request->state == MCPI_REQUEST_WAITING) {
    mcpi_peer_send_cancel(&request->client->peer, request->pending.id, reason,
                          1);
  }
}

static void listen_untrack(mcpi_request *request) {
  if (request->listen.inflight.id_text.len > 0) {
    mcpi_peer_untrack(&request->client->peer, &request->listen.inflight);
    request->listen.inflight.id_text.len = 0;
  }
}

void mcpi_client_listen_end(mcpi_request *request) {
  listen_untrack(request);
}

void mcpi_client_listen_close(mcpi_request *request) {
  listen_tell_end(request, (mcpi_str){NULL, 0});
  mcpi_request_fail_with(request, MCP_ERR_CANCELLED, "no longer needed");
}

/* A watch that was granted belongs to no request of the program: its end is
 * reported. */
static int listen_is_watch(const mcpi_request *request) {
  return request->listen.on_granted != NULL &&
         request->listen.stage != MCPI_LISTEN_ASKED;
}

static void listen_give_up(mcpi_request *request, int code, const char *why) {
  mcp_client *client = request->client;
  int is_reported = listen_is_watch(request);
  mcp_error err;
  mcpi_request_fail_with(request, code, why);
  if (is_reported) {
    mcp_error_set(&err, code, "the subscriptions have ended: %s", why);
    mcpi_client_report(client, &err);
  }
}

/* --- opening ------------------------------------------------------------ */

static void listen_on_silence(mcpi_request *request);

static int listen_start_clock(mcpi_request *request) {
  mcp_loop *loop = request->client->loop;
  mcpi_loop_stop_timer(loop, &request->timer);
  request->on_due = listen_on_silence;
  return request->listen.ack_ms != 0
             ? mcpi_loop_start_timer(loop, &request->timer,
                                     request->listen.ack_ms)
             : 0;
}

static void listen_reopen(mcpi_request *request) {
  mcp_error err;
  int rc = listen_start_clock(request);
  if (rc != 0) {
    listen_give_up(request, rc, mcp_error_text(rc));
    return;
  }
  /* Sending calls a trace, which may end the request. */
  rc = mcpi_request_send(request, &err);
  if (rc != 0 && request->state != MCPI_REQUEST_ENDED) {
    listen_give_up(request, rc, err.message);
  }
}

/* The stream is not open any longer. The timer is free for the next try. */
static void listen_lose(mcpi_request *request) {
  mcp_loop *loop = request->client->loop;
  if (request->listen.stage == MCPI_LISTEN_OPEN &&
      mcpi_loop_now(loop) - request->listen.opened_ms >= STEADY_MS) {
    request->listen.reopens = 0;
  }
  mcpi_pending_remove(&request->pending);
  mcpi_loop_stop_timer(loop, &request->timer);
  listen_untrack(request);
  if (request->listen.stage == MCPI_LISTEN_OPEN) {
    request->listen.stage = MCPI_LISTEN_BROKEN;
  }
  request->state = MCPI_REQUEST_LOST;
}

/* The program itself tries a listen again that was never granted, and a refusal
 * is final. The client tries again after trouble that may pass: a connection
 * that failed or broke, a server that is out of order or has ended the stream
 * (0 or MCP_ERR_CANCELLED). */
static int listen_may_reopen(const mcpi_request *request, int code) {
  uint32_t max = request->client->options.max_reopens;
  return request->listen.stage != MCPI_LISTEN_ASKED &&
         !request->listen.is_once &&
         (max == UINT32_MAX || request->listen.reopens < max) &&
         (code == 0 || code == MCP_ERR_CANCELLED || code == MCP_ERR_IO ||
          code == MCP_ERR_TIMEOUT);
}

static void listen_reopen_later(mcpi_request *request, const char *why) {
  mcp_client *client = request->client;
  int64_t wait_ms = mcpi_backoff_ms(request->listen.reopens++);
  mcp_error err;
  request->on_due = listen_reopen;
  int rc = mcpi_loop_start_timer(client->loop, &request->timer, wait_ms);
  if (rc != 0) {
    listen_give_up(request, rc, mcp_error_text(rc));
    return;
  }
  mcp_error_set(&err, MCP_ERR_CLOSED,
                "a listen stream is opened again in %lld ms: %s",
                (long long)wait_ms, why);
  mcpi_client_report(client, &err);
}

/* The stream has ended without an answer. */
static void listen_break_off(mcpi_request *request, int code, const char *why) {
  listen_lose(request);
  if (listen_may_reopen(request, code)) {
    listen_reopen_later(request, why);
  } else {
    listen_give_up(request, code, why);
  }
}

/* Sending calls a trace, which may end everything. */
static void listen_on_silence(mcpi_request *request) {
  listen_tell_end(request, MCPI_STR("not acknowledged in time"));
  if (request->state == MCPI_REQUEST_WAITING) {
    listen_break_off(request, MCP_ERR_TIMEOUT,
                     "the listen was not acknowledged in time");
  }
}

/* When the connection breaks, the peer reports afterwards whether it has ended.
 */
void mcpi_client_listen_reply(mcpi_request *request, int status,
                              mcpi_message *message, const mcpi_envelope *reply,
                              const mcp_error *err) {
  const char *why = err != NULL ? err->message : "the server ended it";
  listen_lose(request);
  if (status == MCP_ERR_CLOSED && !request->listen.is_once) {
    return;
  }
  if (listen_may_reopen(request, status)) {
    listen_reopen_later(request, why);
  } else if (listen_is_watch(request)) {
    listen_give_up(request, status != 0 ? status : MCP_ERR_CANCELLED, why);
  } else {
    mcpi_request_settle(request, status, message, reply, err);
  }
}

int mcpi_client_listen_prepare(mcpi_request *request) {
  request->listen.ack_ms = request->timeout_ms;
  request->timeout_ms = 0;
  request->max_ms = 0;
  return listen_start_clock(request);
}

/* --- the program's ------------------------------------------------------ */

static void put_flag(mcpi_buf *buf, const char *name, uint32_t flag) {
  if (flag != 0) {
    mcpi_params_name(buf, name);
    mcpi_buf_lit(buf, "true");
  }
}

static int client_listen_put_uris(mcpi_buf *buf, const char *const *uris,
                                  mcp_error *err) {
  mcpi_params_name(buf, "resourceSubscriptions");
  mcpi_buf_putc(buf, '[');
  for (size_t i = 0; uris[i] != NULL; i++) {
    int rc = mcpi_params_check("uris", uris[i], err);
    if (rc != 0) {
      return rc;
    }
    if (i > 0) {
      mcpi_buf_putc(buf, ',');
    }
    mcpi_json_put_string(buf, mcpi_str_z(uris[i]));
  }
  mcpi_buf_putc(buf, ']');
  return 0;
}

/* The program gives members without braces: they are parsed within braces. */
static int client_listen_put_more(mcp_client *client, mcpi_buf *buf,
                                  const char *more, mcp_error *err) {
  mcpi_buf *text = &client->scratch;
  mcpi_buf_clear(text);
  mcpi_buf_putc(text, '{');
  mcpi_buf_puts(text, mcpi_str_z(more));
  mcpi_buf_putc(text, '}');
  mcpi_buf_putc(text, '\0');
  return text->error != 0
             ? text->error
             : mcpi_params_put_members(client, buf, "more", text->data, err);
}

static int put_filter(mcpi_request *request, const mcp_listen_filter *filter) {
  mcpi_buf *buf = &request->bufs.params;
  int rc = 0;
  mcpi_params_name(buf, "notifications");
  mcpi_buf_putc(buf, '{');
  put_flag(buf, "toolsListChanged", filter->tools);
  put_flag(buf, "promptsListChanged", filter->prompts);
  put_flag(buf, "resourcesListChanged", filter->resources);
  if (filter->uris != NULL) {
    rc = client_listen_put_uris(buf, filter->uris, request->start_err);
  }
  if (rc == 0 && filter->more != NULL) {
    rc = client_listen_put_more(request->client, buf, filter->more,
                                request->start_err);
  }
  mcpi_buf_putc(buf, '}');
  return rc;
}

int mcp_client_listen(mcp_client *client, const mcp_listen_filter *filter,
                      const mcp_request_options *options,
                      void (*on_open)(mcp_client *client,
                                      const mcp_json *granted, void *userdata),
                      mcp_done_cb on_done, void *userdata, mcp_error *err) {
  mcp_listen_filter all;
  mcpi_request *request;
  int rc = mcpi_widen(&all, sizeof(all), filter, "mcp_listen_filter", err);
  if (rc != 0) {
    return rc;
  }
  static const mcpi_request_kind kind = {.on_reply = mcpi_client_listen_reply,
                                         .on_end = mcpi_client_listen_end};
  rc = mcpi_request_open(&request, client, &mcpi_methods[MCPI_M_LISTEN], &kind,
                         options, on_done, userdata, err);
  if (rc != 0) {
    return rc;
  }
  request->listen.on_open = on_open;
  request->listen.is_once = all.once != 0;
  mcpi_request_note(request, put_filter(request, &all));
  mcpi_request_note(request, mcpi_client_listen_prepare(request));
  return mcpi_request_start(request);
}

/* --- what comes for one ------------------------------------------------- */

/* notifications/cancelled came for it, or the far side was replaced: then it is
 * lost and not ended. */
static void listen_on_cancel(mcpi_inflight *inflight, mcpi_str reason) {
  mcpi_request *request =
      MCPI_CONTAINER(inflight, mcpi_request, listen.inflight);
  mcp_client *client = request->client;
  (void)reason;
  inflight->id_text.len = 0;
  if (request->state != MCPI_REQUEST_WAITING) {
    return;
  }
  mcpi_client_enter(client);
  listen_break_off(request, MCP_ERR_CANCELLED, "the server ended it");
  mcpi_client_leave(client);
}

/* The server ends a listen by notifications/cancelled, as if the listen were
 * its own request. A modern server makes no requests, so the peer's table of
 * those has room for listens. Without room the server's other way, a result,
 * still works. */
static void listen_track(mcpi_request *request) {
  mcpi_buf digits;
  mcpi_buf_init(&digits, &request->client->loop->allocator, SIZE_MAX);
  mcpi_json_put_uint(&digits, request->pending.id);
  if (digits.error == 0 && digits.len <= sizeof(request->listen.id_text)) {
    memcpy(request->listen.id_text, digits.data, digits.len);
    request->listen.inflight.id_text =
        mcpi_str_n(request->listen.id_text, digits.len);
    request->listen.inflight.on_cancel = listen_on_cancel;
    if (mcpi_peer_track(&request->client->peer, &request->listen.inflight) !=
        0) {
      request->listen.inflight.id_text.len = 0;
    }
  }
  mcpi_buf_deinit(&digits);
}

static void listen_acknowledge(mcpi_request *request, mcpi_message *message,
                               const mcp_json *granted) {
  mcp_client *client = request->client;
  int is_first = request->listen.stage == MCPI_LISTEN_ASKED;
  request->listen.stage = MCPI_LISTEN_OPEN;
  request->listen.opened_ms = mcpi_loop_now(client->loop);
  mcpi_loop_stop_timer(client->loop, &request->timer);
  if (!is_first) {
    /* The server could not report changes meanwhile. */
    mcpi_cache_clear(&client->cache);
    mcpi_outputs_forget(&client->outputs);
    return;
  }
  if (request->listen.on_open != NULL) {
    request->listen.on_open(client, granted, request->userdata);
  }
  if (request->listen.on_granted != NULL &&
      request->state == MCPI_REQUEST_WAITING) {
    request->listen.on_granted(request, message, granted);
  }
}

void mcpi_client_listen_acknowledged(mcp_client *client, mcpi_message *message,
                                     const mcpi_envelope *envelope) {
  mcpi_request *request = mcpi_request_find_listen(
      client, mcp_json_get(envelope->meta, MCPI_META_SUBSCRIPTION_ID));
  if (request == NULL) {
    return; /* cancelled meanwhile */
  }
  if (request->listen.inflight.id_text.len == 0) {
    listen_track(request);
  }
  if (request->listen.stage != MCPI_LISTEN_OPEN) {
    listen_acknowledge(request, message,
                       mcp_json_get(envelope->params, "notifications"));
  }
}

/* --- after a restart ---------------------------------------------------- */

static mcpi_request *listen_find_lost(const mcp_client *client) {
  mcpi_list *link = client->active.next;
  for (; link != &client->active; link = link->next) {
    mcpi_request *request = MCPI_CONTAINER(link, mcpi_request, link);
    if (request->state == MCPI_REQUEST_LOST) {
      return request;
    }
  }
  return NULL;
}

/* Looked up one by one: a listen that cannot be sent again may end others. */
void mcpi_client_listen_reopen_all(mcp_client *client) {
  mcpi_request *request;
  while ((request = listen_find_lost(client)) != NULL) {
    listen_reopen(request);
  }
}
