/* SPDX-License-Identifier: MIT */
#include "auth/resource/nonce.h"

#include "base/base64.h"
#include <mcp/error.h>

enum { TIME_SIZE = 8, SEALED_SIZE = TIME_SIZE + MCP_SEAL_OVERHEAD };

/* A seal of the same key for something else is not a nonce. */
static const mcpi_str nonce_use = {"dpop-nonce", sizeof("dpop-nonce") - 1};

void mcpi_nonces_init(mcpi_nonces *nonces, mcp_loop *loop, const uint8_t *key) {
  *nonces = (mcpi_nonces){.loop = loop, .key = key};
}

/* --- making ------------------------------------------------------------- */

static int nonce_write(char out[MCPI_NONCE_SIZE], const uint8_t *sealed,
                       const mcp_allocator *allocator) {
  mcpi_buf text;
  mcpi_buf_init(&text, allocator, SIZE_MAX);
  mcpi_base64url_put(&text, sealed, SEALED_SIZE);
  int rc = text.error;
  if (rc == 0) {
    memcpy(out, text.data, MCPI_NONCE_SIZE - 1);
    out[MCPI_NONCE_SIZE - 1] = '\0';
  }
  mcpi_buf_deinit(&text);
  return rc;
}

static int nonces_make(mcpi_nonces *nonces, int64_t now_ms) {
  const mcp_platform *platform = &nonces->loop->platform;
  uint8_t time[TIME_SIZE];
  uint8_t sealed[SEALED_SIZE];
  for (size_t i = 0; i < TIME_SIZE; i++) {
    time[i] = (uint8_t)((uint64_t)now_ms >> (8 * i));
  }
  int rc = platform->seal(platform->userdata, nonces->key, nonce_use.ptr,
                          nonce_use.len, time, TIME_SIZE, sealed);
  if (rc == 0) {
    rc = nonce_write(nonces->last, sealed, &nonces->loop->allocator);
  }
  if (rc == 0) {
    nonces->made_ms = now_ms;
  }
  return rc;
}

/* The wall clock may be set back. */
static int nonce_is_younger(int64_t made_ms, int64_t now_ms, int64_t age_ms) {
  return made_ms <= now_ms && now_ms - made_ms < age_ms;
}

int mcpi_nonces_get(mcpi_nonces *nonces, char out[MCPI_NONCE_SIZE]) {
  int64_t now_ms = mcpi_loop_wall(nonces->loop);
  int rc = 0;
  if (nonces->last[0] == '\0' ||
      !nonce_is_younger(nonces->made_ms, now_ms, MCPI_NONCE_MS / 2)) {
    rc = nonces_make(nonces, now_ms);
  }
  if (rc == 0) {
    memcpy(out, nonces->last, MCPI_NONCE_SIZE);
  }
  return rc;
}

/* --- checking ----------------------------------------------------------- */

static int nonce_unseal(const mcpi_nonces *nonces, mcpi_str sealed,
                        int64_t *made_ms) {
  const mcp_platform *platform = &nonces->loop->platform;
  uint8_t time[TIME_SIZE] = {0};
  if (sealed.len != SEALED_SIZE) {
    return MCP_ERR_REFUSED;
  }
  int rc = platform->unseal(platform->userdata, nonces->key, nonce_use.ptr,
                            nonce_use.len, sealed.ptr, sealed.len, time);
  if (rc != 0) {
    return MCP_ERR_REFUSED;
  }
  *made_ms = (int64_t)mcpi_load_word((const char *)time);
  return 0;
}

static int nonce_read(const mcpi_nonces *nonces, mcpi_str text,
                      int64_t *made_ms) {
  mcpi_buf sealed;
  mcpi_buf_init(&sealed, &nonces->loop->allocator, SIZE_MAX);
  int rc = MCP_ERR_REFUSED;
  if (text.len == MCPI_NONCE_SIZE - 1 &&
      mcpi_base64url_decode(&sealed, text) == 0) {
    rc = sealed.error;
  }
  if (rc == 0) {
    rc = nonce_unseal(nonces, mcpi_buf_str(&sealed), made_ms);
  }
  mcpi_buf_deinit(&sealed);
  return rc;
}

int mcpi_nonces_check(const mcpi_nonces *nonces, const char *nonce,
                      int *is_old) {
  int64_t now_ms = mcpi_loop_wall(nonces->loop);
  int64_t made_ms = 0;
  int rc = nonce_read(nonces, mcpi_str_z(nonce), &made_ms);
  if (rc == 0 && !nonce_is_younger(made_ms, now_ms, MCPI_NONCE_MS)) {
    rc = MCP_ERR_REFUSED;
  }
  if (rc == 0) {
    *is_old = !nonce_is_younger(made_ms, now_ms, MCPI_NONCE_MS / 2);
  }
  return rc;
}
