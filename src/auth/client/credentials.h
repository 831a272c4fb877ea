/* SPDX-License-Identifier: MIT */
/* What the requests of one server are sent with: its token, and what belongs to
 * it. */
#ifndef MCPI_AUTH_CLIENT_CREDENTIALS_H
#define MCPI_AUTH_CLIENT_CREDENTIALS_H

#include "auth/client/life.h"
#include "auth/client/record.h"
#include <mcp/sys/crypto.h>

/* Where a token comes from. */
typedef enum mcpi_token_origin {
  MCPI_TOKEN_STORED, /* the record had it */
  MCPI_TOKEN_RENEWED,
  MCPI_TOKEN_LOGIN, /* a login has brought it, or the program has given it */
} mcpi_token_origin;

typedef struct mcpi_credentials {
  mcp_auth *auth;
  const char *server_url;
  const char *record_key;
  mcpi_auth_record record;
  mcpi_token_origin origin;
  int is_stored; /* the store has this token */
  /* The store has this older access token, because ours could not be written
   * there, or was dropped. NULL: the store has ours, or its token is not
   * known. */
  char *outdated;
  int is_refused; /* the server has answered 401: no request is sent with it */
  mcp_key *key;   /* of a token that is bound; NULL: it is not */
  char *nonce;    /* the server's newest DPoP-Nonce; NULL: none */
  uint64_t generation;
  /* By the monotonic clock: renewing has failed, so the token is not renewed
   * before this time while it is valid. */
  int64_t renew_after_ms;
  /* Likewise: the authorization server has not renewed the token, and has not
   * said that the refresh token is bad. Before this time the refresh token is
   * not used. */
  int64_t no_refresh_before_ms;
  mcpi_buf authorization; /* the headers of the last request */
  mcpi_buf proof;
  mcpi_buf target; /* the URL of the last request */
} mcpi_credentials;

/* The server's URL and the key of its record are borrowed until _deinit. */
void mcpi_credentials_init(mcpi_credentials *credentials, mcp_auth *auth,
                           const char *server_url, const char *record_key);
void mcpi_credentials_deinit(mcpi_credentials *credentials);

/* Whether there is a token that the server has not refused. */
int mcpi_credentials_has_token(const mcpi_credentials *credentials);
/* Whether requests may be sent with it now: it does not expire in the next
 * seconds, or nothing is known that is better. */
int mcpi_credentials_is_usable(const mcpi_credentials *credentials);
/* Whether its time is over. */
int mcpi_credentials_has_expired(const mcpi_credentials *credentials);
/* Whether the token can be renewed now. */
int mcpi_credentials_is_renewable(const mcpi_credentials *credentials);
/* Whether it is time to renew it. */
int mcpi_credentials_is_due(const mcpi_credentials *credentials);

/* Replaces the token with one that is new. It is taken, also after an error.
 * Returns 0; or with err: MCP_ERR_INVALID (a header cannot carry it, or its key
 * is broken), MCP_ERR_NOMEM. */
int mcpi_credentials_set_token(mcpi_credentials *credentials, mcpi_token *token,
                               mcpi_token_origin origin, mcp_error *err);
/* The store has the token now. */
void mcpi_credentials_note_stored(mcpi_credentials *credentials);
/* Drops the token. */
void mcpi_credentials_drop_token(mcpi_credentials *credentials);
/* Drops the refresh token, which is no longer good. */
void mcpi_credentials_drop_refresh(mcpi_credentials *credentials);
/* Replaces the registration. The members of `client` are taken. */
void mcpi_credentials_set_client(mcpi_credentials *credentials,
                                 mcpi_registration *client);

/* Keeps the scopes that the login has asked for, because the next one asks for
 * them again. If the token does not say so, the old ones stay; if there are
 * none, those of the token are kept. Keeps its issuer, too, if the program's
 * own client id has been used there. Without memory, the old ones stay. */
void mcpi_credentials_keep_scopes(mcpi_credentials *credentials);
/* Returns the issuer at which the program's own client id has been used; NULL:
 * it has not been used. */
const char *mcpi_credentials_bound_issuer(const mcpi_credentials *credentials);

/* Reads the text of a record into an empty one. Parts that are not valid count
 * as absent, and so does a token of another client or authorization server than
 * those that the options name. Returns 0 or MCP_ERR_NOMEM. */
int mcpi_credentials_parse(const mcpi_credentials *credentials,
                           mcpi_auth_record *out, mcpi_str text);
/* Whether a record has a token that is neither ours nor older than ours, and
 * which requests can be sent with, or which can be renewed. */
int mcpi_credentials_is_news(const mcpi_credentials *credentials,
                             const mcpi_auth_record *record);
/* Takes the token out of a record. The result is that of _set_token. */
int mcpi_credentials_adopt(mcpi_credentials *credentials,
                           mcpi_auth_record *record, mcp_error *err);
/* Takes the registration, the scopes and the issuer of the program's own client
 * id out of a record, if it has them. */
void mcpi_credentials_adopt_client(mcpi_credentials *credentials,
                                   mcpi_auth_record *record);

/* Makes the headers of a request. Without a token it makes no header, and also
 * for a URL at another origin than the server's. They are borrowed until the
 * next call. Returns 0 or an MCP_ERR_* with err. */
int mcpi_credentials_put_headers(mcpi_credentials *credentials,
                                 const char *method, const char *url,
                                 mcpi_auth_headers *out, mcp_error *err);
/* Keeps a nonce. */
void mcpi_credentials_set_nonce(mcpi_credentials *credentials,
                                const char *nonce);

#endif
