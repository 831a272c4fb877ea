/* SPDX-License-Identifier: MIT */
#include "auth/client/login.h"

#include "auth/scopes.h"
#include "base/error.h"

/* --- the end -------------------------------------------------------------- */

static void answer_clear(mcpi_login *login) {
  const mcp_allocator *allocator = mcpi_auth_allocator(login->auth);
  mcpi_strfree_wiped(allocator, login->noted.text);
  mcpi_strfree_wiped(allocator, login->noted.secret);
  login->noted = (mcpi_login_answer){.kind = MCPI_ANSWER_NOTHING};
}

/* err NULL: there is a token. */
static void login_close(mcpi_login *login, const mcp_error *err) {
  mcp_auth *auth = login->auth;
  mcpi_flow *flow = login->flow;
  login->state = MCPI_LOGIN_IDLE;
  login->flow = NULL;
  login->awaits = MCPI_ANSWER_NOTHING;
  mcpi_list_remove(&login->link);
  mcpi_loop_stop_timer(auth->loop, &login->timer);
  answer_clear(login);
  mcpi_strfree(mcpi_auth_allocator(auth), login->scopes);
  login->scopes = NULL;
  mcpi_flow_free(flow);
  if (login->has_redirect) {
    login->has_redirect = 0;
    auth->host_table->close_redirect(auth->host, login->number, err);
  }
}

void mcpi_login_cancel(mcpi_login *login, const mcp_error *err) {
  if (login->state != MCPI_LOGIN_IDLE) {
    login_close(login, err);
  }
}

/* Takes what the login has brought. */
static void login_finish(mcpi_login *login, mcpi_flow_result *result) {
  mcp_auth *auth = login->auth;
  mcpi_auth_enter(auth);
  mcpi_flow_result taken = *result;
  result->token = NULL;
  result->registered = (mcpi_registration){.expires_ms = INT64_MAX};
  login_close(login, taken.token != NULL ? NULL : &taken.why);
  login->on_done(login, &taken);
  mcpi_token_free(taken.token, mcpi_auth_allocator(auth));
  mcpi_registration_deinit(&taken.registered, mcpi_auth_allocator(auth));
  mcpi_auth_leave(auth);
}

static void login_fail(mcpi_login *login, const mcp_error *err) {
  mcpi_flow_result result = {.token = NULL, .why = *err};
  result.registered.expires_ms = INT64_MAX;
  login_finish(login, &result);
}

/* Ends it for a reason that the flow does not know. */
static void login_abandon(mcpi_login *login, int code, const char *why) {
  mcp_error err;
  if (login->flow != NULL) {
    mcpi_flow_abandon(login->flow, code, why);
    return;
  }
  mcp_error_set(&err, code, "%s", why);
  login_fail(login, &err);
}

/* --- asking --------------------------------------------------------------- */

/* One of the callbacks of mcp_auth_options. */
typedef int login_callback(mcp_auth *auth, const mcp_auth_prompt *prompt,
                           void *userdata);

/* How long the program may take to answer. Its owner holds the server's record
 * while a token is renewed, and others wait for that: taking.h. */
static int64_t login_limit_ms(const mcpi_login *login) {
  const mcp_auth_options *options = &login->auth->options;
  if (login->purpose == MCPI_LOGIN_TO_RENEW &&
      options->fetch_timeout_ms < options->login_timeout_ms) {
    return options->fetch_timeout_ms;
  }
  return options->login_timeout_ms;
}

/* Returns 0; or MCP_ERR_REFUSED with err, because the user does not want the
 * login, which has only been noted: nothing may be asked any more. */
static int login_begin_to_ask(mcpi_login *login, mcpi_login_answer_kind kind,
                              mcp_error *err) {
  mcp_loop *loop = login->auth->loop;
  int64_t limit_ms = login_limit_ms(login);
  if (login->noted.kind == MCPI_ANSWER_NO) {
    return mcp_error_set(err, MCP_ERR_REFUSED, "%s", login->noted.text);
  }
  login->state = MCPI_LOGIN_ASKING;
  login->awaits = kind;
  login->deadline_ms = mcpi_loop_now(loop) + limit_ms;
  mcpi_loop_start_timer(loop, &login->timer, limit_ms);
  return 0;
}

/* The callback may have ended the login. Returns rc, or MCP_ERR_CLOSED with
 * err. */
static int login_has_asked(mcpi_login *login, uint64_t number, int rc,
                           mcp_error *err) {
  if (login->number != number || login->state != MCPI_LOGIN_ASKING) {
    return mcp_error_set(err, MCP_ERR_CLOSED, "the login has ended");
  }
  if (rc == 0) {
    login->state = MCPI_LOGIN_WAITING;
  } else {
    login->state = MCPI_LOGIN_RUNNING;
    login->awaits = MCPI_ANSWER_NOTHING;
  }
  return rc;
}

/* Calls the program. Returns 0, or an MCP_ERR_* with err. */
static int login_ask(mcpi_login *login, mcpi_login_answer_kind kind,
                     login_callback *callback, const char *name,
                     const mcp_auth_prompt *prompt, mcp_error *err) {
  mcp_auth *auth = login->auth;
  uint64_t number = login->number;
  int rc = login_begin_to_ask(login, kind, err);
  if (rc != 0) {
    return rc;
  }
  mcpi_auth_enter(auth);
  rc = callback(auth, prompt, auth->options.userdata);
  if (rc > 0) {
    rc = MCP_ERR_INVALID;
  }
  if (rc != 0) {
    mcp_error_set(err, rc, "%s of the program failed: %s", name,
                  mcp_error_text(rc));
  }
  rc = login_has_asked(login, number, rc, err);
  mcpi_auth_leave(auth);
  return rc;
}

static const char *login_redirect_uri(void *host, const char *wish,
                                      mcp_error *err) {
  mcpi_login *login = host;
  mcp_auth *auth = login->auth;
  if (auth->options.redirect_uri != NULL) {
    return auth->options.redirect_uri;
  }
  const char *uri = auth->host_table->open_redirect(auth->host, auth,
                                                    login->number, wish, err);
  login->has_redirect = uri != NULL;
  return uri;
}

static int login_browse(void *host, const mcp_auth_prompt *prompt,
                        mcp_error *err) {
  mcpi_login *login = host;
  mcp_auth *auth = login->auth;
  if (auth->options.never_asks) {
    return mcp_error_set(err, MCP_ERR_REFUSED,
                         "%s demands a login, and this program must not ask "
                         "the user for one",
                         prompt->server_url);
  }
  if (login->has_redirect) {
    auth->host_table->await_redirect(auth->host, login->number);
  }
  if (auth->options.open_browser != NULL) {
    return login_ask(login, MCPI_ANSWER_URL, auth->options.open_browser,
                     "open_browser", prompt, err);
  }
  uint64_t number = login->number;
  int rc = login_begin_to_ask(login, MCPI_ANSWER_URL, err);
  if (rc != 0) {
    return rc;
  }
  rc = auth->host_table->open_browser(auth->host, prompt->url, err);
  return login_has_asked(login, number, rc, err);
}

static int login_get_assertion(void *host, const mcp_auth_prompt *prompt,
                               mcp_error *err) {
  mcpi_login *login = host;
  const mcp_auth_options *options = &login->auth->options;
  if (options->get_assertion == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "get_assertion is NULL");
  }
  return login_ask(login, MCPI_ANSWER_ASSERTION, options->get_assertion,
                   "get_assertion", prompt, err);
}

static int login_get_client(void *host, const mcp_auth_prompt *prompt,
                            mcp_error *err) {
  mcpi_login *login = host;
  const mcp_auth_options *options = &login->auth->options;
  if (options->get_client == NULL) {
    return MCPI_FLOW_NOT_ASKED;
  }
  return login_ask(login, MCPI_ANSWER_CLIENT, options->get_client, "get_client",
                   prompt, err);
}

static void login_on_done(void *host, mcpi_flow_result *result) {
  login_finish(host, result);
}

static const mcpi_flow_host login_host = {.redirect_uri = login_redirect_uri,
                                          .browse = login_browse,
                                          .get_assertion = login_get_assertion,
                                          .get_client = login_get_client,
                                          .on_done = login_on_done};

/* --- answers -------------------------------------------------------------- */

/* The login waits no longer for the program. */
static void login_go_on(mcpi_login *login) {
  login->state = MCPI_LOGIN_RUNNING;
  login->awaits = MCPI_ANSWER_NOTHING;
  mcpi_loop_start_timer(login->auth->loop, &login->timer, INT64_MAX);
}

static int login_take_token(mcpi_login *login, const char *text,
                            int64_t expires_ms, mcp_error *err) {
  const mcp_allocator *allocator = mcpi_auth_allocator(login->auth);
  mcpi_token *token = mcpi_token_new(allocator);
  if (token != NULL) {
    token->access = mcpi_strdup(allocator, text);
    token->issuer = mcpi_strdup(allocator, "");
    token->scopes = mcpi_strdup(allocator, login->scopes);
    token->asked = mcpi_strdup(allocator, login->scopes);
    token->expires_ms = expires_ms;
  }
  if (token == NULL || token->access == NULL || token->issuer == NULL ||
      (login->scopes != NULL &&
       (token->scopes == NULL || token->asked == NULL))) {
    mcpi_token_free(token, allocator);
    return mcpi_no_memory(err);
  }
  mcpi_flow_result result = {.token = token};
  result.registered.expires_ms = INT64_MAX;
  login_finish(login, &result);
  return 0;
}

/* A URL that does not belong to the login leaves it waiting. */
static int login_take_url(mcpi_login *login, const char *url, mcp_error *err) {
  mcpi_flow *flow = login->flow;
  uint64_t number = login->number;
  login_go_on(login);
  int rc = mcpi_flow_redirected(flow, url, err);
  if (rc != 0 && login->number == number &&
      login->state == MCPI_LOGIN_RUNNING) {
    mcp_loop *loop = login->auth->loop;
    login->state = MCPI_LOGIN_WAITING;
    login->awaits = MCPI_ANSWER_URL;
    mcpi_loop_start_timer(loop, &login->timer,
                          login->deadline_ms - mcpi_loop_now(loop));
  }
  return rc;
}

static int login_act(mcpi_login *login, const mcpi_login_answer *answer,
                     mcp_error *err) {
  switch (answer->kind) {
  case MCPI_ANSWER_URL:
    return login_take_url(login, answer->text, err);
  case MCPI_ANSWER_ASSERTION:
    login_go_on(login);
    return mcpi_error_complete(err,
                               mcpi_flow_assert(login->flow, answer->text));
  case MCPI_ANSWER_CLIENT:
    login_go_on(login);
    return mcpi_error_complete(
        err, mcpi_flow_give_client(login->flow, answer->text, answer->secret));
  case MCPI_ANSWER_TOKEN:
    return login_take_token(login, answer->text, answer->expires_ms, err);
  case MCPI_ANSWER_NO:
    login_abandon(login, MCP_ERR_REFUSED, answer->text);
    return 0;
  case MCPI_ANSWER_NOTHING:
  default:
    return 0;
  }
}

/* A later answer replaces an earlier one that has only been noted. */
static int login_note(mcpi_login *login, const mcpi_login_answer *answer,
                      mcp_error *err) {
  const mcp_allocator *allocator = mcpi_auth_allocator(login->auth);
  mcpi_login_answer copy = *answer;
  copy.text = mcpi_strdup(allocator, answer->text);
  copy.secret = mcpi_strdup(allocator, answer->secret);
  if ((answer->text != NULL && copy.text == NULL) ||
      (answer->secret != NULL && copy.secret == NULL)) {
    mcpi_strfree_wiped(allocator, copy.text);
    mcpi_strfree_wiped(allocator, copy.secret);
    return mcpi_no_memory(err);
  }
  answer_clear(login);
  login->noted = copy;
  mcpi_loop_start_timer(login->auth->loop, &login->timer, 0);
  return 0;
}

int mcpi_login_answer_with(mcpi_login *login, mcpi_login_answer_kind kind,
                           const char *text, const char *secret,
                           int64_t expires_ms, mcp_error *err) {
  const mcpi_login_answer answer = {kind, (char *)text, (char *)secret,
                                    expires_ms};
  int is_awaited = kind == MCPI_ANSWER_NO || kind == login->awaits;
  if (!is_awaited || login->noted.kind == MCPI_ANSWER_NO) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "login %llu does not wait for this answer",
                         (unsigned long long)login->number);
  }
  if (login->state != MCPI_LOGIN_WAITING ||
      login->noted.kind != MCPI_ANSWER_NOTHING) {
    return login_note(login, &answer, err);
  }
  mcp_auth *auth = login->auth;
  mcpi_auth_enter(auth);
  int rc = login_act(login, &answer, err);
  mcpi_auth_leave(auth);
  return rc;
}

static const char *login_late(const mcpi_login *login) {
  switch (login->awaits) {
  case MCPI_ANSWER_URL:
    return "the user did not agree in time";
  case MCPI_ANSWER_ASSERTION:
    return "the program did not give its assertion in time";
  case MCPI_ANSWER_CLIENT:
    return "the program did not give its client id in time";
  case MCPI_ANSWER_TOKEN:
    return "the program did not give its token in time";
  case MCPI_ANSWER_NOTHING:
  case MCPI_ANSWER_NO:
  default:
    return "the login took too long";
  }
}

/* An answer that turns out to be wrong is dropped, as one that comes later is,
 * and the login waits for another. */
static void login_on_due(mcpi_timer *timer) {
  mcpi_login *login = MCPI_CONTAINER(timer, mcpi_login, timer);
  mcp_auth *auth = login->auth;
  mcpi_login_answer noted = login->noted;
  int64_t left_ms = login->deadline_ms - mcpi_loop_now(auth->loop);
  mcpi_auth_enter(auth);
  mcpi_loop_start_timer(auth->loop, timer, left_ms);
  login->noted = (mcpi_login_answer){.kind = MCPI_ANSWER_NOTHING};
  if (noted.kind != MCPI_ANSWER_NOTHING) {
    login_act(login, &noted, NULL);
  } else {
    login_abandon(login, MCP_ERR_TIMEOUT, login_late(login));
  }
  mcpi_strfree_wiped(mcpi_auth_allocator(auth), noted.text);
  mcpi_strfree_wiped(mcpi_auth_allocator(auth), noted.secret);
  mcpi_auth_leave(auth);
}

mcpi_login *mcpi_login_find(mcp_auth *auth, uint64_t number, mcp_error *err) {
  for (mcpi_list *at = auth->logins.next; at != &auth->logins; at = at->next) {
    mcpi_login *login = MCPI_CONTAINER(at, mcpi_login, link);
    if (login->number == number) {
      return login;
    }
  }
  mcp_error_set(err, MCP_ERR_INVALID, "login %llu has ended",
                (unsigned long long)number);
  return NULL;
}

/* --- the start ------------------------------------------------------------ */

void mcpi_login_init(mcpi_login *login, mcp_auth *auth,
                     void (*on_done)(mcpi_login *login,
                                     mcpi_flow_result *result)) {
  *login = (mcpi_login){.auth = auth, .on_done = on_done};
  login->timer.on_due = login_on_due;
  mcpi_list_init(&login->link);
}

/* Returns the scopes that get_token is asked for: those of earlier tokens, and
 * those that the server demands. Owned; NULL: out of memory. */
static char *login_join_scopes(const mcpi_login *login,
                               const mcpi_flow_start *start) {
  mcpi_buf scopes;
  mcpi_buf_init(&scopes, mcpi_auth_allocator(login->auth), SIZE_MAX);
  mcpi_scopes_add(&scopes, mcpi_str_z(login->auth->options.scopes));
  mcpi_scopes_add(&scopes, mcpi_str_z(start->earlier_scopes));
  mcpi_scopes_add(&scopes, mcpi_str_z(start->demanded_scopes));
  return mcpi_buf_take_string(&scopes);
}

/* The prompt has the scopes of the caller, who holds them until the program's
 * function returns: that may end the login, and free those of the login. */
static void login_ask_for_scopes(mcpi_login *login,
                                 const mcpi_flow_start *start,
                                 const char *scopes) {
  uint64_t number = login->number;
  mcp_error err = {.code = 0};
  const mcp_auth_prompt prompt = {.size = sizeof(prompt),
                                  .login = number,
                                  .server_url = start->server_url,
                                  .scopes = scopes};
  int rc = login_ask(login, MCPI_ANSWER_TOKEN, login->auth->options.get_token,
                     "get_token", &prompt, &err);
  if (rc != 0 && login->number == number && login->state != MCPI_LOGIN_IDLE) {
    login_fail(login, &err);
  }
}

static void login_ask_for_token(mcpi_login *login,
                                const mcpi_flow_start *start) {
  const mcp_allocator *allocator = mcpi_auth_allocator(login->auth);
  char *scopes = login_join_scopes(login, start);
  login->scopes = mcpi_strdup(allocator, scopes);
  if (login->scopes != NULL) {
    login_ask_for_scopes(login, start, scopes);
  } else {
    mcp_error err;
    mcpi_no_memory(&err);
    login_fail(login, &err);
  }
  mcpi_strfree(allocator, scopes);
}

static void login_run_flow(mcpi_login *login, mcpi_login_purpose purpose,
                           const mcpi_flow_start *given,
                           const mcpi_token *token) {
  mcp_auth *auth = login->auth;
  mcpi_flow_start start = *given;
  mcp_error err = {.code = 0};
  start.loop = auth->loop;
  start.options = &auth->options;
  start.issuers = &auth->issuers;
  start.host = &login_host;
  start.host_object = login;
  start.login = login->number;
  login->flow = mcpi_flow_new(&start, &err);
  if (login->flow == NULL) {
    login_fail(login, &err);
  } else if (purpose == MCPI_LOGIN_TO_RENEW) {
    mcpi_flow_refresh(login->flow, token);
  } else if (purpose == MCPI_LOGIN_TO_REVOKE) {
    mcpi_flow_revoke(login->flow, token);
  } else {
    mcpi_flow_log_in(login->flow);
  }
}

void mcpi_login_start(mcpi_login *login, mcpi_login_purpose purpose,
                      const mcpi_flow_start *start, const mcpi_token *token) {
  mcp_auth *auth = login->auth;
  mcp_error err;
  login->state = MCPI_LOGIN_RUNNING;
  login->purpose = purpose;
  login->number = ++auth->last_login;
  mcpi_list_append(&auth->logins, &login->link);
  if (mcpi_loop_start_timer(auth->loop, &login->timer, INT64_MAX) != 0) {
    mcpi_no_memory(&err);
    login_fail(login, &err);
  } else if (mcpi_auth_is_by_program(auth)) {
    login_ask_for_token(login, start);
  } else {
    login_run_flow(login, purpose, start, token);
  }
}
