/* SPDX-License-Identifier: MIT */
/* Opens a page in the system's browser, without a shell. */
#ifndef MCPI_LOGIN_BROWSER_H
#define MCPI_LOGIN_BROWSER_H

#include "login/host.h"

/* Starts the program that opens pages. `url` is http or https. Returns 0;
 * MCP_ERR_INVALID: another URL; MCP_ERR_IO: the program cannot be started;
 * MCP_ERR_NOMEM. */
int mcpi_browser_open(mcpi_login_host *host, const char *url, mcp_error *err);
/* Stops watching the programs, which run on. */
void mcpi_browser_forget_all(mcpi_login_host *host);

#endif
