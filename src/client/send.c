/* SPDX-License-Identifier: MIT */
#include "client/send.h"

#include "base/error.h"
#include "client/cached.h"
#include "client/mirror.h"
#include "client/params.h"
#include "client/resend.h"
#include "core/context.h"

/* --- opening one ---------------------------------------------------------- */

/* A limit of the program's: 0 stands for the client's, UINT32_MAX for none. */
static uint32_t request_limit(uint32_t own, uint32_t general) {
  uint32_t limit = own != 0 ? own : general;
  return limit != UINT32_MAX ? limit : 0;
}

static void request_set_limits(mcpi_request *request,
                               const mcp_request_options *options) {
  const mcp_client_options *general = &request->client->options;
  uint32_t timeout =
      request_limit(options->timeout_ms, general->request_timeout_ms);
  uint32_t max = request_limit(options->max_ms, general->max_request_ms);
  /* If a program sets a long time limit, or none, the limit also holds for a
   * request without progress. */
  mcpi_pending *pending = &request->pending;
  if (options->timeout_ms != 0) {
    pending->timeout_name = "timeout_ms";
  }
  if (options->max_ms != 0) {
    pending->max_name = "max_ms";
  } else if (timeout == 0 || (max != 0 && max < timeout)) {
    max = timeout;
    pending->max_name = pending->timeout_name;
  }
  request->timeout_ms = timeout;
  request->max_ms = max;
}

static int request_set_meta(mcpi_request *request, const char *meta) {
  mcpi_message *message;
  mcp_client *client = request->client;
  int rc = mcpi_client_parse(client, "meta", mcpi_str_z(meta), &message,
                             request->start_err);
  if (rc == 0) {
    mcpi_params_put_meta(&request->bufs.meta, message->root);
    mcpi_message_unref(message);
  }
  return rc;
}

static int request_read_options(mcpi_request *request,
                                const mcp_request_options *options) {
  mcp_request_options all = {0};
  int rc = options != NULL
               ? mcpi_widen(&all, sizeof(all), options, "mcp_request_options",
                            request->start_err)
               : 0;
  if (rc != 0) {
    return rc;
  }
  request_set_limits(request, &all);
  request->on_progress = all.on_progress;
  request->progress_userdata = all.progress_userdata;
  request->number_out = all.request;
  request->cached.wants_fresh = all.skip_cache != 0;
  request->is_idempotent = all.is_idempotent;
  request->name_member = all.name_member;
  request->task_ttl_ms = all.task_ttl_ms;
  return all.meta != NULL ? request_set_meta(request, all.meta) : 0;
}

static int request_is_sendable(const mcp_client *client,
                               const mcpi_method *row) {
  const int needed = MCPI_TO_SERVER | MCPI_IS_REQUEST;
  return row == NULL || ((row->flags & needed) == needed &&
                         mcpi_method_in(row, client->revision));
}

static int request_check_state(const mcp_client *client, const mcpi_method *row,
                               mcp_error *err) {
  if (!mcpi_client_is_open(client) && !mcpi_resend_is_reconnecting(client)) {
    return mcp_error_set(err, MCP_ERR_CLOSED,
                         client->state == MCPI_CLIENT_CONNECTING
                             ? "not connected yet"
                             : "not connected");
  }
  if (!request_is_sendable(client, row)) {
    return mcp_error_set(err, MCP_ERR_UNSUPPORTED,
                         "%s is not a request of clients in %s", row->name,
                         client->revision->name);
  }
  return 0;
}

int mcpi_request_open(mcpi_request **out, mcp_client *client,
                      const mcpi_method *row, const mcpi_request_kind *kind,
                      const mcp_request_options *options, mcp_done_cb on_done,
                      void *userdata, mcp_error *err) {
  if (client == NULL) {
    return mcpi_error_null(err, "client");
  }
  mcpi_error_clear(err);
  int rc = request_check_state(client, row, err);
  if (rc != 0) {
    return rc;
  }
  mcpi_request *request = mcpi_request_take(client, row, kind);
  if (request == NULL) {
    return mcpi_no_memory(err);
  }
  request->is_internal = 0;
  request->on_done = on_done;
  request->userdata = userdata;
  request->start_err = err;
  rc = request_read_options(request, options);
  if (rc != 0) {
    mcpi_request_drop(request);
    return rc;
  }
  *out = request;
  return 0;
}

/* --- its messages --------------------------------------------------------- */

static void request_put_members(mcpi_buf *buf, const mcpi_buf *members) {
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
                         mcpi_str_z(mcp_log_level_name(client->log_level)));
  }
}

/* "_meta":{...}, or nothing when there would be nothing in it. */
static void request_put_meta(const mcpi_request *request, mcpi_buf *buf) {
  size_t before = buf->len;
  mcpi_params_name(buf, "_meta");
  mcpi_buf_putc(buf, '{');
  size_t empty = buf->len;
  if (request->on_progress != NULL) {
    mcpi_params_name(buf, "progressToken");
    mcpi_json_put_uint(buf, request->pending.id);
  }
  request_put_members(buf, &request->client->context);
  put_log_level(request->client, buf);
  request_put_members(buf, &request->bufs.meta);
  if (buf->len == empty && buf->error == 0) {
    mcpi_buf_rewind(buf, before);
  } else {
    mcpi_buf_putc(buf, '}');
  }
}

/* The params' text; empty without params. */
static mcpi_str request_write_params(const mcpi_request *request,
                                     mcpi_buf *buf) {
  mcpi_buf_clear(buf);
  mcpi_buf_putc(buf, '{');
  request_put_members(buf, &request->bufs.params);
  request_put_members(buf, &request->bufs.extra);
  request_put_meta(request, buf);
  mcpi_buf_putc(buf, '}');
  return mcpi_str_n(buf->data, buf->len > 2 ? buf->len : 0);
}

/* Cancels the message: the server need not continue a request that nobody waits
 * for. */
static void request_cancel(mcpi_request *request, mcpi_str reason) {
  mcp_client *client = request->client;
  if (!request->is_quiet) {
    mcpi_peer_send_cancel(&client->peer, request->pending.id, reason,
                          mcpi_client_is_modern(client));
  }
}

static void request_on_done(mcpi_pending *pending, int status,
                            mcpi_message *message, const mcpi_envelope *reply,
                            const mcp_error *err) {
  mcpi_request *request = MCPI_CONTAINER(pending, mcpi_request, pending);
  mcp_client *client = request->client;
  mcpi_client_enter(client);
  if (message != NULL) {
    client->heard_ms = mcpi_loop_now(client->loop);
  }
  if (status == MCP_ERR_TIMEOUT) {
    request_cancel(request, MCPI_STR("timed out"));
  }
  if (status != MCP_ERR_CLOSED || !mcpi_resend_keep(request)) {
    request->kind->on_reply(request, status, message, reply, err);
  }
  /* The peer reports next whether the connection has ended or the far side was
   * started again. A completion must not run before: it might send a request to
   * a server that does not know us yet. */
  if (status == MCP_ERR_CLOSED) {
    mcpi_client_return(client);
  } else {
    mcpi_client_leave(client);
  }
}

static void request_on_progress(mcpi_pending *pending, double progress,
                                double total, const char *message) {
  mcpi_request *request = MCPI_CONTAINER(pending, mcpi_request, pending);
  mcp_client *client = request->client;
  mcpi_client_enter(client);
  client->heard_ms = mcpi_loop_now(client->loop);
  request->on_progress(client, progress, total, message,
                       request->progress_userdata);
  mcpi_client_leave(client);
}

static int request_write(mcpi_request *request, mcp_error *err) {
  mcp_client *client = request->client;
  mcpi_str name = mcpi_request_name(request);
  mcpi_str params = request_write_params(request, &client->scratch);
  mcpi_mirror mirror;
  int rc = mcpi_mirror_write(&mirror, request);
  if (rc == 0) {
    rc = client->scratch.error;
  }
  if (rc == 0) {
    const mcp_send_info known = {
        .headers = mirror.headers,
        .header_count = mirror.count,
        .is_idempotent = request->is_idempotent,
        .is_final = request->number != request->pending.id,
        .wants_progress = request->on_progress != NULL,
        .revision = client->context_revision,
        .name = name.ptr,
        .name_len = name.len,
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

static int request_wait(mcpi_request *request, mcp_error *err) {
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
  request->state = MCPI_REQUEST_WAITING;
  pending->on_done = request_on_done;
  pending->on_progress =
      request->on_progress != NULL ? request_on_progress : NULL;
  int rc = request_wait(request, err);
  if (rc != 0) {
    return rc;
  }
  if (request->number == 0) {
    request->number = pending->id;
  }
  rc = request_write(request, err);
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

/* --- starting ------------------------------------------------------------- */

/* Returns the capability that this request needs and the server has not
 * declared; else NULL. A raw request is sent in any case: it is for servers
 * that differ. */
static const char *request_find_lack(const mcpi_request *request) {
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

static int request_launch(mcpi_request *request, mcp_error *err) {
  if (!request->is_internal && mcpi_resend_is_reconnecting(request->client)) {
    return mcpi_resend_hold(request, err);
  }
  const char *lack = request_find_lack(request);
  if (lack == NULL && mcpi_cached_answer(request)) {
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
  int rc = request_check_state(request->client, request->row, &err);
  if (rc == 0) {
    rc = request_launch(request, &err);
  }
  if (rc != 0) {
    mcpi_request_fail(request, &err);
  }
}

static int request_first_error(const mcpi_request *request) {
  if (request->error != 0) {
    return request->error;
  }
  return request->bufs.params.error != 0 ? request->bufs.params.error
                                         : request->bufs.meta.error;
}

int mcpi_request_start(mcpi_request *request) {
  mcp_client *client = request->client;
  mcp_error unwanted = {0};
  mcp_error *err = request->start_err != NULL ? request->start_err : &unwanted;
  int rc = request_first_error(request);
  request->start_err = NULL;
  request->name_member = NULL;
  mcpi_client_enter(client);
  if (rc == 0) {
    rc = request_launch(request, err);
  }
  if (request->state == MCPI_REQUEST_ENDED) {
    rc = 0; /* the transport broke meanwhile; the completion reports it */
    mcpi_error_clear(err);
  } else if (rc != 0) {
    mcpi_error_complete(err, rc);
    mcpi_request_drop(request);
  }
  if (rc == 0 && request->number_out != NULL) {
    *request->number_out = request->number;
  }
  mcpi_client_return(client);
  return rc;
}

/* --- cancelling ----------------------------------------------------------- */

int mcp_client_cancel(mcp_client *client, uint64_t number, const char *reason) {
  if (client == NULL) {
    return MCP_ERR_INVALID;
  }
  /* The number of a request that was not sent is 0. */
  mcpi_request *request = number != 0 && client->state != MCPI_CLIENT_IDLE
                              ? mcpi_request_find(client, number)
                              : NULL;
  if (request == NULL) {
    return MCP_ERR_NOT_FOUND;
  }
  mcpi_client_enter(client);
  if (request->pending.table != NULL) { /* it has no answer yet */
    request_cancel(request, mcpi_str_z(reason));
  }
  mcpi_request_fail_with(request, MCP_ERR_CANCELLED, "cancelled");
  mcpi_client_return(client);
  return 0;
}
