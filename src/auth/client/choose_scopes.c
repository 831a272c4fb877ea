/* SPDX-License-Identifier: MIT */
/* The scopes that a login asks for (MCP, Authorization: Scope Selection
 * Strategy). */
#include "auth/client/step.h"

#include "auth/scopes.h"

/* This scope brings a refresh token (OpenID Connect Core, 11). */
static const mcpi_str offline_access = {"offline_access", 14};

/* Adds scopes that a peer has named. It may not make us ask for offline_access
 * where the authorization server does not know it. */
static void add_named(mcpi_flow *flow, mcpi_str scopes, int knows_offline) {
  mcpi_str scope;
  while (mcpi_scopes_next(&scopes, &scope)) {
    if (knows_offline || !mcpi_str_eq(scope, offline_access)) {
      mcpi_scopes_add(&flow->scopes, scope);
    }
  }
}

/* The scopes of earlier logins stay. The others are those that the program
 * wants or the server demands, or else all that the server has. If there are
 * none, the authorization server chooses, and asking only for offline_access
 * would take the choice away. */
int mcpi_step_choose_scopes(mcpi_flow *flow) {
  const mcpi_flow_start *start = &flow->start;
  const mcp_auth_options *options = start->options;
  mcpi_buf *scopes = &flow->scopes;
  int knows_offline =
      mcpi_scopes_array_has(flow->server.scopes_supported, offline_access);
  mcpi_buf_clear(scopes);
  add_named(flow, mcpi_str_z(start->earlier_scopes), knows_offline);
  mcpi_scopes_add(scopes, mcpi_str_z(options->scopes));
  add_named(flow, mcpi_str_z(start->demanded_scopes), knows_offline);
  if (options->scopes == NULL && start->demanded_scopes == NULL) {
    add_named(flow, mcpi_buf_str(&flow->offered_scopes), knows_offline);
  }
  if (knows_offline && scopes->len > 0 && options->grant == MCP_AUTH_CODE) {
    mcpi_scopes_add(scopes, offline_access);
  }
  if (scopes->error == 0 && scopes->len > MCPI_FLOW_MAX_SCOPES) {
    return MCP_ERR_LIMIT;
  }
  return scopes->error;
}
