/* SPDX-License-Identifier: MIT */
/* Requests of ours (PROTOCOL 1.5, 2.3, 6.1, 6.2). */
#include "client/request.h"

#include "client/elicit.h"
#include "client/listen.h"
#include "client/mirror.h"
#include "client/params.h"
#include "client/question.h"
#include "client/refused.h"
#include "client/result.h"
#include "client/rounds.h"
#include "client/subscribe.h"
#include "core/context.h"

enum {
  /* Bytes that each buffer of an idle request keeps: a usual call's. */
  KEEP_BYTES = 4096
};

/* --- the free list ------------------------------------------------------ */

static mcpi_buf *buf_at(mcpi_request_bufs *bufs, size_t index) {
  mcpi_buf *const all[] = {&bufs->params, &bufs->extra,   &bufs->meta,
                           &bufs->pages,  &bufs->answers, &bufs->name,
                           &bufs->method};
  return index < sizeof(all) / sizeof(all[0]) ? all[index] : NULL;
}

static mcpi_request *request_new(mcp_client *client) {
  const mcp_allocator *allocator = &client->loop->allocator;
  mcpi_request *request = mcpi_calloc(allocator, 1, sizeof(*request));
  mcpi_buf *buf;
  if (request == NULL) {
    return NULL;
  }
  for (size_t i = 0; (buf = buf_at(&request->bufs, i)) != NULL; i++) {
    mcpi_buf_init(buf, allocator, SIZE_MAX);
  }
  return request;
}

static void request_free(mcp_client *client, mcpi_request *request) {
  mcpi_buf *buf;
  for (size_t i = 0; (buf = buf_at(&request->bufs, i)) != NULL; i++) {
    mcpi_buf_deinit(buf);
  }
  mcpi_free(&client->loop->allocator, request, sizeof(*request));
}

static mcpi_request *take_idle(mcp_client *client) {
  if (mcpi_list_is_empty(&client->idle)) {
    return request_new(client);
  }
  mcpi_request *request = MCPI_CONTAINER(client->idle.next, mcpi_request, link);
  mcpi_list_remove(&request->link);
  client->idle_count--;
  return request;
}

static void on_timer(mcpi_timer *timer) {
  mcpi_request *request = MCPI_CONTAINER(timer, mcpi_request, timer);
  mcp_client *client = request->client;
  mcpi_client_enter(client);
  request->on_due(request);
  mcpi_client_leave(client);
}

mcpi_request *mcpi_request_take(mcp_client *client, const mcpi_method *row) {
  mcpi_request *request = take_idle(client);
  if (request == NULL) {
    return NULL;
  }
  mcpi_request_bufs bufs = request->bufs;
  *request = (mcpi_request){.client = client,
                            .row = row,
                            .method = mcpi_str_z(row ? row->name : NULL),
                            .bufs = bufs,
                            .on_reply = mcpi_request_settle,
                            .is_internal = 1,
                            .forgets = client->outputs.forgets,
                            .timer.on_due = on_timer};
  mcpi_list_append(&client->active, &request->link);
  mcpi_list_init(&request->watch_link);
  mcpi_map_init(&request->cursors, &client->loop->allocator,
                client->loop->hash_seed);
  return request;
}

/* Its memory stays until the outermost event is over, so that who still looks
 * at it sees that it has ended. */
static void recycle(mcpi_request *request) {
  mcp_client *client = request->client;
  mcpi_buf *buf;
  for (size_t i = 0; (buf = buf_at(&request->bufs, i)) != NULL; i++) {
    mcpi_buf_trim(buf, KEEP_BYTES);
  }
  request->phase = MCPI_REQUEST_DONE;
  mcpi_list_remove(&request->link);
  mcpi_list_append(&client->idle, &request->link);
  client->idle_count++;
}

void mcpi_request_trim(mcp_client *client, size_t keep) {
  while (client->idle_count > keep) {
    request_free(client, take_idle(client));
  }
}

/* --- opening one -------------------------------------------------------- */

/* A limit of the program's: 0 stands for the client's, UINT32_MAX for none. */
static uint32_t limit_of(uint32_t own, uint32_t general) {
  uint32_t limit = own != 0 ? own : general;
  return limit != UINT32_MAX ? limit : 0;
}

static void set_limits(mcpi_request *request,
                       const mcp_request_options *options) {
  const mcp_client_options *general = &request->client->options;
  uint32_t timeout = limit_of(options->timeout_ms, general->request_timeout_ms);
  uint32_t max = limit_of(options->max_ms, general->max_request_ms);
  /* Who asks for much time, or for no limit, means it without progress too. */
  if (options->max_ms == 0 && (timeout == 0 || (max != 0 && max < timeout))) {
    max = timeout;
  }
  request->timeout_ms = timeout;
  request->max_ms = max;
}

static int set_meta(mcpi_request *request, const char *meta) {
  mcpi_message *message;
  mcp_client *client = request->client;
  int rc = mcpi_client_parse(client, "meta", mcpi_str_z(meta), &message,
                             &client->error);
  if (rc == 0) {
    mcpi_params_put_meta(&request->bufs.meta, message->root);
    mcpi_message_unref(message);
  }
  return rc;
}

static int read_options(mcpi_request *request,
                        const mcp_request_options *options) {
  mcp_request_options all = {0};
  if (options != NULL &&
      mcpi_widen(&all, sizeof(all), options, "mcp_request_options",
                 &request->client->error) != 0) {
    return MCP_ERR_INVALID;
  }
  set_limits(request, &all);
  request->on_progress = all.on_progress;
  request->progress_userdata = all.progress_userdata;
  request->number_out = all.request;
  request->wants_fresh = all.no_cache != 0;
  request->is_idempotent = all.is_idempotent;
  return all.meta != NULL ? set_meta(request, all.meta) : 0;
}

static int is_sendable(const mcp_client *client, const mcpi_method *row) {
  const int needed = MCPI_TO_SERVER | MCPI_IS_REQUEST;
  return row == NULL || ((row->flags & needed) == needed &&
                         mcpi_method_in(row, client->revision));
}

static int check_state(const mcp_client *client, const mcpi_method *row,
                       mcp_error *err) {
  if (!mcpi_client_is_open(client) && !mcpi_refused_is_reconnecting(client)) {
    return mcp_error_set(err, MCP_ERR_CLOSED,
                         client->state == MCPI_CLIENT_CONNECTING
                             ? "not connected yet"
                             : "not connected");
  }
  if (!is_sendable(client, row)) {
    return mcp_error_set(err, MCP_ERR_UNSUPPORTED,
                         "%s is no request of a client's in %s", row->name,
                         client->revision->name);
  }
  return 0;
}

int mcpi_request_open(mcpi_request **out, mcp_client *client,
                      const mcpi_method *row,
                      const mcp_request_options *options, mcp_done_cb on_done,
                      void *userdata) {
  if (client == NULL) {
    return MCP_ERR_INVALID;
  }
  client->error.code = 0;
  int rc = check_state(client, row, &client->error);
  if (rc != 0) {
    return rc;
  }
  mcpi_request *request = mcpi_request_take(client, row);
  if (request == NULL) {
    return mcpi_client_fail(client, MCP_ERR_NOMEM);
  }
  request->is_internal = 0;
  request->on_done = on_done;
  request->userdata = userdata;
  rc = read_options(request, options);
  if (rc != 0) {
    mcpi_request_drop(request);
    return rc;
  }
  *out = request;
  return 0;
}

/* As a failure, for whoever undoes what it began. One that has ended with the
 * client is in other hands already. */
void mcpi_request_drop(mcpi_request *request) {
  if (request->phase == MCPI_REQUEST_DONE) {
    return;
  }
  request->status = MCP_ERR_CANCELLED;
  mcpi_request_stop(request);
  recycle(request);
}

void mcpi_request_set_name(mcpi_request *request, mcpi_str name) {
  mcpi_buf *buf = &request->bufs.name;
  if (name.ptr != NULL) {
    mcpi_buf_puts(buf, name);
    mcpi_buf_putc(buf, '\0');
    mcpi_request_note(request, buf->error);
  }
}

void mcpi_request_note(mcpi_request *request, int rc) {
  if (request->error == 0) {
    request->error = rc;
  }
}

/* --- sending ------------------------------------------------------------ */

static void put_members(mcpi_buf *buf, const mcpi_buf *members) {
  if (members->len > 0) {
    if (buf->len > 0 && buf->data[buf->len - 1] != '{') {
      mcpi_buf_putc(buf, ',');
    }
    mcpi_buf_put(buf, members->data, members->len);
  }
}

static void put_log_level(const mcp_client *client, mcpi_buf *buf) {
  if (mcpi_client_is_modern(client) && client->log_level != 0) {
    mcpi_params_name(buf, MCPI_META_LOG_LEVEL);
    mcpi_json_put_string(buf,
                         mcpi_str_z(mcpi_log_level_name(client->log_level)));
  }
}

/* "_meta":{...}, or nothing when there would be nothing in it. */
static void put_meta(const mcpi_request *request, mcpi_buf *buf) {
  size_t before = buf->len;
  mcpi_params_name(buf, "_meta");
  mcpi_buf_putc(buf, '{');
  size_t empty = buf->len;
  if (request->on_progress != NULL) {
    mcpi_params_name(buf, "progressToken");
    mcpi_json_put_uint(buf, request->pending.id);
  }
  put_members(buf, &request->client->context);
  put_log_level(request->client, buf);
  put_members(buf, &request->bufs.meta);
  if (buf->len == empty && buf->error == 0) {
    mcpi_buf_rewind(buf, before);
  } else {
    mcpi_buf_putc(buf, '}');
  }
}

/* The params' text; empty when there are none. */
static mcpi_str write_params(const mcpi_request *request, mcpi_buf *buf) {
  mcpi_buf_clear(buf);
  mcpi_buf_putc(buf, '{');
  put_members(buf, &request->bufs.params);
  put_members(buf, &request->bufs.extra);
  put_meta(request, buf);
  mcpi_buf_putc(buf, '}');
  return mcpi_str_n(buf->data, buf->len > 2 ? buf->len : 0);
}

static void on_done(mcpi_pending *pending, int status, mcpi_message *message,
                    const mcpi_envelope *reply, const mcp_error *err);
static void on_progress(mcpi_pending *pending, double progress, double total,
                        const char *message);

static int write_and_send(mcpi_request *request, mcp_error *err) {
  mcp_client *client = request->client;
  const mcpi_buf *name = &request->bufs.name;
  mcpi_str params = write_params(request, &client->scratch);
  mcpi_mirror mirror;
  int rc = mcpi_mirror_write(&mirror, request);
  rc = client->scratch.error != 0 ? client->scratch.error : rc;
  if (rc == 0) {
    const mcp_send_info known = {
        .headers = mirror.headers,
        .header_count = mirror.count,
        .is_idempotent = request->is_idempotent,
        .is_final = request->number != request->pending.id,
        .wants_progress = request->on_progress != NULL,
        .revision = client->context_revision,
        .name = name->len > 0 ? name->data : NULL,
        .name_len = name->len > 0 ? name->len - 1 : 0,
        .arguments = request->arguments,
    };
    rc = mcpi_peer_send_request(&client->peer, &request->pending,
                                request->method, params, &known);
  }
  mcpi_mirror_deinit(&mirror);
  if (rc == MCP_ERR_LIMIT) {
    return mcp_error_set(err, rc, "too much waits to be sent already");
  }
  return rc != 0 ? mcp_error_set(err, rc, "%s", mcp_error_text(rc)) : 0;
}

static int wait_for_answer(mcpi_request *request, mcp_error *err) {
  mcp_client *client = request->client;
  int rc = mcpi_pending_add(&client->peer.pending, &request->pending,
                            request->timeout_ms, request->max_ms);
  if (rc == MCP_ERR_LIMIT) {
    return mcp_error_set(err, rc,
                         "more than %lu requests in flight: the limit is "
                         "max_pending of mcp_client_options",
                         (unsigned long)client->options.max_pending);
  }
  return rc != 0 ? mcp_error_set(err, rc, "%s", mcp_error_text(rc)) : 0;
}

int mcpi_request_send(mcpi_request *request, mcp_error *err) {
  mcpi_pending *pending = &request->pending;
  request->phase = MCPI_REQUEST_WAITING;
  pending->on_done = on_done;
  pending->on_progress = request->on_progress != NULL ? on_progress : NULL;
  int rc = wait_for_answer(request, err);
  if (rc != 0) {
    return rc;
  }
  if (request->number == 0) {
    request->number = pending->id;
  }
  rc = write_and_send(request, err);
  if (rc != 0) {
    mcpi_pending_remove(pending);
  }
  return rc;
}

void mcpi_request_resend(mcpi_request *request) {
  mcp_error err;
  if (mcpi_request_send(request, &err) != 0) {
    mcpi_request_fail(request, &err);
  }
}

/* What the server must have declared for this, and did not; else NULL. A raw
 * request is sent in any case: it is there for servers that differ. */
static const char *find_lack(const mcpi_request *request) {
  const mcp_client *client = request->client;
  const mcpi_method *row = request->row;
  if (request->is_raw || row == NULL || row->capability == NULL ||
      (row->id == MCPI_M_COMPLETE &&
       !mcpi_revision_has(client->revision, MCPI_HAS_COMPLETIONS_CAPABILITY)) ||
      mcpi_capability_has(client->server_capabilities, row->capability)) {
    return NULL;
  }
  return row->capability;
}

static int launch(mcpi_request *request, mcp_error *err) {
  if (!request->is_internal && mcpi_refused_is_reconnecting(request->client)) {
    return mcpi_refused_hold(request, err);
  }
  const char *lack = find_lack(request);
  if (lack == NULL && mcpi_cache_answer(request)) {
    return 0;
  }
  if (lack == NULL) {
    return mcpi_request_send(request, err);
  }
  mcp_error_set(err, MCP_ERR_UNSUPPORTED, "the server does not offer \"%s\"",
                lack);
  mcpi_request_fail(request, err);
  return 0;
}

void mcpi_request_relaunch(mcpi_request *request) {
  mcp_error err;
  int rc = check_state(request->client, request->row, &err);
  if (rc == 0) {
    rc = launch(request, &err);
  }
  if (rc != 0) {
    mcpi_request_fail(request, &err);
  }
}

static int first_error(const mcpi_request *request) {
  if (request->error != 0) {
    return request->error;
  }
  return request->bufs.params.error != 0 ? request->bufs.params.error
                                         : request->bufs.meta.error;
}

int mcpi_request_start(mcpi_request *request) {
  mcp_client *client = request->client;
  int rc = first_error(request);
  mcpi_client_enter(client);
  if (rc == 0) {
    rc = launch(request, &client->error);
  }
  if (request->phase == MCPI_REQUEST_DONE) {
    rc = 0; /* the wire broke while it was sent: told by its completion */
    client->error.code = 0;
  } else if (rc != 0) {
    mcpi_client_fail(client, rc);
    mcpi_request_drop(request);
  }
  if (rc == 0 && request->number_out != NULL) {
    *request->number_out = request->number;
  }
  mcpi_client_return(client);
  return rc;
}

/* --- the answer --------------------------------------------------------- */

/* The server need not work on what nobody waits for. */
static void give_up(mcpi_request *request, mcpi_str reason) {
  mcp_client *client = request->client;
  if (!request->is_quiet) {
    mcpi_peer_send_cancel(&client->peer, request->pending.id, reason,
                          mcpi_client_is_modern(client));
  }
}

static void on_done(mcpi_pending *pending, int status, mcpi_message *message,
                    const mcpi_envelope *reply, const mcp_error *err) {
  mcpi_request *request = MCPI_CONTAINER(pending, mcpi_request, pending);
  mcp_client *client = request->client;
  mcpi_client_enter(client);
  if (message != NULL) {
    client->heard_ms = mcpi_loop_now(client->loop);
  }
  if (status == MCP_ERR_TIMEOUT) {
    give_up(request, MCPI_STR("timed out"));
  }
  if (!mcpi_refused_keep(request, status)) {
    request->on_reply(request, status, message, reply, err);
  }
  /* What the peer says next tells whether the connection has ended or the far
   * side was started again. A completion must not run before: it might speak
   * to a server that does not know us yet. */
  if (status == MCP_ERR_CLOSED) {
    mcpi_client_return(client);
  } else {
    mcpi_client_leave(client);
  }
}

static void on_progress(mcpi_pending *pending, double progress, double total,
                        const char *message) {
  mcpi_request *request = MCPI_CONTAINER(pending, mcpi_request, pending);
  mcp_client *client = request->client;
  mcpi_client_enter(client);
  client->heard_ms = mcpi_loop_now(client->loop);
  request->on_progress(client, progress, total, message,
                       request->progress_userdata);
  mcpi_client_leave(client);
}

/* One that the program knows, of an extension. */
static int is_known_type(const mcp_client *client, mcpi_str name) {
  const mcpi_buf *all = &client->result_types;
  for (size_t at = 0; at < all->len;) {
    mcpi_str known = mcpi_str_z(all->data + at);
    if (mcpi_str_eq(name, known)) {
      return 1;
    }
    at += known.len + 1;
  }
  return 0;
}

/* Sets is_foreign when nothing is known of the result's form. */
static int check_type(const mcpi_request *request, const mcp_json *result,
                      int *asks, int *is_foreign, mcp_error *err) {
  const mcp_json *type = mcp_json_get(result, "resultType");
  mcpi_str name = mcpi_json_str(type);
  *asks = 0;
  *is_foreign = 0;
  if (!mcpi_client_is_modern(request->client) || type == NULL ||
      mcpi_str_eq(name, MCPI_STR("complete"))) {
    return 0;
  }
  if (is_known_type(request->client, name)) {
    *is_foreign = 1;
    return 0;
  }
  if (!mcpi_str_eq(name, MCPI_STR("input_required"))) {
    return mcp_error_set(
        err, MCP_ERR_PROTOCOL, "a result of unknown resultType \"%.*s\"",
        (int)(name.len < 80 ? name.len : 80), name.ptr != NULL ? name.ptr : "");
  }
  if (request->row == NULL || (request->row->flags & MCPI_MAY_ASK) == 0) {
    return mcp_error_set(err, MCP_ERR_PROTOCOL,
                         "input_required in answer to %.*s",
                         (int)request->method.len, request->method.ptr);
  }
  *asks = 1;
  return 0;
}

int mcpi_request_check(const mcpi_request *request, const mcp_json *result,
                       int *asks, mcp_error *err) {
  if (mcp_json_type(result) != MCP_JSON_OBJECT) {
    return mcp_error_set(err, MCP_ERR_PROTOCOL, "the result is not an object");
  }
  int is_foreign;
  int rc = check_type(request, result, asks, &is_foreign, err);
  if (rc != 0 || *asks || is_foreign || request->row == NULL) {
    return rc;
  }
  if (mcpi_members_check(request->row->result, result, err) != 0) {
    err->code = MCP_ERR_PROTOCOL;
    return MCP_ERR_PROTOCOL;
  }
  return 0;
}

static void take_result(mcpi_request *request, mcpi_message *message,
                        const mcp_json *json, int is_checked) {
  mcpi_result_page page = {message, json};
  mcp_result *result =
      mcpi_result_new(&request->client->loop->pool, &page, 1, request->row);
  if (result != NULL) {
    mcpi_result_set_checked(result, is_checked);
    mcpi_cache_note(request, json);
    mcpi_cache_keep(request, result);
  }
  mcpi_request_succeed(request, result);
}

/* A result that breaks its tool's schema ends like a refusal: its data say what
 * is wrong. */
static void check_result(mcpi_request *request, mcpi_message *message,
                         const mcp_json *json) {
  mcp_error err;
  mcpi_message *errors;
  int rc = mcpi_outputs_check(request, json, &errors, &err);
  if (rc >= 0) {
    take_result(request, message, json, rc);
    return;
  }
  request->refusal = errors;
  request->error_data = errors != NULL ? errors->root : NULL;
  mcpi_request_fail(request, &err);
}

static void accept_result(mcpi_request *request, mcpi_message *message,
                          const mcp_json *json) {
  mcp_error err;
  int asks = 0;
  if (mcpi_request_check(request, json, &asks, &err) != 0) {
    mcpi_request_fail(request, &err);
  } else if (asks) {
    mcpi_rounds_ask(request, message, json);
  } else {
    check_result(request, message, json);
  }
}

void mcpi_request_settle(mcpi_request *request, int status,
                         mcpi_message *message, const mcpi_envelope *reply,
                         const mcp_error *err) {
  if (status == 0) {
    accept_result(request, message, reply->result);
  } else if (status == MCP_ERR_REMOTE) {
    if (!mcpi_mirror_retry(request, reply)) {
      mcpi_request_refuse(request, message, reply);
    }
  } else {
    mcpi_request_fail(request, err);
  }
}

/* --- the end ------------------------------------------------------------ */

static void drop_pages(mcpi_request *request) {
  mcpi_buf *pages = &request->bufs.pages;
  mcpi_result_page *page = (mcpi_result_page *)(void *)pages->data;
  mcpi_map_deinit(&request->cursors);
  for (size_t i = 0; i < pages->len / sizeof(*page); i++) {
    mcpi_message_unref(page[i].message);
  }
  mcpi_buf_clear(pages);
}

void mcpi_request_stop(mcpi_request *request) {
  mcp_client *client = request->client;
  request->was_sent |= request->pending.was_sent;
  mcpi_refused_forget(request);
  mcpi_pending_remove(&request->pending);
  mcpi_loop_stop_timer(client->loop, &request->timer);
  mcpi_question_forget_request(request);
  mcpi_listen_untrack(request);
  mcpi_subscribe_ended(request);
  drop_pages(request);
  mcpi_message_unref(request->given);
  request->given = NULL;
  request->arguments = NULL;
  mcpi_message_unref(request->asked);
  request->asked = NULL;
  mcp_result_unref(request->kept);
  request->kept = NULL;
}

static void finish(mcpi_request *request) {
  mcp_client *client = request->client;
  mcpi_request_stop(request);
  request->phase = MCPI_REQUEST_DONE;
  mcpi_list_remove(&request->link);
  mcpi_list_append(&client->finished, &request->link);
}

void mcpi_request_succeed(mcpi_request *request, mcp_result *result) {
  if (result == NULL) {
    mcpi_request_fail_with(request, MCP_ERR_NOMEM, "out of memory");
    return;
  }
  request->status = 0;
  request->result = result;
  finish(request);
}

void mcpi_request_fail(mcpi_request *request, const mcp_error *err) {
  if (request->phase == MCPI_REQUEST_DONE) {
    return;
  }
  request->status = err->code;
  request->err = *err;
  finish(request);
}

void mcpi_request_fail_with(mcpi_request *request, int code,
                            const char *reason) {
  mcp_error err;
  mcp_error_set(&err, code, "%s", reason);
  mcpi_request_fail(request, &err);
}

void mcpi_request_refuse(mcpi_request *request, mcpi_message *message,
                         const mcpi_envelope *reply) {
  const mcp_json *data = mcp_json_get(reply->error, "data");
  mcp_client *client = request->client;
  mcp_error err;
  mcpi_read_remote_error(reply->error, &err);
  int asks_to_visit = err.status == MCP_RPC_URL_ELICITATION_REQUIRED;
  if (asks_to_visit && !mcpi_elicit_may_show_all(client, data)) {
    mcpi_request_fail(request, &err);
    mcp_error_set(&err, MCP_ERR_PROTOCOL,
                  "the server asks the user to visit what is not an http:// or "
                  "https:// URL: the error's data are withheld");
    mcpi_client_report(client, &err);
    return;
  }
  if (asks_to_visit) {
    mcpi_elicit_remember_all(client, data);
  }
  mcpi_message_ref(message);
  request->refusal = message;
  request->error_data = data;
  mcpi_request_fail(request, &err);
}

/* The request is given back first, so that the callback may start another. */
static void deliver(mcpi_request *request) {
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
  recycle(request);
  if (done != NULL) {
    done(client, &outcome, userdata);
  }
  mcp_result_unref(outcome.result);
  mcpi_message_unref(refusal);
}

void mcpi_request_deliver_all(mcp_client *client) {
  while (!mcpi_list_is_empty(&client->finished)) {
    deliver(MCPI_CONTAINER(client->finished.next, mcpi_request, link));
  }
}

/* --- cancelling --------------------------------------------------------- */

mcpi_request *mcpi_request_find_active(const mcp_client *client,
                                       uint64_t number) {
  mcpi_list *link = client->active.next;
  for (; link != &client->active; link = link->next) {
    mcpi_request *request = MCPI_CONTAINER(link, mcpi_request, link);
    if (request->number == number && !request->is_internal) {
      return request;
    }
  }
  return NULL;
}

/* Most requests still wait for their first message's answer and are found by
 * its id; those of several messages are few, so a walk will do for them. */
static mcpi_request *find(const mcp_client *client, uint64_t number) {
  mcpi_pending *pending = mcpi_pending_find(&client->peer.pending, number);
  if (pending != NULL) {
    mcpi_request *request = MCPI_CONTAINER(pending, mcpi_request, pending);
    if (request->number == number && !request->is_internal) {
      return request;
    }
  }
  return mcpi_request_find_active(client, number);
}

int mcp_client_cancel(mcp_client *client, uint64_t number, const char *reason) {
  if (client == NULL) {
    return MCP_ERR_INVALID;
  }
  client->error.code = 0;
  /* 0 is what one has that was never sent. */
  mcpi_request *request = number != 0 && client->state != MCPI_CLIENT_IDLE
                              ? find(client, number)
                              : NULL;
  if (request == NULL) {
    return mcp_error_set(&client->error, MCP_ERR_NOT_FOUND,
                         "no request %llu is under way",
                         (unsigned long long)number);
  }
  mcpi_client_enter(client);
  if (request->phase == MCPI_REQUEST_WAITING) {
    give_up(request, mcpi_str_z(reason));
  }
  mcpi_request_fail_with(request, MCP_ERR_CANCELLED, "cancelled");
  mcpi_client_return(client);
  return 0;
}

/* --- look-up ------------------------------------------------------------ */

/* Everything that waits in the table is a mcpi_request's. */
mcpi_request *mcpi_request_find_listen(const mcp_client *client,
                                       const mcp_json *id) {
  int64_t number;
  if (mcp_json_try_int(id, &number) != 0 || number <= 0) {
    return NULL;
  }
  mcpi_pending *pending =
      mcpi_pending_find(&client->peer.pending, (uint64_t)number);
  if (pending == NULL) {
    return NULL;
  }
  mcpi_request *request = MCPI_CONTAINER(pending, mcpi_request, pending);
  return request->row != NULL && request->row->id == MCPI_M_LISTEN ? request
                                                                   : NULL;
}
