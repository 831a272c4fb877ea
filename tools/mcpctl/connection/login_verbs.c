/* SPDX-License-Identifier: MIT */
/* The verbs login, logout and auth. They speak with the authorization server
 * and the user's files or keyring, and send no MCP request. */
#include "common/exit.h"
#include "common/json.h"
#include "common/report.h"
#include "common/table.h"
#include "connection/login.h"
#include "connection/refusal.h"
#include "connection/session.h"
#include "line/target.h"
#include "platform/clock.h"
#include "platform/interrupt.h"

#include <errno.h>
#include <mcp/auth.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --- running -------------------------------------------------------------- */

/* One of these verbs: a session without a client. */
typedef struct verb_run {
  ctl_session session;
  ctl_table table; /* of the verb auth */
  mcp_builder *list;
  size_t count;
} verb_run;

static int begin(verb_run *run, const ctl_options *options, int how) {
  mcp_error err;
  *run = (verb_run){.session = {.options = options}};
  run->session.loop = mcp_loop_new(NULL, &err);
  if (run->session.loop == NULL) {
    return ctl_report(CTL_USAGE, "cannot start: %s", err.message);
  }
  if (ctl_interrupt_setup() != 0) {
    return ctl_report(CTL_USAGE, "cannot start: %s", strerror(errno));
  }
  int code =
      ctl_login_new(&run->session.login, options, run->session.loop, how);
  if (code == CTL_OK && run->session.login == NULL) {
    return ctl_report(CTL_USAGE,
                      "%s: the URL has a user, which is not a login: leave it "
                      "out",
                      options->verb->name);
  }
  return code;
}

static void finish(verb_run *run) {
  ctl_login_free(run->session.login);
  mcp_loop_free(run->session.loop);
}

static void on_done(mcp_auth *auth, const mcp_error *err, void *userdata) {
  ctl_session *session = userdata;
  (void)auth;
  session->is_done = 1;
  session->status = 0;
  if (err != NULL) {
    session->status = err->code;
    session->error = *err;
  }
}

/* Waits until on_done, or an interrupt. Returns the status. */
static int wait_for(verb_run *run) {
  ctl_session *session = &run->session;
  while (!session->is_done) {
    if (ctl_interrupt_has_come()) {
      return MCP_ERR_CANCELLED;
    }
    if (ctl_login_is_asking(run->session.login)) {
      ctl_login_ask(run->session.login, session);
    } else {
      ctl_session_turn(session, -1);
    }
  }
  return session->status;
}

static int report_end(const verb_run *run, int status) {
  if (ctl_interrupt_has_come()) {
    return ctl_report(CTL_INTERRUPTED, "interrupted");
  }
  int code = CTL_FAILED;
  if (status == MCP_ERR_REFUSED) {
    code = CTL_AUTHORIZATION;
  } else if (status == MCP_ERR_TIMEOUT) {
    code = CTL_TIMEOUT;
  } else if (status == MCP_ERR_INVALID || status == MCP_ERR_NOMEM) {
    code = CTL_USAGE;
  }
  return ctl_report(code, "%s%s", run->session.error.message,
                    ctl_refusal_option(&run->session.error));
}

/* --- login, logout -------------------------------------------------------- */

int ctl_login_run(const ctl_options *options) {
  verb_run run;
  int code = begin(&run, options, CTL_LOGIN_WANTED);
  if (code == CTL_OK) {
    int status = mcp_auth_login(ctl_login_auth(run.session.login),
                                ctl_target_web(options->url), 1, on_done,
                                &run.session, &run.session.error);
    status = status == 0 ? wait_for(&run) : status;
    code = status == 0 ? ctl_report(CTL_OK, "logged in to %s", options->target)
                       : report_end(&run, status);
  }
  finish(&run);
  return code;
}

int ctl_logout_run(const ctl_options *options) {
  verb_run run;
  int code = begin(&run, options, CTL_LOGIN_SILENT);
  if (code == CTL_OK) {
    int status = mcp_auth_logout(ctl_login_auth(run.session.login),
                                 ctl_target_web(options->url), on_done,
                                 &run.session, &run.session.error);
    status = status == 0 ? wait_for(&run) : status;
    if (status == 0) {
      code = ctl_report(CTL_OK, "logged out of %s", options->target);
    } else if (status == MCP_ERR_NOT_FOUND) {
      code = ctl_report(CTL_OK, "there was no login for %s", options->target);
    } else {
      code = report_end(&run, status);
    }
  }
  finish(&run);
  return code;
}

/* --- auth ----------------------------------------------------------------- */

/* "2026-11-26 17:30 UTC", "expired", "will be renewed" or "not known". */
static void put_expiry(char text[40], const mcp_auth_stored *stored) {
  time_t now = time(NULL);
  time_t when = (time_t)(stored->expires_ms / 1000);
  struct tm parts;
  if (stored->expires_ms == INT64_MAX) {
    snprintf(text, 40, "not known");
  } else if (when <= now) {
    snprintf(text, 40, "%s",
             stored->is_renewable ? "will be renewed" : "expired");
  } else if (ctl_time_utc(when, &parts) != NULL) {
    strftime(text, 40, "%Y-%m-%d %H:%M UTC", &parts);
  }
}

/* How a token was got, as OAuth names it. */
static const char *grant_name(const mcp_auth_stored *stored) {
  switch (stored->grant) {
  case MCP_AUTH_CLIENT_CREDENTIALS:
    return "client_credentials";
  case MCP_AUTH_ENTERPRISE:
    return "enterprise";
  case MCP_AUTH_WORKLOAD:
    return "workload";
  default:
    return "code";
  }
}

static void add_row(ctl_table *table, const mcp_auth_stored *stored) {
  char expiry[40] = "";
  put_expiry(expiry, stored);
  ctl_table_add(table, stored->server_url);
  ctl_table_add(table, stored->issuer);
  ctl_table_add(table, grant_name(stored));
  ctl_table_add(table, stored->scopes);
  ctl_table_add(table, expiry);
}

static void add_object(mcp_builder *list, const mcp_auth_stored *stored) {
  mcp_builder_object(list, NULL);
  mcp_builder_string(list, "server", stored->server_url);
  mcp_builder_string(list, "issuer", stored->issuer);
  mcp_builder_string(list, "grant", grant_name(stored));
  mcp_builder_string(list, "client_id", stored->client_id);
  mcp_builder_string(list, "scope", stored->scopes);
  if (stored->expires_ms != INT64_MAX) {
    mcp_builder_int(list, "expires_at_ms", stored->expires_ms);
  }
  mcp_builder_bool(list, "renewable", stored->is_renewable);
  mcp_builder_bool(list, "dpop", stored->is_bound);
  mcp_builder_end(list);
}

static void on_stored(mcp_auth *auth, const mcp_auth_stored *stored,
                      void *userdata) {
  verb_run *run = userdata;
  const char *wanted = run->session.options->url;
  (void)auth;
  if (wanted != NULL && !ctl_target_is_same(wanted, stored->server_url)) {
    return;
  }
  run->count++;
  if (run->list != NULL) {
    add_object(run->list, stored);
  } else {
    add_row(&run->table, stored);
  }
}

static void on_listed(mcp_auth *auth, const mcp_error *err, void *userdata) {
  verb_run *run = userdata;
  on_done(auth, err, &run->session);
}

static int print_list(verb_run *run) {
  const ctl_options *options = run->session.options;
  if (run->list != NULL) {
    mcp_builder_end(run->list);
    const char *text = mcp_builder_text(run->list, NULL);
    if (text == NULL) {
      return ctl_report(CTL_USAGE, "out of memory");
    }
    ctl_json_print_text(text);
    return CTL_OK;
  }
  if (run->count == 0) {
    return ctl_report(CTL_OK, "there is no login%s%s",
                      options->url != NULL ? " for " : "",
                      options->url != NULL ? options->target : "");
  }
  return ctl_table_print(&run->table);
}

static int list_logins(verb_run *run) {
  static const char *const headings[] = {"SERVER", "ISSUER",  "GRANT",
                                         "SCOPES", "EXPIRES", NULL};
  ctl_table_init(&run->table, headings);
  if (run->session.options->is_json) {
    run->list = mcp_builder_new(NULL, NULL);
    mcp_builder_array(run->list, NULL);
  }
  int status = mcp_auth_list(ctl_login_auth(run->session.login), on_stored,
                             on_listed, run, &run->session.error);
  status = status == 0 ? wait_for(run) : status;
  int code = CTL_OK;
  if (status == 0 || run->count > 0) {
    code = print_list(run);
  }
  if (status != 0 && code == CTL_OK) {
    code = report_end(run, status);
  }
  mcp_builder_free(run->list);
  ctl_table_free(&run->table);
  return code;
}

int ctl_auth_run(const ctl_options *options) {
  verb_run run;
  int code = begin(&run, options, CTL_LOGIN_SILENT);
  if (code == CTL_OK) {
    code = list_logins(&run);
  }
  finish(&run);
  return code;
}
