/* SPDX-License-Identifier: MIT */
/* Both steps of the check of a DPoP proof. */
#ifndef MCPI_TESTS_DPOP_CHECK_H
#define MCPI_TESTS_DPOP_CHECK_H

#include "auth/dpop.h"

/* Results are those of mcpi_dpop_read. */
static inline int dpop_check(mcpi_dpop_proof *out, mcp_loop *loop,
                             mcpi_str text, const mcpi_dpop_claims *claims,
                             int64_t window_ms, mcp_error *err) {
  mcpi_dpop_proof proof;
  mcpi_jwt jwt;
  int rc = mcpi_dpop_read(&proof, &jwt, loop, text, claims, window_ms, err);
  if (rc != 0) {
    return rc;
  }
  rc = mcpi_dpop_verify(&proof, &jwt, loop, err);
  mcpi_jwt_deinit(&jwt);
  if (rc == 0) {
    *out = proof;
  } else {
    mcpi_dpop_proof_deinit(&proof, &loop->allocator);
  }
  return rc;
}

#endif
