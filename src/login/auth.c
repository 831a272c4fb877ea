/* SPDX-License-Identifier: MIT */
#include "login/host.h"

mcp_auth *mcp_auth_new(mcp_loop *loop, const mcp_auth_options *options,
                       mcp_error *err) {
  if (loop == NULL) {
    mcp_error_set(err, MCP_ERR_INVALID, "loop is NULL");
    return NULL;
  }
  mcpi_login_host *host = mcpi_login_host_new(loop, err);
  if (host == NULL) {
    return NULL;
  }
  host->on_redirect = mcp_auth_redirected;
  mcp_auth *auth =
      mcpi_auth_new(loop, options, &mcpi_login_host_table, host, err);
  if (auth == NULL) {
    mcpi_login_host_table.release(host);
  }
  return auth;
}
