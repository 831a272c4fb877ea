/* SPDX-License-Identifier: MIT */
#include "config/check.h"
#include "common/exit.h"
#include "common/json.h"
#include "common/report.h"
#include "config/server.h"
#include "connection/connect.h"
#include "connection/failure.h"
#include "connection/junk.h"
#include "connection/login.h"
#include "platform/interrupt.h"
#include "platform/wait.h"

#include <errno.h>
#include <mcp/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One server. */
typedef struct attempt {
  ctl_check *check;
  ctl_options options; /* those of the command line, for this server */
  ctl_login *login;
  mcp_client *client; /* NULL: it is not connected to */
  size_t *open;       /* how many clients are not closed */
  int has_warned;     /* of junk */
} attempt;

/* ---- the answer -------------------------------------------------------- */

static void check_take_answer(ctl_check *check, mcp_client *client) {
  const mcp_json *info = mcp_client_server_info(client);
  const char *name = ctl_json_member(info, "name");
  const char *version = ctl_json_member(info, "version");
  check->revision = mcp_client_revision(client);
  if (asprintf(&check->server, "%s%s%s", name != NULL ? name : "?",
               version != NULL ? " " : "",
               version != NULL ? version : "") < 0) {
    check->server = NULL;
  }
}

/* Says which option sets the limit; the library names a member of its own. */
static void check_take_error(ctl_check *check, const mcp_error *err) {
  uint32_t limit_ms = ctl_failure_connect_ms(err->message);
  check->error = *err;
  if (limit_ms != 0) {
    mcp_error_set(&check->error, err->code,
                  "no answer within %g s: --timeout sets this limit",
                  limit_ms / 1000.0);
  }
}

static void attempt_connected(mcp_client *client, const mcp_outcome *outcome,
                              void *userdata) {
  attempt *self = userdata;
  if (outcome->status == 0) {
    check_take_answer(self->check, client);
  } else {
    check_take_error(self->check, outcome->error);
  }
  mcp_client_close(client);
}

/* What a server writes on standard error is not shown. */
static void attempt_on_stderr(mcp_transport *transport, const char *bytes,
                              size_t len, void *userdata) {
  (void)transport;
  (void)bytes;
  (void)len;
  (void)userdata;
}

static void attempt_closed(mcp_client *client, const mcp_error *err,
                           void *userdata) {
  attempt *self = userdata;
  (void)client;
  (void)err;
  --*self->open;
}

static void attempt_on_error(mcp_client *client, const mcp_error *err,
                             void *userdata) {
  attempt *self = userdata;
  (void)client;
  if (err->code == MCP_ERR_PARSE && self->options.url == NULL) {
    ctl_junk_warn(&self->has_warned, self->check->named->name, err->message);
  }
}

/* ---- one server -------------------------------------------------------- */

static int attempt_prepare(attempt *self, const ctl_options *given) {
  mcp_error *err = &self->check->error;
  if (ctl_options_copy(&self->options, given) != 0) {
    return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  return ctl_server_take(&self->options, self->check->named, err);
}

/* A login that there is already is used; nobody is asked for one. */
static void attempt_login(attempt *self, mcp_loop *loop) {
  if (self->options.url != NULL) {
    ctl_login_new(&self->login, &self->options, loop, CTL_LOGIN_SILENT);
  }
}

static void attempt_start(attempt *self, const ctl_options *given,
                          mcp_loop *loop) {
  const mcp_client_options options = {
      .size = sizeof(mcp_client_options),
      .policy = given->policy,
      .revision = given->revision,
      .connect_timeout_ms = given->connect_timeout_ms,
      .userdata = self,
      .on_error = attempt_on_error,
      .on_closed = attempt_closed,
  };
  mcp_error *err = &self->check->error;
  if (attempt_prepare(self, given) != 0) {
    return;
  }
  attempt_login(self, loop);
  self->client = mcp_client_new(loop, "mcpctl", mcp_version(), &options, err);
  if (self->client == NULL) {
    return;
  }
  const ctl_watch watch = {.on_stderr = attempt_on_stderr,
                           .skip_stream = 1,
                           .auth = ctl_login_auth(self->login)};
  if (ctl_connect(self->client, &self->options, &watch, attempt_connected, self,
                  err) == 0) {
    ++*self->open;
  }
}

static void attempt_deinit(attempt *self) {
  mcp_client_free(self->client);
  ctl_login_free(self->login);
  ctl_options_copy_deinit(&self->options);
}

/* ---- all --------------------------------------------------------------- */

/* Runs until all are closed, or the user interrupts. */
static int run_attempts(attempt *attempts, size_t count, mcp_loop *loop,
                        const size_t *open) {
  int is_interrupted = 0;
  while (*open > 0) {
    mcp_loop_step(loop);
    if (!is_interrupted && ctl_interrupt_has_come()) {
      is_interrupted = 1;
      for (size_t i = 0; i < count; i++) {
        mcp_client_close(attempts[i].client);
      }
    } else if (*open > 0) {
      ctl_wait(loop, -1, -1);
    }
  }
  return is_interrupted ? CTL_INTERRUPTED : CTL_OK;
}

static int run_all(attempt *attempts, ctl_check *checks, size_t count,
                   const ctl_options *options, mcp_loop *loop) {
  size_t open = 0;
  for (size_t i = 0; i < count; i++) {
    attempts[i].check = &checks[i];
    attempts[i].open = &open;
    attempt_start(&attempts[i], options, loop);
  }
  int code = run_attempts(attempts, count, loop, &open);
  for (size_t i = 0; i < count; i++) {
    attempt_deinit(&attempts[i]);
  }
  return code;
}

int ctl_check_all(ctl_check *checks, size_t count, const ctl_options *options) {
  mcp_error err = {0};
  attempt *attempts = calloc(count + 1, sizeof(*attempts));
  mcp_loop *loop = mcp_loop_new(NULL, &err);
  int code;
  if (attempts != NULL && loop != NULL && ctl_interrupt_setup() == 0) {
    code = run_all(attempts, checks, count, options, loop);
  } else {
    code = ctl_report(CTL_USAGE, "cannot start: %s",
                      loop == NULL ? err.message : strerror(errno));
  }
  mcp_loop_free(loop);
  free(attempts);
  return code;
}

void ctl_check_deinit(ctl_check *check) {
  free(check->server);
}
