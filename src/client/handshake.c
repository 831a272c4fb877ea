/* SPDX-License-Identifier: MIT */
/* A step is a request of the client's own. Its answer, or the lack of one,
 * decides the next step (MCP 2026-07-28, Versioning: Backward Compatibility).
 * If a step ends with MCP_ERR_CLOSED, the step decides nothing: mcpi_peer
 * (core/peer.h) then reports that the transport has ended, or that the server
 * was restarted. */
#include "client/handshake.h"

#include "client/close.h"
#include "client/describe.h"
#include "client/keepalive.h"
#include "client/listen.h"
#include "client/params.h"
#include "client/resend.h"
#include "client/result.h"
#include "client/send.h"
#include "client/settle.h"
#include "client/subscribe.h"
#include "core/context.h"
#include "core/verdicts.h"
#include <mcp/server.h>

/* --- what is acceptable ------------------------------------------------- */

static int may_be_modern(const mcp_client *client) {
  return client->pinned != NULL ? mcpi_revision_is_modern(client->pinned)
                                : client->options.policy != MCP_POLICY_LEGACY;
}

static int may_be_legacy(const mcp_client *client) {
  return client->pinned != NULL ? !mcpi_revision_is_modern(client->pinned)
                                : client->options.policy != MCP_POLICY_MODERN;
}

static int is_acceptable(const mcp_client *client,
                         const mcpi_revision *revision, int is_modern) {
  return revision != NULL && mcpi_revision_is_modern(revision) == is_modern &&
         (client->pinned == NULL || client->pinned == revision) &&
         (is_modern ? may_be_modern(client) : may_be_legacy(client));
}

/* The newest revision of an era that we and a list of names have in common, or
 * NULL. */
static const mcpi_revision *
pick_revision(const mcp_client *client, const mcp_json *names, int is_modern) {
  const mcpi_revision *best = NULL;
  mcp_json_iter iter;
  const mcp_json *name;
  mcp_json_iter_init(&iter, names);
  while ((name = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const mcpi_revision *found = mcpi_revision_find(mcpi_json_str(name));
    if (is_acceptable(client, found, is_modern) &&
        (best == NULL || found->index > best->index)) {
      best = found;
    }
  }
  return best;
}

/* `supported` of an error's data when it names any version, else NULL. */
static const mcp_json *supported_of(const mcp_json *error) {
  const mcp_json *names =
      mcp_json_get(mcp_json_get(error, "data"), "supported");
  if (mcp_json_type(names) != MCP_JSON_ARRAY ||
      mcp_json_string(mcp_json_at(names, 0)) == NULL) {
    return NULL;
  }
  return names;
}

/* --- failing ------------------------------------------------------------ */

/* Completes the program's connect with the error too. */
static void handshake_fail(mcp_client *client, int code, const char *reason) {
  mcp_error err;
  mcp_error_set(&err, code, "%s", reason);
  mcpi_client_hang_up(client, &err);
}

static void handshake_fail_late(mcp_client *client) {
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_TIMEOUT,
                "not connected within %lu ms (connect_timeout_ms)",
                (unsigned long)client->options.connect_timeout_ms);
  mcpi_client_hang_up(client, &err);
}

/* The time by the clock of the deadline. */
static int64_t handshake_now(const mcp_client *client) {
  int64_t held_ms = client->handshake.held_ms;
  return held_ms >= 0 ? held_ms : mcpi_loop_now(client->loop);
}

/* The last step has the rest of the time for connecting: its own limit would
 * say nothing to the user. */
static void handshake_fail_step(mcp_client *client, const mcp_error *err) {
  if (err->code == MCP_ERR_TIMEOUT &&
      handshake_now(client) >= client->handshake.deadline_ms) {
    handshake_fail_late(client);
  } else {
    mcpi_client_hang_up(client, err);
  }
}

static void handshake_fail_remote(mcp_client *client, mcpi_message *message,
                                  const mcpi_envelope *reply) {
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_REMOTE, "the server refused to connect");
  if (client->handshake.connect != NULL) {
    mcpi_request_fail_remote(client->handshake.connect, message, reply);
    err = client->handshake.connect->err;
  }
  mcpi_client_hang_up(client, &err);
}

/* --- verdicts ------------------------------------------------------------- */

/* NULL: nothing outlives the connection. */
static const char *handshake_origin_of(const mcp_client *client) {
  mcp_transport *transport = client->link.transport;
  return transport->origin != NULL ? transport->origin(transport) : NULL;
}

/* The verdict that the program gave counts more than the loop's. */
static const mcpi_revision *find_verdict(const mcp_client *client) {
  const char *origin = handshake_origin_of(client);
  return client->guess != NULL || origin == NULL
             ? client->guess
             : mcpi_verdicts_get(client->loop, origin);
}

/* The handshake finds the era anew. */
static void forget_verdict(mcp_client *client) {
  const char *origin = handshake_origin_of(client);
  if (origin != NULL) {
    mcpi_verdicts_set(client->loop, origin, NULL);
  }
}

/* Keeps what the handshake has found, unless the program demanded an era. */
static void keep_verdict(mcp_client *client) {
  const char *origin = handshake_origin_of(client);
  if (origin != NULL && client->handshake.has_probed && may_be_modern(client) &&
      may_be_legacy(client)) {
    mcpi_verdicts_set(client->loop, origin, client->revision);
  }
}

/* --- steps -------------------------------------------------------------- */

static void on_probed(mcpi_request *step, int status, mcpi_message *message,
                      const mcpi_envelope *reply, const mcp_error *err);
static void on_initialized(mcpi_request *step, int status,
                           mcpi_message *message, const mcpi_envelope *reply,
                           const mcp_error *err);

static const mcpi_request_kind probe_kind = {.on_reply = on_probed};
static const mcpi_request_kind initialize_kind = {.on_reply = on_initialized};

/* `initialize` must not be cancelled, and a server that does not answer a
 * probe would not understand. */
static mcpi_request *take_step(mcp_client *client, mcpi_method_id id,
                               const mcpi_request_kind *kind) {
  mcpi_request *step = mcpi_request_take(client, &mcpi_methods[id], kind);
  if (step == NULL) {
    handshake_fail(client, MCP_ERR_NOMEM, "out of memory");
    return NULL;
  }
  step->is_quiet = 1;
  client->handshake.step = step;
  return step;
}

static void send_step(mcp_client *client, mcpi_request *step,
                      uint32_t limit_ms) {
  int64_t left_ms = client->handshake.deadline_ms - handshake_now(client);
  if (left_ms <= 0) {
    handshake_fail_late(client);
    return;
  }
  if (client->handshake.deadline_ms != INT64_MAX &&
      (limit_ms == 0 || left_ms < limit_ms)) {
    limit_ms = (uint32_t)left_ms;
  }
  step->timeout_ms = limit_ms;
  mcp_error err;
  if (mcpi_request_send(step, &err) != 0) {
    mcpi_client_hang_up(client, &err);
  }
}

/* A server that is silent counts as an old one, unless the program does not
 * accept those, or the server is known to be modern: it may be slow to
 * start. */
static uint32_t probe_limit(const mcp_client *client) {
  const mcpi_revision *guess = client->handshake.guess;
  int was_modern = guess != NULL && mcpi_revision_is_modern(guess);
  return may_be_legacy(client) && !was_modern &&
                 !mcpi_client_has_streams(client)
             ? client->options.probe_timeout_ms
             : 0;
}

static void send_probe(mcp_client *client) {
  forget_verdict(client);
  client->handshake.has_probed = 1;
  client->handshake.offer = NULL;
  mcpi_request *step = take_step(client, MCPI_M_DISCOVER, &probe_kind);
  if (step == NULL) {
    return;
  }
  if (mcpi_client_make_context(client, mcpi_revision_newest(MCP_ERA_MODERN)) !=
      0) {
    handshake_fail(client, MCP_ERR_NOMEM, "out of memory");
    return;
  }
  send_step(client, step, probe_limit(client));
}

static void send_initialize(mcp_client *client, const mcpi_revision *offer) {
  client->handshake.offer = offer;
  mcpi_client_make_context(client, offer);
  mcpi_request *step = take_step(client, MCPI_M_INITIALIZE, &initialize_kind);
  if (step == NULL) {
    return;
  }
  mcpi_buf *params = &step->bufs.params;
  mcpi_params_string(params, "protocolVersion", offer->name, NULL);
  mcpi_params_name(params, "capabilities");
  mcpi_client_put_capabilities(client, offer, params);
  mcpi_params_name(params, "clientInfo");
  mcpi_client_put_info(client, offer, params);
  if (params->error != 0) {
    handshake_fail(client, MCP_ERR_NOMEM, "out of memory");
    return;
  }
  send_step(client, step, 0);
}

static const mcpi_revision *first_offer(const mcp_client *client) {
  return client->pinned != NULL ? client->pinned
                                : mcpi_revision_newest(MCP_ERA_LEGACY);
}

void mcpi_handshake_begin(mcp_client *client) {
  const mcpi_revision *guess = find_verdict(client);
  int was_legacy = guess != NULL && !mcpi_revision_is_modern(guess);
  /* the limit of opening the transport (connect.c) */
  mcpi_loop_stop_timer(client->loop, &client->handshake.connect->timer);
  client->handshake.guess = guess;
  client->declared_roots = mcpi_client_can_answer(client, MCPI_M_ROOTS_LIST);
  if (!may_be_modern(client) || (was_legacy && may_be_legacy(client))) {
    send_initialize(client, first_offer(client));
  } else {
    send_probe(client);
  }
}

/* --- while the transport waits ------------------------------------------ */

/* A timer that runs is only moved, which cannot fail. */
void mcpi_handshake_limit_opening(mcp_client *client) {
  const mcpi_handshake *handshake = &client->handshake;
  mcpi_request *connect = handshake->connect;
  if (connect == NULL || !mcpi_timer_is_running(&connect->timer)) {
    return;
  }
  if (handshake->held_ms >= 0) {
    mcpi_timer_start(&client->loop->timers, &connect->timer, INT64_MAX);
  } else {
    mcpi_loop_start_timer(client->loop, &connect->timer,
                          handshake->deadline_ms - mcpi_loop_now(client->loop));
  }
}

/* While the client is CONNECTING, only the handshake's step waits in the table
 * of requests. */
static void handshake_hold(mcp_client *client) {
  client->handshake.held_ms = mcpi_loop_now(client->loop);
  mcpi_pending_hold(&client->peer.pending);
  mcpi_handshake_limit_opening(client);
}

static void handshake_let_go(mcp_client *client) {
  mcpi_handshake *handshake = &client->handshake;
  if (handshake->held_ms < 0) {
    return;
  }
  if (handshake->deadline_ms != INT64_MAX) {
    handshake->deadline_ms += mcpi_loop_now(client->loop) - handshake->held_ms;
  }
  handshake->held_ms = -1;
  mcpi_pending_let_go(&client->peer.pending);
  mcpi_handshake_limit_opening(client);
}

void mcpi_handshake_set_waiting(mcp_client *client, int is_waiting) {
  client->is_waiting = is_waiting;
  if (!is_waiting) {
    handshake_let_go(client);
  } else if (client->state == MCPI_CLIENT_CONNECTING &&
             client->handshake.held_ms < 0) {
    handshake_hold(client);
  }
}

/* --- connected ---------------------------------------------------------- */

static const mcp_json *object_or_null(const mcp_json *value) {
  return mcp_json_type(value) == MCP_JSON_OBJECT ? value : NULL;
}

static void remember_hello(mcp_client *client, mcpi_message *message,
                           const mcp_json *result) {
  const mcp_json *info = mcp_json_get(result, "serverInfo");
  if (mcpi_client_is_modern(client)) {
    info = mcp_json_get(mcp_json_get(result, "_meta"), MCPI_META_SERVER_INFO);
  }
  mcpi_client_forget_hello(client);
  mcpi_message_ref(message);
  client->hello = message;
  client->server_about = result;
  client->server_info = object_or_null(info);
  client->server_capabilities =
      object_or_null(mcp_json_get(result, "capabilities"));
}

/* Completes the program's connect. After a restart there is no connect: then it
 * sends the log level and the subscriptions again, to the new server. */
static void handshake_complete(mcp_client *client) {
  mcpi_request *connect = client->handshake.connect;
  client->handshake.connect = NULL;
  if (connect == NULL) {
    mcpi_subscribe_renew(client);
    return;
  }
  mcpi_result_page page = {client->hello, client->server_about};
  mcpi_request_succeed(connect,
                       mcpi_result_new(&client->loop->pool, &page, 1, NULL));
}

static void handshake_adopt(mcp_client *client, const mcpi_revision *revision,
                            mcpi_message *message, const mcp_json *result) {
  mcp_transport *transport = client->link.transport;
  client->revision = revision;
  remember_hello(client, message, result);
  if (transport->set_protocol_version != NULL) {
    transport->set_protocol_version(transport, revision->name);
  }
  if (!mcpi_revision_is_modern(revision)) {
    int rc = mcpi_peer_send_notification(&client->peer,
                                         MCPI_STR("notifications/initialized"),
                                         (mcpi_str){NULL, 0}, NULL);
    if (rc != 0) {
      handshake_fail(client, rc, mcp_error_text(rc));
      return;
    }
  }
  /* The transport, or a trace of the notification, may have closed the
   * client. */
  if (client->state == MCPI_CLIENT_CONNECTING) {
    handshake_let_go(client);
    client->state = MCPI_CLIENT_OPEN;
    keep_verdict(client);
    mcpi_keepalive_start(client);
    handshake_complete(client);
    /* Sends the requests that waited for the new session. */
    mcpi_resend_end_all(client, mcpi_request_relaunch);
  }
}

/* --- the probe's answer ------------------------------------------------- */

/* Goes on with `initialize`, which offers this revision; if the program accepts
 * only the modern era, fails with the error. */
static void fall_back(mcp_client *client, const mcpi_revision *offer,
                      const mcp_error *err) {
  if (may_be_legacy(client)) {
    send_initialize(client, offer);
  } else {
    handshake_fail_step(client, err);
  }
}

static int handshake_check_answer(mcpi_method_id id, const mcp_json *result,
                                  mcp_error *err) {
  const mcpi_method *row = &mcpi_methods[id];
  mcp_error why;
  if (mcp_json_type(result) != MCP_JSON_OBJECT) {
    return mcp_error_set(err, MCP_ERR_PROTOCOL,
                         "%s: the result is %s, not an object", row->name,
                         mcp_json_type_name(mcp_json_type(result)));
  }
  if (mcpi_members_check(row->result, "result", result, &why) != 0) {
    return mcp_error_set(err, MCP_ERR_PROTOCOL, "%s: %s", row->name,
                         why.message);
  }
  return 0;
}

static int check_discovery(const mcp_json *result, mcp_error *err) {
  const mcp_json *type = mcp_json_get(result, "resultType");
  if (type != NULL && !mcpi_str_eq(mcpi_json_str(type), MCPI_STR("complete"))) {
    return mcp_error_set(err, MCP_ERR_PROTOCOL,
                         "server/discover: the resultType is not complete");
  }
  return handshake_check_answer(MCPI_M_DISCOVER, result, err);
}

static void judge_discovery(mcp_client *client, mcpi_message *message,
                            const mcp_json *result) {
  mcp_error err;
  if (check_discovery(result, &err) != 0) {
    fall_back(client, first_offer(client), &err);
    return;
  }
  const mcp_json *names = mcp_json_get(result, "supportedVersions");
  const mcpi_revision *modern = pick_revision(client, names, 1);
  if (modern != NULL) {
    handshake_adopt(client, modern, message, result);
    return;
  }
  /* A server of both eras need not name its legacy versions here, so the client
   * tries `initialize` even if they have none in common. */
  const mcpi_revision *legacy = pick_revision(client, names, 0);
  mcp_error_set(&err, MCP_ERR_VERSION,
                "the server has no version in common with this client");
  fall_back(client, legacy != NULL ? legacy : first_offer(client), &err);
}

/* A modern server refuses the probe itself. The client sends it again once. The
 * only thing that it could change is the version, and it has only one modern
 * version. A second refusal is final. */
static void handshake_correct(mcp_client *client, mcpi_message *message,
                              const mcpi_envelope *reply) {
  if (client->handshake.has_corrected) {
    handshake_fail_remote(client, message, reply);
    return;
  }
  client->handshake.has_corrected = 1;
  send_probe(client);
}

static void judge_version(mcp_client *client, mcpi_message *message,
                          const mcpi_envelope *reply) {
  const mcp_json *names = supported_of(reply->error);
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_VERSION,
                "the server has no version in common with this client");
  if (names == NULL) {
    fall_back(client, first_offer(client), &err);
  } else if (pick_revision(client, names, 1) != NULL &&
             !client->handshake.has_corrected) {
    handshake_correct(client, message, reply);
  } else if (pick_revision(client, names, 1) == NULL &&
             pick_revision(client, names, 0) != NULL) {
    send_initialize(client, pick_revision(client, names, 0));
  } else {
    mcpi_client_hang_up(client, &err);
  }
}

static void judge_refusal(mcp_client *client, mcpi_message *message,
                          const mcpi_envelope *reply) {
  switch (mcp_json_int(mcp_json_get(reply->error, "code"))) {
  case MCP_RPC_UNSUPPORTED_VERSION:
    judge_version(client, message, reply);
    break;
  case MCP_RPC_HEADER_MISMATCH:
  case MCP_RPC_MISSING_CAPABILITY:
    handshake_correct(client, message, reply);
    break;
  default:
    /* A server that does not know the method answers with any code. */
    if (may_be_legacy(client)) {
      send_initialize(client, first_offer(client));
    } else {
      handshake_fail_remote(client, message, reply);
    }
    break;
  }
}

/* Whether a probe that failed with this status shows that the server is of the
 * legacy era. Over HTTP only a server that did not understand the probe shows
 * that: the others may be out of reach, or deny access. Elsewhere each failure
 * shows it, silence too. */
static int shows_legacy(const mcp_client *client, int status) {
  return !mcpi_client_has_streams(client) || status == MCP_ERR_PROTOCOL;
}

static void end_step(mcpi_request *step) {
  step->client->handshake.step = NULL;
  mcpi_request_drop(step);
}

static void on_probed(mcpi_request *step, int status, mcpi_message *message,
                      const mcpi_envelope *reply, const mcp_error *err) {
  mcp_client *client = step->client;
  end_step(step);
  switch (status) {
  case 0:
    judge_discovery(client, message, reply->result);
    break;
  case MCP_ERR_REMOTE:
    judge_refusal(client, message, reply);
    break;
  case MCP_ERR_CLOSED:
    break;
  default:
    if (shows_legacy(client, status)) {
      fall_back(client, first_offer(client), err);
    } else {
      handshake_fail_step(client, err);
    }
    break;
  }
}

/* A server that could not read the probe may answer without its id. The client
 * has sent nothing else. */
void mcpi_handshake_misread(mcp_client *client, const mcp_error *err) {
  mcpi_request *step = client->handshake.step;
  if (client->state == MCPI_CLIENT_CONNECTING && step != NULL &&
      client->handshake.offer == NULL) {
    end_step(step);
    fall_back(client, first_offer(client), err);
  }
}

/* --- the answer to `initialize` ----------------------------------------- */

static void judge_initialized(mcp_client *client, mcpi_message *message,
                              const mcp_json *result) {
  mcp_error err;
  if (handshake_check_answer(MCPI_M_INITIALIZE, result, &err) != 0) {
    mcpi_client_hang_up(client, &err);
    return;
  }
  mcpi_str name = mcpi_json_member_str(result, "protocolVersion");
  const mcpi_revision *revision = mcpi_revision_find(name);
  if (is_acceptable(client, revision, 0)) {
    handshake_adopt(client, revision, message, result);
    return;
  }
  mcp_error_set(&err, MCP_ERR_VERSION, "the server answered with version %.*s",
                (int)(name.len < 40 ? name.len : 40), name.ptr);
  mcpi_client_hang_up(client, &err);
}

/* A server that counts as a legacy one by its verdict may be a modern one by
 * now. A server that was only slow to start may say so now. `names` may be
 * NULL. */
static int may_probe_now(const mcp_client *client, const mcp_json *names) {
  const mcpi_handshake *handshake = &client->handshake;
  return may_be_modern(client) &&
         (!handshake->has_probed || (pick_revision(client, names, 1) != NULL &&
                                     !handshake->has_corrected));
}

/* Some servers refuse a version instead of answering with theirs. */
static void renegotiate(mcp_client *client, mcpi_message *message,
                        const mcpi_envelope *reply) {
  mcpi_handshake *handshake = &client->handshake;
  const mcp_json *names = supported_of(reply->error);
  const mcpi_revision *other = pick_revision(client, names, 0);
  if (other != NULL && other != handshake->offer &&
      !handshake->has_renegotiated) {
    handshake->has_renegotiated = 1;
    send_initialize(client, other);
  } else if (may_probe_now(client, names)) {
    handshake->has_corrected = handshake->has_probed;
    send_probe(client);
  } else {
    handshake_fail_remote(client, message, reply);
  }
}

static void on_initialized(mcpi_request *step, int status,
                           mcpi_message *message, const mcpi_envelope *reply,
                           const mcp_error *err) {
  mcp_client *client = step->client;
  end_step(step);
  switch (status) {
  case 0:
    judge_initialized(client, message, reply->result);
    break;
  case MCP_ERR_REMOTE:
    renegotiate(client, message, reply);
    break;
  case MCP_ERR_CLOSED:
    break;
  default:
    if (status == MCP_ERR_PROTOCOL && may_probe_now(client, NULL)) {
      send_probe(client);
    } else {
      handshake_fail_step(client, err);
    }
    break;
  }
}

/* --- starting ----------------------------------------------------------- */

void mcpi_handshake_reset(mcp_client *client, mcpi_request *connect) {
  uint32_t limit_ms = client->options.connect_timeout_ms;
  int64_t now_ms = mcpi_loop_now(client->loop);
  client->handshake = (mcpi_handshake){
      .connect = connect,
      .deadline_ms = limit_ms == UINT32_MAX ? INT64_MAX : now_ms + limit_ms,
      .held_ms = -1};
  client->state = MCPI_CLIENT_CONNECTING;
  if (client->is_waiting) {
    handshake_hold(client);
  }
}

void mcpi_handshake_restart(mcp_client *client) {
  int is_probing = client->handshake.offer == NULL;
  if (client->state == MCPI_CLIENT_OPEN) {
    if (mcpi_client_is_modern(client)) {
      mcpi_client_listen_reopen_all(client);
      mcpi_resend_end_all(client, mcpi_request_relaunch);
      return;
    }
    mcpi_handshake_reset(client, NULL);
    mcpi_keepalive_stop(client);
    send_initialize(client, client->revision);
    return;
  }
  if (client->state != MCPI_CLIENT_CONNECTING || client->link.is_opening) {
    return;
  }
  /* A server that died of the probe is a legacy one. */
  if (is_probing && !may_be_legacy(client)) {
    send_probe(client);
  } else {
    send_initialize(client,
                    is_probing ? first_offer(client) : client->handshake.offer);
  }
}

const char *const *mcpi_handshake_versions(const mcp_client *client,
                                           size_t *count) {
  if (client->pinned != NULL) {
    *count = 1;
    return &client->pinned->name;
  }
  uint32_t eras = (may_be_modern(client) ? MCP_ERA_MODERN : 0) |
                  (may_be_legacy(client) ? MCP_ERA_LEGACY : 0);
  return mcpi_revision_names(eras, count);
}
