/* SPDX-License-Identifier: MIT */
/* DPoP at the token endpoint (RFC 9449, 5). */
#include "auth/client/step.h"

#include "auth/dpop.h"

/* A token that is renewed stays bound to its key, or free. */
int mcpi_step_uses_dpop(const mcpi_flow *flow) {
  if (flow->token != NULL) {
    return flow->token->key != NULL;
  }
  return flow->start.wants_dpop || (flow->start.options->prefers_dpop &&
                                    flow->server.supports_dpop_es256);
}

/* Returns 0 or an MCP_ERR_*. */
static int find_key(mcpi_flow *flow) {
  const mcp_platform *platform = &flow->loop->platform;
  const mcp_crypto *crypto = platform->crypto;
  if (flow->token != NULL) {
    const char *pem = flow->token->key;
    return crypto->key_from_pem(platform->userdata, pem, strlen(pem),
                                &flow->key);
  }
  return crypto->key_generate(platform->userdata, MCP_KEY_P256, &flow->key);
}

int mcpi_step_put_proof(mcpi_flow *flow) {
  const mcpi_dpop_claims claims = {.method = "POST",
                                   .url =
                                       mcpi_str_z(flow->server.token_endpoint),
                                   .nonce = flow->nonce};
  int rc = 0;
  if (!mcpi_step_uses_dpop(flow)) {
    return 0;
  }
  if (flow->key == NULL) {
    rc = find_key(flow);
  }
  if (rc == 0) {
    rc = mcpi_dpop_put(&flow->ask.proof, flow->loop, flow->key, &claims);
  }
  return rc;
}
