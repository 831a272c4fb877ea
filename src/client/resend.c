/* SPDX-License-Identifier: MIT */
#include "client/resend.h"

#include "base/error.h"

enum {
  /* The longest time that a request waits for the next session. A transport
   * should announce the restart at once. If it never does, requests must still
   * end, also those without a time limit. */
  WAIT_MAX_MS = 60000
};

static void resend_on_late(mcpi_request *request) {
  mcpi_request_fail_with(request, MCP_ERR_TIMEOUT,
                         "the server ended the session, and no new session "
                         "began in time");
}

/* Some requests do not wait. A request that the client itself started belongs
 * to the session that has ended. A second message of a request is either the
 * second attempt or the next page of a list, whose cursor the next session does
 * not know. A listen does not wait here: listen.c opens it again, and needs the
 * request's timer for that. */
static int is_kept(const mcpi_request *request) {
  const mcpi_pending *pending = &request->pending;
  return pending->is_resendable && !request->is_internal &&
         request->number == pending->id &&
         (request->row == NULL || request->row->id != MCPI_M_LISTEN);
}

static uint32_t wait_limit(const mcpi_request *request) {
  return request->timeout_ms != 0 && request->timeout_ms < WAIT_MAX_MS
             ? request->timeout_ms
             : WAIT_MAX_MS;
}

static int resend_await(mcpi_request *request) {
  mcp_client *client = request->client;
  request->on_due = resend_on_late;
  int rc =
      mcpi_loop_start_timer(client->loop, &request->timer, wait_limit(request));
  if (rc == 0) {
    request->state = MCPI_REQUEST_AWAITS_SESSION;
    request->pending.was_sent = 0;
    client->awaiting_count++;
  }
  return rc;
}

int mcpi_resend_keep(mcpi_request *request) {
  if (!is_kept(request)) {
    return 0;
  }
  if (resend_await(request) != 0) {
    mcpi_request_fail_with(request, MCP_ERR_NOMEM, "out of memory");
  }
  return 1;
}

int mcpi_resend_is_reconnecting(const mcp_client *client) {
  return client->state == MCPI_CLIENT_CONNECTING &&
         client->handshake.connect == NULL && client->revision != NULL;
}

int mcpi_resend_hold(mcpi_request *request, mcp_error *err) {
  mcp_client *client = request->client;
  size_t max = client->options.max_pending;
  if (client->awaiting_count >= max) {
    return mcp_error_set(err, MCP_ERR_LIMIT,
                         "%zu requests wait for the server's new session "
                         "already; the limit is max_pending of "
                         "mcp_client_options",
                         client->awaiting_count);
  }
  if (resend_await(request) != 0) {
    return mcpi_no_memory(err);
  }
  if (request->number == 0) {
    request->number = client->peer.pending.next_id++;
  }
  return 0;
}

static void resend_end(mcpi_request *request) {
  mcp_client *client = request->client;
  mcpi_loop_stop_timer(client->loop, &request->timer);
  request->state = MCPI_REQUEST_NEW;
  client->awaiting_count--;
}

static int resend_is_waiting(const mcpi_list *link) {
  return MCPI_CONTAINER(link, mcpi_request, link)->state ==
         MCPI_REQUEST_AWAITS_SESSION;
}

/* Moves the waiting requests to the beginning of the list and keeps their
 * order. Then find_first need not search. `end` is the first link after the
 * moved ones; mcpi_list_append(end, link) puts a link before `end`. */
static void resend_gather(mcp_client *client) {
  mcpi_list *end = client->active.next;
  mcpi_list *link = end;
  while (link != &client->active) {
    mcpi_list *next = link->next;
    if (resend_is_waiting(link) && link == end) {
      end = next;
    } else if (resend_is_waiting(link)) {
      mcpi_list_remove(link);
      mcpi_list_append(end, link);
    }
    link = next;
  }
}

static mcpi_request *find_first(const mcp_client *client) {
  mcpi_list *link = client->active.next;
  return link != &client->active && resend_is_waiting(link)
             ? MCPI_CONTAINER(link, mcpi_request, link)
             : NULL;
}

/* Each request goes to the end of the list before the client sends it. Sending
 * may run callbacks, which may end the client and all its requests. */
void mcpi_resend_end_all(mcp_client *client,
                         void (*resend)(mcpi_request *request)) {
  mcpi_request *request;
  resend_gather(client);
  while (mcpi_client_is_open(client) &&
         (request = find_first(client)) != NULL) {
    resend_end(request);
    mcpi_list_remove(&request->link);
    mcpi_list_append(&client->active, &request->link);
    resend(request);
  }
}
