/* SPDX-License-Identifier: MIT */
/* The legacy handshake (MCP 2025-11-25, Lifecycle: Initialization) and ping
 * (MCP 2025-11-25, Ping). */
#include "server/handlers.h"
#include "server/members.h"
#include "server/reply.h"

static mcpi_str wanted_version(const mcp_call *call) {
  return mcpi_json_member_str(call->params, "protocolVersion");
}

/* Returns the revision that the client asks for, if it is a legacy revision of
 * ours; otherwise the newest legacy revision. The client may then
 * disconnect. */
static const mcpi_revision *negotiate(const mcp_call *call) {
  mcpi_str wanted = wanted_version(call);
  const mcpi_revision *revision = call->caller->rules.is_obliging
                                      ? mcpi_revision_nearest(wanted)
                                      : mcpi_revision_find(wanted);
  if (revision == NULL || mcpi_revision_is_modern(revision)) {
    return mcpi_revision_newest(MCP_ERA_LEGACY);
  }
  return revision;
}

/* Returns the version that the answer names. */
static mcpi_str agreed_version(const mcp_call *call) {
  mcpi_str wanted = wanted_version(call);
  return call->caller->rules.is_obliging &&
                 mcpi_revision_nearest(wanted) != NULL
             ? wanted
             : mcpi_str_z(call->context.revision->name);
}

static void reply(mcp_call *call, uint32_t declared) {
  const mcp_server *server = call->shard->server;
  const mcpi_revision *revision = call->context.revision;
  mcpi_buf *out = &call->out;
  mcpi_reply_begin(call);
  mcpi_put_name(out, "protocolVersion");
  mcpi_json_put_string(out, agreed_version(call));
  mcpi_put_name(out, "capabilities");
  mcpi_put_capabilities(server, declared, revision,
                        !call->caller->rules.is_stateless, call->principal,
                        out);
  mcpi_put_name(out, "serverInfo");
  mcpi_buf_puts(out, server->implementation[revision->index]);
  mcpi_put_string_member(out, "instructions", server->options.instructions);
  mcpi_reply_end(call);
}

/* If the answer cannot be made or sent, no session remains, and the client may
 * try again. */
static void initialize_open_session(mcp_call *call, mcpi_caller *caller,
                                    mcp_session *session) {
  caller->session = session;
  call->context.revision = session->revision;
  mcpi_session_note_declared(session);
  reply(call, session->declared);
  if (call->rpc_code != 0) {
    caller->session = NULL;
    mcpi_session_free(session);
    return;
  }
  if (caller->ops->agreed != NULL) {
    caller->ops->agreed(caller, session->revision->name);
  }
}

void mcpi_on_initialize(mcp_call *call) {
  mcpi_caller *caller = call->caller;
  mcp_error err;
  if (caller->session != NULL) {
    mcpi_reply_error(call, MCP_RPC_INVALID_REQUEST,
                     MCPI_STR("this connection is initialized already"),
                     mcpi_str_z(NULL));
    return;
  }
  mcp_session *session =
      mcpi_session_new(caller, negotiate(call), call->params);
  if (session == NULL) {
    mcpi_reply_error(call, MCP_RPC_INTERNAL_ERROR, MCPI_STR("out of memory"),
                     mcpi_str_z(NULL));
    return;
  }
  int limit = mcpi_caller_check_bytes(caller, &err);
  if (limit != 0) {
    mcpi_session_free(session);
    mcpi_call_fail_limit(call, limit, &err);
    mcpi_call_reply_recorded(call);
    return;
  }
  initialize_open_session(call, caller, session);
}

void mcpi_on_ping(mcp_call *call) {
  mcpi_reply_members(call, mcpi_str_z(NULL));
}
