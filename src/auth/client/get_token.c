/* SPDX-License-Identifier: MIT */
/* Asking the token endpoint (RFC 6749, 3.2): a code, a refresh token, an
 * assertion or the program's own credentials bring an access token. */
#include "auth/client/step.h"

static void put_grant(mcpi_flow *flow) {
  if (flow->token != NULL) {
    mcpi_step_put(flow, "grant_type", "refresh_token");
    mcpi_step_put(flow, "refresh_token", flow->token->refresh);
    return;
  }
  switch (flow->start.options->grant) {
  case MCP_AUTH_CODE:
    mcpi_step_put(flow, "grant_type", "authorization_code");
    mcpi_step_put(flow, "code", flow->code);
    mcpi_step_put(flow, "redirect_uri", flow->redirect_uri);
    mcpi_step_put(flow, "code_verifier", flow->verifier);
    break;
  case MCP_AUTH_CLIENT_CREDENTIALS:
    mcpi_step_put(flow, "grant_type", "client_credentials");
    mcpi_step_put_scopes(flow);
    break;
  default:
    mcpi_step_put(flow, "grant_type",
                  "urn:ietf:params:oauth:grant-type:jwt-bearer");
    mcpi_step_put(flow, "assertion", flow->assertion);
    mcpi_step_put_scopes(flow);
    break;
  }
}

mcpi_flow_next mcpi_step_get_token(mcpi_flow *flow) {
  mcp_error err = {.code = 0};
  if (flow->token != NULL && flow->token->refresh == NULL) {
    return mcpi_step_fail(flow, MCP_ERR_INVALID, "there is no refresh token");
  }
  mcpi_step_ask_form(flow, flow->server.token_endpoint);
  put_grant(flow);
  mcpi_step_put(flow, "resource", flow->resource);
  int rc = mcpi_step_put_client(flow, &err);
  if (rc != 0) {
    return mcpi_step_fail(flow, rc, "%s", err.message);
  }
  rc = mcpi_step_put_proof(flow);
  return rc == 0 ? MCPI_FLOW_FETCH
                 : mcpi_step_fail_code(flow, rc, "making a proof (DPoP)");
}
