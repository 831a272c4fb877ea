/* SPDX-License-Identifier: MIT */
/* One MCP server: its token, the requests that wait for it, and how it changes
 * (the states are drawn in auth.h). The work in the states READING, RENEWING
 * and LOGGING_IN has these steps:
 *
 *     REST --> DUE --> TAKING ---------------------------> REST
 *              the     the       |                          ^
 *              next    record    |  RENEWING: with the      |
 *              turn              |  record; LOGGING_IN: it  |
 *              of the            |  has been given back     |
 *              loop              '--> LOGIN ----------------+
 *                                     a run    |            |
 *                                     of the   '--> KEEPING-'
 *                                     flow          LOGGING_IN: takes the
 *                                                   record again, to write it
 *
 * The work begins in the next turn of the loop, so that no callback of the
 * program runs inside a function that a transport calls. */
#ifndef MCPI_AUTH_CLIENT_SERVER_H
#define MCPI_AUTH_CLIENT_SERVER_H

#include "auth/challenge.h"
#include "auth/client/credentials.h"
#include "auth/client/login.h"
#include "auth/client/taking.h"
#include "auth/client/waiting.h"

typedef enum mcpi_server_state {
  MCPI_SERVER_UNREAD,
  MCPI_SERVER_READING,
  MCPI_SERVER_NONE,
  MCPI_SERVER_VALID,
  MCPI_SERVER_RENEWING,
  MCPI_SERVER_LOGGING_IN
} mcpi_server_state;

typedef enum mcpi_server_step {
  MCPI_STEP_REST,
  MCPI_STEP_DUE,
  MCPI_STEP_TAKING,
  MCPI_STEP_LOGIN,
  MCPI_STEP_KEEPING
} mcpi_server_step;

/* Why a server logs in. */
typedef enum mcpi_login_reason {
  MCPI_REASON_UNAUTHORIZED, /* 401, or a token of the program has expired */
  MCPI_REASON_SCOPES,       /* 403: the token is good, but not for all */
  MCPI_REASON_WANTED,       /* mcp_auth_login, before the server demands it */
  MCPI_REASON_FORCED        /* likewise, and a stored token does not count */
} mcpi_login_reason;

/* Its holders are the table auth->servers until mcp_auth_free, and each
 * reference of a transport or a task. The last one buries it
 * (mcpi_auth_bury). It holds its mcp_auth. */
struct mcpi_auth_server {
  mcpi_auth_grave grave;
  mcp_auth *auth;
  char *url;
  char *record_key; /* of the record in the store */
  size_t holders;
  /* Empty, or why tokens are never sent to it: the URL is not secure. */
  mcp_error unsafe;
  int is_public; /* the URL's host is a public address, or a name */

  mcpi_server_state state;
  mcpi_server_step step;
  /* Runs in the steps DUE, TAKING and KEEPING, and may be moved from one to the
   * next without memory. */
  mcpi_timer timer;
  mcpi_taking taking;
  mcpi_login login;
  mcpi_credentials credentials;
  mcpi_waiting waiting;

  /* LOGGING_IN, and RENEWING after 401. */
  mcpi_login_reason reason;
  mcpi_demand demand;
  char *revision;
  int is_by_refusal; /* RENEWING: a server has answered 401 */
  /* What the login has brought, until the record is written. */
  mcpi_flow_result result;
  /* Why it could not be written; code 0: it was, or it is only in memory. */
  mcp_error unkept;

  /* Scopes that logins could not get: they are not asked for again. */
  mcpi_buf denied_scopes;
  /* The server has refused the token of a new login: until this time, no
   * request starts another, by the monotonic clock. */
  int64_t no_login_before_ms;
};

/* NULL with err: MCP_ERR_INVALID, MCP_ERR_NOMEM. It has one holder. */
mcpi_auth_server *mcpi_server_new(mcp_auth *auth, const char *url,
                                  mcp_error *err);
void mcpi_server_hold(mcpi_auth_server *server);
void mcpi_server_drop(mcpi_auth_server *server);
/* mcp_auth_free: ends the work, and fails all that wait with err. */
void mcpi_server_close(mcpi_auth_server *server, const mcp_error *err);

/* Whether work is under way. */
int mcpi_server_is_busy(const mcpi_auth_server *server);
/* Whether mcpi_server_close would lose a token: a refresh token may have been
 * sent, or a new token has not been written. */
int mcpi_server_is_renewing(const mcpi_auth_server *server);
/* Sees to it that requests can be sent. Returns 0: they can; MCP_PENDING: the
 * request must wait (mcpi_waiting_add); or an MCP_ERR_* with err. */
int mcpi_server_prepare(mcpi_auth_server *server, mcp_error *err);
/* Begin to renew the token, or to log in, if nothing is under way. The token is
 * not used any more if the reason is MCPI_REASON_UNAUTHORIZED. The strings of
 * `demand` are taken, also after an error. Return MCP_PENDING, or an MCP_ERR_*
 * with err. */
int mcpi_server_renew(mcpi_auth_server *server, mcpi_demand *demand,
                      const char *revision, mcp_error *err);
int mcpi_server_log_in(mcpi_auth_server *server, mcpi_login_reason reason,
                       mcpi_demand *demand, const char *revision,
                       mcp_error *err);
/* Someone has logged out: the token is dropped, if no work is under way that
 * will see this by itself. */
void mcpi_server_forget(mcpi_auth_server *server);
/* Fills err, which may be NULL: the server's URL, what the server does, such as
 * "refuses each token", and the error that the server has given. Returns
 * MCP_ERR_REFUSED. */
int mcpi_server_refuse(const mcpi_auth_server *server, int status,
                       const char *what, const mcpi_demand *demand,
                       mcp_error *err);
/* Notes scopes that cannot be got. */
void mcpi_server_deny_scopes(mcpi_auth_server *server, const char *scopes);

#endif
