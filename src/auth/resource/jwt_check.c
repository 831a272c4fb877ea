/* SPDX-License-Identifier: MIT */
#include "auth/resource/jwt_check.h"

#include "auth/resource/claims.h"
#include "base/error.h"
#include "codec/http_value.h"
#include "json/json.h"

/* --- life --------------------------------------------------------------- */

static size_t jwt_checker_count(const mcp_protect_options *options) {
  const char *const *more = options->more_issuers;
  size_t count = options->issuer != NULL ? 1 : 0;
  for (; more != NULL && *more != NULL; more++) {
    count++;
  }
  return count;
}

static const char *jwt_checker_issuer(const mcp_protect_options *options,
                                      size_t index) {
  return index == 0 ? options->issuer : options->more_issuers[index - 1];
}

int mcpi_jwt_checker_init(mcpi_jwt_checker *out, mcp_loop *loop,
                          const mcp_protect_options *options, mcp_error *err) {
  size_t count = jwt_checker_count(options);
  mcpi_jwt_checker checker = {.loop = loop, .options = options};
  if (count > 0) {
    checker.issuers = mcpi_calloc(&loop->allocator, count, sizeof(mcpi_keys *));
    if (checker.issuers == NULL) {
      return mcpi_no_memory(err);
    }
    checker.count = count;
  }
  for (size_t i = 0; i < count; i++) {
    mcp_error why = {0};
    checker.issuers[i] =
        mcpi_keys_new(loop, options, jwt_checker_issuer(options, i), &why);
    if (checker.issuers[i] == NULL) {
      mcpi_jwt_checker_deinit(&checker);
      return mcp_error_set(err, why.code, "%s", why.message);
    }
  }
  *out = checker;
  return 0;
}

void mcpi_jwt_checker_deinit(mcpi_jwt_checker *checker) {
  for (size_t i = 0; i < checker->count; i++) {
    mcpi_keys_free(checker->issuers[i]);
  }
  if (checker->issuers != NULL) {
    mcpi_free(&checker->loop->allocator, checker->issuers,
              checker->count * sizeof(mcpi_keys *));
  }
  *checker = (mcpi_jwt_checker){0};
}

uint64_t mcpi_jwt_checker_version(const mcpi_jwt_checker *checker) {
  uint64_t version = 0;
  for (size_t i = 0; i < checker->count; i++) {
    version += mcpi_keys_version(checker->issuers[i]);
  }
  return version;
}

/* --- the header --------------------------------------------------------- */

/* A JSON object that begins without a blank is "ey..." in base64url. Nobody
 * writes a blank there, and then the token is not taken for a JWT. */
int mcpi_jwt_checker_is_jwt(mcpi_str token) {
  return mcpi_jwt_has_three_parts(token) &&
         mcpi_str_starts_with(token, MCPI_STR("ey"));
}

/* RFC 9068, 4; RFC 8725, 3.11. A media type may lack "application/". Some
 * authorization servers write "JWT", or nothing. Tokens for other uses say what
 * they are, such as "dpop+jwt" and "logout+jwt", and are refused. */
static int jwt_checker_admits_type(const char *type, int only_at_jwt) {
  mcpi_str text = mcpi_str_z(type);
  mcpi_str name = MCPI_STR("application/");
  if (text.len > name.len &&
      mcpi_header_eq_nocase(mcpi_str_n(text.ptr, name.len), name)) {
    mcpi_str_take(&text, name.len);
  }
  if (mcpi_header_eq_nocase(text, MCPI_STR("at+jwt"))) {
    return 1;
  }
  return !only_at_jwt &&
         (type == NULL || mcpi_header_eq_nocase(text, MCPI_STR("JWT")));
}

/* --- ID tokens ---------------------------------------------------------- */

/* The claims by which tokens of OpenID Connect and RFC 8417 differ from access
 * tokens. protect.h explains the exception for `nonce`. */
static const char *jwt_checker_foreign_claim(const mcpi_jwt *jwt) {
  static const char *const names[] = {"at_hash", "c_hash", "s_hash", "events"};
  const mcp_json *claims = mcp_doc_root(jwt->claims);
  mcpi_str typ = mcpi_json_member_str(claims, "typ");
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    if (mcpi_json_get(claims, names[i]) != NULL) {
      return names[i];
    }
  }
  if (mcpi_json_get(claims, "nonce") != NULL &&
      !mcpi_header_eq_nocase(typ, MCPI_STR("Bearer"))) {
    return "nonce";
  }
  return NULL;
}

/* A token with `typ` "at+jwt" is an access token, whatever it contains. */
static int jwt_checker_admit_kind(const mcpi_jwt_checker *checker,
                                  const mcpi_jwt *jwt, mcp_error *err) {
  if (!jwt_checker_admits_type(jwt->type, checker->options->only_at_jwt)) {
    return mcp_error_set(err, MCP_ERR_REFUSED,
                         "the token is not an access token: its typ is wrong");
  }
  const char *claim = NULL;
  if (!jwt_checker_admits_type(jwt->type, 1)) {
    claim = jwt_checker_foreign_claim(jwt);
  }
  if (claim == NULL) {
    return 0;
  }
  return mcp_error_set(err, MCP_ERR_REFUSED,
                       "the token is not an access token: it has the claim %s",
                       claim);
}

/* --- the whole ---------------------------------------------------------- */

static mcpi_keys *jwt_checker_find(const mcpi_jwt_checker *checker,
                                   const mcp_json *claims) {
  mcpi_str issuer = mcpi_json_member_str(claims, "iss");
  for (size_t i = 0; i < checker->count; i++) {
    const char *known = mcpi_keys_issuer(checker->issuers[i]);
    if (mcpi_str_eq(issuer, mcpi_str_z(known))) {
      return checker->issuers[i];
    }
  }
  return NULL;
}

/* Looks at what the token says before at its signature: a token that would be
 * refused anyway must not make us fetch keys. */
static int jwt_checker_check_jwt(mcpi_jwt_checker *checker, mcpi_jwt *jwt,
                                 mcpi_str resource, mcpi_keys_wait *wait,
                                 mcpi_grant **out, mcp_error *err) {
  const mcp_json *claims = mcp_doc_root(jwt->claims);
  mcpi_claims_rules rules = {
      .loop = checker->loop, .options = checker->options, .resource = resource};
  mcpi_keys *keys = jwt_checker_find(checker, claims);
  if (keys == NULL) {
    return mcp_error_set(err, MCP_ERR_REFUSED,
                         "the token is of another issuer");
  }
  if (checker->count > 1) {
    rules.issuer = mcpi_keys_issuer(keys);
  }
  int rc = jwt_checker_admit_kind(checker, jwt, err);
  if (rc == 0) {
    rc = mcpi_claims_check(claims, &rules, err);
  }
  if (rc == 0) {
    rc = mcpi_keys_verify(keys, jwt, wait, err);
  }
  if (rc == 0) {
    rc = mcpi_claims_grant(out, jwt->claims, &rules, err);
  }
  if (rc == 0) {
    jwt->claims = NULL; /* taken */
  }
  return rc;
}

int mcpi_jwt_checker_check(mcpi_jwt_checker *checker, mcpi_str token,
                           mcpi_str resource, mcpi_keys_wait *wait,
                           mcpi_grant **out, mcp_error *err) {
  mcpi_jwt jwt;
  if (checker->count == 0 || !mcpi_jwt_checker_is_jwt(token)) {
    return mcp_error_set(err, MCP_ERR_REFUSED, "the token is not known");
  }
  int rc = mcpi_jwt_read(&jwt, token, &checker->loop->allocator, err);
  if (rc == MCP_ERR_INVALID) {
    return mcp_error_set(err, MCP_ERR_REFUSED,
                         "the token is not a JWT that this server accepts");
  }
  if (rc != 0) {
    return mcpi_error_complete(err, rc);
  }
  rc = jwt_checker_check_jwt(checker, &jwt, resource, wait, out, err);
  mcpi_jwt_deinit(&jwt);
  return rc;
}
