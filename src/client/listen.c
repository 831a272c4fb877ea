/* SPDX-License-Identifier: MIT */
/* Streams of notifications. */
#include "client/listen.h"

#include "client/params.h"
#include "client/subscribe.h"
#include "core/context.h"

/* --- opening ------------------------------------------------------------ */

static void tell_end(mcpi_request *request, mcpi_str reason) {
  if (request->phase == MCPI_REQUEST_WAITING) {
    mcpi_peer_send_cancel(&request->client->peer, request->pending.id, reason,
                          1);
  }
}

static void on_silence(mcpi_request *request) {
  tell_end(request, MCPI_STR("not acknowledged in time"));
  mcpi_request_fail_with(request, MCP_ERR_TIMEOUT,
                         "the listen was not acknowledged in time");
}

/* When the connection breaks, the peer tells afterwards whether it is for ever.
 */
static void on_reply(mcpi_request *request, int status, mcpi_message *message,
                     const mcpi_envelope *reply, const mcp_error *err) {
  if (status == MCP_ERR_CLOSED) {
    request->phase = MCPI_REQUEST_LOST;
    mcpi_loop_stop_timer(request->client->loop, &request->timer);
  } else {
    mcpi_request_settle(request, status, message, reply, err);
  }
}

static int start_clock(mcpi_request *request) {
  if (request->ack_ms == 0 || request->is_acknowledged) {
    return 0;
  }
  return mcpi_loop_start_timer(request->client->loop, &request->timer,
                               request->ack_ms);
}

int mcpi_listen_prepare(mcpi_request *request) {
  request->on_reply = on_reply;
  request->on_due = on_silence;
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
  mcpi_request_fail_with(request, MCP_ERR_CANCELLED,
                         "the server has ended the stream");
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

void mcpi_listen_ended(mcpi_request *request) {
  if (request->inflight.id_text.len > 0) {
    mcpi_peer_untrack(&request->client->peer, &request->inflight);
    request->inflight.id_text.len = 0;
  }
}

static void acknowledge(mcpi_request *request, mcpi_message *message,
                        const mcp_json *granted) {
  mcp_client *client = request->client;
  request->is_acknowledged = 1;
  mcpi_loop_stop_timer(client->loop, &request->timer);
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
  if (!request->is_acknowledged) { /* once, not again after a restart */
    acknowledge(request, message,
                mcp_json_get(envelope->params, "notifications"));
  }
}

void mcpi_listen_close(mcpi_request *request) {
  tell_end(request, (mcpi_str){NULL, 0});
  mcpi_request_fail_with(request, MCP_ERR_CANCELLED, "no longer needed");
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
    int rc = start_clock(request);
    if (rc != 0) {
      mcpi_request_fail_with(request, rc, mcp_error_text(rc));
    } else {
      mcpi_request_resend(request);
    }
  }
}
