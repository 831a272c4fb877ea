/* SPDX-License-Identifier: MIT */
#include "client/resend.h"

#include "base/error.h"

enum {
  /* How long a request waits for the next session at most. The restart is due
   * at once. If a transport never announces the restart, it must not keep the
   * request indefinitely, even a request without a time limit. */
  WAIT_MAX_MS = 60000
};

static void resend_on_late(mcpi_request *request) {
  mcpi_request_fail_with(request, MCP_ERR_TIMEOUT,
                         "the server ended the session, and no new session "
                         "began in time");
}

/* Some requests do not wait. A request of the client's own is part of the
 * session that has ended. A second message of a request is either the second
 * attempt or the next page of a list, whose cursor the next session does not
 * know. listen.c opens a listen again, with the request's timer. */
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
  request->number = client->peer.pending.next_id++;
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

/* Moves the waiting requests to the head of the list, in their order: each time
 * the first one can then be found at once, however many there are. */
static void resend_gather(mcp_client *client) {
  mcpi_list *end = client->active.next; /* of those that were moved */
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
 * may end the client, and with it all requests. */
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
