/* SPDX-License-Identifier: MIT */
/* This libmcp was built without an HTTP server (MCP_HTTP), so it cannot wait
 * for a browser. */
#include "login/redirect/redirect.h"

const char *mcpi_redirect_open(mcpi_login_host *host, mcp_auth *auth,
                               uint64_t login, const char *wish,
                               mcp_error *err) {
  (void)host;
  (void)auth;
  (void)login;
  (void)wish;
  mcp_error_set(
      err, MCP_ERR_UNSUPPORTED,
      "this libmcp was built without an HTTP server (MCP_HTTP), so it "
      "cannot wait for the browser: set redirect_uri");
  return NULL;
}

void mcpi_redirect_await(mcpi_login_host *host, uint64_t login) {
  (void)host;
  (void)login;
}

void mcpi_redirect_close(mcpi_login_host *host, uint64_t login,
                         const mcp_error *err) {
  (void)host;
  (void)login;
  (void)err;
}

void mcpi_redirect_close_all(mcpi_login_host *host) {
  (void)host;
}
