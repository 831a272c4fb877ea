/* SPDX-License-Identifier: MIT */
#include "auth/client/credentials.h"

#include "auth/client/server_url.h"
#include "auth/dpop.h"
#include "auth/web_url.h"
#include "base/error.h"

enum {
  /* A request with a token that expires sooner than this may come too late. Of
   * a token with a shorter life, the half is enough. */
  LEFT_MIN_MS = 5000,
  LEFT_MIN_PART = 2,
  /* A new token with a shorter life than this is used until the server refuses
   * it: it would have to be renewed for each request. */
  LIFE_MIN_MS = 1000,
  /* A token is renewed when it has this time left, or a tenth of its life. */
  RENEW_LEFT_MS = 60000,
  RENEW_LEFT_PART = 10
};

void mcpi_credentials_init(mcpi_credentials *credentials, mcp_auth *auth,
                           const char *server_url, const char *record_key) {
  const mcp_allocator *allocator = mcpi_auth_allocator(auth);
  *credentials = (mcpi_credentials){
      .auth = auth, .server_url = server_url, .record_key = record_key};
  mcpi_auth_record_init(&credentials->record);
  mcpi_buf_init_secret(&credentials->authorization, allocator, SIZE_MAX);
  mcpi_buf_init_secret(&credentials->proof, allocator, SIZE_MAX);
  mcpi_buf_init(&credentials->target, allocator, SIZE_MAX);
}

static void drop_key(mcpi_credentials *credentials) {
  const mcp_platform *platform = &credentials->auth->loop->platform;
  if (credentials->key != NULL) {
    platform->crypto->key_free(platform->userdata, credentials->key);
    credentials->key = NULL;
  }
}

void mcpi_credentials_deinit(mcpi_credentials *credentials) {
  const mcp_allocator *allocator = mcpi_auth_allocator(credentials->auth);
  mcpi_auth_record_deinit(&credentials->record, allocator);
  drop_key(credentials);
  mcpi_strfree_wiped(allocator, credentials->outdated);
  mcpi_strfree_wiped(allocator, credentials->nonce);
  mcpi_buf_deinit(&credentials->authorization);
  mcpi_buf_deinit(&credentials->proof);
  mcpi_buf_deinit(&credentials->target);
}

/* --- how good it is ------------------------------------------------------- */

/* How long the token is still valid; INT64_MAX: not known. */
static int64_t token_left(const mcpi_credentials *credentials,
                          const mcpi_token *token) {
  int64_t wall_ms = mcpi_loop_wall(credentials->auth->loop);
  if (token->expires_ms == INT64_MAX) {
    return INT64_MAX;
  }
  return token->expires_ms > wall_ms ? token->expires_ms - wall_ms : 0;
}

/* Returns how long the token must still be valid to be sent. */
static int64_t left_min(const mcpi_credentials *credentials) {
  int64_t part_ms = credentials->record.life_ms / LEFT_MIN_PART;
  return part_ms < LEFT_MIN_MS ? part_ms : LEFT_MIN_MS;
}

int mcpi_credentials_has_token(const mcpi_credentials *credentials) {
  return credentials->record.token != NULL && !credentials->is_refused;
}

int mcpi_credentials_has_expired(const mcpi_credentials *credentials) {
  const mcpi_token *token = credentials->record.token;
  return token != NULL && token_left(credentials, token) == 0;
}

int mcpi_credentials_is_renewable(const mcpi_credentials *credentials) {
  const mcpi_token *token = credentials->record.token;
  return token != NULL && token->refresh != NULL &&
         mcpi_loop_now(credentials->auth->loop) >=
             credentials->no_refresh_before_ms;
}

/* A token that has expired, but cannot be renewed, is sent: the server's answer
 * says where to get another. */
int mcpi_credentials_is_usable(const mcpi_credentials *credentials) {
  const mcpi_token *token = credentials->record.token;
  if (!mcpi_credentials_has_token(credentials)) {
    return 0;
  }
  if (token_left(credentials, token) >= left_min(credentials)) {
    return 1;
  }
  return !mcpi_credentials_is_renewable(credentials) &&
         !mcpi_auth_is_by_program(credentials->auth);
}

int mcpi_credentials_is_due(const mcpi_credentials *credentials) {
  int64_t limit_ms = RENEW_LEFT_MS;
  int64_t part_ms = credentials->record.life_ms / RENEW_LEFT_PART;
  if (!mcpi_credentials_has_token(credentials) ||
      !mcpi_credentials_is_renewable(credentials)) {
    return 0;
  }
  if (mcpi_credentials_is_usable(credentials) &&
      mcpi_loop_now(credentials->auth->loop) < credentials->renew_after_ms) {
    return 0;
  }
  if (part_ms < limit_ms) {
    limit_ms = part_ms;
  }
  if (limit_ms < left_min(credentials)) {
    limit_ms = left_min(credentials);
  }
  return token_left(credentials, credentials->record.token) < limit_ms;
}

/* --- changing it ---------------------------------------------------------- */

/* Reads the key to which the token is bound; NULL: it is not bound. */
static int read_key(const mcpi_credentials *credentials,
                    const mcpi_token *token, mcp_key **out, mcp_error *err) {
  const mcp_platform *platform = &credentials->auth->loop->platform;
  *out = NULL;
  if (token->key == NULL) {
    return 0;
  }
  if (platform->crypto == NULL) {
    return mcp_error_set(err, MCP_ERR_PLATFORM, "mcp_platform.crypto is NULL");
  }
  int rc = platform->crypto->key_from_pem(platform->userdata, token->key,
                                          strlen(token->key), out);
  if (rc == MCP_ERR_NOMEM) {
    return mcpi_no_memory(err);
  }
  if (rc != 0) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "the key of the token for %s cannot be read: %s",
                         credentials->server_url, mcp_error_text(rc));
  }
  return 0;
}

static int check_token(const mcpi_credentials *credentials,
                       const mcpi_token *token, mcp_error *err) {
  if (!mcpi_token_can_be_sent(token->access)) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "the token for %s has characters that a header cannot "
                         "carry, or is empty",
                         credentials->server_url);
  }
  return 0;
}

static int64_t token_life(const mcpi_credentials *credentials,
                          const mcpi_token *token) {
  int64_t left_ms = token_left(credentials, token);
  return left_ms > 0 ? left_ms : INT64_MAX;
}

int mcpi_credentials_set_token(mcpi_credentials *credentials, mcpi_token *token,
                               mcpi_token_origin origin, mcp_error *err) {
  const mcp_allocator *allocator = mcpi_auth_allocator(credentials->auth);
  mcp_key *key = NULL;
  int rc = check_token(credentials, token, err);
  if (rc == 0) {
    rc = read_key(credentials, token, &key, err);
  }
  if (rc != 0) {
    mcpi_token_free(token, allocator);
    return rc;
  }
  mcpi_credentials_drop_token(credentials);
  if (origin != MCPI_TOKEN_STORED &&
      token_left(credentials, token) < LIFE_MIN_MS) {
    token->expires_ms = INT64_MAX;
  }
  credentials->record.token = token;
  credentials->record.life_ms = token_life(credentials, token);
  credentials->key = key;
  credentials->origin = origin;
  credentials->renew_after_ms = 0;
  credentials->no_refresh_before_ms = 0;
  if (origin == MCPI_TOKEN_STORED) {
    mcpi_credentials_note_stored(credentials);
  }
  return 0;
}

void mcpi_credentials_note_stored(mcpi_credentials *credentials) {
  const mcp_allocator *allocator = mcpi_auth_allocator(credentials->auth);
  credentials->is_stored = 1;
  mcpi_strfree_wiped(allocator, credentials->outdated);
  credentials->outdated = NULL;
}

/* The store has a token that is dropped from memory: it must not come back from
 * there. Moving it needs no memory. */
static void note_outdated(mcpi_credentials *credentials) {
  const mcp_allocator *allocator = mcpi_auth_allocator(credentials->auth);
  mcpi_token *token = credentials->record.token;
  if (token != NULL && credentials->is_stored) {
    mcpi_strfree_wiped(allocator, credentials->outdated);
    credentials->outdated = token->access;
    token->access = NULL;
  }
}

void mcpi_credentials_drop_token(mcpi_credentials *credentials) {
  note_outdated(credentials);
  mcpi_token_free(credentials->record.token,
                  mcpi_auth_allocator(credentials->auth));
  drop_key(credentials);
  credentials->record.token = NULL;
  credentials->record.life_ms = INT64_MAX;
  credentials->is_stored = 0;
  credentials->is_refused = 0;
  credentials->generation++;
}

void mcpi_credentials_drop_refresh(mcpi_credentials *credentials) {
  mcpi_token *token = credentials->record.token;
  if (token != NULL) {
    mcpi_strfree_wiped(mcpi_auth_allocator(credentials->auth), token->refresh);
    token->refresh = NULL;
  }
}

void mcpi_credentials_set_client(mcpi_credentials *credentials,
                                 mcpi_registration *client) {
  mcpi_registration_deinit(&credentials->record.client,
                           mcpi_auth_allocator(credentials->auth));
  credentials->record.client = *client;
  *client = (mcpi_registration){.expires_ms = INT64_MAX};
}

void mcpi_credentials_set_nonce(mcpi_credentials *credentials,
                                const char *nonce) {
  const mcp_allocator *allocator = mcpi_auth_allocator(credentials->auth);
  if (credentials->nonce != NULL && strcmp(credentials->nonce, nonce) == 0) {
    return;
  }
  char *copy = mcpi_strdup(allocator, nonce);
  if (copy != NULL) {
    mcpi_strfree_wiped(allocator, credentials->nonce);
    credentials->nonce = copy;
  }
}

/* --- records -------------------------------------------------------------- */

static int is_other(const char *wanted, const char *is) {
  return wanted != NULL && (is == NULL || strcmp(wanted, is) != 0);
}

/* Tokens are bound to a client and an authorization server. */
static int record_suits(const mcpi_auth_record *record,
                        const mcp_auth_options *options) {
  return !is_other(options->client_id, record->token->client_id) &&
         !is_other(options->client_issuer, record->token->issuer);
}

int mcpi_credentials_parse(const mcpi_credentials *credentials,
                           mcpi_auth_record *out, mcpi_str text) {
  const mcp_allocator *allocator = mcpi_auth_allocator(credentials->auth);
  int rc = mcpi_auth_record_read(out, text, credentials->record_key, allocator);
  if (out->token != NULL && !record_suits(out, &credentials->auth->options)) {
    mcpi_token_free(out->token, allocator);
    out->token = NULL;
  }
  return rc == MCP_ERR_NOMEM ? rc : 0;
}

int mcpi_credentials_is_news(const mcpi_credentials *credentials,
                             const mcpi_auth_record *record) {
  const mcpi_token *ours = credentials->record.token;
  const mcpi_token *theirs = record->token;
  const char *old = credentials->outdated;
  if (theirs == NULL ||
      (ours != NULL && strcmp(ours->access, theirs->access) == 0) ||
      (old != NULL && strcmp(old, theirs->access) == 0)) {
    return 0;
  }
  return theirs->refresh != NULL ||
         token_left(credentials, theirs) >= LEFT_MIN_MS;
}

int mcpi_credentials_adopt(mcpi_credentials *credentials,
                           mcpi_auth_record *record, mcp_error *err) {
  mcpi_token *token = record->token;
  record->token = NULL;
  int rc =
      mcpi_credentials_set_token(credentials, token, MCPI_TOKEN_STORED, err);
  if (rc == 0) {
    credentials->record.life_ms =
        record->life_ms > 0 ? record->life_ms : INT64_MAX;
  }
  return rc;
}

/* Moves an owned string. */
static void credentials_move(const mcpi_credentials *credentials, char **to,
                             char **from) {
  mcpi_strfree(mcpi_auth_allocator(credentials->auth), *to);
  *to = *from;
  *from = NULL;
}

void mcpi_credentials_adopt_client(mcpi_credentials *credentials,
                                   mcpi_auth_record *record) {
  mcpi_auth_record *ours = &credentials->record;
  if (record->client.client_id != NULL) {
    mcpi_credentials_set_client(credentials, &record->client);
  }
  if (record->scopes != NULL) {
    credentials_move(credentials, &ours->scopes, &record->scopes);
  }
  if (record->bound_client != NULL) {
    credentials_move(credentials, &ours->bound_client, &record->bound_client);
    credentials_move(credentials, &ours->bound_issuer, &record->bound_issuer);
  }
}

/* --- what is kept beside the token ---------------------------------------- */

static void keep_bound(mcpi_credentials *credentials) {
  const mcp_allocator *allocator = mcpi_auth_allocator(credentials->auth);
  mcpi_auth_record *record = &credentials->record;
  const char *own = credentials->auth->options.client_id;
  if (own == NULL || is_other(own, record->token->client_id)) {
    return;
  }
  char *client = mcpi_strdup(allocator, own);
  char *issuer = mcpi_strdup(allocator, record->token->issuer);
  if (client != NULL && issuer != NULL) {
    credentials_move(credentials, &record->bound_client, &client);
    credentials_move(credentials, &record->bound_issuer, &issuer);
  }
  mcpi_strfree(allocator, client);
  mcpi_strfree(allocator, issuer);
}

void mcpi_credentials_keep_scopes(mcpi_credentials *credentials) {
  const mcp_allocator *allocator = mcpi_auth_allocator(credentials->auth);
  mcpi_auth_record *record = &credentials->record;
  const char *asked = record->token->asked;
  if (asked == NULL && record->scopes == NULL) {
    asked = record->token->scopes;
  }
  char *scopes = mcpi_strdup(allocator, asked);
  if (scopes != NULL) {
    credentials_move(credentials, &record->scopes, &scopes);
  }
  keep_bound(credentials);
}

const char *mcpi_credentials_bound_issuer(const mcpi_credentials *credentials) {
  const mcpi_auth_record *record = &credentials->record;
  const char *own = credentials->auth->options.client_id;
  return own != NULL && !is_other(own, record->bound_client)
             ? record->bound_issuer
             : NULL;
}

/* --- headers -------------------------------------------------------------- */

/* Whether the URL is the server's, or begins with it: a path, a query or a
 * fragment may follow. */
static int is_below(const char *url, const char *server_url) {
  size_t len = strlen(server_url);
  return strncmp(url, server_url, len) == 0 &&
         (url[len] == '\0' || strchr("/?#", url[len]) != NULL);
}

/* Finds what the request's target is for a proof. Returns 1; 0: it is at
 * another origin; or MCP_ERR_NOMEM. */
static int find_target(mcpi_credentials *credentials, const char *url) {
  mcpi_buf *target = &credentials->target;
  if (is_below(url, credentials->server_url)) {
    return 1;
  }
  mcpi_buf_clear(target);
  if (mcpi_server_url_put(target, mcpi_str_z(url)) != 0) {
    return 0;
  }
  if (target->error != 0) {
    return MCP_ERR_NOMEM;
  }
  return mcpi_web_url_has_same_origin(mcpi_buf_str(target),
                                      mcpi_str_z(credentials->server_url));
}

static int put_proof(mcpi_credentials *credentials, const char *method,
                     const char *url, mcp_error *err) {
  mcpi_buf *target = &credentials->target;
  mcpi_buf_clear(target);
  mcpi_server_url_put(target, mcpi_str_z(url));
  if (target->error != 0) {
    return mcpi_no_memory(err);
  }
  const mcpi_dpop_claims claims = {
      .method = method,
      .url = mcpi_buf_str(target),
      .nonce = credentials->nonce,
      .access_token = mcpi_str_z(credentials->record.token->access)};
  int rc = mcpi_dpop_put(&credentials->proof, credentials->auth->loop,
                         credentials->key, &claims);
  if (rc != 0) {
    mcp_error_set(err, rc, "cannot make a DPoP proof for %s: %s",
                  credentials->server_url, mcp_error_text(rc));
  }
  return rc;
}

int mcpi_credentials_put_headers(mcpi_credentials *credentials,
                                 const char *method, const char *url,
                                 mcpi_auth_headers *out, mcp_error *err) {
  mcpi_buf *authorization = &credentials->authorization;
  mcpi_auth_headers headers = {.authorization = {NULL, 0}};
  int rc = 0;
  mcpi_buf_clear(authorization);
  mcpi_buf_clear(&credentials->proof);
  if (mcpi_credentials_has_token(credentials)) {
    rc = find_target(credentials, url);
  }
  if (rc <= 0) {
    *out = headers;
    return rc == 0 ? 0 : mcpi_no_memory(err);
  }
  mcpi_buf_puts(authorization,
                mcpi_str_z(credentials->key != NULL ? "DPoP " : "Bearer "));
  mcpi_buf_puts(authorization, mcpi_str_z(credentials->record.token->access));
  if (authorization->error != 0) {
    return mcpi_no_memory(err);
  }
  headers.authorization = mcpi_buf_str(authorization);
  if (credentials->key != NULL) {
    rc = put_proof(credentials, method, url, err);
    if (rc != 0) {
      return rc;
    }
    headers.dpop = mcpi_buf_str(&credentials->proof);
  }
  *out = headers;
  return 0;
}
