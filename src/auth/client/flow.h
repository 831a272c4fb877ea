/* SPDX-License-Identifier: MIT */
/* A login: the steps by which a client gets a token for an MCP server (MCP,
 * Authorization). It does no I/O: it fetches with the functions of the loop's
 * platform, and asks its host for what only a program can do.
 *
 *     FIND_RESOURCE   the server's metadata, which name authorization servers
 *     FIND_ISSUER     the authorization server's metadata
 *     GET_CLIENT      a client id: a given one, or one by registration
 *     AGREE           the user agrees in a browser, which brings a code
 *     ASSERT          the program gives its ID token or its JWT
 *     EXCHANGE        the identity provider exchanges it for an ID-JAG
 *     GET_TOKEN       the code, the assertion or the refresh token brings a
 *                     token
 *
 * Which steps a login has:
 *
 *     code                FIND_RESOURCE FIND_ISSUER GET_CLIENT AGREE GET_TOKEN
 *     client credentials  FIND_RESOURCE FIND_ISSUER GET_CLIENT GET_TOKEN
 *     enterprise          FIND_RESOURCE FIND_ISSUER GET_CLIENT ASSERT EXCHANGE
 *                         GET_TOKEN
 *     workload            FIND_RESOURCE FIND_ISSUER ASSERT GET_TOKEN
 *     refresh             FIND_ISSUER GET_CLIENT GET_TOKEN
 *     revoke              FIND_ISSUER, and a request to the revocation endpoint
 */
#ifndef MCPI_AUTH_CLIENT_FLOW_H
#define MCPI_AUTH_CLIENT_FLOW_H

#include "auth/client/issuers.h"
#include "auth/client/registration.h"
#include "auth/client/token.h"
#include <mcp/auth.h>

typedef struct mcpi_flow mcpi_flow;

/* What a login has brought. The login owns it; the host may take parts out, and
 * leaves NULL or zeros there. */
typedef struct mcpi_flow_result {
  mcpi_token *token; /* NULL: the login has failed */
  mcp_error why;     /* if it has failed */
  /* The program has registered now: client_id is not NULL. The host keeps this
   * also if the login has failed. */
  mcpi_registration registered;
  /* The known registration is no longer good: the host drops it. */
  int drops_registration;
  /* A renewal has failed because the authorization server says that the refresh
   * token is no longer good. Any other failure says nothing about it. */
  int is_refresh_refused;
} mcpi_flow_result;

/* A result of get_client that no function of a program can have. */
enum { MCPI_FLOW_NOT_ASKED = 1 };

/* What a login asks of the object that started it. No member is NULL. */
typedef struct mcpi_flow_host {
  /* Returns the URL to which a browser shall return, borrowed until the login
   * ends; `wish` (NULL: none) is where it returned the last time. NULL with
   * err. */
  const char *(*redirect_uri)(void *host, const char *wish, mcp_error *err);
  /* Asks the user to agree. The host calls mcpi_flow_redirected when the
   * browser has returned, and not inside this function. 0 or an MCP_ERR_* with
   * err. */
  int (*browse)(void *host, const mcp_auth_prompt *prompt, mcp_error *err);
  /* Asks for the ID token or the JWT. The host calls mcpi_flow_assert, and not
   * inside this function. 0 or an MCP_ERR_* with err. */
  int (*get_assertion)(void *host, const mcp_auth_prompt *prompt,
                       mcp_error *err);
  /* Asks for a client id. The host calls mcpi_flow_give_client, and not inside
   * this function. 0; MCPI_FLOW_NOT_ASKED without err: the program does not
   * want to be asked; an MCP_ERR_* with err. */
  int (*get_client)(void *host, const mcp_auth_prompt *prompt, mcp_error *err);
  /* The login has ended. The host may free it here. */
  void (*on_done)(void *host, mcpi_flow_result *result);
} mcpi_flow_host;

/* What a login begins with. The strings are copied; the other pointers are
 * borrowed until the login is freed. */
typedef struct mcpi_flow_start {
  mcp_loop *loop;
  const mcp_auth_options *options; /* with defaults */
  mcpi_issuers *issuers;
  const mcpi_flow_host *host;
  void *host_object;
  uint64_t login; /* its number, for prompts */
  const char *server_url;
  /* Where the server's metadata are, by its challenge; NULL: it does not say
   * so. */
  const char *metadata_url;
  /* The scopes that the server demands; NULL: it names none. */
  const char *demanded_scopes;
  /* A registration that is kept; NULL: none. Used only if it belongs to the
   * issuer. */
  const mcpi_registration *known_client;
  /* The issuer at which options->client_id has been used for this server
   * before. If options->client_issuer is NULL, the client id is sent to no
   * other one. NULL: it has not been used. */
  const char *bound_issuer;
  /* The scopes that earlier logins for this server have asked for; NULL:
   * none. */
  const char *earlier_scopes;
  int wants_dpop;       /* the server takes only tokens that are bound: its
                           challenge has the scheme DPoP and not Bearer */
  int server_is_public; /* the server's address is */
  const char *revision; /* for MCP-Protocol-Version; NULL: not known */
} mcpi_flow_start;

/* Makes a login, which has not begun. NULL with err: MCP_ERR_NOMEM,
 * MCP_ERR_PLATFORM. */
mcpi_flow *mcpi_flow_new(const mcpi_flow_start *start, mcp_error *err);
/* Frees a login in any state, without a call of on_done. Legal inside the
 * functions of the host. NULL is accepted. */
void mcpi_flow_free(mcpi_flow *flow);

/* Each of these functions may call on_done before it returns. */

/* Begins a login by all steps. */
void mcpi_flow_log_in(mcpi_flow *flow);
/* Begins to renew a token that has a refresh token. It is copied. */
void mcpi_flow_refresh(mcpi_flow *flow, const mcpi_token *token);
/* Begins to revoke a token (RFC 7009): its refresh token, if it has one. It is
 * copied. The client is that of known_client or of the options; no other is got
 * or registered. on_done gets no token; why.code is 0: it has been revoked;
 * MCP_ERR_UNSUPPORTED: the authorization server cannot do that; or another
 * MCP_ERR_*. */
void mcpi_flow_revoke(mcpi_flow *flow, const mcpi_token *token);
/* The browser has returned to `url`: the whole URL, or only its query. Returns
 * 0; MCP_ERR_INVALID with err: the URL does not belong to this login, because
 * nothing waits for it or `state` differs. Then the login still waits. */
int mcpi_flow_redirected(mcpi_flow *flow, const char *url, mcp_error *err);
/* The program gives its assertion. Returns 0; MCP_ERR_INVALID: nothing waits
 * for it. */
int mcpi_flow_assert(mcpi_flow *flow, const char *assertion);
/* The program gives its client id and its secret; both NULL: it has none. The
 * same result. */
int mcpi_flow_give_client(mcpi_flow *flow, const char *id, const char *secret);
/* Ends the login, and says why: the user has refused, or the time is over. */
void mcpi_flow_abandon(mcpi_flow *flow, int code, const char *why);

#endif
