/* SPDX-License-Identifier: MIT */
#include "auth/client/client_jwt.h"

#include "auth/jwt.h"
#include "base/error.h"
#include <mcp/json.h>
#include <mcp/sys/crypto.h>

/* Returns MCP_SIGN_*; 0: there is no such algorithm. */
static uint32_t client_jwt_algorithm(const mcp_loop *loop, const mcp_key *key,
                                     const char *wanted) {
  mcp_key_parts parts;
  if (wanted != NULL) {
    return mcpi_jwt_algorithm(wanted);
  }
  loop->platform.crypto->key_parts(loop->platform.userdata, key, &parts);
  switch (parts.kind) {
  case MCP_KEY_RSA:
    return MCP_SIGN_PS256;
  case MCP_KEY_P256:
    return MCP_SIGN_ES256;
  case MCP_KEY_ED25519:
    return MCP_SIGN_EDDSA;
  default:
    return 0;
  }
}

static void put_header(mcp_builder *builder, const mcp_auth_options *options,
                       uint32_t algorithm) {
  mcp_builder_object(builder, NULL);
  mcp_builder_string(builder, "alg", mcpi_jwt_algorithm_name(algorithm));
  mcp_builder_string(builder, "typ", "JWT");
  if (options->key_id != NULL) {
    mcp_builder_string(builder, "kid", options->key_id);
  }
  mcp_builder_end(builder);
}

static void put_claims(mcp_builder *builder, const mcp_loop *loop,
                       const char *client_id, const char *issuer,
                       const char *id) {
  int64_t now_s = mcpi_loop_wall(loop) / 1000;
  mcp_builder_object(builder, NULL);
  mcp_builder_string(builder, "iss", client_id);
  mcp_builder_string(builder, "sub", client_id);
  mcp_builder_string(builder, "aud", issuer);
  mcp_builder_string(builder, "jti", id);
  mcp_builder_int(builder, "iat", now_s);
  mcp_builder_int(builder, "exp", now_s + MCPI_CLIENT_JWT_LIFETIME_S);
  mcp_builder_end(builder);
}

/* Returns 0 or an MCP_ERR_*. */
static int client_jwt_sign(mcpi_buf *to, mcp_loop *loop, const mcp_key *key,
                           uint32_t algorithm, mcp_builder *header,
                           mcp_builder *claims) {
  mcpi_str parts[2];
  parts[0].ptr = mcp_builder_text(header, &parts[0].len);
  parts[1].ptr = mcp_builder_text(claims, &parts[1].len);
  for (size_t i = 0; i < 2; i++) {
    if (parts[i].ptr == NULL) {
      return mcp_builder_error(i == 0 ? header : claims)->code;
    }
  }
  return mcpi_jwt_put(to, loop, key, algorithm, parts[0], parts[1]);
}

static int client_jwt_make(mcpi_buf *to, mcp_loop *loop, const mcp_key *key,
                           const mcp_auth_options *options,
                           const char *client_id, const char *issuer) {
  char id[MCPI_RANDOM_TEXT_SIZE];
  uint32_t algorithm = client_jwt_algorithm(loop, key, options->key_algorithm);
  if (algorithm == 0) {
    return MCP_ERR_INVALID;
  }
  int rc = mcpi_random_text(loop, 16, id);
  if (rc != 0) {
    return rc;
  }
  mcp_builder *header = mcp_builder_new(&loop->allocator, NULL);
  mcp_builder *claims = mcp_builder_new(&loop->allocator, NULL);
  put_header(header, options, algorithm);
  put_claims(claims, loop, client_id, issuer, id);
  rc = client_jwt_sign(to, loop, key, algorithm, header, claims);
  mcp_builder_free(header);
  mcp_builder_free(claims);
  return rc;
}

int mcpi_client_jwt_put(mcpi_buf *to, mcp_loop *loop,
                        const mcp_auth_options *options, const char *client_id,
                        const char *issuer, mcp_error *err) {
  const mcp_platform *platform = &loop->platform;
  const char *pem = options->private_key;
  mcp_key *key = NULL;
  if (pem == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "private_key is NULL");
  }
  int rc = platform->crypto->key_from_pem(platform->userdata, pem, strlen(pem),
                                          &key);
  if (rc == MCP_ERR_INVALID) {
    return mcp_error_set(err, rc, "private_key is not a key in PEM");
  }
  if (rc == 0) {
    rc = client_jwt_make(to, loop, key, options, client_id, issuer);
    platform->crypto->key_free(platform->userdata, key);
  }
  if (rc == MCP_ERR_INVALID) {
    return mcp_error_set(err, rc, "private_key cannot make signatures %s",
                         options->key_algorithm != NULL
                             ? options->key_algorithm
                             : "of a kind that we know");
  }
  return mcpi_error_complete(err, rc);
}
