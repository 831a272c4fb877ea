/* SPDX-License-Identifier: MIT */
/* Streams of notifications.
 *
 *     WAITING --> acknowledged --> LOST --> DONE
 *        ^                          |
 *        +--------------------------+
 *          at once: the far side was replaced
 *          after a pause: the stream broke, or the server ended it */
#include "client/listen.h"

#include "client/params.h"
#include "client/subscribe.h"
#include "core/backoff.h"
#include "core/context.h"

enum {
  /* A stream that stood so long was no failed try. */
  STEADY_MS = 5000
};

/* --- the end ------------------------------------------------------------ */

static void tell_end(mcpi_request *request, mcpi_str reason) {
  if (request->phase == MCPI_REQUEST_WAITING) {
    mcpi_peer_send_cancel(&request->client->peer, request->pending.id, reason,
                          1);
  }
}

void mcpi_listen_untrack(mcpi_request *request) {
  if (request->inflight.id_text.len > 0) {
    mcpi_peer_untrack(&request->client->peer, &request->inflight);
    request->inflight.id_text.len = 0;
  }
}

void mcpi_listen_close(mcpi_request *request) {
  tell_end(request, (mcpi_str){NULL, 0});
  mcpi_request_fail_with(request, MCP_ERR_CANCELLED, "no longer needed");
}

/* A watch, once granted, is nobody's request: its end is reported. */
static int is_watch(const mcpi_request *request) {
  return request->is_internal && request->was_granted;
}

static void give_up(mcpi_request *request, int code, const char *why) {
  mcp_client *client = request->client;
  int is_reported = is_watch(request);
  mcp_error err;
  mcpi_request_fail_with(request, code, why);
  if (is_reported) {
    mcp_error_set(&err, code, "the subscriptions have ended: %s", why);
    mcpi_client_report(client, &err);
  }
}

/* --- opening ------------------------------------------------------------ */

static void on_silence(mcpi_request *request);

static int start_clock(mcpi_request *request) {
  mcp_loop *loop = request->client->loop;
  mcpi_loop_stop_timer(loop, &request->timer);
  request->on_due = on_silence;
  return request->ack_ms != 0
             ? mcpi_loop_start_timer(loop, &request->timer, request->ack_ms)
             : 0;
}

static void reopen(mcpi_request *request) {
  mcp_error err;
  int rc = start_clock(request);
  if (rc != 0) {
    give_up(request, rc, mcp_error_text(rc));
    return;
  }
  rc = mcpi_request_send(request, &err);
  if (rc != 0 && request->phase != MCPI_REQUEST_DONE) {
    give_up(request, rc, err.message);
  }
}

/* What is open no more. Its timer is free for the next try. */
static void lose(mcpi_request *request) {
  mcp_loop *loop = request->client->loop;
  if (request->is_acknowledged &&
      mcpi_loop_now(loop) - request->acknowledged_ms >= STEADY_MS) {
    request->reopens = 0;
  }
  mcpi_pending_remove(&request->pending);
  mcpi_loop_stop_timer(loop, &request->timer);
  mcpi_listen_untrack(request);
  request->is_acknowledged = 0;
  request->phase = MCPI_REQUEST_LOST;
}

/* What was never granted is the program's to try again, and a refusal is final.
 * What may pass is waited for: a connection that failed or broke, a server that
 * is out of order or has ended the stream (0 or MCP_ERR_CANCELLED). */
static int may_reopen(const mcpi_request *request, int code) {
  uint32_t max = request->client->options.max_reopens;
  return request->was_granted && !request->is_once &&
         (max == UINT32_MAX || request->reopens < max) &&
         (code == 0 || code == MCP_ERR_CANCELLED || code == MCP_ERR_IO ||
          code == MCP_ERR_TIMEOUT);
}

static void reopen_later(mcpi_request *request, const char *why) {
  mcp_client *client = request->client;
  int64_t wait_ms = mcpi_backoff_ms(request->reopens++);
  mcp_error err;
  request->on_due = reopen;
  int rc = mcpi_loop_start_timer(client->loop, &request->timer, wait_ms);
  if (rc != 0) {
    give_up(request, rc, mcp_error_text(rc));
    return;
  }
  mcp_error_set(&err, MCP_ERR_CLOSED,
                "a listen stream is opened again in %lld ms: %s",
                (long long)wait_ms, why);
  mcpi_client_report(client, &err);
}

/* It has ended, and not by an answer. */
static void break_off(mcpi_request *request, int code, const char *why) {
  lose(request);
  if (may_reopen(request, code)) {
    reopen_later(request, why);
  } else {
    give_up(request, code, why);
  }
}

/* A trace is shown what is sent, and may end everything. */
static void on_silence(mcpi_request *request) {
  tell_end(request, MCPI_STR("not acknowledged in time"));
  if (request->phase == MCPI_REQUEST_WAITING) {
    break_off(request, MCP_ERR_TIMEOUT,
              "the listen was not acknowledged in time");
  }
}

/* When the connection breaks, the peer tells afterwards whether it is for ever.
 */
static void on_reply(mcpi_request *request, int status, mcpi_message *message,
                     const mcpi_envelope *reply, const mcp_error *err) {
  const char *why = err != NULL ? err->message : "the server ended it";
  lose(request);
  if (status == MCP_ERR_CLOSED && !request->is_once) {
    return;
  }
  if (may_reopen(request, status)) {
    reopen_later(request, why);
  } else if (is_watch(request)) {
    give_up(request, status != 0 ? status : MCP_ERR_CANCELLED, why);
  } else {
    mcpi_request_settle(request, status, message, reply, err);
  }
}

int mcpi_listen_prepare(mcpi_request *request) {
  request->on_reply = on_reply;
  request->ack_ms = request->timeout_ms;
  request->timeout_ms = 0;
  request->max_ms = 0;
  return start_clock(request);
}

/* --- the program's ------------------------------------------------------ */

static void put_flag(mcpi_buf *buf, const char *name, uint32_t flag) {
  if (flag != 0) {
    mcpi_params_name(buf, name);
    mcpi_buf_lit(buf, "true");
  }
}

static int put_uris(mcpi_buf *buf, const char *const *uris, mcp_error *err) {
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

/* Members without braces are read with braces round them. */
static int put_more(mcp_client *client, mcpi_buf *buf, const char *more) {
  mcpi_buf *text = &client->scratch;
  mcpi_buf_clear(text);
  mcpi_buf_putc(text, '{');
  mcpi_buf_puts(text, mcpi_str_z(more));
  mcpi_buf_putc(text, '}');
  mcpi_buf_putc(text, '\0');
  return text->error != 0 ? text->error
                          : mcpi_params_put_members(client, buf, "more",
                                                    text->data, &client->error);
}

static int put_filter(mcpi_request *request, const mcp_listen *filter) {
  mcpi_buf *buf = &request->bufs.params;
  int rc = 0;
  mcpi_params_name(buf, "notifications");
  mcpi_buf_putc(buf, '{');
  put_flag(buf, "toolsListChanged", filter->tools);
  put_flag(buf, "promptsListChanged", filter->prompts);
  put_flag(buf, "resourcesListChanged", filter->resources);
  if (filter->uris != NULL) {
    rc = put_uris(buf, filter->uris, &request->client->error);
  }
  if (rc == 0 && filter->more != NULL) {
    rc = put_more(request->client, buf, filter->more);
  }
  mcpi_buf_putc(buf, '}');
  return rc;
}

int mcp_client_listen(mcp_client *client, const mcp_listen *filter,
                      const mcp_request_options *options,
                      void (*on_open)(mcp_client *client,
                                      const mcp_json *granted, void *userdata),
                      mcp_done_cb on_done, void *userdata) {
  mcp_listen all;
  mcpi_request *request;
  if (client == NULL || mcpi_widen(&all, sizeof(all), filter, "mcp_listen",
                                   &client->error) != 0) {
    return MCP_ERR_INVALID;
  }
  int rc = mcpi_request_open(&request, client, &mcpi_methods[MCPI_M_LISTEN],
                             options, on_done, userdata);
  if (rc != 0) {
    return rc;
  }
  request->on_open = on_open;
  request->is_once = all.once != 0;
  mcpi_request_note(request, put_filter(request, &all));
  mcpi_request_note(request, mcpi_listen_prepare(request));
  return mcpi_request_start(request);
}

/* --- what comes for one ------------------------------------------------- */

/* notifications/cancelled came for it, or the far side was replaced: then it is
 * lost and not ended. */
static void on_cancel(mcpi_inflight *inflight, mcpi_str reason) {
  mcpi_request *request = MCPI_CONTAINER(inflight, mcpi_request, inflight);
  mcp_client *client = request->client;
  (void)reason;
  inflight->id_text.len = 0;
  if (request->phase != MCPI_REQUEST_WAITING) {
    return;
  }
  mcpi_client_enter(client);
  break_off(request, MCP_ERR_CANCELLED, "the server ended it");
  mcpi_client_leave(client);
}

/* A server ends a listen as one ends a request that one has made. In the modern
 * era only we make any, so the peer's table of what it may cancel is free for
 * ours. When there is no room, the server's other way, a result, still works.
 */
static void track(mcpi_request *request) {
  mcpi_buf digits;
  mcpi_buf_init(&digits, &request->client->loop->allocator, SIZE_MAX);
  mcpi_json_put_uint(&digits, request->pending.id);
  if (digits.error == 0 && digits.len <= sizeof(request->id_text)) {
    memcpy(request->id_text, digits.data, digits.len);
    request->inflight.id_text = mcpi_str_n(request->id_text, digits.len);
    request->inflight.on_cancel = on_cancel;
    if (mcpi_peer_track(&request->client->peer, &request->inflight) != 0) {
      request->inflight.id_text.len = 0;
    }
  }
  mcpi_buf_deinit(&digits);
}

static void acknowledge(mcpi_request *request, mcpi_message *message,
                        const mcp_json *granted) {
  mcp_client *client = request->client;
  int is_first = !request->was_granted;
  request->is_acknowledged = 1;
  request->was_granted = 1;
  request->acknowledged_ms = mcpi_loop_now(client->loop);
  mcpi_loop_stop_timer(client->loop, &request->timer);
  if (!is_first) {
    mcpi_cache_clear(client); /* nobody told of changes meanwhile */
    mcpi_outputs_forget(client);
    return;
  }
  if (request->on_open != NULL) {
    request->on_open(client, granted, request->userdata);
  }
  if (request->is_internal && request->phase == MCPI_REQUEST_WAITING) {
    mcpi_subscribe_granted(request, message, granted);
  }
}

void mcpi_listen_acknowledged(mcp_client *client, mcpi_message *message,
                              const mcpi_envelope *envelope) {
  mcpi_request *request = mcpi_request_find_listen(
      client, mcp_json_get(envelope->meta, MCPI_META_SUBSCRIPTION_ID));
  if (request == NULL) {
    return; /* given up meanwhile */
  }
  if (request->inflight.id_text.len == 0) {
    track(request);
  }
  if (!request->is_acknowledged) {
    acknowledge(request, message,
                mcp_json_get(envelope->params, "notifications"));
  }
}

/* --- after a restart ---------------------------------------------------- */

static mcpi_request *find_lost(const mcp_client *client) {
  mcpi_list *link = client->active.next;
  for (; link != &client->active; link = link->next) {
    mcpi_request *request = MCPI_CONTAINER(link, mcpi_request, link);
    if (request->phase == MCPI_REQUEST_LOST) {
      return request;
    }
  }
  return NULL;
}

/* Found one by one: a listen that cannot be sent again takes others with it. */
void mcpi_listen_reopen_all(mcp_client *client) {
  mcpi_request *request;
  while ((request = find_lost(client)) != NULL) {
    reopen(request);
  }
}
