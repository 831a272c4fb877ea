/* SPDX-License-Identifier: MIT */
/* mcp_auth_login: logs in before a request needs it.
 *
 *     FINDING --> ASKING ------> LOGGING_IN --> the end
 *     a stored    the server     waits, as
 *     token       what it        requests do
 *                 demands
 *
 * The end comes early if there is a stored token that is valid, and `forces` is
 * 0. */
#include "auth/client/servers.h"
#include "auth/client/task.h"
#include "base/error.h"
#include "codec/http_value.h"
#include <mcp/sys/fetch.h>

enum {
  /* A server without authorization may answer a GET with an endless stream, so
   * a late answer only means that it does not demand a login here. */
  ASK_TIMEOUT_MS = 10000,
  ASK_MAX_ANSWER = 64 * 1024
};

typedef enum log_in_state {
  LOG_IN_FINDING,
  LOG_IN_ASKING,
  LOG_IN_LOGGING_IN
} log_in_state;

typedef struct log_in {
  mcpi_auth_task task;
  mcpi_auth_request request; /* in the server's list, while it waits */
  log_in_state state;
  int forces;
  mcp_fetch *fetch; /* NULL: none is running */
  int status;       /* of the server's answer; 0: the server has not answered */
  mcpi_demand demand;
} log_in;

static void log_in_stop(mcpi_auth_task *task) {
  log_in *self = (log_in *)(void *)task;
  const mcp_platform *platform = &task->auth->loop->platform;
  if (self->fetch != NULL) {
    platform->fetch_cancel(platform->userdata, self->fetch);
    self->fetch = NULL;
  }
  mcpi_demand_deinit(&self->demand, mcpi_auth_allocator(task->auth));
  mcpi_auth_request_deinit(&self->request);
}

static void log_in_wait(log_in *self) {
  mcpi_waiting_add(&self->request.server->waiting, &self->request);
}

/* Waits for what is under way: a login counts as this one, and other work comes
 * first. */
static void log_in_join(log_in *self) {
  if (self->request.server->state == MCPI_SERVER_LOGGING_IN) {
    self->state = LOG_IN_LOGGING_IN;
  }
  log_in_wait(self);
}

/* --- logging in ----------------------------------------------------------- */

static mcpi_login_reason log_in_reason(const log_in *self) {
  if (self->forces) {
    return MCPI_REASON_FORCED;
  }
  return self->status == 401 ? MCPI_REASON_UNAUTHORIZED : MCPI_REASON_WANTED;
}

static void log_in_go(log_in *self) {
  mcpi_auth_server *server = self->request.server;
  mcp_error err;
  if (mcpi_server_is_busy(server)) {
    log_in_join(self);
    return;
  }
  self->state = LOG_IN_LOGGING_IN;
  int rc = mcpi_server_log_in(server, log_in_reason(self), &self->demand, NULL,
                              &err);
  if (rc == MCP_PENDING) {
    log_in_wait(self);
  } else {
    mcpi_auth_task_finish(&self->task, &err);
  }
}

/* --- asking --------------------------------------------------------------- */

static int log_in_read_headers(log_in *self, const mcp_fetch_answer *answer) {
  const mcp_allocator *allocator = mcpi_auth_allocator(self->task.auth);
  int rc = 0;
  for (size_t i = 0; rc == 0 && i < answer->header_count; i++) {
    const mcp_http_header *header = &answer->headers[i];
    if (mcpi_header_eq_nocase(mcpi_str_z(header->name),
                              MCPI_STR("WWW-Authenticate"))) {
      rc =
          mcpi_demand_read(&self->demand, mcpi_str_z(header->value), allocator);
    }
  }
  return rc;
}

static int log_in_judge(log_in *self, const mcp_fetch_answer *answer,
                        mcp_error *err) {
  if (answer->error == MCP_ERR_TIMEOUT || answer->error == MCP_ERR_LIMIT) {
    return 0;
  }
  if (answer->error != 0) {
    return mcp_error_set(err, answer->error, "cannot ask %s: %s",
                         self->request.server->url, answer->why);
  }
  self->status = (int)answer->status;
  if (answer->status == 401 && log_in_read_headers(self, answer) != 0) {
    return mcpi_no_memory(err);
  }
  return 0;
}

static void log_in_on_answer(const mcp_fetch_answer *answer, void *argument) {
  log_in *self = argument;
  mcp_auth *auth = self->task.auth;
  mcp_error err;
  mcpi_auth_enter(auth);
  self->fetch = NULL;
  if (log_in_judge(self, answer, &err) == 0) {
    log_in_go(self);
  } else {
    mcpi_auth_task_finish(&self->task, &err);
  }
  mcpi_auth_leave(auth);
}

static void log_in_ask(log_in *self) {
  static const mcp_http_header accept = {"Accept",
                                         "application/json, text/event-stream"};
  const mcp_auth_options *options = &self->task.auth->options;
  const mcp_platform *platform = &self->task.auth->loop->platform;
  mcp_fetch_request request = MCP_FETCH_REQUEST_INIT;
  mcp_error err;
  self->state = LOG_IN_ASKING;
  if (platform->fetch == NULL) {
    log_in_go(self);
    return;
  }
  request.method = "GET";
  request.url = self->request.server->url;
  request.headers = &accept;
  request.header_count = 1;
  request.timeout_ms = options->fetch_timeout_ms;
  if (request.timeout_ms > ASK_TIMEOUT_MS) {
    request.timeout_ms = ASK_TIMEOUT_MS;
  }
  request.max_answer = ASK_MAX_ANSWER;
  request.proxy = options->proxy;
  request.ca_file = options->ca_file;
  int rc = platform->fetch(platform->userdata, &request, log_in_on_answer, self,
                           &self->fetch);
  if (rc != 0) {
    self->fetch = NULL;
    mcp_error_set(&err, rc, "cannot ask %s: %s", request.url,
                  mcp_error_text(rc));
    mcpi_auth_task_finish(&self->task, &err);
  }
}

/* --- the token ------------------------------------------------------------ */

/* There should be a token now, perhaps since long ago. */
static void log_in_check(log_in *self) {
  const mcpi_auth_server *server = self->request.server;
  const mcp_error *unkept = &server->unkept;
  mcp_error err;
  if (!mcpi_credentials_has_token(&server->credentials)) {
    mcp_error_set(&err, MCP_ERR_CANCELLED, "someone has logged out of %s",
                  server->url);
  } else if (unkept->code != 0 && !server->credentials.is_stored) {
    mcp_error_set(&err, unkept->code,
                  "logged in to %.200s, but the token is not stored: %s",
                  server->url, unkept->message);
  } else {
    mcpi_auth_task_finish(&self->task, NULL);
    return;
  }
  mcpi_auth_task_finish(&self->task, &err);
}

/* --- finding -------------------------------------------------------------- */

static void log_in_find(log_in *self) {
  mcpi_auth_server *server = self->request.server;
  mcp_error err;
  int rc = mcpi_server_prepare(server, &err);
  if (rc == MCP_PENDING ||
      (self->forces && server->state == MCPI_SERVER_LOGGING_IN)) {
    log_in_join(self);
  } else if (rc != 0) {
    mcpi_auth_task_finish(&self->task, &err);
  } else if (!self->forces &&
             mcpi_credentials_has_token(&server->credentials) &&
             !mcpi_credentials_has_expired(&server->credentials)) {
    log_in_check(self);
  } else {
    log_in_ask(self);
  }
}

static void log_in_run(mcpi_auth_task *task) {
  log_in *self = (log_in *)(void *)task;
  const mcpi_auth_server *server = self->request.server;
  if (server->unsafe.code != 0) {
    mcpi_auth_task_finish(task, &server->unsafe);
  } else {
    log_in_find(self);
  }
}

/* A server that did not answer 401 may work without a login, if there is no
 * authorization server at its address either. */
static void log_in_fail(log_in *self, const mcp_error *why) {
  int demands_nothing = self->status != 0 && self->status != 401;
  mcp_error err = *why;
  if (demands_nothing && (why->status == 404 || why->status == 405)) {
    mcp_error_set(&err, why->code,
                  "%.100s answered HTTP %d and perhaps needs no login: %s",
                  self->request.server->url, self->status, why->message);
    err.status = why->status;
  }
  mcpi_auth_task_finish(&self->task, &err);
}

/* With `forces`, trouble with a stored token does not matter. */
static void log_in_on_ready(mcpi_auth_request *request, const mcp_error *err) {
  log_in *self = request->owner;
  int is_over = err != NULL && request->server->auth->is_freed;
  if (is_over ||
      (err != NULL && (!self->forces || self->state == LOG_IN_LOGGING_IN))) {
    log_in_fail(self, err);
  } else if (self->state == LOG_IN_FINDING && err == NULL) {
    log_in_find(self);
  } else if (self->state == LOG_IN_FINDING) {
    log_in_ask(self);
  } else if (self->state == LOG_IN_ASKING) {
    log_in_go(self);
  } else {
    log_in_check(self);
  }
}

int mcp_auth_login(mcp_auth *auth, const char *server_url, int forces,
                   mcp_auth_done_cb on_done, void *userdata, mcp_error *err) {
  mcpi_error_clear(err);
  mcp_error why = {.code = 0};
  mcpi_auth_task *task = mcpi_auth_task_new(
      auth, sizeof(log_in), log_in_run, log_in_stop, on_done, userdata, &why);
  mcpi_auth_server *server = NULL;
  if (task != NULL) {
    server = mcpi_servers_get(auth, server_url, &why);
  }
  if (server == NULL) {
    if (task != NULL) {
      mcpi_auth_task_free(task);
    }
    return mcp_error_set(err, why.code, "%s", why.message);
  }
  log_in *self = (log_in *)(void *)task;
  self->forces = forces != 0;
  mcpi_auth_request_init(&self->request, server, log_in_on_ready, self);
  mcpi_server_drop(server);
  return mcpi_auth_task_start(task, err);
}
