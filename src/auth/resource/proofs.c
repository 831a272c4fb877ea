/* SPDX-License-Identifier: MIT */
#include "auth/resource/proofs.h"

#include "auth/resource/replay.h"
#include "base/error.h"
#include "core/lock.h"

#include <stdatomic.h>

struct mcpi_proofs {
  atomic_size_t refs;
  mcp_allocator allocator;
  uint64_t hash_seed[2];
  const mcpi_lock *lock; /* over `used` */
  mcpi_replay used;
  uint8_t nonce_key[MCP_SEAL_KEY_SIZE]; /* does not change */
};

static const char *proofs_missing(const mcp_platform *platform) {
  if (platform->random == NULL) {
    return "random";
  }
  if (platform->seal == NULL) {
    return "seal";
  }
  return platform->unseal == NULL ? "unseal" : NULL;
}

static int proofs_make_key(mcpi_proofs *proofs, const mcp_platform *platform,
                           mcp_error *err) {
  const char *missing = proofs_missing(platform);
  if (missing != NULL) {
    return mcp_error_set(err, MCP_ERR_PLATFORM,
                         "demands_nonce needs mcp_platform.%s", missing);
  }
  int rc = platform->random(platform->userdata, proofs->nonce_key,
                            sizeof(proofs->nonce_key));
  if (rc != 0) {
    mcp_error_set(err, rc, "cannot get random bytes for the key of nonces");
  }
  return rc;
}

mcpi_proofs *mcpi_proofs_new(mcp_loop *loop, const mcp_protect_options *options,
                             mcp_error *err) {
  mcpi_proofs *proofs = mcpi_calloc(&loop->allocator, 1, sizeof(*proofs));
  if (proofs == NULL) {
    mcpi_no_memory(err);
    return NULL;
  }
  atomic_init(&proofs->refs, 1);
  proofs->allocator = loop->allocator;
  memcpy(proofs->hash_seed, loop->hash_seed, sizeof(proofs->hash_seed));
  mcpi_replay_init(&proofs->used, &proofs->allocator, proofs->hash_seed,
                   MCPI_REPLAY_MAX, options->dpop_window_ms);
  int rc = 0;
  if (options->demands_nonce) {
    rc = proofs_make_key(proofs, &loop->platform, err);
  }
  proofs->lock = mcpi_lock_new(&loop->platform);
  if (rc == 0 && proofs->lock == NULL) {
    rc = mcpi_no_memory(err);
  }
  if (rc != 0) {
    mcpi_proofs_unref(proofs);
    return NULL;
  }
  return proofs;
}

mcpi_proofs *mcpi_proofs_ref(mcpi_proofs *proofs) {
  atomic_fetch_add_explicit(&proofs->refs, 1, memory_order_relaxed);
  return proofs;
}

void mcpi_proofs_unref(mcpi_proofs *proofs) {
  if (proofs == NULL ||
      atomic_fetch_sub_explicit(&proofs->refs, 1, memory_order_acq_rel) > 1) {
    return;
  }
  mcp_allocator allocator = proofs->allocator;
  mcpi_replay_deinit(&proofs->used);
  mcpi_lock_free(proofs->lock);
  mcpi_free_wiped(&allocator, proofs, sizeof(*proofs));
}

const uint8_t *mcpi_proofs_nonce_key(const mcpi_proofs *proofs) {
  return proofs->nonce_key;
}

/* The `jti` of one key says nothing about that of another: otherwise a client
 * could use up the proofs of others. */
static int proofs_hash(mcp_loop *loop, const mcpi_dpop_proof *proof,
                       uint8_t hash[MCP_SHA256_SIZE]) {
  enum { LEN = MCPI_THUMBPRINT_SIZE - 1 };
  const mcp_platform *platform = &loop->platform;
  char text[2 * LEN];
  memcpy(text, proof->thumbprint, LEN);
  memcpy(text + LEN, proof->jti_hash, LEN);
  return platform->crypto->sha256(platform->userdata, text, sizeof(text), hash);
}

int mcpi_proofs_use(mcpi_proofs *proofs, mcp_loop *loop, const char *principal,
                    const mcpi_dpop_proof *proof) {
  uint8_t hash[MCP_SHA256_SIZE];
  int rc = proofs_hash(loop, proof, hash);
  if (rc != 0) {
    return rc;
  }
  /* mcpi_dpop_check accepts it up to and with this millisecond. */
  int64_t until_ms = proof->iat_ms + proofs->used.window_ms + 1;
  mcpi_lock_acquire(proofs->lock);
  rc = mcpi_replay_use(&proofs->used, principal, hash, until_ms,
                       mcpi_loop_wall(loop));
  mcpi_lock_release(proofs->lock);
  return rc;
}
