/* SPDX-License-Identifier: MIT */
/* Assertions: the platform's JWT of a workload, and the ID token, for which the
 * company's identity provider gives an ID-JAG (RFC 8693; MCP extension
 * Enterprise-Managed Authorization). */
#include "auth/client/step.h"

#include "auth/form.h"

#define TOKEN_TYPE "urn:ietf:params:oauth:token-type:"

mcpi_flow_next mcpi_step_assert(mcpi_flow *flow) {
  (void)flow;
  return MCPI_FLOW_ASK_ASSERTION;
}

mcpi_flow_next mcpi_step_take_assertion(mcpi_flow *flow,
                                        const char *assertion) {
  if (assertion == NULL || assertion[0] == '\0') {
    return mcpi_step_fail(flow, MCP_ERR_INVALID,
                          "the program has given no assertion");
  }
  if (mcpi_step_copy(flow, &flow->assertion, assertion) != 0) {
    return mcpi_step_no_memory(flow);
  }
  return flow->start.options->grant == MCP_AUTH_ENTERPRISE
             ? MCPI_FLOW_EXCHANGE
             : MCPI_FLOW_GET_TOKEN;
}

mcpi_flow_next mcpi_step_exchange(mcpi_flow *flow) {
  const mcp_auth_options *options = flow->start.options;
  mcpi_step_ask_form(flow, options->idp_token_endpoint);
  flow->ask.is_for_program = 1;
  mcpi_step_put(flow, "grant_type",
                "urn:ietf:params:oauth:grant-type:token-exchange");
  mcpi_step_put(flow, "requested_token_type", TOKEN_TYPE "id-jag");
  mcpi_step_put(flow, "audience", flow->server.issuer);
  mcpi_step_put(flow, "resource", flow->resource);
  mcpi_step_put_scopes(flow);
  mcpi_step_put(flow, "subject_token", flow->assertion);
  mcpi_step_put(flow, "subject_token_type", TOKEN_TYPE "id_token");
  if (options->idp_client_secret != NULL) {
    mcpi_form_put_basic(&flow->ask.authorization,
                        mcpi_str_z(options->idp_client_id),
                        mcpi_str_z(options->idp_client_secret));
  } else {
    mcpi_step_put(flow, "client_id", options->idp_client_id);
  }
  return MCPI_FLOW_FETCH;
}

static mcpi_flow_next take_id_jag(mcpi_flow *flow, const mcp_json *root) {
  const char *token = mcp_json_string(mcp_json_get(root, "access_token"));
  const char *type = mcp_json_string(mcp_json_get(root, "issued_token_type"));
  if (token == NULL || token[0] == '\0' || type == NULL ||
      strcmp(type, TOKEN_TYPE "id-jag") != 0) {
    return mcpi_step_fail_answer(flow, MCP_ERR_PROTOCOL, "has no ID-JAG");
  }
  if (strlen(token) > MCPI_FLOW_MAX_TOKEN) {
    return mcpi_step_fail_answer(flow, MCP_ERR_LIMIT,
                                 "has an ID-JAG of more than 16 KB");
  }
  return mcpi_step_copy(flow, &flow->assertion, token) == 0
             ? MCPI_FLOW_GET_TOKEN
             : mcpi_step_no_memory(flow);
}

mcpi_flow_next mcpi_step_take_exchange(mcpi_flow *flow,
                                       const mcp_fetch_answer *answer) {
  if (!mcpi_step_is_fine(answer)) {
    return mcpi_step_refuse(flow, answer);
  }
  return mcpi_step_take_object(flow, answer, take_id_jag);
}
