/* SPDX-License-Identifier: MIT */
/* Logging in to servers with OAuth: login.c, or login_none.c in a build without
 * libmcp-http.
 *
 * The callbacks of mcp/auth.h only store what they receive. A session talks to
 * the user outside of them, by ctl_login_ask. */
#ifndef CTL_LOGIN_H
#define CTL_LOGIN_H

#include "line/options.h"

#include <mcp/loop.h>

struct ctl_session;

typedef struct ctl_login ctl_login;

/* How a login talks to the user. */
enum {
  /* The verb login: it shows the page at once. */
  CTL_LOGIN_WANTED,
  /* Another verb: it asks first whether to log in; without a terminal it does
   * not log in. */
  CTL_LOGIN_OFFERED,
  /* It never asks: the verbs logout and auth. */
  CTL_LOGIN_SILENT
};

/* Makes what logs in to the server of the options. *out is owned: end it with
 * ctl_login_free; NULL: the server is not at a URL, or the command line has
 * credentials for it. Returns CTL_OK, or an exit code after a report. */
int ctl_login_new(ctl_login **out, const ctl_options *options, mcp_loop *loop,
                  int how);
void ctl_login_free(ctl_login *login);

/* For mcp_http_client_options.auth. NULL for NULL. */
struct mcp_auth *ctl_login_auth(const ctl_login *login);

/* Whether the user is to be asked something. */
int ctl_login_is_asking(const ctl_login *login);
/* Whether the user has been asked before. */
int ctl_login_has_asked(const ctl_login *login);
/* Asks the user. Illegal inside a callback. */
void ctl_login_ask(ctl_login *login, struct ctl_session *session);

/* The verbs. Each returns an exit code. */
int ctl_login_run(const ctl_options *options);
int ctl_logout_run(const ctl_options *options);
int ctl_auth_run(const ctl_options *options);

#endif
