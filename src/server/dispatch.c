/* SPDX-License-Identifier: MIT */
/* From a message whose context is known to whoever handles it. The checks run
 * in this order, and the first that fails answers:
 *
 *   a token if one is demanded, room for the call, id not in flight, session
 *   (legacy)
 *   method known, in this revision, in this direction, offered by the server
 *   params
 *   the program's hook
 *   answers that a retry brings
 *
 * The program may have closed the connection in its callbacks meanwhile. */
#include "server/dispatch.h"

#include "server/ask.h"
#include "server/handlers.h"
#include "server/own_methods.h"
#include "server/reply.h"
#include "json/inline.h"

/* Each function replies, or leaves the call to a handler of the program. */
static void (*const request_handlers[MCPI_M_COUNT])(mcp_call *) = {
#define REQUEST_TO_SERVER(id, name, handler, ...) [id] = handler,
#define REQUEST_BOTH_WAYS(id, name, handler, ...) [id] = handler,
#include "core/methods.def"
};

static void (*const notification_handlers[MCPI_M_COUNT])(mcp_session *) = {
#define NOTIFICATION_TO_SERVER(id, name, handler, ...) [id] = handler,
#include "core/methods.def"
};

/* --- a call for a message ----------------------------------------------- */

static const mcpi_str no_data = {NULL, 0};

static void on_cancel(mcpi_inflight *inflight, mcpi_str reason) {
  mcp_call *call = MCPI_CONTAINER(inflight, mcp_call, inflight);
  mcpi_shard *shard = call->shard;
  (void)reason;
  mcpi_shard_enter(shard);
  mcpi_call_cancel(call);
  mcpi_shard_leave(shard);
}

static void dispatch_fill(mcp_call *call, const mcpi_incoming *in) {
  mcpi_keep(call->identity, in->message);
  call->message = in->message;
  call->method_name = in->envelope->method;
  call->params = in->envelope->params;
  call->context = in->context;
  mcpi_id_put(&call->id, in->envelope->id);
  if (call->id.len > MCPI_CALL_KEPT_BYTES) {
    call->own_bytes = call->id.len;
    mcpi_keep_bytes(call->identity, call->own_bytes);
  }
  call->inflight.id_text = mcpi_str_n(call->id.data, call->id.len);
  call->inflight.on_cancel = on_cancel;
}

/* There was no memory for a call. */
static void answer_nomem(const mcpi_caller *caller, mcpi_sink *sink,
                         const mcpi_envelope *envelope) {
  mcpi_buf *out = &caller->shard->loop->scratch;
  mcpi_buf id;
  mcpi_buf_init(&id, &caller->shard->server->allocator, SIZE_MAX);
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

static void join_session(mcp_call *call, mcp_session *session) {
  call->session = session;
  if (session != NULL) {
    mcpi_keep(call->identity, session->client);
    call->client = session->client;
    mcpi_session_use_grant(session, call->grant);
  }
}

/* Returns a call with a hold, attached to its caller; NULL: the request has
 * been answered. */
static mcp_call *dispatch_begin(mcpi_caller *caller, mcpi_sink *sink,
                                const mcpi_incoming *in) {
  mcp_call *call = mcpi_call_new(caller->shard);
  if (call != NULL) {
    mcpi_call_attach(call, caller);
    dispatch_fill(call, in);
    if (call->id.error == 0) {
      call->sink = sink;
      caller->open_count++;
      return call;
    }
    mcpi_call_unhold(call);
  }
  answer_nomem(caller, sink, in->envelope);
  return NULL;
}

static void dispatch_refuse(mcp_call *call, int code, const char *message) {
  mcpi_reply_error(call, code, mcpi_str_z(message), no_data);
}

/* --- the checks --------------------------------------------------------- */

/* Returns 0, or the MCPI_LIMIT_* that leaves no room for a call. */
static int find_limit(const mcpi_caller *caller, mcp_error *err) {
  int limit = mcpi_caller_check_calls(caller, 0, err);
  return limit != 0 ? limit : mcpi_caller_check_bytes(caller, err);
}

/* The HTTP endpoint has checked the token of the request: only a fault of the
 * endpoint can lose it. */
static int has_demanded_token(const mcp_call *call) {
  mcpi_caller *caller = call->caller;
  if (call->grant != NULL || !caller->rules.demands_token) {
    return 1;
  }
  mcpi_caller_report(caller, MCP_ERR_REFUSED,
                     "a request is refused: this server demands a token, and "
                     "that of the request is lost");
  return 0;
}

/* Each of these functions returns 1, or answers the call and returns 0. */

static int admit_token(mcp_call *call) {
  int is_admitted = has_demanded_token(call);
  if (!is_admitted) {
    dispatch_refuse(call, MCP_RPC_INTERNAL_ERROR,
                    "this server demands a token, and that of the request is "
                    "lost");
  }
  return is_admitted;
}

static int admit_room(mcp_call *call) {
  mcp_error err;
  if (call->caller->is_draining) {
    dispatch_refuse(call, MCP_RPC_INTERNAL_ERROR,
                    "the server is shutting down");
    return 0;
  }
  int limit = find_limit(call->caller, &err);
  if (limit != 0) {
    mcpi_call_fail_limit(call, limit, &err);
    mcpi_call_reply_recorded(call);
  }
  return limit == 0;
}

static int admit_id(mcp_call *call) {
  if (!call->caller->rules.tracks_ids) {
    return 1;
  }
  int rc = mcpi_peer_track(&call->caller->peer, &call->inflight);
  if (rc == MCP_ERR_EXISTS) {
    dispatch_refuse(call, MCP_RPC_INVALID_REQUEST,
                    "a request with this id is in flight already");
  } else if (rc != 0) {
    dispatch_refuse(call, MCP_RPC_INTERNAL_ERROR, mcp_error_text(rc));
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
      mcpi_dispatch_lacks(call->shard->server, call->method_name, call->params);
  if (lacks != NULL) {
    dispatch_refuse(call, MCP_RPC_INVALID_PARAMS, lacks);
  } else {
    dispatch_refuse(call, MCP_RPC_INVALID_REQUEST, "send initialize first");
  }
}

/* Opens a legacy session if the client has not done so. Some widely used
 * clients forget notifications/initialized, or send it late.
 * Any other request also shows that they have finished the handshake. */
static int admit_to_session(mcp_call *call, const mcpi_method *method) {
  if (mcpi_revision_is_modern(call->context.revision)) {
    call->caller->has_modern = 1;
    return 1;
  }
  if (call->session != NULL && call->session->is_initialized) {
    return 1;
  }
  if (method != NULL && method->needs_no_session) {
    return 1;
  }
  if (call->session == NULL) {
    refuse_without_session(call);
    return 0;
  }
  mcpi_session_open(call->session);
  return 1;
}

static int dispatch_is_ours(const mcpi_method *method,
                            const mcpi_revision *revision) {
  return method != NULL && mcpi_method_in(method, revision) &&
         request_handlers[method->id] != NULL;
}

static int answer_unknown(mcp_call *call, const char *why) {
  mcp_error err;
  mcpi_str name = call->method_name;
  mcp_error_set(&err, MCP_ERR_UNSUPPORTED, "%s: \"%.*s\"", why,
                (int)(name.len < 64 ? name.len : 64), name.ptr);
  dispatch_refuse(call, MCP_RPC_METHOD_NOT_FOUND, err.message);
  return 0;
}

/* A subscription outlives the answer, and so needs a session. A level of
 * logging needs a session whose client was offered logging: no other is logged
 * to. */
static int offers(const mcp_call *call, const mcpi_method *method) {
  switch (method->id) {
  case MCPI_M_SET_LEVEL:
    return call->session != NULL && call->session->has_logging;
  case MCPI_M_RESOURCES_SUBSCRIBE:
  case MCPI_M_RESOURCES_UNSUBSCRIBE:
    if (call->caller->rules.is_stateless) {
      return 0;
    }
    break;
  default:
    break;
  }
  return mcpi_server_offers(call->shard->server, method->capability);
}

/* Finds what serves the call. `method` is the protocol's method with that name,
 * or NULL. */
static int admit_method(mcp_call *call, const mcpi_method *method) {
  call->own_method = mcpi_own_method_find(
      call->shard->server, call->method_name, call->context.revision, 0);
  if (call->own_method != NULL) {
    return mcpi_own_method_admit(call);
  }
  if (!dispatch_is_ours(method, call->context.revision)) {
    return answer_unknown(call, "unknown method");
  }
  if (method->capability != NULL && !offers(call, method)) {
    return answer_unknown(call, "this server does not offer");
  }
  call->method = method;
  return 1;
}

static int admit_params(mcp_call *call) {
  mcp_error err;
  if (call->method == NULL) {
    return mcpi_own_method_admit_params(call);
  }
  if (mcpi_members_check(call->method->params, "params", call->params, &err) !=
      0) {
    dispatch_refuse(call, MCP_RPC_INVALID_PARAMS, err.message);
    return 0;
  }
  return 1;
}

static int dispatch_ask_program(mcp_call *call) {
  const mcp_server_options *options = &call->shard->server->options;
  if (options->on_request == NULL || call->shard->server->is_freed) {
    return 1;
  }
  int rc = options->on_request(call, options->userdata);
  if (!mcpi_call_has_reply(call) && rc != 0) {
    dispatch_refuse(call, MCP_RPC_INTERNAL_ERROR, "refused");
  }
  return !mcpi_call_has_reply(call);
}

static int load_answers(mcp_call *call) {
  if (call->method == NULL || !call->method->may_ask ||
      !mcpi_revision_is_modern(call->context.revision) ||
      mcpi_ask_load(call) == 0) {
    return 1;
  }
  mcpi_call_reply_recorded(call);
  return 0;
}

/* --- requests ----------------------------------------------------------- */

/* The message does not even say what it is. */
static void refuse_unclassified(mcpi_caller *caller, mcpi_sink *sink,
                                mcpi_incoming *in) {
  const mcpi_refusal *refusal = &in->refusal;
  uint32_t eras = caller->shard->server->options.eras;
  in->context = (mcpi_context){.revision = mcpi_revision_newest(eras)};
  mcp_call *call = dispatch_begin(caller, sink, in);
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

static void dispatch_request(mcpi_caller *caller, mcpi_sink *sink,
                             const mcpi_incoming *in, mcp_session *session) {
  mcp_call *call = dispatch_begin(caller, sink, in);
  if (call == NULL) {
    return;
  }
  join_session(call, session);
  mcpi_shard_refresh(call->shard);
  int is_ready = admit_token(call) && admit_room(call) && admit_id(call) &&
                 admit_to_session(call, in->method) &&
                 admit_method(call, in->method) && admit_params(call) &&
                 dispatch_ask_program(call) && load_answers(call) &&
                 call->sink != NULL; /* not cancelled by the hook */
  if (is_ready && call->own_method != NULL) {
    mcpi_own_method_run(call);
  } else if (is_ready) {
    request_handlers[call->method->id](call);
  }
  mcpi_call_unhold(call);
}

/* --- notifications ------------------------------------------------------ */

/* Deferred calls stay: without a limit a client could collect them. A
 * notification gets no answer, so one past the limit is dropped. */
static int dispatch_admit_notification(const mcp_call *call) {
  mcpi_caller *caller = call->caller;
  mcpi_str name = call->method_name;
  mcp_error err;
  if (caller->is_draining) {
    mcp_error_set(&err, MCP_ERR_LIMIT, "the server is shutting down");
  } else {
    int limit = find_limit(caller, &err);
    if (limit == 0) {
      return 1;
    }
    mcpi_shard_note_refusal(call->shard, limit);
  }
  mcpi_caller_report(caller, MCP_ERR_LIMIT, "%.*s: dropped: %s",
                     (int)(name.len < 64 ? name.len : 64), name.ptr,
                     err.message);
  return 0;
}

static int send_nowhere(mcpi_sink *sink, mcp_call *call, int what, int rpc_code,
                        const char *message, size_t len) {
  (void)sink;
  (void)call;
  (void)what;
  (void)rpc_code;
  (void)message;
  (void)len;
  return MCP_ERR_GONE;
}

static const mcpi_sink_ops nowhere_ops = {.send = send_nowhere};

/* The handler gets a call like any other; its answer is dropped. */
static void run_own(mcpi_caller *caller, mcpi_own_method *method,
                    const mcpi_incoming *in, mcp_session *session) {
  mcpi_sink nowhere = {&nowhere_ops};
  mcp_call *call = dispatch_begin(caller, &nowhere, in);
  if (call == NULL) {
    return;
  }
  join_session(call, session);
  call->own_method = method;
  mcpi_call_mute(call);
  if (has_demanded_token(call) && dispatch_admit_notification(call) &&
      mcpi_own_method_admit(call) && mcpi_own_method_admit_params(call)) {
    mcpi_own_method_run(call);
  }
  mcpi_call_unhold(call);
}

static void dispatch_notification(mcpi_caller *caller, const mcpi_incoming *in,
                                  mcp_session *session) {
  mcpi_str name = in->envelope->method;
  const mcpi_method *method = in->method;
  mcpi_own_method *own = mcpi_own_method_find(caller->shard->server, name,
                                              in->context.revision, 1);
  if (own != NULL) {
    run_own(caller, own, in, session);
  } else if (session != NULL && method != NULL &&
             mcpi_method_in(method, in->context.revision) &&
             notification_handlers[method->id] != NULL) {
    notification_handlers[method->id](session);
  }
}

/* --- the way in --------------------------------------------------------- */

void mcpi_incoming_classify(mcpi_incoming *in, uint32_t eras,
                            mcpi_message *message,
                            const mcpi_envelope *envelope) {
  in->message = message;
  in->envelope = envelope;
  in->method = mcpi_method_find(envelope->method);
  in->class = mcpi_classify(envelope, eras, &in->context, &in->refusal);
  /* Batches are the legacy era's (MCP 2025-03-26, Base Protocol: Batching). */
  if (in->class != MCPI_CLASS_LEGACY && mcpi_json_is_array(message->root)) {
    in->class = MCPI_CLASS_REFUSED;
    in->refusal = (mcpi_refusal){.code = MCP_RPC_INVALID_REQUEST};
    mcp_error_set(&in->refusal.err, MCP_ERR_PROTOCOL,
                  "a modern request in a batch");
  }
}

/* A legacy request is answered in its session's revision. Before there is a
 * session, only a few requests are answered, in the newest revision. */
static void use_session(mcpi_context *context, const mcp_session *session) {
  if (session == NULL) {
    context->revision = mcpi_revision_newest(MCP_ERA_LEGACY);
    return;
  }
  context->revision = session->revision;
  context->client_info = session->client_info;
  context->client_capabilities = session->client_capabilities;
  context->log_level = session->log_level;
}

void mcpi_dispatch(mcpi_caller *caller, mcpi_sink *sink, mcpi_incoming *in) {
  int is_request = in->envelope->kind == MCPI_REQUEST;
  mcp_session *session = NULL;
  if (in->class == MCPI_CLASS_LEGACY) {
    session = caller->session;
    use_session(&in->context, session);
  }
  if (is_request && in->class == MCPI_CLASS_REFUSED) {
    refuse_unclassified(caller, sink, in);
  } else if (is_request) {
    dispatch_request(caller, sink, in, session);
  } else if (in->class != MCPI_CLASS_REFUSED) {
    dispatch_notification(caller, in, session);
  } /* nothing may answer a notification that is refused */
}
