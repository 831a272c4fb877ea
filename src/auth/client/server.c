/* SPDX-License-Identifier: MIT */
#include "auth/client/server.h"

#include "auth/client/record_key.h"
#include "auth/client/server_url.h"
#include "auth/scopes.h"
#include "auth/web_url.h"
#include "base/error.h"

#include <stdio.h>

enum {
  /* A renewal that failed because nothing could be reached is not tried again
   * sooner, while the old token is valid. */
  RENEW_PAUSE_MS = 30000,
  /* Bytes of scopes that could not be got. */
  DENIED_MAX = 8 * 1024
};

/* --- life ----------------------------------------------------------------- */

static const mcp_allocator *server_allocator(const mcpi_auth_server *server) {
  return mcpi_auth_allocator(server->auth);
}

static void server_destroy(mcpi_auth_grave *grave) {
  mcpi_auth_server *server = MCPI_CONTAINER(grave, mcpi_auth_server, grave);
  mcp_auth *auth = server->auth;
  const mcp_allocator *allocator = server_allocator(server);
  mcpi_credentials_deinit(&server->credentials);
  mcpi_demand_deinit(&server->demand, allocator);
  mcpi_strfree(allocator, server->revision);
  mcpi_buf_deinit(&server->denied_scopes);
  mcpi_strfree(allocator, server->url);
  mcpi_strfree(allocator, server->record_key);
  mcpi_free(allocator, server, sizeof(*server));
  mcpi_auth_drop(auth);
}

void mcpi_server_hold(mcpi_auth_server *server) {
  server->holders++;
}

void mcpi_server_drop(mcpi_auth_server *server) {
  if (--server->holders == 0) {
    mcpi_auth_bury(server->auth, &server->grave);
  }
}

int mcpi_server_is_busy(const mcpi_auth_server *server) {
  return server->step != MCPI_STEP_REST;
}

/* Before the step LOGIN, nothing has been sent. */
int mcpi_server_is_renewing(const mcpi_auth_server *server) {
  return server->step == MCPI_STEP_KEEPING ||
         (server->step == MCPI_STEP_LOGIN &&
          server->state == MCPI_SERVER_RENEWING);
}

/* --- the end of work ------------------------------------------------------ */

static void clear_result(mcpi_auth_server *server) {
  mcpi_token_free(server->result.token, server_allocator(server));
  mcpi_registration_deinit(&server->result.registered,
                           server_allocator(server));
  server->result.token = NULL;
  server->result.drops_registration = 0;
  server->result.is_refresh_refused = 0;
}

/* Nothing is under way any more. */
static void server_rest(mcpi_auth_server *server) {
  const mcp_allocator *allocator = server_allocator(server);
  server->step = MCPI_STEP_REST;
  server->is_by_refusal = 0;
  mcpi_loop_stop_timer(server->auth->loop, &server->timer);
  mcpi_demand_deinit(&server->demand, allocator);
  mcpi_strfree(allocator, server->revision);
  server->revision = NULL;
  clear_result(server);
  server->state = mcpi_credentials_has_token(&server->credentials)
                      ? MCPI_SERVER_VALID
                      : MCPI_SERVER_NONE;
}

static void server_succeed(mcpi_auth_server *server) {
  server_rest(server);
  mcpi_waiting_wake(&server->waiting);
}

/* A record that could not be read is read again for the next request, which may
 * come while those that wait fail. */
static void server_fail(mcpi_auth_server *server, const mcp_error *err) {
  mcp_error why = *err;
  int is_unread = server->state == MCPI_SERVER_READING;
  server_rest(server);
  if (is_unread) {
    server->state = MCPI_SERVER_UNREAD;
  }
  mcpi_waiting_fail(&server->waiting, &why);
}

static void server_fail_for_memory(mcpi_auth_server *server) {
  mcp_error err;
  mcpi_no_memory(&err);
  server_fail(server, &err);
}

/* --- refusals ------------------------------------------------------------- */

/* A server may write the token that it got. */
static int server_tells_token(const mcpi_auth_server *server,
                              const char *text) {
  const mcpi_token *token = server->credentials.record.token;
  return token != NULL && token->access[0] != '\0' &&
         strstr(text, token->access) != NULL;
}

int mcpi_server_refuse(const mcpi_auth_server *server, int status,
                       const char *what, const mcpi_demand *demand,
                       mcp_error *err) {
  const char *error = demand->error != NULL ? demand->error : "";
  const char *more =
      demand->error_description != NULL ? demand->error_description : "";
  if (server_tells_token(server, error)) {
    error = "";
  }
  if (server_tells_token(server, more)) {
    more = "";
  }
  int rc =
      mcp_error_set(err, MCP_ERR_REFUSED, "%s %s%s%s%s%s", server->url, what,
                    error[0] != '\0' || more[0] != '\0' ? ": " : "", error,
                    error[0] != '\0' && more[0] != '\0' ? ": " : "", more);
  if (err != NULL) {
    err->status = status;
  }
  return rc;
}

/* --- the record ----------------------------------------------------------- */

static void server_take(mcpi_auth_server *server, mcpi_server_step step) {
  server->step = step;
  mcpi_loop_start_timer(server->auth->loop, &server->timer,
                        mcpi_taking_limit_ms(&server->auth->options));
  mcpi_taking_start(&server->taking);
}

static void server_give_unchanged(mcpi_auth_server *server) {
  mcpi_taking_give(&server->taking, mcpi_str_z(NULL), NULL);
}

/* Writes a record. Why it could not be written is in server->unkept. */
static void server_give_record(mcpi_auth_server *server,
                               const mcpi_auth_record *record) {
  mcpi_error_clear(&server->unkept);
  mcpi_taking_give_record(&server->taking, record, server_allocator(server),
                          &server->unkept);
}

/* A token that cannot be stored is nevertheless good. */
static void server_give(mcpi_auth_server *server) {
  server_give_record(server, &server->credentials.record);
  if (server->unkept.code == 0) {
    mcpi_credentials_note_stored(&server->credentials);
  }
}

/* Takes the token out of a record. A token that is broken counts as absent.
 * Returns 1: there is another token now; 0; or MCP_ERR_NOMEM. */
static int server_adopt(mcpi_auth_server *server, mcpi_auth_record *record) {
  int rc = mcpi_credentials_adopt(&server->credentials, record, NULL);
  if (rc == 0) {
    return 1;
  }
  return rc == MCP_ERR_NOMEM ? rc : 0;
}

/* --- reading -------------------------------------------------------------- */

static void server_read(mcpi_auth_server *server, mcpi_str text) {
  mcpi_auth_record record;
  mcpi_auth_record_init(&record);
  int rc = mcpi_credentials_parse(&server->credentials, &record, text);
  server_give_unchanged(server);
  if (rc == 0 && record.token != NULL) {
    rc = server_adopt(server, &record);
  }
  mcpi_credentials_adopt_client(&server->credentials, &record);
  mcpi_auth_record_deinit(&record, server_allocator(server));
  if (rc < 0) {
    server_fail_for_memory(server);
  } else {
    server_succeed(server);
  }
}

/* --- running the flow ----------------------------------------------------- */

static void server_run_login(mcpi_auth_server *server,
                             mcpi_login_purpose purpose) {
  const mcpi_auth_record *record = &server->credentials.record;
  const mcpi_flow_start start = {
      .server_url = server->url,
      .metadata_url = server->demand.resource_metadata,
      .demanded_scopes = server->demand.scope,
      .known_client = record->client.client_id != NULL ? &record->client : NULL,
      .bound_issuer = mcpi_credentials_bound_issuer(&server->credentials),
      .earlier_scopes = record->scopes,
      .wants_dpop = server->demand.has_dpop && !server->demand.has_bearer,
      .server_is_public = server->is_public,
      .revision = server->revision};
  server->step = MCPI_STEP_LOGIN;
  mcpi_loop_start_timer(server->auth->loop, &server->timer, INT64_MAX);
  mcpi_login_start(&server->login, purpose, &start, record->token);
}

static int server_has_other_client(const mcpi_auth_server *server) {
  return server->result.drops_registration ||
         server->result.registered.client_id != NULL;
}

/* Keeps what a login has brought, beside the token. */
static void server_keep_client(mcpi_auth_server *server) {
  mcpi_flow_result *result = &server->result;
  if (result->drops_registration) {
    mcpi_registration none = {.expires_ms = INT64_MAX};
    mcpi_credentials_set_client(&server->credentials, &none);
  }
  if (result->registered.client_id != NULL) {
    mcpi_credentials_set_client(&server->credentials, &result->registered);
  }
}

/* A server that sends no new refresh token lets us use the old one again (RFC
 * 6749, 6). */
static void server_keep_refresh(mcpi_auth_server *server, mcpi_token *token) {
  mcpi_token *old = server->credentials.record.token;
  if (token->refresh == NULL && old != NULL) {
    token->refresh = old->refresh;
    old->refresh = NULL;
  }
}

/* Returns 1: there is a new token; 0: there is not, and result.why says why. */
static int server_keep_token(mcpi_auth_server *server,
                             mcpi_token_origin origin) {
  mcpi_flow_result *result = &server->result;
  mcpi_token *token = result->token;
  result->token = NULL;
  if (token != NULL && origin == MCPI_TOKEN_RENEWED) {
    server_keep_refresh(server, token);
  }
  if (token == NULL || mcpi_credentials_set_token(&server->credentials, token,
                                                  origin, &result->why) != 0) {
    return 0;
  }
  mcpi_credentials_keep_scopes(&server->credentials);
  return 1;
}

/* --- renewing ------------------------------------------------------------- */

/* The record is taken. Another process may have renewed the token, or logged
 * out. */
static void server_renew_with(mcpi_auth_server *server, mcpi_str text) {
  mcpi_credentials *credentials = &server->credentials;
  mcpi_auth_record record;
  mcpi_auth_record_init(&record);
  int rc = mcpi_credentials_parse(credentials, &record, text);
  if (rc == 0 && record.token == NULL && credentials->is_stored) {
    mcpi_credentials_drop_token(credentials);
  }
  if (rc == 0 && mcpi_credentials_is_news(credentials, &record)) {
    rc = server_adopt(server, &record);
  }
  mcpi_credentials_adopt_client(credentials, &record);
  mcpi_auth_record_deinit(&record, server_allocator(server));
  int is_new = rc == 1 && mcpi_credentials_is_usable(credentials);
  if (rc < 0 || is_new || !mcpi_credentials_is_renewable(credentials)) {
    server_give_unchanged(server);
    if (rc < 0) {
      server_fail_for_memory(server);
    } else {
      server_succeed(server);
    }
    return;
  }
  server_run_login(server, MCPI_LOGIN_TO_RENEW);
}

static void server_log_in_now(mcpi_auth_server *server) {
  server->state = MCPI_SERVER_LOGGING_IN;
  server->step = MCPI_STEP_DUE;
  server->reason = MCPI_REASON_UNAUTHORIZED;
  server->is_by_refusal = 0;
  clear_result(server);
  mcpi_loop_start_timer(server->auth->loop, &server->timer, 0);
}

/* The token is not renewed. A request without one brings the challenge for a
 * login, unless we have it. */
static void server_go_without_renewal(mcpi_auth_server *server) {
  mcpi_credentials *credentials = &server->credentials;
  const mcpi_token *token = credentials->record.token;
  if (server->is_by_refusal) {
    server_log_in_now(server);
    return;
  }
  if (token->refresh == NULL && mcpi_credentials_has_expired(credentials)) {
    mcpi_credentials_drop_token(credentials);
  }
  server_succeed(server);
}

/* A refresh token is lost if the authorization server says so, and with the
 * registration to which it was given. */
static int server_has_lost_refresh(const mcpi_auth_server *server) {
  return server->result.is_refresh_refused || server->result.drops_registration;
}

/* The authorization server, or a proxy before it, does not renew the token, for
 * a reason that may have nothing to do with the refresh token. It stays in the
 * store until a login brings another one. */
static void server_is_not_renewed(mcpi_auth_server *server) {
  server->credentials.no_refresh_before_ms =
      mcpi_loop_now(server->auth->loop) + RENEW_PAUSE_MS;
  server_go_without_renewal(server);
}

/* The authorization server could not be asked. */
static void server_has_not_renewed(mcpi_auth_server *server) {
  server->credentials.renew_after_ms =
      mcpi_loop_now(server->auth->loop) + RENEW_PAUSE_MS;
  if (mcpi_credentials_is_usable(&server->credentials)) {
    server_succeed(server);
  } else {
    server_fail(server, &server->result.why);
  }
}

static void server_has_renewed(mcpi_auth_server *server) {
  int is_new = server_keep_token(server, MCPI_TOKEN_RENEWED);
  int is_lost = !is_new && server_has_lost_refresh(server);
  server_keep_client(server);
  if (is_lost) {
    mcpi_credentials_drop_refresh(&server->credentials);
  }
  server_give(server);
  if (is_new) {
    server_succeed(server);
  } else if (is_lost) {
    server_go_without_renewal(server);
  } else if (server->result.why.code == MCP_ERR_REFUSED) {
    server_is_not_renewed(server);
  } else {
    server_has_not_renewed(server);
  }
}

/* --- logging in ----------------------------------------------------------- */

/* Whether the token of another process is what the login is for. */
static int is_what_we_want(const mcpi_auth_server *server,
                           const mcpi_auth_record *record) {
  if (server->reason == MCPI_REASON_FORCED ||
      !mcpi_credentials_is_news(&server->credentials, record)) {
    return 0;
  }
  return server->reason != MCPI_REASON_SCOPES ||
         mcpi_scopes_cover(mcpi_str_z(record->token->scopes),
                           mcpi_str_z(server->demand.scope));
}

/* Whether the login would need the user, who must not be asked. */
static int server_may_not_ask(const mcpi_auth_server *server) {
  const mcp_auth_options *options = &server->auth->options;
  return options->never_asks && options->grant == MCP_AUTH_CODE &&
         !mcpi_auth_is_by_program(server->auth);
}

/* Fails with what the server demands, if it does. */
static void server_ask_nobody(mcpi_auth_server *server) {
  const mcpi_demand *demand = &server->demand;
  mcp_error err;
  char what[160];
  switch (server->reason) {
  case MCPI_REASON_SCOPES:
    snprintf(what, sizeof(what), "demands the scopes \"%.100s\" (HTTP 403)",
             demand->scope);
    mcpi_server_refuse(server, 403, what, demand, &err);
    break;
  case MCPI_REASON_UNAUTHORIZED:
    mcpi_server_refuse(server, 401, "demands a login (HTTP 401)", demand, &err);
    break;
  default:
    mcp_error_set(&err, MCP_ERR_REFUSED,
                  "cannot log in to %s: this program must not ask the user "
                  "(mcp_auth_options.never_asks)",
                  server->url);
    break;
  }
  server_fail(server, &err);
}

static void server_ask(mcpi_auth_server *server) {
  if (server_may_not_ask(server)) {
    server_ask_nobody(server);
  } else {
    server_run_login(server, MCPI_LOGIN_TO_LOG_IN);
  }
}

/* The record is taken. Another process may have logged in. */
static void server_log_in_with(mcpi_auth_server *server, mcpi_str text) {
  mcpi_credentials *credentials = &server->credentials;
  mcpi_auth_record record;
  mcpi_auth_record_init(&record);
  int rc = mcpi_credentials_parse(credentials, &record, text);
  server_give_unchanged(server);
  if (rc == 0 && is_what_we_want(server, &record)) {
    rc = server_adopt(server, &record);
  }
  mcpi_credentials_adopt_client(credentials, &record);
  mcpi_auth_record_deinit(&record, server_allocator(server));
  if (rc < 0) {
    server_fail_for_memory(server);
  } else if (rc == 1) {
    server_succeed(server);
  } else {
    server_ask(server);
  }
}

static void server_end_login(mcpi_auth_server *server, int is_new) {
  const mcp_error *why = &server->result.why;
  if (is_new) {
    if (server->reason != MCPI_REASON_SCOPES) {
      mcpi_buf_clear(&server->denied_scopes);
    }
    server->no_login_before_ms = 0;
    server_succeed(server);
    return;
  }
  if (server->reason == MCPI_REASON_SCOPES &&
      (why->code == MCP_ERR_REFUSED || why->code == MCP_ERR_TIMEOUT)) {
    mcpi_server_deny_scopes(server, server->demand.scope);
  }
  server_fail(server, why);
}

/* The login has brought no token. The token of the record stays as it is:
 * another process may have renewed it, or logged out. */
static void server_give_client(mcpi_auth_server *server, mcpi_str text) {
  const mcp_allocator *allocator = server_allocator(server);
  mcpi_auth_record record;
  mcpi_auth_record_init(&record);
  int rc = mcpi_auth_record_read(&record, text, server->record_key, allocator);
  if (rc == MCP_ERR_NOMEM) {
    server_give_unchanged(server);
    return;
  }
  mcpi_registration_deinit(&record.client, allocator);
  record.client = server->credentials.record.client; /* borrowed */
  server_give_record(server, &record);
  record.client = (mcpi_registration){.expires_ms = INT64_MAX};
  mcpi_auth_record_deinit(&record, allocator);
}

/* Whether the record has a token that serves in place of the login's. */
static int server_adopt_other(mcpi_auth_server *server, mcpi_str text) {
  mcpi_auth_record record;
  mcpi_auth_record_init(&record);
  int rc = mcpi_credentials_parse(&server->credentials, &record, text);
  if (rc == 0 && is_what_we_want(server, &record)) {
    rc = server_adopt(server, &record);
  }
  mcpi_auth_record_deinit(&record, server_allocator(server));
  return rc == 1;
}

/* The login is over, and the record is taken again, or it is not. */
static void server_keep(mcpi_auth_server *server, int is_taken, mcpi_str text) {
  int has_client = server_has_other_client(server);
  int is_new = server_keep_token(server, MCPI_TOKEN_LOGIN);
  server_keep_client(server);
  if (is_taken && is_new) {
    server_give(server);
  } else if (is_taken) {
    is_new = server_adopt_other(server, text);
    if (has_client) {
      server_give_client(server, text);
    } else {
      server_give_unchanged(server);
    }
  }
  server_end_login(server, is_new);
}

static void server_has_logged_in(mcpi_auth_server *server) {
  int is_change =
      server->result.token != NULL || server_has_other_client(server);
  if (is_change && !mcpi_auth_is_by_program(server->auth)) {
    server_take(server, MCPI_STEP_KEEPING);
  } else {
    server_keep(server, 0, mcpi_str_z(NULL));
  }
}

static void server_on_login(mcpi_login *login, mcpi_flow_result *result) {
  mcpi_auth_server *server = MCPI_CONTAINER(login, mcpi_auth_server, login);
  server->result = *result;
  result->token = NULL;
  result->registered = (mcpi_registration){.expires_ms = INT64_MAX};
  if (server->state == MCPI_SERVER_RENEWING) {
    server_has_renewed(server);
  } else {
    server_has_logged_in(server);
  }
}

/* --- steps ---------------------------------------------------------------- */

static void server_cannot_take(mcpi_auth_server *server, const mcp_error *err) {
  int is_usable = mcpi_credentials_is_usable(&server->credentials);
  if (server->step == MCPI_STEP_KEEPING) {
    server->unkept = *err;
    server_keep(server, 0, mcpi_str_z(NULL));
  } else if (server->state == MCPI_SERVER_RENEWING && is_usable) {
    server->credentials.renew_after_ms =
        mcpi_loop_now(server->auth->loop) + RENEW_PAUSE_MS;
    server_succeed(server);
  } else {
    server_fail(server, err);
  }
}

static void server_on_taken(mcpi_taking *taking, const mcp_error *err,
                            mcpi_str text) {
  mcpi_auth_server *server = MCPI_CONTAINER(taking, mcpi_auth_server, taking);
  mcp_auth *auth = server->auth;
  mcpi_auth_enter(auth);
  if (err != NULL) {
    server_cannot_take(server, err);
  } else if (server->step == MCPI_STEP_KEEPING) {
    server_keep(server, 1, text);
  } else if (server->state == MCPI_SERVER_READING) {
    server_read(server, text);
  } else if (server->state == MCPI_SERVER_RENEWING) {
    server_renew_with(server, text);
  } else {
    server_log_in_with(server, text);
  }
  mcpi_auth_leave(auth);
}

static void server_is_late(mcpi_auth_server *server) {
  mcp_error err;
  mcpi_taking_time_out(&server->taking, &err);
  server_cannot_take(server, &err);
}

static void server_on_due(mcpi_timer *timer) {
  mcpi_auth_server *server = MCPI_CONTAINER(timer, mcpi_auth_server, timer);
  mcp_auth *auth = server->auth;
  mcpi_auth_enter(auth);
  /* It has just left its place, so this needs no memory. */
  mcpi_loop_start_timer(auth->loop, timer, INT64_MAX);
  if (server->step != MCPI_STEP_DUE) {
    server_is_late(server);
  } else if (mcpi_auth_is_by_program(auth)) {
    server_ask(server);
  } else {
    server_take(server, MCPI_STEP_TAKING);
  }
  mcpi_auth_leave(auth);
}

/* --- the beginning of work ------------------------------------------------ */

/* Returns MCP_PENDING, or MCP_ERR_NOMEM with err. */
static int server_begin(mcpi_auth_server *server, mcpi_server_state state,
                        mcp_error *err) {
  if (mcpi_loop_start_timer(server->auth->loop, &server->timer, 0) != 0) {
    return mcpi_no_memory(err);
  }
  server->state = state;
  server->step = MCPI_STEP_DUE;
  return MCP_PENDING;
}

static int prepare_unread(mcpi_auth_server *server, mcp_error *err) {
  if (mcpi_auth_is_by_program(server->auth)) {
    server->state = MCPI_SERVER_NONE;
    return 0;
  }
  return server_begin(server, MCPI_SERVER_READING, err);
}

/* A request may go while its token is renewed. */
static int prepare_valid(mcpi_auth_server *server, mcp_error *err) {
  const mcpi_credentials *credentials = &server->credentials;
  int is_usable = mcpi_credentials_is_usable(credentials);
  int rc = 0;
  if (!is_usable && mcpi_auth_is_by_program(server->auth)) {
    mcpi_demand none = {.has_bearer = 0};
    return mcpi_server_log_in(server, MCPI_REASON_UNAUTHORIZED, &none, NULL,
                              err);
  }
  if (mcpi_credentials_is_due(credentials)) {
    rc = server_begin(server, MCPI_SERVER_RENEWING, err);
  }
  return is_usable ? 0 : rc;
}

int mcpi_server_prepare(mcpi_auth_server *server, mcp_error *err) {
  switch (server->state) {
  case MCPI_SERVER_UNREAD:
    return prepare_unread(server, err);
  case MCPI_SERVER_NONE:
    return 0;
  case MCPI_SERVER_VALID:
    return prepare_valid(server, err);
  case MCPI_SERVER_READING:
  case MCPI_SERVER_RENEWING:
  case MCPI_SERVER_LOGGING_IN:
  default:
    return mcpi_credentials_is_usable(&server->credentials) ? 0 : MCP_PENDING;
  }
}

/* Keeps what the server demands. Returns 0 or MCP_ERR_NOMEM. */
static int server_take_demand(mcpi_auth_server *server, mcpi_demand *demand,
                              const char *revision) {
  const mcp_allocator *allocator = server_allocator(server);
  char *copy = mcpi_strdup(allocator, revision);
  mcpi_demand_deinit(&server->demand, allocator);
  server->demand = *demand;
  *demand = (mcpi_demand){.has_bearer = 0};
  mcpi_strfree(allocator, server->revision);
  server->revision = copy;
  return revision != NULL && copy == NULL ? MCP_ERR_NOMEM : 0;
}

int mcpi_server_renew(mcpi_auth_server *server, mcpi_demand *demand,
                      const char *revision, mcp_error *err) {
  server->credentials.is_refused = 1;
  if (mcpi_server_is_busy(server)) {
    mcpi_demand_deinit(demand, server_allocator(server));
    return MCP_PENDING;
  }
  int rc = server_take_demand(server, demand, revision);
  server->is_by_refusal = 1;
  return rc == 0 ? server_begin(server, MCPI_SERVER_RENEWING, err)
                 : mcpi_no_memory(err);
}

int mcpi_server_log_in(mcpi_auth_server *server, mcpi_login_reason reason,
                       mcpi_demand *demand, const char *revision,
                       mcp_error *err) {
  if (reason == MCPI_REASON_UNAUTHORIZED &&
      server->credentials.record.token != NULL) {
    server->credentials.is_refused = 1;
  }
  if (mcpi_server_is_busy(server)) {
    mcpi_demand_deinit(demand, server_allocator(server));
    return MCP_PENDING;
  }
  int rc = server_take_demand(server, demand, revision);
  server->reason = reason;
  return rc == 0 ? server_begin(server, MCPI_SERVER_LOGGING_IN, err)
                 : mcpi_no_memory(err);
}

void mcpi_server_deny_scopes(mcpi_auth_server *server, const char *scopes) {
  size_t before = server->denied_scopes.len;
  mcpi_scopes_add(&server->denied_scopes, mcpi_str_z(scopes));
  if (server->denied_scopes.error != 0) {
    mcpi_buf_rewind(&server->denied_scopes, before);
  }
}

/* A renewal that waits for the record sees there that the token is gone. */
void mcpi_server_forget(mcpi_auth_server *server) {
  mcpi_buf_clear(&server->denied_scopes);
  server->no_login_before_ms = 0;
  if (server->state == MCPI_SERVER_VALID || server->state == MCPI_SERVER_NONE ||
      server->state == MCPI_SERVER_LOGGING_IN) {
    mcpi_credentials_drop_token(&server->credentials);
  }
  if (server->state == MCPI_SERVER_VALID) {
    server->state = MCPI_SERVER_NONE;
  }
}

/* --- making one, and its end ---------------------------------------------- */

/* Tokens are sent only to servers with secure URLs. */
static void server_check_url(mcpi_auth_server *server) {
  mcp_error why = {.code = 0};
  if (mcpi_web_url_check(mcpi_str_z(server->url), "the server's URL", &why) !=
      0) {
    server->unsafe = why;
    server->unsafe.code = MCP_ERR_REFUSED;
  } else {
    server->is_public = mcpi_web_url_is_public(mcpi_str_z(server->url));
  }
}

mcpi_auth_server *mcpi_server_new(mcp_auth *auth, const char *url,
                                  mcp_error *err) {
  const mcp_allocator *allocator = mcpi_auth_allocator(auth);
  mcpi_auth_server *server = mcpi_calloc(allocator, 1, sizeof(*server));
  char *copy = mcpi_strdup(allocator, url);
  char *key = mcpi_record_key(url, auth->options.grant, allocator);
  if (server == NULL || copy == NULL || key == NULL) {
    mcpi_free(allocator, server, sizeof(*server));
    mcpi_strfree(allocator, copy);
    mcpi_strfree(allocator, key);
    mcpi_no_memory(err);
    return NULL;
  }
  server->url = copy;
  server->record_key = key;
  server->auth = auth;
  server->holders = 1;
  server->grave.destroy = server_destroy;
  mcpi_list_init(&server->grave.link);
  server->timer.on_due = server_on_due;
  server->taking = (mcpi_taking){
      .store = &auth->store, .key = key, .on_taken = server_on_taken};
  server->result.registered.expires_ms = INT64_MAX;
  mcpi_login_init(&server->login, auth, server_on_login);
  mcpi_credentials_init(&server->credentials, auth, copy, key);
  mcpi_waiting_init(&server->waiting);
  mcpi_buf_init(&server->denied_scopes, allocator, DENIED_MAX);
  server_check_url(server);
  mcpi_auth_hold(auth);
  return server;
}

void mcpi_server_close(mcpi_auth_server *server, const mcp_error *err) {
  mcpi_login_cancel(&server->login, err);
  mcpi_taking_cancel(&server->taking);
  server_rest(server);
  mcpi_waiting_fail_all(&server->waiting, err);
}
