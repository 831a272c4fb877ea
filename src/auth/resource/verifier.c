/* SPDX-License-Identifier: MIT */
/* The way of a check:
 *
 *     check -> header, proof, nonce ----------------------------> refused
 *           -> cache, fixed tokens -> found ---------> judged --> done
 *           -> parked -> JWT or a question
 *                         |      |     ^
 *                         |      v     | keys came
 *                         |     waits -+
 *                         |      | an answer came
 *                         v      v
 *                        refused, or judged -> done */
#include "auth/resource/verifier.h"

#include "auth/resource/introspect.h"
#include "auth/resource/metadata_out.h"
#include "auth/resource/options.h"
#include "auth/resource/request_check.h"
#include "auth/resource/token_check.h"
#include "base/error.h"

/* --- life --------------------------------------------------------------- */

/* Returns 0, or an MCP_ERR_* with err; then the caller frees the verifier. */
static int verifier_fill(mcpi_verifier *verifier, mcp_error *err) {
  mcp_loop *loop = verifier->loop;
  const mcp_protect_options *options = &verifier->options;
  int rc = mcpi_protect_check_platform(options, &loop->platform, err);
  if (rc == 0) {
    verifier->checks =
        mcpi_quota_new(&loop->allocator, loop->hash_seed, options->max_checks);
    rc = verifier->checks != NULL ? 0 : mcpi_no_memory(err);
  }
  if (rc == 0 && options->tokens != NULL) {
    rc = mcpi_fixed_tokens_read(&verifier->tokens, loop,
                                mcpi_str_z(options->tokens), err);
    verifier->options.tokens = NULL; /* the program's */
  }
  if (rc == 0) {
    rc = mcpi_jwt_checker_init(&verifier->jwts, loop, options, err);
  }
  if (rc == 0) {
    verifier->proofs = mcpi_proofs_new(loop, options, err);
    rc = verifier->proofs != NULL ? 0 : MCP_ERR_NOMEM;
  }
  return rc;
}

mcpi_verifier *mcpi_verifier_new(mcp_loop *loop,
                                 const mcp_protect_options *options,
                                 mcp_error *err) {
  mcpi_verifier *verifier = mcpi_calloc(&loop->allocator, 1, sizeof(*verifier));
  if (verifier == NULL) {
    mcpi_no_memory(err);
    return NULL;
  }
  verifier->loop = loop;
  mcpi_list_init(&verifier->waits);
  mcpi_asks_init(&verifier->asks, loop);
  if (mcpi_protect_copy(&verifier->options, options, &loop->allocator, err) !=
      0) {
    mcpi_free(&loop->allocator, verifier, sizeof(*verifier));
    return NULL;
  }
  mcpi_token_cache_init(&verifier->cache, loop, verifier->options.max_tokens);
  if (verifier_fill(verifier, err) != 0) {
    mcpi_verifier_free(verifier);
    return NULL;
  }
  mcpi_nonces_init(&verifier->nonces, loop,
                   mcpi_proofs_nonce_key(verifier->proofs));
  return verifier;
}

void mcpi_verifier_free(mcpi_verifier *verifier) {
  if (verifier == NULL) {
    return;
  }
  mcp_loop *loop = verifier->loop;
  while (!mcpi_list_is_empty(&verifier->waits)) {
    mcpi_verifier_cancel(
        MCPI_CONTAINER(verifier->waits.next, mcpi_token_wait, link));
  }
  mcpi_asks_deinit(&verifier->asks);
  mcpi_quota_unref(verifier->checks);
  mcpi_token_cache_deinit(&verifier->cache);
  mcpi_jwt_checker_deinit(&verifier->jwts);
  mcpi_fixed_tokens_deinit(&verifier->tokens);
  mcpi_proofs_unref(verifier->proofs);
  mcpi_protect_deinit(&verifier->options, &loop->allocator);
  mcpi_free(&loop->allocator, verifier, sizeof(*verifier));
}

const mcp_protect_options *
mcpi_verifier_options(const mcpi_verifier *verifier) {
  return &verifier->options;
}

mcpi_proofs *mcpi_verifier_proofs(const mcpi_verifier *verifier) {
  return verifier->proofs;
}

void mcpi_verifier_share(mcpi_verifier *verifier, mcpi_proofs *proofs) {
  mcpi_proofs_ref(proofs);
  mcpi_proofs_unref(verifier->proofs);
  verifier->proofs = proofs;
  mcpi_nonces_init(&verifier->nonces, verifier->loop,
                   mcpi_proofs_nonce_key(proofs));
}

/* --- the verdict -------------------------------------------------------- */

/* The token is valid: does the request have all that it needs? */
static void request_check_judge(mcpi_request_check *check, mcpi_grant *grant) {
  const mcp_protect_options *options = &check->verifier->options;
  if (!mcpi_request_check_admit_binding(check, grant) ||
      !mcpi_request_check_use_proof(check, grant)) {
    return;
  }
  if (!mcpi_grant_covers(grant, options->scopes)) {
    const mcpi_refusal refusal = {
        .status = 403,
        .error = "insufficient_scope",
        .description = "the token lacks a scope that this server needs",
        .scopes = mcpi_str_z(options->scopes),
        .is_dpop = check->scheme == MCPI_SCHEME_DPOP};
    mcpi_request_check_refuse(check, &refusal);
    return;
  }
  mcpi_token_result result = {.grant = mcpi_grant_ref(grant), .reason = ""};
  mcpi_request_check_report(check, &result);
  mcpi_grant_unref(grant);
}

/* --- waiting ------------------------------------------------------------ */

static void request_check_ask(mcpi_request_check *check);

/* The keys are there, or cannot be had: begins again, since another check of
 * the same token may have filled the cache. */
static void request_check_on_keys(mcpi_keys_wait *wait) {
  mcpi_request_check *check =
      MCPI_CONTAINER(wait, mcpi_request_check, keys_wait);
  mcpi_grant *grant =
      mcpi_token_cache_get(&check->verifier->cache, &check->key);
  if (grant != NULL) {
    request_check_judge(check, grant);
  } else {
    request_check_ask(check);
  }
}

static void request_check_on_answer(mcpi_ask_wait *wait,
                                    const mcpi_ask_answer *answer) {
  mcpi_request_check *check =
      MCPI_CONTAINER(wait, mcpi_request_check, ask_wait);
  if (answer->rc != 0) {
    mcpi_request_check_fail(check, answer->rc, answer->why);
    return;
  }
  mcpi_token_cache_put(&check->verifier->cache, &check->key, answer->grant,
                       answer->fresh_ms);
  request_check_judge(check, answer->grant);
}

/* Counts a check that is parked. Returns 0, MCP_ERR_LIMIT or MCP_ERR_NOMEM. */
static int request_check_count(mcpi_request_check *parked,
                               const mcpi_token_request *request) {
  mcpi_quota *checks = parked->verifier->checks;
  int rc = mcpi_share_init(&parked->share, checks, request->principal,
                           request->peer);
  if (rc == 0 &&
      !mcpi_share_add_one(&parked->share, MCPI_HELD_CHECKS, checks->max)) {
    rc = MCP_ERR_LIMIT;
  }
  return rc;
}

/* Copies the check to the heap, because its token must be verified first.
 * Returns 0 with *out, MCP_ERR_LIMIT or MCP_ERR_NOMEM. */
static int request_check_park(const mcpi_request_check *check,
                              const mcpi_token_request *request,
                              mcpi_request_check **out) {
  mcpi_verifier *verifier = check->verifier;
  const mcp_allocator *allocator = &verifier->loop->allocator;
  mcpi_request_check *parked = mcpi_alloc(allocator, sizeof(*parked));
  if (parked == NULL) {
    return MCP_ERR_NOMEM;
  }
  *parked = *check;
  int rc = request_check_count(parked, request);
  if (rc == 0) {
    parked->text =
        mcpi_alloc(allocator, check->token.len + check->resource.len);
    rc = parked->text != NULL ? 0 : MCP_ERR_NOMEM;
  }
  if (rc != 0) {
    mcpi_share_deinit(&parked->share);
    mcpi_free(allocator, parked, sizeof(*parked));
    return rc;
  }
  memcpy(parked->text, check->token.ptr, check->token.len);
  memcpy(parked->text + check->token.len, check->resource.ptr,
         check->resource.len);
  parked->token.ptr = parked->text;
  parked->resource.ptr = parked->text + check->token.len;
  parked->keys_wait.on_ready = request_check_on_keys;
  parked->ask_wait.on_answer = request_check_on_answer;
  mcpi_list_init(&parked->keys_wait.link);
  mcpi_list_init(&parked->ask_wait.link);
  parked->wait->state = parked;
  mcpi_list_append(&verifier->waits, &parked->wait->link);
  *out = parked;
  return 0;
}

/* --- asking ------------------------------------------------------------- */

static void request_check_ask_program(mcpi_request_check *check) {
  mcpi_verifier *verifier = check->verifier;
  int rc = mcpi_token_check_begin(&verifier->asks, verifier->loop,
                                  &verifier->options, check->token, &check->key,
                                  &check->share, &check->ask_wait);
  if (rc != 0) {
    mcpi_request_check_fail(check, rc, NULL);
  }
}

static void request_check_introspect(mcpi_request_check *check) {
  mcpi_verifier *verifier = check->verifier;
  const mcp_protect_options *options = &verifier->options;
  mcp_error why = {0};
  const char *issuer = verifier->jwts.count > 1 ? options->issuer : NULL;
  int rc = mcpi_introspect(&verifier->asks, verifier->loop, options,
                           check->token, check->resource, issuer, &check->key,
                           &check->share, &check->ask_wait, &why);
  if (rc != 0) {
    mcpi_request_check_fail(check, rc, why.message);
  }
}

/* Forgets tokens that may be signed by a key that its issuer has taken away. */
static void verifier_follow_keys(mcpi_verifier *verifier) {
  uint64_t version = mcpi_jwt_checker_version(&verifier->jwts);
  if (version != verifier->keys_version) {
    verifier->keys_version = version;
    mcpi_token_cache_clear(&verifier->cache);
  }
}

static void request_check_verify(mcpi_request_check *check) {
  mcpi_verifier *verifier = check->verifier;
  mcp_error why = {0};
  mcpi_grant *grant = NULL;
  int rc =
      mcpi_jwt_checker_check(&verifier->jwts, check->token, check->resource,
                             &check->keys_wait, &grant, &why);
  if (rc == MCP_PENDING) {
    return;
  }
  if (rc != 0) {
    mcpi_request_check_fail(check, rc, why.message);
    return;
  }
  verifier_follow_keys(verifier);
  mcpi_token_cache_put(&verifier->cache, &check->key, grant,
                       check->keys_wait.fresh_ms);
  request_check_judge(check, grant);
  mcpi_grant_unref(grant);
}

/* Which of the ways of mcp_protect_options the token takes. */
static void request_check_ask(mcpi_request_check *check) {
  mcpi_verifier *verifier = check->verifier;
  const mcp_protect_options *options = &verifier->options;
  int is_jwt =
      verifier->jwts.count > 0 && mcpi_jwt_checker_is_jwt(check->token);
  if (mcpi_asks_join(&verifier->asks, &check->key, &check->ask_wait)) {
    return;
  }
  if (options->check_token != NULL) {
    request_check_ask_program(check);
  } else if (is_jwt || options->introspection_endpoint == NULL) {
    request_check_verify(check);
  } else {
    request_check_introspect(check);
  }
}

/* --- the beginning ------------------------------------------------------ */

static const char no_valid_token[] =
    "the header Authorization has no valid token";

/* Refuses what needs no look at the token. Returns 1 if the check goes on. */
static int request_check_admit_headers(mcpi_request_check *check,
                                       const mcpi_token_request *request) {
  const mcp_protect_options *options = &check->verifier->options;
  check->scheme = mcpi_credentials_read(request->authorization, &check->token);
  if (request->is_repeated) {
    mcpi_request_check_refuse_request(check,
                                      "the header Authorization or DPoP occurs "
                                      "twice");
    return 0;
  }
  if (check->scheme == MCPI_SCHEME_NONE) {
    const mcpi_refusal refusal = {.status = 401,
                                  .scopes = mcpi_str_z(options->scopes)};
    mcpi_request_check_refuse(check, &refusal);
    return 0;
  }
  if (check->scheme == MCPI_SCHEME_BROKEN) {
    mcpi_request_check_refuse_request(check, no_valid_token);
    return 0;
  }
  if (check->token.len > MCPI_JWT_MAX) {
    mcpi_request_check_refuse_token(check, "invalid_token",
                                    "the token is too long");
    return 0;
  }
  return 1;
}

/* Returns 1 if the check goes on. */
static int request_check_admit_text(mcpi_request_check *check) {
  if (mcpi_credentials_is_token(check->token)) {
    return 1;
  }
  mcpi_request_check_refuse_request(check, no_valid_token);
  return 0;
}

/* Returns what is known of the token; NULL: nothing. */
static mcpi_grant *request_check_look_up(const mcpi_request_check *check) {
  mcpi_verifier *verifier = check->verifier;
  verifier_follow_keys(verifier);
  mcpi_grant *grant = mcpi_token_cache_get(&verifier->cache, &check->key);
  if (grant == NULL) {
    grant = mcpi_fixed_tokens_find(&verifier->tokens, &check->key);
  }
  return grant;
}

/* Returns 1 if the check goes on. */
static int request_check_admit_rate(mcpi_request_check *check,
                                    const mcpi_token_request *request) {
  if (request->may_check == NULL || request->may_check(check->wait) ||
      mcpi_token_cache_has(&check->verifier->cache, &check->key)) {
    return 1;
  }
  const mcpi_refusal refusal = {.status = 429,
                                .description = "too many requests"};
  mcpi_request_check_refuse(check, &refusal);
  return 0;
}

/* Checks a token that is not known. */
static void request_check_begin(mcpi_request_check *check,
                                const mcpi_token_request *request) {
  mcpi_request_check *parked = NULL;
  int rc = request_check_park(check, request, &parked);
  if (rc == 0) {
    request_check_ask(parked);
  } else if (rc == MCP_ERR_LIMIT) {
    mcpi_request_check_refuse_for_now(check,
                                      "too many tokens wait for a check");
  } else {
    mcpi_request_check_fail(check, rc, NULL);
  }
}

/* Sets the key of the token. Returns 1 if the check goes on. */
static int request_check_set_key(mcpi_request_check *check) {
  mcpi_verifier *verifier = check->verifier;
  mcpi_str resource = mcpi_str_z(NULL);
  if (verifier->options.resource == NULL) {
    resource = check->resource;
  }
  int rc = mcpi_token_key_make(&check->key, verifier->loop, check->token,
                               resource, &verifier->last_resource);
  if (rc != 0) {
    mcpi_request_check_fail(check, rc, NULL);
  }
  return rc == 0;
}

static void request_check_run(mcpi_request_check *check,
                              const mcpi_token_request *request) {
  if (!request_check_admit_headers(check, request) ||
      !request_check_set_key(check)) {
    return;
  }
  mcpi_grant *grant = request_check_look_up(check);
  if (grant == NULL && (!request_check_admit_text(check) ||
                        !request_check_admit_rate(check, request))) {
    return;
  }
  if (!mcpi_request_check_admit_proof(check, request)) {
    return;
  }
  if (grant != NULL) {
    request_check_judge(check, grant);
  } else {
    request_check_begin(check, request);
  }
}

void mcpi_verifier_check(mcpi_verifier *verifier,
                         const mcpi_token_request *request,
                         mcpi_token_wait *wait, mcpi_token_done_cb on_done) {
  mcpi_request_check check = {
      .verifier = verifier, .wait = wait, .resource = request->resource};
  if (verifier->options.resource != NULL) {
    check.resource = mcpi_str_z(verifier->options.resource);
  }
  *wait = (mcpi_token_wait){.on_done = on_done};
  mcpi_list_init(&wait->link);
  request_check_run(&check, request);
}

/* --- what the endpoint writes ------------------------------------------- */

static mcpi_str verifier_resource(const mcpi_verifier *verifier,
                                  mcpi_str resource) {
  const char *ours = verifier->options.resource;
  return ours != NULL ? mcpi_str_z(ours) : resource;
}

void mcpi_verifier_put_scope_challenge(const mcpi_verifier *verifier,
                                       const mcpi_grant *grant, mcpi_buf *buf,
                                       mcpi_str resource, mcpi_str scopes) {
  const mcpi_refusal refusal = {
      .status = 403,
      .error = "insufficient_scope",
      .description = "the token lacks a scope that this request needs",
      .scopes = scopes,
      .is_dpop = grant->thumbprint[0] != '\0'};
  mcpi_refusal_put_challenge(buf, &verifier->options, &refusal,
                             verifier_resource(verifier, resource));
}

int mcpi_verifier_has_metadata(const mcpi_verifier *verifier) {
  return mcpi_resource_has_metadata(&verifier->options);
}

int mcpi_verifier_put_metadata(const mcpi_verifier *verifier, mcpi_buf *buf,
                               mcpi_str resource) {
  return mcpi_resource_metadata_put(buf, &verifier->options,
                                    verifier_resource(verifier, resource));
}
