/* SPDX-License-Identifier: MIT */
/* There are no logins in a build without libmcp-http. */
#include "common/exit.h"
#include "common/report.h"
#include "connection/login.h"

int ctl_login_new(ctl_login **out, const ctl_options *options, mcp_loop *loop,
                  int how) {
  (void)options;
  (void)loop;
  (void)how;
  *out = NULL;
  return CTL_OK;
}

void ctl_login_free(ctl_login *login) {
  (void)login;
}

struct mcp_auth *ctl_login_auth(const ctl_login *login) {
  (void)login;
  return NULL;
}

int ctl_login_is_asking(const ctl_login *login) {
  (void)login;
  return 0;
}

int ctl_login_has_asked(const ctl_login *login) {
  (void)login;
  return 0;
}

void ctl_login_ask(ctl_login *login, struct ctl_session *session) {
  (void)login;
  (void)session;
}

int ctl_login_run(const ctl_options *options) {
  return ctl_report(CTL_USAGE, "%s: this build has no HTTP",
                    options->verb->name);
}

int ctl_logout_run(const ctl_options *options) {
  return ctl_login_run(options);
}

int ctl_auth_run(const ctl_options *options) {
  return ctl_login_run(options);
}
