/* SPDX-License-Identifier: MIT */
/* A mcp_crypto for fuzzers of tokens. It is not safe, and that is its use: each
 * key of the right form exists, and a signature is right if its last byte is
 * even, so that a fuzzer comes past the signature. */
#ifndef MCP_TESTS_FAKE_CRYPTO_H
#define MCP_TESTS_FAKE_CRYPTO_H

#include <mcp/error.h>
#include <mcp/sys/crypto.h>
#include <mcp/sys/platform.h>
#include <stdlib.h>
#include <string.h>

struct mcp_key {
  mcp_key_parts parts;
  uint8_t bytes[2048];
};

static int fake_sha256(void *userdata, const void *bytes, size_t len,
                       uint8_t out[MCP_SHA256_SIZE]) {
  const uint8_t *at = bytes;
  uint32_t state = 2166136261;
  (void)userdata;
  memset(out, 0, MCP_SHA256_SIZE);
  for (size_t i = 0; i < len; i++) {
    state = (state ^ at[i]) * 16777619;
    out[i % MCP_SHA256_SIZE] ^= (uint8_t)(state >> 24);
  }
  return 0;
}

/* Aborts if the numbers do not have the form that mcp_key_parts promises. */
static void fake_check_parts(const mcp_key_parts *parts) {
  int is_fine;
  if (parts->kind == MCP_KEY_RSA) {
    is_fine = parts->first_len >= 256 && parts->first_len <= 1024 &&
              parts->first[0] != 0 && parts->second_len >= 1 &&
              parts->second_len <= 8 && parts->second[0] != 0;
  } else {
    is_fine = parts->first_len == 32 &&
              parts->second_len == (parts->kind == MCP_KEY_P256 ? 32 : 0);
  }
  if (!is_fine) {
    abort();
  }
}

static int fake_key_from_parts(void *userdata, const mcp_key_parts *parts,
                               mcp_key **out) {
  (void)userdata;
  fake_check_parts(parts);
  mcp_key *key = calloc(1, sizeof(*key));
  if (key == NULL) {
    return MCP_ERR_NOMEM;
  }
  key->parts = *parts;
  key->parts.first = key->bytes;
  key->parts.second = key->bytes + parts->first_len;
  memcpy(key->bytes, parts->first, parts->first_len);
  if (parts->second_len > 0) {
    memcpy(key->bytes + parts->first_len, parts->second, parts->second_len);
  }
  *out = key;
  return 0;
}

static int fake_key_from_pem(void *userdata, const char *pem, size_t len,
                             mcp_key **out) {
  (void)userdata;
  (void)pem;
  (void)len;
  (void)out;
  return MCP_ERR_INVALID;
}

static int fake_key_generate(void *userdata, uint32_t kind, mcp_key **out) {
  static const uint8_t bytes[32] = {1};
  const mcp_key_parts parts = {.kind = kind,
                               .first = bytes,
                               .first_len = 32,
                               .second = bytes,
                               .second_len = kind == MCP_KEY_P256 ? 32 : 0};
  return fake_key_from_parts(userdata, &parts, out);
}

static void fake_key_free(void *userdata, mcp_key *key) {
  (void)userdata;
  free(key);
}

static void fake_key_parts(void *userdata, const mcp_key *key,
                           mcp_key_parts *out) {
  (void)userdata;
  *out = key->parts;
}

static int fake_key_to_pem(void *userdata, const mcp_key *key, char *out,
                           size_t size) {
  (void)userdata;
  (void)key;
  (void)out;
  (void)size;
  return MCP_ERR_INVALID;
}

static int fake_sign(void *userdata, const mcp_key *key, uint32_t algorithm,
                     const void *bytes, size_t len,
                     uint8_t out[MCP_SIGNATURE_MAX], size_t *out_len) {
  (void)userdata;
  (void)key;
  (void)algorithm;
  (void)bytes;
  (void)len;
  memset(out, 0, 64);
  *out_len = 64;
  return 0;
}

static int fake_verify(void *userdata, const mcp_key *key, uint32_t algorithm,
                       const void *bytes, size_t len, const uint8_t *signature,
                       size_t signature_len) {
  (void)userdata;
  (void)key;
  (void)algorithm;
  (void)bytes;
  (void)len;
  return signature[signature_len - 1] % 2 == 0 ? 0 : MCP_ERR_REFUSED;
}

static int fake_random(void *userdata, void *bytes, size_t len) {
  (void)userdata;
  memset(bytes, 7, len);
  return 0;
}

static const mcp_crypto fake_crypto = {.size = sizeof(mcp_crypto),
                                       .sha256 = fake_sha256,
                                       .key_from_parts = fake_key_from_parts,
                                       .key_from_pem = fake_key_from_pem,
                                       .key_generate = fake_key_generate,
                                       .key_free = fake_key_free,
                                       .key_parts = fake_key_parts,
                                       .key_to_pem = fake_key_to_pem,
                                       .sign = fake_sign,
                                       .verify = fake_verify};

static const mcp_platform fake_platform = {.size = sizeof(mcp_platform),
                                           .random = fake_random,
                                           .crypto = &fake_crypto};

#endif
