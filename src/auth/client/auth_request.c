/* SPDX-License-Identifier: MIT */
/* The requests of transports: what they are sent with, and what their answers
 * demand (MCP, Authorization: Token Handling, Scope Challenge Handling). */
#include "auth/client/server.h"
#include "auth/scopes.h"
#include "base/error.h"

#include <stdio.h>

enum {
  /* How often a request is sent again because of a nonce. A server that is in
   * order demands a nonce once, or twice when it changes. */
  NONCES_MAX = 2,
  /* How many 401 a request gets: to an old token, to the stored one, to a
   * renewed one, and to that of a login. */
  REFUSALS_MAX = 4,
  /* A server that refuses the token of a login will refuse the next one,
   * too. */
  LOGIN_PAUSE_MS = 60000
};

/* --- life ----------------------------------------------------------------- */

void mcpi_auth_request_init(mcpi_auth_request *request,
                            mcpi_auth_server *server,
                            mcpi_auth_ready_cb on_ready, void *owner) {
  *request = (mcpi_auth_request){
      .server = server, .on_ready = on_ready, .owner = owner};
  mcpi_list_init(&request->link);
  if (server != NULL) {
    mcpi_server_hold(server);
  }
}

void mcpi_auth_request_deinit(mcpi_auth_request *request) {
  mcpi_auth_server *server = request->server;
  if (server != NULL) {
    request->server = NULL;
    mcpi_list_remove(&request->link);
    mcpi_server_drop(server);
  }
}

/* --- before it is sent ---------------------------------------------------- */

static int request_wait(mcpi_auth_request *request) {
  mcpi_list_remove(&request->link);
  mcpi_waiting_add(&request->server->waiting, request);
  return MCP_PENDING;
}

/* Its headers are ready. A server that refuses it later than now does so for a
 * new reason, unless this is the answer to a refusal. */
static void request_note_sending(mcpi_auth_request *request) {
  request->sent_with = request->server->credentials.generation;
  if (!request->is_again) {
    request->refusals = 0;
    request->step_ups = 0;
    request->nonces = 0;
  }
  request->is_again = 0;
}

int mcpi_auth_prepare(mcpi_auth_request *request, const char *method,
                      const char *url, mcpi_auth_headers *out, mcp_error *err) {
  mcpi_auth_server *server = request->server;
  mcpi_auth_headers none = {.authorization = {NULL, 0}};
  if (server == NULL || server->unsafe.code != 0) {
    *out = none;
    return 0;
  }
  if (server->auth->is_freed) {
    return mcpi_auth_closed(err);
  }
  if (!mcpi_list_is_empty(&request->link)) {
    return MCP_PENDING; /* it waits already */
  }
  int rc = mcpi_server_prepare(server, err);
  if (rc == MCP_PENDING) {
    return request_wait(request);
  }
  if (rc == 0 && mcpi_waiting_is_behind(&server->waiting, request)) {
    mcpi_waiting_add_ready(&server->waiting, request);
    return MCP_PENDING;
  }
  if (rc == 0) {
    rc = mcpi_credentials_put_headers(&server->credentials, method, url, out,
                                      err);
  }
  if (rc == 0) {
    request_note_sending(request);
  }
  return rc;
}

void mcpi_auth_note_answer(mcpi_auth_request *request,
                           const mcpi_auth_answer *answer) {
  if (request->server != NULL && answer->nonce != NULL) {
    mcpi_credentials_set_nonce(&request->server->credentials, answer->nonce);
  }
}

/* --- what the server writes ----------------------------------------------- */

static int request_read_demand(mcpi_demand *demand,
                               const mcpi_auth_answer *answer,
                               const mcp_allocator *allocator, mcp_error *err) {
  mcpi_str rest = mcpi_buf_str(&answer->challenges);
  int rc = 0;
  while (rc == 0 && rest.len > 0) {
    const char *end = memchr(rest.ptr, '\n', rest.len);
    size_t len = end != NULL ? (size_t)(end - rest.ptr) : rest.len;
    mcpi_str line = mcpi_str_take(&rest, len);
    mcpi_str_take_char(&rest, '\n');
    rc = mcpi_demand_read(demand, line, allocator);
  }
  return rc == 0 ? 0 : mcpi_no_memory(err);
}

/* --- 401 ------------------------------------------------------------------ */

/* A proof must have the server's nonce (RFC 9449, 9). Returns 1 if this is what
 * the answer says. */
static int wants_nonce(const mcpi_auth_server *server,
                       const mcpi_auth_answer *answer,
                       const mcpi_demand *demand) {
  return server->credentials.key != NULL && answer->nonce != NULL &&
         demand->error != NULL && strcmp(demand->error, "use_dpop_nonce") == 0;
}

static int request_take_nonce(mcpi_auth_request *request,
                              const mcpi_auth_answer *answer,
                              const mcpi_demand *demand, mcp_error *err) {
  if (request->nonces >= NONCES_MAX) {
    return mcpi_server_refuse(request->server, 401,
                              "demands another nonce again and again", demand,
                              err);
  }
  request->nonces++;
  mcpi_auth_note_answer(request, answer);
  return 0;
}

/* The token is as new as one can be. */
static int refuse_new_token(mcpi_auth_server *server, const mcpi_demand *demand,
                            mcp_error *err) {
  server->no_login_before_ms =
      mcpi_loop_now(server->auth->loop) + LOGIN_PAUSE_MS;
  const char *what = mcpi_auth_is_by_program(server->auth)
                         ? "refuses the program's token"
                         : "refuses the token of a new login";
  return mcpi_server_refuse(server, 401, what, demand, err);
}

/* The server has refused the token that is the newest; or there is no token. */
static int request_get_token(mcpi_auth_request *request, mcpi_demand *demand,
                             const char *revision, mcp_error *err) {
  mcpi_auth_server *server = request->server;
  const mcpi_credentials *credentials = &server->credentials;
  int is_new = mcpi_credentials_has_token(credentials) &&
               credentials->origin == MCPI_TOKEN_LOGIN;
  int is_renewed = mcpi_credentials_has_token(credentials) &&
                   credentials->origin == MCPI_TOKEN_RENEWED;
  if (is_new && (request->refusals > 1 || mcpi_loop_now(server->auth->loop) <
                                              server->no_login_before_ms)) {
    return refuse_new_token(server, demand, err);
  }
  if (mcpi_credentials_is_renewable(credentials) &&
      !(is_renewed && request->refusals > 1)) {
    return mcpi_server_renew(server, demand, revision, err);
  }
  return mcpi_server_log_in(server, MCPI_REASON_UNAUTHORIZED, demand, revision,
                            err);
}

static int request_unauthorized(mcpi_auth_request *request,
                                const mcpi_auth_answer *answer,
                                mcpi_demand *demand, const char *revision,
                                mcp_error *err) {
  mcpi_auth_server *server = request->server;
  if (wants_nonce(server, answer, demand)) {
    return request_take_nonce(request, answer, demand, err);
  }
  if (request->refusals >= REFUSALS_MAX) {
    return mcpi_server_refuse(server, 401, "refuses each token", demand, err);
  }
  request->refusals++;
  if (request->sent_with != server->credentials.generation) {
    return 0;
  }
  return request_get_token(request, demand, revision, err);
}

/* --- 403 ------------------------------------------------------------------ */

/* Whether a login for these scopes makes sense. */
static int may_step_up(const mcpi_auth_request *request, mcpi_str scopes) {
  const mcpi_auth_server *server = request->server;
  const mcpi_token *token = server->credentials.record.token;
  if (mcpi_scopes_cover(mcpi_buf_str(&server->denied_scopes), scopes)) {
    return 0;
  }
  int is_asked =
      token != NULL && mcpi_scopes_cover(mcpi_str_z(token->scopes), scopes);
  return request->step_ups < server->auth->options.max_step_ups &&
         !(request->step_ups > 0 && is_asked);
}

static int request_step_up(mcpi_auth_request *request, mcpi_demand *demand,
                           const char *revision, mcp_error *err) {
  mcpi_auth_server *server = request->server;
  if (request->sent_with != server->credentials.generation) {
    if (request->refusals >= REFUSALS_MAX) {
      return mcpi_server_refuse(server, 403, "refuses each token", demand, err);
    }
    request->refusals++;
    return 0;
  }
  if (mcpi_server_is_busy(server)) {
    return MCP_PENDING; /* perhaps for these scopes */
  }
  if (demand->scope == NULL || demand->scope[0] == '\0') {
    return mcpi_server_refuse(server, 403, "demands more scopes without a name",
                              demand, err);
  }
  if (!may_step_up(request, mcpi_str_z(demand->scope))) {
    char what[160];
    mcpi_server_deny_scopes(server, demand->scope);
    snprintf(what, sizeof(what), "demands the scopes \"%.100s\" after a login",
             demand->scope);
    return mcpi_server_refuse(server, 403, what, demand, err);
  }
  request->step_ups++;
  return mcpi_server_log_in(server, MCPI_REASON_SCOPES, demand, revision, err);
}

/* --- both ----------------------------------------------------------------- */

static int request_judge(mcpi_auth_request *request, int status,
                         const mcpi_auth_answer *answer, mcpi_demand *demand,
                         const char *revision, mcp_error *err) {
  if (status == 401) {
    return request_unauthorized(request, answer, demand, revision, err);
  }
  if (demand->error == NULL ||
      strcmp(demand->error, "insufficient_scope") != 0) {
    return MCP_ERR_NOT_FOUND;
  }
  return request_step_up(request, demand, revision, err);
}

/* Tokens are never sent to this server. */
static int refuse_unsafe(const mcpi_auth_server *server, int status,
                         mcp_error *err) {
  if (status != 401) {
    return MCP_ERR_NOT_FOUND;
  }
  mcp_error_set(err, MCP_ERR_REFUSED, "%s demands a login, but %s", server->url,
                server->unsafe.message);
  if (err != NULL) {
    err->status = status;
  }
  return MCP_ERR_REFUSED;
}

int mcpi_auth_refused(mcpi_auth_request *request, int status,
                      const mcpi_auth_answer *answer, const char *revision,
                      mcp_error *err) {
  mcpi_auth_server *server = request->server;
  mcpi_demand demand = {.has_bearer = 0};
  if (server == NULL || (status != 401 && status != 403)) {
    return MCP_ERR_NOT_FOUND;
  }
  if (server->auth->is_freed) {
    return mcpi_auth_closed(err);
  }
  if (server->unsafe.code != 0) {
    return refuse_unsafe(server, status, err);
  }
  const mcp_allocator *allocator = mcpi_auth_allocator(server->auth);
  int rc = request_read_demand(&demand, answer, allocator, err);
  if (rc == 0) {
    rc = request_judge(request, status, answer, &demand, revision, err);
  }
  mcpi_demand_deinit(&demand, allocator);
  request->is_again = rc == 0 || rc == MCP_PENDING;
  return rc == MCP_PENDING ? request_wait(request) : rc;
}
