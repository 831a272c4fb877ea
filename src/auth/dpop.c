/* SPDX-License-Identifier: MIT */
#include "auth/dpop.h"

#include "auth/web_url.h"
#include "base/error.h"

enum {
  JTI_MAX = 1024,
  NONCE_MAX = 1024,
  RANDOM_BYTES = 16, /* of a jti */
  /* The sender of a proof chooses its key. A longer one makes the check slow:
   * with 8192 bits and a long exponent it takes 20 times as long. */
  RSA_MAX_BYTES = 4096 / 8,
  RSA_EXPONENT_MAX = 3
};

/* --- making --------------------------------------------------------------- */

static mcpi_str without_query(mcpi_str url) {
  size_t len = 0;
  while (len < url.len && url.ptr[len] != '?' && url.ptr[len] != '#') {
    len++;
  }
  return mcpi_str_n(url.ptr, len);
}

static uint32_t algorithm_of(mcp_loop *loop, const mcp_key *key) {
  const mcp_platform *platform = &loop->platform;
  mcp_key_parts parts;
  platform->crypto->key_parts(platform->userdata, key, &parts);
  return parts.kind == MCP_KEY_ED25519 ? MCP_SIGN_EDDSA : MCP_SIGN_ES256;
}

static void put_header(mcp_loop *loop, const mcp_key *key, uint32_t algorithm,
                       mcp_builder *header) {
  mcp_builder_object(header, NULL);
  mcp_builder_string(header, "typ", "dpop+jwt");
  mcp_builder_string(header, "alg", mcpi_jwt_algorithm_name(algorithm));
  mcpi_jwk_write(loop, key, header, "jwk");
  mcp_builder_end(header);
}

/* Returns 0 or an MCP_ERR_*. Errors of the builder are in it. */
static int put_claims(mcp_loop *loop, const mcpi_dpop_claims *claims,
                      mcp_builder *builder) {
  char jti[MCPI_RANDOM_TEXT_SIZE];
  char ath[MCPI_THUMBPRINT_SIZE];
  mcpi_str url = without_query(claims->url);
  int rc = mcpi_random_text(loop, RANDOM_BYTES, jti);
  if (rc == 0 && claims->access_token.ptr != NULL) {
    rc = mcpi_hash_text(loop, claims->access_token, ath);
  }
  if (rc != 0) {
    return rc;
  }
  mcp_builder_object(builder, NULL);
  mcp_builder_string(builder, "jti", jti);
  mcp_builder_string(builder, "htm", claims->method);
  mcp_builder_string_n(builder, "htu", url.ptr, url.len);
  mcp_builder_int(builder, "iat", mcpi_loop_wall(loop) / 1000);
  if (claims->access_token.ptr != NULL) {
    mcp_builder_string(builder, "ath", ath);
  }
  if (claims->nonce != NULL) {
    mcp_builder_string(builder, "nonce", claims->nonce);
  }
  mcp_builder_end(builder);
  return 0;
}

static int sign_proof(mcpi_buf *to, mcp_loop *loop, const mcp_key *key,
                      uint32_t algorithm, mcp_builder *header,
                      mcp_builder *claims) {
  size_t header_len;
  size_t claims_len;
  const char *header_text = mcp_builder_text(header, &header_len);
  const char *claims_text = mcp_builder_text(claims, &claims_len);
  if (header_text == NULL) {
    return MCP_ERR_NOMEM;
  }
  if (claims_text == NULL) { /* no memory, or a text that is not UTF-8 */
    return mcp_builder_error(claims)->code;
  }
  return mcpi_jwt_put(to, loop, key, algorithm,
                      mcpi_str_n(header_text, header_len),
                      mcpi_str_n(claims_text, claims_len));
}

int mcpi_dpop_put(mcpi_buf *to, mcp_loop *loop, const mcp_key *key,
                  const mcpi_dpop_claims *claims) {
  uint32_t algorithm = algorithm_of(loop, key);
  mcp_builder *header = mcp_builder_new(&loop->allocator, NULL);
  mcp_builder *body = mcp_builder_new(&loop->allocator, NULL);
  int rc = MCP_ERR_NOMEM;
  if (header != NULL && body != NULL) {
    put_header(loop, key, algorithm, header);
    rc = put_claims(loop, claims, body);
  }
  if (rc == 0) {
    rc = sign_proof(to, loop, key, algorithm, header, body);
  }
  mcp_builder_free(header);
  mcp_builder_free(body);
  return rc;
}

/* --- checking ------------------------------------------------------------- */

static int refuse_proof(mcp_error *err, const char *why) {
  return mcp_error_set(err, MCP_ERR_INVALID, "the DPoP proof %s", why);
}

static int has_private_part(const mcp_json *jwk) {
  static const char *const names[] = {"d",  "p",  "q", "dp",
                                      "dq", "qi", "k", "oth"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    if (mcp_json_get(jwk, names[i]) != NULL) {
      return 1;
    }
  }
  return 0;
}

/* The key may name its algorithm, which then is that of the proof. */
static int has_other_algorithm(const mcp_json *jwk, const mcpi_jwt *jwt) {
  const mcp_json *name = mcp_json_get(jwk, "alg");
  return name != NULL &&
         mcpi_jwt_algorithm(mcp_json_string(name)) != jwt->algorithm;
}

static int is_quick_key(mcp_loop *loop, const mcp_key *key) {
  const mcp_platform *platform = &loop->platform;
  mcp_key_parts parts;
  platform->crypto->key_parts(platform->userdata, key, &parts);
  return parts.kind != MCP_KEY_RSA || (parts.first_len <= RSA_MAX_BYTES &&
                                       parts.second_len <= RSA_EXPONENT_MAX);
}

/* Returns 0, MCP_ERR_INVALID, MCP_ERR_REFUSED, MCP_ERR_NOMEM or
 * MCP_ERR_PLATFORM. */
static int verify_with(mcpi_dpop_proof *out, mcp_loop *loop,
                       const mcpi_jwt *jwt, const mcp_json *jwk) {
  const mcp_platform *platform = &loop->platform;
  mcp_key *key = NULL;
  int rc = mcpi_jwk_read(loop, jwk, &key);
  if (rc == 0 && !is_quick_key(loop, key)) {
    rc = MCP_ERR_INVALID;
  }
  if (rc == 0) {
    rc = mcpi_jwt_verify(jwt, loop, key);
  }
  if (rc == 0) {
    rc = mcpi_jwk_thumbprint(loop, key, out->thumbprint);
  }
  platform->crypto->key_free(platform->userdata, key);
  return rc;
}

int mcpi_dpop_verify(mcpi_dpop_proof *proof, const mcpi_jwt *jwt,
                     mcp_loop *loop, mcp_error *err) {
  const mcp_json *jwk = mcp_json_get(mcp_doc_root(jwt->header), "jwk");
  if (jwk == NULL || has_private_part(jwk)) {
    return refuse_proof(err, "has no public key (jwk)");
  }
  if (has_other_algorithm(jwk, jwt)) {
    return refuse_proof(err, "has a key (jwk) for another algorithm");
  }
  int rc = verify_with(proof, loop, jwt, jwk);
  if (rc == MCP_ERR_INVALID) {
    return refuse_proof(err, "has a key (jwk) that is not supported");
  }
  if (rc == MCP_ERR_REFUSED) {
    return refuse_proof(err, "has a wrong signature");
  }
  if (rc != 0) {
    mcp_error_set(err, rc, "%s", mcp_error_text(rc));
  }
  return rc;
}

/* Returns a claim that is a string; ptr NULL: it is not, or has a NUL. */
static mcpi_str claim_string(const mcpi_jwt *jwt, const char *name) {
  size_t len;
  const char *text =
      mcp_json_string_n(mcp_json_get(mcp_doc_root(jwt->claims), name), &len);
  mcpi_str found = mcpi_str_n(text, len);
  return mcpi_str_has_nul(found) ? mcpi_str_z(NULL) : found;
}

/* Whether the claim is absent, or a string without NUL. */
static int may_be_claim(const mcpi_jwt *jwt, const char *name) {
  return claim_string(jwt, name).ptr != NULL ||
         mcp_json_get(mcp_doc_root(jwt->claims), name) == NULL;
}

/* The hash is not secret, so it is compared as other texts are. */
static int check_token_hash(mcp_loop *loop, const mcpi_jwt *jwt,
                            mcpi_str access_token, mcp_error *err) {
  char wanted[MCPI_THUMBPRINT_SIZE];
  if (access_token.ptr == NULL) {
    return 0;
  }
  int rc = mcpi_hash_text(loop, access_token, wanted);
  if (rc != 0) {
    return mcp_error_set(err, rc, "%s", mcp_error_text(rc));
  }
  return mcpi_str_eq(claim_string(jwt, "ath"), mcpi_str_z(wanted))
             ? 0
             : refuse_proof(err, "is for another token (ath)");
}

static int check_request(mcp_loop *loop, const mcpi_jwt *jwt,
                         const mcpi_dpop_claims *claims, mcp_error *err) {
  if (!mcpi_str_eq(claim_string(jwt, "htm"), mcpi_str_z(claims->method))) {
    return refuse_proof(err, "is for another method (htm)");
  }
  if (!mcpi_web_url_is_same_target(claim_string(jwt, "htu"), claims->url)) {
    return refuse_proof(err, "is for another URL (htu)");
  }
  return check_token_hash(loop, jwt, claims->access_token, err);
}

static int check_time(mcpi_dpop_proof *out, mcp_loop *loop, const mcpi_jwt *jwt,
                      int64_t window_ms, mcp_error *err) {
  int64_t wall_ms = mcpi_loop_wall(loop);
  if (mcpi_jwt_time(mcp_doc_root(jwt->claims), "iat", &out->iat_ms) != 0) {
    return refuse_proof(err, "has no time (iat)");
  }
  uint64_t apart_ms = out->iat_ms > wall_ms
                          ? (uint64_t)out->iat_ms - (uint64_t)wall_ms
                          : (uint64_t)wall_ms - (uint64_t)out->iat_ms;
  if (window_ms < 0 || apart_ms > (uint64_t)window_ms) {
    return refuse_proof(err, "is too old, or from the future (iat)");
  }
  return 0;
}

static int take_names(mcpi_dpop_proof *out, mcp_loop *loop, const mcpi_jwt *jwt,
                      mcp_error *err) {
  mcpi_str jti = claim_string(jwt, "jti");
  mcpi_str nonce = claim_string(jwt, "nonce");
  if (jti.len == 0 || jti.len > JTI_MAX) {
    return refuse_proof(err, "has no id (jti) of 1 to 1024 bytes");
  }
  if (!may_be_claim(jwt, "nonce") || nonce.len > NONCE_MAX) {
    return refuse_proof(err, "has a nonce that is not valid");
  }
  int rc = mcpi_hash_text(loop, jti, out->jti_hash);
  if (rc != 0) {
    return mcp_error_set(err, rc, "%s", mcp_error_text(rc));
  }
  out->nonce = mcpi_strndup(&loop->allocator, nonce.ptr, nonce.len);
  return nonce.ptr != NULL && out->nonce == NULL ? mcpi_no_memory(err) : 0;
}

static int check_jwt(mcpi_dpop_proof *out, mcp_loop *loop, const mcpi_jwt *jwt,
                     const mcpi_dpop_claims *claims, int64_t window_ms,
                     mcp_error *err) {
  if (jwt->type == NULL || strcmp(jwt->type, "dpop+jwt") != 0) {
    return refuse_proof(err, "is of another type (typ)");
  }
  int rc = check_request(loop, jwt, claims, err);
  if (rc == 0) {
    rc = check_time(out, loop, jwt, window_ms, err);
  }
  return rc == 0 ? take_names(out, loop, jwt, err) : rc;
}

int mcpi_dpop_read(mcpi_dpop_proof *out, mcpi_jwt *jwt, mcp_loop *loop,
                   mcpi_str text, const mcpi_dpop_claims *claims,
                   int64_t window_ms, mcp_error *err) {
  mcpi_dpop_proof proof = {.nonce = NULL};
  mcp_error why;
  if (loop->platform.crypto == NULL) {
    return mcp_error_set(err, MCP_ERR_PLATFORM, "mcp_platform.crypto is NULL");
  }
  if (text.len > 0 && memchr(text.ptr, ',', text.len) != NULL) {
    return refuse_proof(err, "is not alone: send exactly one");
  }
  int rc = mcpi_jwt_read(jwt, text, &loop->allocator, &why);
  if (rc == MCP_ERR_NOMEM) {
    return mcpi_no_memory(err);
  }
  if (rc != 0) {
    return mcp_error_set(err, rc, "the DPoP proof is not a valid JWT: %s",
                         why.message);
  }
  rc = check_jwt(&proof, loop, jwt, claims, window_ms, err);
  if (rc != 0) {
    mcpi_jwt_deinit(jwt);
    return rc;
  }
  *out = proof;
  return 0;
}

void mcpi_dpop_proof_deinit(mcpi_dpop_proof *proof,
                            const mcp_allocator *allocator) {
  mcpi_strfree(allocator, proof->nonce);
  proof->nonce = NULL;
}
