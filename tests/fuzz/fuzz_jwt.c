/* SPDX-License-Identifier: MIT */
/* JSON Web Tokens. The input is a token; or, if it has a line break, the JSON
 * of a header and, after the line break, that of the claims. */
#include "auth/jwt.h"

#include "base/base64.h"
#include "fake_crypto.h"
#include "support/failing_alloc.h"

static void check(int condition) {
  if (!condition) {
    abort();
  }
}

/* Appends the token with a signature of 64 zero bytes. */
static void put_token(mcpi_buf *to, mcpi_str text) {
  static const uint8_t zeros[64] = {0};
  const char *end = text.len > 0 ? memchr(text.ptr, '\n', text.len) : NULL;
  if (end == NULL) {
    mcpi_buf_puts(to, text);
    return;
  }
  size_t len = (size_t)(end - text.ptr);
  mcpi_base64url_put(to, text.ptr, len);
  mcpi_buf_putc(to, '.');
  mcpi_base64url_put(to, end + 1, text.len - len - 1);
  mcpi_buf_putc(to, '.');
  mcpi_base64url_put(to, zeros, sizeof(zeros));
}

/* --- what a token must be ------------------------------------------------- */

static void look_at_claims(const mcp_json *claims) {
  static const char *const names[] = {"exp", "nbf", "iat"};
  for (size_t i = 0; i < 3; i++) {
    int64_t ms = -1;
    int rc = mcpi_jwt_time(claims, names[i], &ms);
    check(rc == 0 ? ms >= 0 && ms < INT64_C(1000000000000000) : ms == -1);
    check((rc == MCP_ERR_NOT_FOUND) ==
          (mcp_json_get(claims, names[i]) == NULL));
  }
  if (mcpi_jwt_has_audience(claims, "a")) {
    check(mcp_json_get(claims, "aud") != NULL);
  }
}

/* A key of another kind is never right. */
static void verify(const mcpi_jwt *jwt, mcp_loop *loop) {
  for (uint32_t kind = MCP_KEY_P256; kind <= MCP_KEY_ED25519; kind++) {
    mcp_key *key = NULL;
    check(fake_key_generate(NULL, kind, &key) == 0);
    int rc = mcpi_jwt_verify(jwt, loop, key);
    int is_right = kind == mcpi_jwt_algorithm_kind(jwt->algorithm) &&
                   jwt->signature_len == 64 && jwt->signature[63] % 2 == 0;
    check(rc == (is_right ? 0 : MCP_ERR_REFUSED));
    fake_key_free(NULL, key);
  }
}

static void look_at(const mcpi_jwt *jwt, mcpi_str text, mcp_loop *loop) {
  const mcp_json *header = mcp_doc_root(jwt->header);
  check(text.len <= MCPI_JWT_MAX);
  check(mcp_json_type(header) == MCP_JSON_OBJECT);
  check(mcp_json_type(mcp_doc_root(jwt->claims)) == MCP_JSON_OBJECT);
  check(strcmp(mcp_json_string(mcp_json_get(header, "alg")),
               mcpi_jwt_algorithm_name(jwt->algorithm)) == 0);
  check(mcp_json_get(header, "crit") == NULL);
  check((jwt->kid == NULL) == (mcp_json_get(header, "kid") == NULL));
  check(jwt->signed_part.ptr == text.ptr && jwt->signed_part.len < text.len &&
        text.ptr[jwt->signed_part.len] == '.');
  check(jwt->signature_len > 0 && jwt->signature_len <= MCP_SIGNATURE_MAX);
  look_at_claims(mcp_doc_root(jwt->claims));
  verify(jwt, loop);
}

/* --- reading -------------------------------------------------------------- */

static int read_token(mcpi_str text, const mcp_allocator *allocator,
                      mcp_loop *loop) {
  mcpi_jwt jwt;
  mcp_error err = {0};
  int rc = mcpi_jwt_read(&jwt, text, allocator, &err);
  check(rc == 0 || (rc == err.code && err.message[0] != '\0'));
  if (rc == 0) {
    look_at(&jwt, text, loop);
    mcpi_jwt_deinit(&jwt);
  }
  return rc;
}

static void read_without_memory(mcpi_str text, mcp_loop *loop) {
  for (size_t i = 1; i <= 5; i++) {
    failing_alloc alloc;
    failing_alloc_init(&alloc);
    alloc.fail_at = i;
    int rc = read_token(text, &alloc.allocator, loop);
    check(rc == MCP_ERR_NOMEM || alloc.failures == 0 || rc == MCP_ERR_INVALID);
    check(alloc.live_blocks == 0);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
  mcp_loop *loop = mcp_loop_new_manual(&fake_platform, NULL, NULL);
  mcpi_buf token;
  mcpi_buf_init(&token, mcp_allocator_default(), SIZE_MAX);
  put_token(&token, mcpi_str_n((const char *)data, len));
  int rc = read_token(mcpi_buf_str(&token), mcp_allocator_default(), loop);
  check(rc == 0 || rc == MCP_ERR_INVALID);
  read_without_memory(mcpi_buf_str(&token), loop);
  mcpi_buf_deinit(&token);
  mcp_loop_free(loop);
  return 0;
}
