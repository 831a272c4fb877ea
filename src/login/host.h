/* SPDX-License-Identifier: MIT */
/* What a program's process does for the logins of one mcp_auth
 * (mcpi_auth_host): it listens for browsers that return, and opens browsers.
 *
 * The mcp_auth holds the host until it calls `release`. All on the loop's
 * thread. */
#ifndef MCPI_LOGIN_HOST_H
#define MCPI_LOGIN_HOST_H

#include "auth/client/auth.h"

typedef struct mcpi_login_host {
  mcp_loop *loop;
  /* Takes the query with which a browser has returned: mcp_auth_redirected. */
  int (*on_redirect)(mcp_auth *auth, uint64_t login, const char *query,
                     mcp_error *err);
  mcpi_list redirects; /* listeners of logins (redirect/redirect.h) */
  mcpi_list browsers;  /* programs that run (browser.h) */
} mcpi_login_host;

/* host.c: the functions of the table, for a mcpi_login_host. */
extern const mcpi_auth_host mcpi_login_host_table;

/* Makes a host. NULL with err: MCP_ERR_INVALID (a manual loop), MCP_ERR_NOMEM.
 * mcpi_login_host_table.release frees it. */
mcpi_login_host *mcpi_login_host_new(mcp_loop *loop, mcp_error *err);

#endif
