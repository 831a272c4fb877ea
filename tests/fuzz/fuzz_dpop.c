/* SPDX-License-Identifier: MIT */
/* DPoP proofs. The input is a proof; or, if it has a line break, the JSON of
 * its header and, after the line break, that of its claims. */
#include "auth/dpop.h"

#include "base/base64.h"
#include "fake_crypto.h"
#include "support/dpop_check.h"
#include "support/failing_alloc.h"

enum { WALL_S = 1562262616, WINDOW_MS = 300000 };

static void check(int condition) {
  if (!condition) {
    abort();
  }
}

/* Appends the proof with a signature of 64 zero bytes. */
static void put_proof(mcpi_buf *to, mcpi_str text) {
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

static mcp_loop *loop_with(const mcp_allocator *allocator) {
  mcp_loop *loop = mcp_loop_new_manual(&fake_platform, allocator, NULL);
  if (loop != NULL) {
    mcp_loop_advance(loop, 0, INT64_C(1000) * WALL_S);
  }
  return loop;
}

static int check_proof(mcp_loop *loop, mcpi_str text,
                       const mcpi_dpop_claims *claims) {
  mcpi_dpop_proof proof;
  mcp_error err = {0};
  int rc = dpop_check(&proof, loop, text, claims, WINDOW_MS, &err);
  check(rc == err.code && (rc == 0 || err.message[0] != '\0'));
  if (rc == 0) {
    int64_t apart_ms = proof.iat_ms - INT64_C(1000) * WALL_S;
    check(apart_ms >= -WINDOW_MS && apart_ms <= WINDOW_MS);
    check(strlen(proof.thumbprint) == MCPI_THUMBPRINT_SIZE - 1);
    check(strlen(proof.jti_hash) == MCPI_THUMBPRINT_SIZE - 1);
    check(proof.nonce == NULL || strlen(proof.nonce) <= 1024);
    mcpi_dpop_proof_deinit(&proof, &loop->allocator);
  }
  return rc;
}

static void check_without_memory(mcpi_str text,
                                 const mcpi_dpop_claims *claims) {
  for (size_t i = 2; i <= 16; i++) {
    failing_alloc alloc;
    failing_alloc_init(&alloc);
    alloc.fail_at = i;
    mcp_loop *loop = loop_with(&alloc.allocator);
    if (loop != NULL) {
      check_proof(loop, text, claims);
    }
    mcp_loop_free(loop);
    check(alloc.live_blocks == 0);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
  const mcpi_dpop_claims claims = {
      .method = "POST", .url = MCPI_STR("https://server.example.com/token")};
  mcpi_dpop_claims other = claims;
  mcp_loop *loop = loop_with(NULL);
  mcpi_buf proof;
  mcpi_buf_init(&proof, mcp_allocator_default(), SIZE_MAX);
  put_proof(&proof, mcpi_str_n((const char *)data, len));
  int rc = check_proof(loop, mcpi_buf_str(&proof), &claims);
  check(rc == 0 || rc == MCP_ERR_INVALID);
  check_without_memory(mcpi_buf_str(&proof), &claims);
  /* A proof that is for one request is for no other. */
  other.method = "GET";
  check(rc != 0 || check_proof(loop, mcpi_buf_str(&proof), &other) != 0);
  other = claims;
  other.url = MCPI_STR("https://server.example.com/");
  check(rc != 0 || check_proof(loop, mcpi_buf_str(&proof), &other) != 0);
  mcpi_buf_deinit(&proof);
  mcp_loop_free(loop);
  return 0;
}
