/* SPDX-License-Identifier: MIT */
/* From a message whose context is known to whoever handles it. The checks run
 * in this order, and the first that fails answers:
 *
 *   room for the call, id not in flight, session (legacy)
 *   method known, in this revision, in this direction, offered by the server
 *   params
 *   the program's hook
 *   answers that a retry brings
 *
 * The program may have closed the connection in its callbacks meanwhile. */
#include "server/server.h"

#include "server/extend.h"

const mcpi_method_handler mcpi_server_methods[MCPI_M_COUNT] = {
    [MCPI_M_INITIALIZE] = mcpi_on_initialize,
    [MCPI_M_PING] = mcpi_on_ping,
    [MCPI_M_DISCOVER] = mcpi_on_discover,
    [MCPI_M_TOOLS_LIST] = mcpi_on_list,
    [MCPI_M_TOOLS_CALL] = mcpi_on_tools_call,
    [MCPI_M_PROMPTS_LIST] = mcpi_on_list,
    [MCPI_M_PROMPTS_GET] = mcpi_on_prompts_get,
    [MCPI_M_RESOURCES_LIST] = mcpi_on_list,
    [MCPI_M_TEMPLATES_LIST] = mcpi_on_list,
    [MCPI_M_RESOURCES_READ] = mcpi_on_resources_read,
    [MCPI_M_RESOURCES_SUBSCRIBE] = mcpi_on_subscribe,
    [MCPI_M_RESOURCES_UNSUBSCRIBE] = mcpi_on_unsubscribe,
    [MCPI_M_COMPLETE] = mcpi_on_complete,
    [MCPI_M_SET_LEVEL] = mcpi_on_set_level,
    [MCPI_M_LISTEN] = mcpi_on_listen,
};

/* --- a call for a message ----------------------------------------------- */

static const mcpi_str no_data = {NULL, 0};

static void on_cancel(mcpi_inflight *inflight, mcpi_str reason) {
  mcp_call *call = MCPI_CONTAINER(inflight, mcp_call, inflight);
  mcpi_part *part = call->part;
  (void)reason;
  mcpi_part_enter(part);
  mcpi_call_cancel(call);
  mcpi_part_leave(part);
}

static void fill(mcp_call *call, mcpi_message *message,
                 const mcpi_envelope *envelope, const mcpi_context *context) {
  mcpi_keep(call->identity, message);
  call->message = message;
  call->method_name = envelope->method;
  call->params = envelope->params;
  call->context = *context;
  mcpi_id_put(&call->id, envelope->id);
  if (call->id.len > MCPI_CALL_KEPT_BYTES) {
    call->own_bytes = call->id.len;
    mcpi_keep_bytes(call->identity, call->own_bytes);
  }
  call->inflight.id_text = mcpi_str_n(call->id.data, call->id.len);
  call->inflight.on_cancel = on_cancel;
}

/* Not even a call could be made of it. */
static void answer_nomem(mcp_connection *connection, mcpi_sink *sink,
                         const mcpi_envelope *envelope) {
  mcpi_buf *out = &connection->part->loop->scratch;
  mcpi_buf id;
  mcpi_buf_init(&id, &connection->part->server->allocator, SIZE_MAX);
  mcpi_id_put(&id, envelope->id);
  mcpi_buf_clear(out);
  mcpi_put_error(out, mcpi_str_n(id.data, id.len), MCP_RPC_INTERNAL_ERROR,
                 MCPI_STR("out of memory"), no_data);
  if (id.error == 0 && out->error == 0) {
    sink->ops->send(sink, NULL, MCPI_SEND_ERROR, MCP_RPC_INTERNAL_ERROR,
                    out->data, out->len);
  } else if (sink->ops->ended != NULL) {
    sink->ops->ended(sink, NULL);
  }
  mcpi_buf_deinit(&id);
}

/* One with a hold, attached to its connection; NULL: it has been answered. */
static mcp_call *begin(mcp_connection *connection, mcpi_sink *sink,
                       mcpi_message *message, const mcpi_envelope *envelope,
                       const mcpi_context *context) {
  mcp_call *call = mcpi_call_new(connection->part);
  if (call != NULL) {
    mcpi_call_attach(call, connection);
    fill(call, message, envelope, context);
    if (call->id.error == 0) {
      call->sink = sink;
      connection->open_count++;
      return call;
    }
    mcpi_call_unhold(call);
  }
  answer_nomem(connection, sink, envelope);
  return NULL;
}

static void refuse(mcp_call *call, int code, const char *message) {
  mcpi_reply_error(call, code, mcpi_str_z(message), no_data);
}

void mcpi_dispatch_refused(mcp_connection *connection, mcpi_sink *sink,
                           mcpi_message *message, const mcpi_envelope *envelope,
                           const mcpi_refusal *refusal) {
  uint32_t eras = connection->part->server->options.eras;
  const mcpi_context context = {.revision = mcpi_revision_newest(eras)};
  mcp_call *call = begin(connection, sink, message, envelope, &context);
  if (call == NULL) {
    return;
  }
  if (refusal->code == MCP_RPC_UNSUPPORTED_VERSION) {
    mcpi_put_version_data(&call->error_data, eras, refusal->requested);
  }
  mcpi_reply_error(call, refusal->code, mcpi_str_z(refusal->err.message),
                   mcpi_str_n(call->error_data.data, call->error_data.len));
  mcpi_call_unhold(call);
}

/* --- the checks --------------------------------------------------------- */

/* Returns 0, or the MCPI_LIMIT_* that leaves no room for a call. */
static int find_limit(const mcp_connection *connection, mcp_error *err) {
  int limit = mcpi_connection_check_calls(connection, 0, err);
  return limit != 0 ? limit : mcpi_connection_check_bytes(connection, err);
}

/* From here each returns 1, or answers and returns 0. */

static int check_room(mcp_call *call) {
  mcp_error err;
  if (call->connection->is_draining) {
    refuse(call, MCP_RPC_INTERNAL_ERROR, "the server is shutting down");
    return 0;
  }
  int limit = find_limit(call->connection, &err);
  if (limit != 0) {
    mcpi_call_fail_limit(call, limit, &err);
    mcpi_call_reply_recorded(call);
  }
  return limit == 0;
}

static int check_id(mcp_call *call) {
  int rc = mcpi_peer_track(&call->connection->peer, &call->inflight);
  if (rc == MCP_ERR_EXISTS) {
    refuse(call, MCP_RPC_INVALID_REQUEST,
           "a request with this id is in flight already");
  } else if (rc != 0) {
    refuse(call, MCP_RPC_INTERNAL_ERROR, mcp_error_text(rc));
  }
  return rc == 0;
}

static int is_modern_alone(mcpi_str method_name) {
  const mcpi_method *method = mcpi_method_find(method_name);
  return method != NULL && (method->flags & MCPI_TO_SERVER) != 0 &&
         !mcpi_method_in(method, mcpi_revision_newest(MCP_ERA_LEGACY)) &&
         mcpi_method_in(method, mcpi_revision_newest(MCP_ERA_MODERN));
}

const char *mcpi_dispatch_lacks(const mcp_server *server, mcpi_str method,
                                const mcp_json *params) {
  const mcp_json *meta = mcp_json_get(params, "_meta");
  if ((server->options.eras & MCP_ERA_MODERN) == 0 ||
      !is_modern_alone(method)) {
    return NULL;
  }
  return mcp_json_get(meta, MCPI_META_CLIENT_CAPABILITIES) != NULL
             ? "params._meta lacks \"" MCPI_META_VERSION "\""
             : "params._meta lacks \"" MCPI_META_VERSION "\" and "
               "\"" MCPI_META_CLIENT_CAPABILITIES "\"";
}

static void refuse_without_session(mcp_call *call) {
  const char *lacks =
      mcpi_dispatch_lacks(call->part->server, call->method_name, call->params);
  if (lacks != NULL) {
    refuse(call, MCP_RPC_INVALID_PARAMS, lacks);
  } else {
    refuse(call, MCP_RPC_INVALID_REQUEST, "send initialize first");
  }
}

/* Popular clients forget notifications/initialized, or send it late: any other
 * request shows as well that they are through. */
static int check_session(mcp_call *call) {
  if (mcpi_revision_is_modern(call->context.revision)) {
    call->connection->has_modern = 1;
    return 1;
  }
  if (mcpi_str_eq(call->method_name, MCPI_STR("initialize")) ||
      mcpi_str_eq(call->method_name, MCPI_STR("ping"))) {
    return 1;
  }
  if (call->session == NULL) {
    refuse_without_session(call);
    return 0;
  }
  mcpi_session_open(call->session);
  return 1;
}

static int is_ours(const mcpi_method *method, const mcpi_revision *revision) {
  const uint16_t wanted = MCPI_TO_SERVER | MCPI_IS_REQUEST;
  return method != NULL && mcpi_method_in(method, revision) &&
         (method->flags & wanted) == wanted &&
         mcpi_server_methods[method->id] != NULL;
}

static int answer_unknown(mcp_call *call, const char *why) {
  mcp_error err;
  mcpi_str name = call->method_name;
  mcp_error_set(&err, MCP_ERR_UNSUPPORTED, "%s: \"%.*s\"", why,
                (int)(name.len < 64 ? name.len : 64), name.ptr);
  refuse(call, MCP_RPC_METHOD_NOT_FOUND, err.message);
  return 0;
}

/* A subscription outlives the answer, and so needs a session. A level of
 * logging needs a session whose client was offered logging: no other is logged
 * to. */
static int offers(const mcp_call *call, const char *capability) {
  if (strcmp(capability, "logging") == 0) {
    return call->session != NULL && call->session->has_logging;
  }
  if (strcmp(capability, "resources.subscribe") == 0 &&
      call->connection->is_stateless) {
    return 0;
  }
  return mcpi_server_offers(call->part->server, capability);
}

static int find_method(mcp_call *call) {
  const mcpi_method *method = mcpi_method_find(call->method_name);
  call->own_method = mcpi_own_method_find(call->part->server, call->method_name,
                                          call->context.revision, 0);
  if (call->own_method != NULL) {
    return mcpi_own_method_check(call);
  }
  if (!is_ours(method, call->context.revision)) {
    return answer_unknown(call, "unknown method");
  }
  if (method->capability != NULL && !offers(call, method->capability)) {
    return answer_unknown(call, "this server does not offer");
  }
  call->method = method;
  return 1;
}

static int check_params(mcp_call *call) {
  mcp_error err;
  if (call->method == NULL) {
    return mcpi_own_method_check_params(call);
  }
  if (mcpi_members_check(call->method->params, call->params, &err) != 0) {
    refuse(call, MCP_RPC_INVALID_PARAMS, err.message);
    return 0;
  }
  return 1;
}

static int ask_program(mcp_call *call) {
  const mcp_server_options *options = &call->part->server->options;
  if (options->on_request == NULL || call->part->server->is_freed) {
    return 1;
  }
  int rc = options->on_request(call, options->userdata);
  if (!call->replied && rc != 0) {
    refuse(call, MCP_RPC_INTERNAL_ERROR, "refused");
  }
  return !call->replied;
}

static void join_session(mcp_call *call, mcp_session *session) {
  call->session = session;
  if (session != NULL) {
    mcpi_keep(call->identity, session->client);
    call->client = session->client;
  }
}

static int load_answers(mcp_call *call) {
  if (call->method == NULL || (call->method->flags & MCPI_MAY_ASK) == 0 ||
      !mcpi_revision_is_modern(call->context.revision) ||
      mcpi_ask_load(call) == 0) {
    return 1;
  }
  mcpi_call_reply_recorded(call);
  return 0;
}

/* --- requests ----------------------------------------------------------- */

static void handle(mcp_call *call) {
  if (call->own_method != NULL) {
    mcpi_own_method_run(call);
  } else {
    mcpi_server_methods[call->method->id](call);
  }
}

void mcpi_dispatch_request(mcp_connection *connection, mcpi_sink *sink,
                           mcpi_message *message, const mcpi_envelope *envelope,
                           const mcpi_context *context, mcp_session *session) {
  mcp_call *call = begin(connection, sink, message, envelope, context);
  if (call == NULL) {
    return;
  }
  join_session(call, session);
  mcpi_part_refresh(call->part);
  if (check_room(call) && check_id(call) && check_session(call) &&
      find_method(call) && check_params(call) && ask_program(call) &&
      load_answers(call) && call->sink != NULL) {
    handle(call);
  }
  mcpi_call_unhold(call);
}

/* --- notifications ------------------------------------------------------ */

/* Calls that are deferred stay: without a limit a client could pile them up.
 * Nothing may answer a notification, so one too many is dropped. */
static int check_notification(const mcp_call *call) {
  mcp_connection *connection = call->connection;
  mcpi_str name = call->method_name;
  mcp_error err;
  if (connection->is_draining) {
    mcp_error_set(&err, MCP_ERR_LIMIT, "the server is shutting down");
  } else {
    int limit = find_limit(connection, &err);
    if (limit == 0) {
      return 1;
    }
    mcpi_part_note_refusal(call->part, limit);
  }
  mcpi_connection_report(connection, MCP_ERR_LIMIT, "%.*s: dropped: %s",
                         (int)(name.len < 64 ? name.len : 64), name.ptr,
                         err.message);
  return 0;
}

/* The handler gets a call like any other; its answer goes nowhere. */
static void run_own(mcp_connection *connection, mcpi_own_method *method,
                    mcpi_message *message, const mcpi_envelope *envelope,
                    const mcpi_context *context, mcp_session *session) {
  mcp_call *call =
      begin(connection, &connection->sink, message, envelope, context);
  if (call == NULL) {
    return;
  }
  join_session(call, session);
  call->own_method = method;
  mcpi_call_mute(call);
  if (check_notification(call) && mcpi_own_method_check(call) &&
      mcpi_own_method_check_params(call)) {
    mcpi_own_method_run(call);
  }
  mcpi_call_unhold(call);
}

static int is_for_us(const mcpi_method *method, const mcpi_context *context) {
  return method != NULL && mcpi_method_in(method, context->revision) &&
         (method->flags & MCPI_TO_SERVER) != 0;
}

static void on_protocols_own(const mcpi_method *method, mcp_session *session) {
  if (session == NULL) {
    return;
  }
  if (method->id == MCPI_M_INITIALIZED) {
    mcpi_session_open(session);
  } else if (method->id == MCPI_M_ROOTS_CHANGED) {
    mcpi_session_ask_roots(session);
  }
}

void mcpi_dispatch_notification(mcp_connection *connection,
                                mcpi_message *message,
                                const mcpi_envelope *envelope,
                                const mcpi_context *context,
                                mcp_session *session) {
  const mcpi_method *method = mcpi_method_find(envelope->method);
  mcpi_own_method *own = mcpi_own_method_find(
      connection->part->server, envelope->method, context->revision, 1);
  if (own != NULL) {
    run_own(connection, own, message, envelope, context, session);
  } else if (is_for_us(method, context)) {
    on_protocols_own(method, session);
  }
}
