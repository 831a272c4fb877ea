/* SPDX-License-Identifier: MIT */
#include "connection/refusal.h"
#include "common/exit.h"
#include "common/report.h"
#include "connection/login.h"
#include "line/credentials.h"

#include <string.h>

/* What the user can do: the three parts make one text. */
typedef struct advice {
  const char *before;
  const char *word;
  const char *after;
} advice;

/* Errors about the server's own answers begin with its URL. Others are about
 * the authorization server, or about the user who did not log in. */
static int is_about_server(const mcp_error *err) {
  const char *scheme_end = strstr(err->message, "://");
  const char *blank = strchr(err->message, ' ');
  return scheme_end != NULL && (blank == NULL || scheme_end < blank);
}

static advice advise_user(const ctl_session *session) {
  const char *target = session->options->target;
  if (ctl_login_has_asked(session->login)) {
    return (advice){"to log in as another user, run mcpctl ", target, " login"};
  }
  if (strstr(session->error.message, " demands the scopes ") != NULL) {
    return (advice){"run mcpctl ", target, " login --scope SCOPES"};
  }
  if (session->error.status == 401) {
    return (advice){"run mcpctl ", target,
                    " login, or give a token with --token-env VAR or a header "
                    "with --header 'NAME: VALUE'"};
  }
  return (advice){"to log in as another user, run mcpctl ", target, " login"};
}

static advice advise(const ctl_session *session) {
  const ctl_options *options = session->options;
  switch (ctl_credentials(options)) {
  case CTL_CREDENTIALS_HEADER:
    return (advice){"check the Authorization that --header gives", "", ""};
  case CTL_CREDENTIALS_USER:
    return (advice){"check the user and the password in the URL", "", ""};
  case CTL_CREDENTIALS_TOKEN:
    return (advice){"check the token in the variable ", options->token_env,
                    " (--token-env)"};
  case CTL_CREDENTIALS_IDENTITY:
    return (advice){"check what the identity in ", options->identity,
                    " may do (--identity)"};
  case CTL_CREDENTIALS_CLIENT:
    return (advice){"check what the client ", options->client_id,
                    " may do (--client-id)"};
  default:
    return advise_user(session);
  }
}

const char *ctl_refusal_option(const mcp_error *err) {
  return strstr(err->message, "allows_private_addresses") != NULL
             ? "; if you trust the server, give --allow-private-addresses"
             : "";
}

int ctl_refusal_report(const ctl_session *session) {
  const mcp_error *err = &session->error;
  if (session->options->url == NULL || !is_about_server(err)) {
    return ctl_report(CTL_AUTHORIZATION, "%s%s", err->message,
                      ctl_refusal_option(err));
  }
  advice shown = advise(session);
  int code = ctl_report(CTL_AUTHORIZATION, "%s; %s%s%s", err->message,
                        shown.before, shown.word, shown.after);
  ctl_http_said_report(&session->said, err);
  return code;
}
