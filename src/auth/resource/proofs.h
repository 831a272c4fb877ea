/* SPDX-License-Identifier: MIT */
/* What the verifiers of one endpoint share, from any of their threads: the DPoP
 * proofs that were used, and the key of nonces.
 *
 * Life: each verifier holds it. The last hold frees it, on any of the
 * threads. */
#ifndef MCPI_AUTH_RESOURCE_PROOFS_H
#define MCPI_AUTH_RESOURCE_PROOFS_H

#include "auth/dpop.h"
#include <mcp/protect.h>

typedef struct mcpi_proofs mcpi_proofs;

/* Makes one with a hold. NULL with err: MCP_ERR_NOMEM; with demands_nonce also
 * MCP_ERR_PLATFORM (random, seal or unseal is missing) and MCP_ERR_IO (no
 * random bytes). */
mcpi_proofs *mcpi_proofs_new(mcp_loop *loop, const mcp_protect_options *options,
                             mcp_error *err);
mcpi_proofs *mcpi_proofs_ref(mcpi_proofs *proofs);
void mcpi_proofs_unref(mcpi_proofs *proofs); /* NULL is accepted */
/* Returns the key of nonces, borrowed. */
const uint8_t *mcpi_proofs_nonce_key(const mcpi_proofs *proofs);
/* Uses a proof that is valid. `loop` is the caller's, `principal` that of the
 * token. Returns 0; MCP_ERR_REFUSED: it has become too old since it was
 * checked; MCP_ERR_EXISTS: it was used before; MCP_ERR_LIMIT: there are too
 * many, of this principal or of all; MCP_ERR_NOMEM; MCP_ERR_PLATFORM. */
int mcpi_proofs_use(mcpi_proofs *proofs, mcp_loop *loop, const char *principal,
                    const mcpi_dpop_proof *proof);

#endif
