/* SPDX-License-Identifier: MIT */
/* One login: a run of the flow, or a question to a program that manages tokens
 * itself. It has a number, with which the program answers.
 *
 *     IDLE --start--> RUNNING --> ASKING --------> WAITING --.
 *       ^                ^  |    a callback of    for the     |
 *       |                |  |    the program      program,    |
 *       |   the end, or  |  |    runs             or for the  |
 *       |   cancel, in   |  |                     browser     |
 *       '--- any state   |  '---------------------------------'
 *                        |              answered
 *
 * The program may answer inside its callback. The answer is noted then, and
 * acted upon in the next turn of the loop, when the flow's own functions have
 * returned. */
#ifndef MCPI_AUTH_CLIENT_LOGIN_H
#define MCPI_AUTH_CLIENT_LOGIN_H

#include "auth/client/flow.h"
#include "auth/client/life.h"

typedef enum mcpi_login_state {
  MCPI_LOGIN_IDLE,
  MCPI_LOGIN_RUNNING,
  MCPI_LOGIN_ASKING,
  MCPI_LOGIN_WAITING
} mcpi_login_state;

/* What the program answers. */
typedef enum mcpi_login_answer_kind {
  MCPI_ANSWER_NOTHING,
  MCPI_ANSWER_URL,       /* to open_browser */
  MCPI_ANSWER_ASSERTION, /* to get_assertion */
  MCPI_ANSWER_CLIENT,    /* to get_client */
  MCPI_ANSWER_TOKEN,     /* to get_token */
  MCPI_ANSWER_NO         /* the user does not want it */
} mcpi_login_answer_kind;

typedef struct mcpi_login_answer {
  mcpi_login_answer_kind kind;
  char *text;   /* owned; what mcp_auth_* gives first; may be NULL */
  char *secret; /* owned; of a client */
  int64_t expires_ms;
} mcpi_login_answer;

/* What a login does. */
typedef enum mcpi_login_purpose {
  MCPI_LOGIN_TO_LOG_IN,
  MCPI_LOGIN_TO_RENEW,
  MCPI_LOGIN_TO_REVOKE
} mcpi_login_purpose;

/* It is part of its owner's structure, which is destroyed by mcpi_auth_bury. */
typedef struct mcpi_login mcpi_login;
struct mcpi_login {
  mcpi_list link; /* in auth->logins */
  mcp_auth *auth;
  mcpi_login_state state;
  mcpi_login_purpose purpose;
  uint64_t number;
  mcpi_flow *flow; /* NULL: IDLE, or the program gives the token */
  mcpi_login_answer_kind awaits; /* ASKING and WAITING: what answers it */
  mcpi_login_answer noted;
  int64_t deadline_ms;
  /* Runs while the login is not IDLE, so moving it cannot fail: an answer that
   * is noted, or the deadline, or never. */
  mcpi_timer timer;
  int has_redirect; /* the host listens for the browser */
  char *scopes;     /* that get_token was asked for */
  /* The login has ended, and is IDLE. The function may take parts of `result`
   * out. */
  void (*on_done)(mcpi_login *login, mcpi_flow_result *result);
};

void mcpi_login_init(mcpi_login *login, mcp_auth *auth,
                     void (*on_done)(mcpi_login *login,
                                     mcpi_flow_result *result));
/* Starts it. `start` need not have loop, options, issuers, host and login;
 * token is what is renewed or revoked. on_done is called once, inside this
 * function or later. */
void mcpi_login_start(mcpi_login *login, mcpi_login_purpose purpose,
                      const mcpi_flow_start *start, const mcpi_token *token);
/* Ends it without on_done. err says why, for the browser's page. Legal in any
 * state. */
void mcpi_login_cancel(mcpi_login *login, const mcp_error *err);

/* Returns the login with this number that runs; NULL with err:
 * MCP_ERR_INVALID. */
mcpi_login *mcpi_login_find(mcp_auth *auth, uint64_t number, mcp_error *err);
/* The program answers; what it gives is copied. Returns 0; MCP_ERR_INVALID with
 * err: the login does not wait for that; MCP_ERR_NOMEM. on_done may be called
 * inside. */
int mcpi_login_answer_with(mcpi_login *login, mcpi_login_answer_kind kind,
                           const char *text, const char *secret,
                           int64_t expires_ms, mcp_error *err);

#endif
