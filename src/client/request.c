/* SPDX-License-Identifier: MIT */
#include "client/request.h"

enum {
  /* Bytes that each buffer of an idle request keeps: a usual call's. */
  KEEP_BYTES = 4096,
  /* Idle requests kept: more in flight at once are rare. */
  KEEP_REQUESTS = 1024
};

/* --- the free list -------------------------------------------------------- */

static const size_t buf_offsets[] = {
    offsetof(mcpi_request_bufs, params),  offsetof(mcpi_request_bufs, extra),
    offsetof(mcpi_request_bufs, meta),    offsetof(mcpi_request_bufs, pages),
    offsetof(mcpi_request_bufs, answers), offsetof(mcpi_request_bufs, name),
    offsetof(mcpi_request_bufs, method)};

enum { BUF_COUNT = sizeof(buf_offsets) / sizeof(buf_offsets[0]) };

static mcpi_buf *buf_at(mcpi_request *request, size_t index) {
  return (mcpi_buf *)(void *)((char *)&request->bufs + buf_offsets[index]);
}

static mcpi_request *request_new(mcp_client *client) {
  const mcp_allocator *allocator = &client->loop->allocator;
  mcpi_request *request = mcpi_calloc(allocator, 1, sizeof(*request));
  for (size_t i = 0; request != NULL && i < BUF_COUNT; i++) {
    mcpi_buf_init(buf_at(request, i), allocator, SIZE_MAX);
  }
  return request;
}

static void request_free(mcp_client *client, mcpi_request *request) {
  for (size_t i = 0; i < BUF_COUNT; i++) {
    mcpi_buf_deinit(buf_at(request, i));
  }
  mcpi_free(&client->loop->allocator, request, sizeof(*request));
}

static mcpi_request *request_take_idle(mcp_client *client) {
  if (mcpi_list_is_empty(&client->idle)) {
    return request_new(client);
  }
  mcpi_request *request = MCPI_CONTAINER(client->idle.next, mcpi_request, link);
  mcpi_list_remove(&request->link);
  client->idle_count--;
  return request;
}

/* Frees idle requests until at most `keep` are left. */
static void request_trim(mcp_client *client, size_t keep) {
  while (client->idle_count > keep) {
    request_free(client, request_take_idle(client));
  }
}

static void request_on_timer(mcpi_timer *timer) {
  mcpi_request *request = MCPI_CONTAINER(timer, mcpi_request, timer);
  mcp_client *client = request->client;
  mcpi_client_enter(client);
  request->on_due(request);
  mcpi_client_leave(client);
}

mcpi_request *mcpi_request_take(mcp_client *client, const mcpi_method *row,
                                const mcpi_request_kind *kind) {
  mcpi_request *request = request_take_idle(client);
  if (request == NULL) {
    return NULL;
  }
  memset(request, 0, offsetof(mcpi_request, bufs));
  request->client = client;
  request->kind = kind;
  request->row = row;
  request->method = mcpi_str_z(row != NULL ? row->name : NULL);
  request->is_internal = 1;
  request->timer.on_due = request_on_timer;
  request->pending.timeout_name = "request_timeout_ms";
  request->pending.max_name = "max_request_ms";
  mcpi_list_append(&client->active, &request->link);
  return request;
}

/* Its memory stays until the outermost event is over, so that a function which
 * still looks at the request sees that it has ended. */
static void request_recycle(mcpi_request *request) {
  mcp_client *client = request->client;
  for (size_t i = 0; i < BUF_COUNT; i++) {
    mcpi_buf_recycle(buf_at(request, i), KEEP_BYTES);
  }
  request->state = MCPI_REQUEST_ENDED;
  mcpi_list_remove(&request->link);
  mcpi_list_append(&client->idle, &request->link);
  client->idle_count++;
}

/* --- what the program gives ----------------------------------------------- */

void mcpi_request_note(mcpi_request *request, int rc) {
  if (request->error == 0) {
    request->error = rc;
  }
}

void mcpi_request_set_name(mcpi_request *request, mcpi_str name) {
  mcpi_buf *buf = &request->bufs.name;
  if (name.ptr != NULL) {
    mcpi_buf_puts(buf, name);
    mcpi_buf_putc(buf, '\0');
    mcpi_request_note(request, buf->error);
  }
}

mcpi_str mcpi_request_name(const mcpi_request *request) {
  const mcpi_buf *name = &request->bufs.name;
  return name->len > 0 ? mcpi_str_n(name->data, name->len - 1)
                       : mcpi_str_n(NULL, 0);
}

/* --- the end -------------------------------------------------------------- */

/* Ends whatever the request waits for, and puts it into another list. What the
 * kind does comes last: it may send a message, whose trace may end everything,
 * and must find that this request has ended. */
static void request_stop(mcpi_request *request, mcpi_list *list) {
  mcp_client *client = request->client;
  request->was_sent |= request->pending.was_sent;
  if (request->state == MCPI_REQUEST_AWAITS_SESSION) {
    client->awaiting_count--;
  }
  request->state = MCPI_REQUEST_ENDED;
  mcpi_list_remove(&request->link);
  mcpi_list_append(list, &request->link);
  mcpi_pending_remove(&request->pending);
  mcpi_loop_stop_timer(client->loop, &request->timer);
  mcpi_message_unref(request->given);
  request->given = NULL;
  request->arguments = NULL;
  mcp_result_unref(request->cached.result);
  request->cached.result = NULL;
  if (request->kind->on_end != NULL) {
    request->kind->on_end(request);
  }
}

/* Ends the request as a failure, for a caller that undoes what it began. Does
 * nothing to a request that has ended with the client. */
void mcpi_request_drop(mcpi_request *request) {
  if (request->state != MCPI_REQUEST_ENDED) {
    mcpi_list none;
    mcpi_list_init(&none);
    request->status = MCP_ERR_CANCELLED;
    request_stop(request, &none);
    request_recycle(request);
  }
}

static void request_finish(mcpi_request *request) {
  request_stop(request, &request->client->finished);
}

void mcpi_request_succeed(mcpi_request *request, mcp_result *result) {
  if (result == NULL) {
    mcpi_request_fail_with(request, MCP_ERR_NOMEM, "out of memory");
    return;
  }
  request->status = 0;
  request->result = result;
  request_finish(request);
}

void mcpi_request_fail(mcpi_request *request, const mcp_error *err) {
  if (request->state == MCPI_REQUEST_ENDED) {
    return;
  }
  request->status = err->code;
  request->err = *err;
  request_finish(request);
}

void mcpi_request_fail_with(mcpi_request *request, int code,
                            const char *reason) {
  mcp_error err;
  mcp_error_set(&err, code, "%s", reason);
  mcpi_request_fail(request, &err);
}

/* The request is recycled first, so that the callback may start another. */
static void request_deliver(mcpi_request *request) {
  mcp_client *client = request->client;
  mcp_error err = request->err;
  mcpi_message *refusal = request->refusal;
  mcp_done_cb done = request->on_done;
  void *userdata = request->userdata;
  mcp_outcome outcome = {.size = sizeof(outcome),
                         .status = request->status,
                         .was_sent = request->was_sent,
                         .result = request->result,
                         .error = &err,
                         .error_data = request->error_data};
  request_recycle(request);
  if (done != NULL) {
    done(client, &outcome, userdata);
  }
  mcp_result_unref(outcome.result);
  mcpi_message_unref(refusal);
}

void mcpi_request_deliver_all(mcp_client *client) {
  while (!mcpi_list_is_empty(&client->finished)) {
    request_deliver(MCPI_CONTAINER(client->finished.next, mcpi_request, link));
  }
}

/* --- the turn ------------------------------------------------------------- */

static void tell_closed(mcp_client *client) {
  mcp_error err = client->closed_err;
  client->is_close_due = 0;
  mcpi_client_trip_end(client);
  mcpi_reports_flush(&client->reports.limit);
  if (client->options.on_closed != NULL) {
    client->options.on_closed(client, &err, client->options.userdata);
  }
}

static int has_due(const mcp_client *client) {
  return !mcpi_list_is_empty(&client->finished) || client->is_close_due;
}

/* The completions of a connection come before on_closed. */
static void run_due(mcp_client *client) {
  mcpi_request_deliver_all(client);
  if (client->is_close_due) {
    tell_closed(client);
  }
}

/* The memory of a freed client stays as long as a function on the stack needs
 * it. */
void mcpi_client_step_out(mcp_client *client) {
  client->loop->frames--;
  if (--client->depth > 0) {
    return;
  }
  if (client->is_freed) {
    request_trim(client, 0);
    mcpi_client_destroy(client);
    return;
  }
  request_trim(client, KEEP_REQUESTS);
}

void mcpi_client_enter(mcp_client *client) {
  client->depth++;
  client->loop->frames++;
}

void mcpi_client_leave(mcp_client *client) {
  while (client->depth == 1 && has_due(client)) {
    run_due(client);
  }
  mcpi_client_step_out(client);
}

void mcpi_client_return(mcp_client *client) {
  if (client->depth == 1 && has_due(client)) {
    mcpi_loop_start_timer(client->loop, &client->soon, 0);
  }
  mcpi_client_step_out(client);
}

/* The timer takes its place in the heap again at once, while there is room: it
 * was just removed from it. */
static void on_soon(mcpi_timer *timer) {
  mcp_client *client = MCPI_CONTAINER(timer, mcp_client, soon);
  mcpi_timer_start(&client->loop->timers, timer, INT64_MAX);
  mcpi_client_enter(client);
  mcpi_client_leave(client);
}

int mcpi_client_init_turn(mcp_client *client) {
  client->soon.on_due = on_soon;
  return mcpi_timer_start(&client->loop->timers, &client->soon, INT64_MAX);
}

/* --- look-up -------------------------------------------------------------- */

/* All entries of the peer's table are mcpi_requests. */
static mcpi_request *find_pending(const mcp_client *client, uint64_t id) {
  mcpi_pending *pending = mcpi_pending_find(&client->peer.pending, id);
  return pending != NULL ? MCPI_CONTAINER(pending, mcpi_request, pending)
                         : NULL;
}

static int is_named(const mcpi_request *request, uint64_t number) {
  return request->number == number && !request->is_internal;
}

/* Most requests still wait for the answer to their first message, and are found
 * by its id. Few requests have several messages, so a walk finds those. */
mcpi_request *mcpi_request_find(const mcp_client *client, uint64_t number) {
  mcpi_request *request = find_pending(client, number);
  if (request != NULL && is_named(request, number)) {
    return request;
  }
  mcpi_list *link = client->active.next;
  for (; link != &client->active; link = link->next) {
    request = MCPI_CONTAINER(link, mcpi_request, link);
    if (is_named(request, number)) {
      return request;
    }
  }
  return NULL;
}

mcpi_request *mcpi_request_find_listen(const mcp_client *client,
                                       const mcp_json *id) {
  int64_t number;
  if (mcp_json_try_int(id, &number) != 0 || number <= 0) {
    return NULL;
  }
  mcpi_request *request = find_pending(client, (uint64_t)number);
  return request != NULL && request->row != NULL &&
                 request->row->id == MCPI_M_LISTEN
             ? request
             : NULL;
}
