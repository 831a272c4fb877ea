/* SPDX-License-Identifier: MIT */
/* Revoking a token (RFC 7009). A server that revokes a refresh token revokes
 * the access tokens that it has brought. */
#include "auth/client/step.h"

mcpi_flow_next mcpi_step_revoke(mcpi_flow *flow) {
  const mcpi_token *token = flow->token;
  mcp_error err = {.code = 0};
  mcpi_step_ask_form(flow, flow->server.revocation_endpoint);
  if (token->refresh != NULL) {
    mcpi_step_put(flow, "token", token->refresh);
    mcpi_step_put(flow, "token_type_hint", "refresh_token");
  } else {
    mcpi_step_put(flow, "token", token->access);
    mcpi_step_put(flow, "token_type_hint", "access_token");
  }
  int rc = mcpi_step_put_client(flow, &err);
  return rc == 0 ? MCPI_FLOW_FETCH
                 : mcpi_step_fail(flow, rc, "%s", err.message);
}

mcpi_flow_next mcpi_step_take_revocation(mcpi_flow *flow,
                                         const mcp_fetch_answer *answer) {
  return mcpi_step_is_fine(answer) ? MCPI_FLOW_DONE
                                   : mcpi_step_refuse(flow, answer);
}
