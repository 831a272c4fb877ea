/* SPDX-License-Identifier: MIT */
/* Waits on the loopback interface for the browser of a login to return (RFC
 * 8252, 7.3). Each login has a listener of its own on a free port, so logins do
 * not disturb each other, nor do those of other processes.
 *
 *     OPEN ---- a GET of the path, which belongs to the login ----> RETURNED
 *      |  ^                                                           |  |
 *      |  '---- the login asks the user again: the page says so ------'  |
 *      |                                                                 |
 *      | the login has ended           the login has ended: the page says how
 *      v                                                                 |
 *     CLOSED <-----------------------------------------------------------'
 *
 * A login asks again when the authorization server no longer knows the client
 * id that an earlier login has stored.
 *
 * The build chooses redirect.c, or none.c without an HTTP server (MCP_HTTP). */
#ifndef MCPI_LOGIN_REDIRECT_H
#define MCPI_LOGIN_REDIRECT_H

#include "login/host.h"

/* The functions of mcpi_auth_host. */
const char *mcpi_redirect_open(mcpi_login_host *host, mcp_auth *auth,
                               uint64_t login, const char *wish,
                               mcp_error *err);
void mcpi_redirect_await(mcpi_login_host *host, uint64_t login);
void mcpi_redirect_close(mcpi_login_host *host, uint64_t login,
                         const mcp_error *err);
/* The mcp_auth is freed. */
void mcpi_redirect_close_all(mcpi_login_host *host);

#endif
