/* SPDX-License-Identifier: MIT */
/* mcp_auth_logout: takes the record of a server, lets the authorization server
 * revoke the token (RFC 7009), and writes the record without it. */
#include "auth/client/servers.h"
#include "auth/client/task.h"
#include "base/error.h"

typedef struct logout {
  mcpi_auth_task task;
  mcpi_auth_server *server; /* held; NULL: not yet */
  mcpi_taking taking;
  mcpi_login login;
  mcpi_auth_record record; /* what is left of it */
} logout;

static void logout_stop(mcpi_auth_task *task) {
  logout *self = (logout *)(void *)task;
  mcp_error err;
  if (self->server == NULL) {
    return;
  }
  mcpi_auth_closed(&err);
  mcpi_login_cancel(&self->login, &err);
  mcpi_taking_cancel(&self->taking);
  mcpi_auth_record_deinit(&self->record, mcpi_auth_allocator(task->auth));
  mcpi_server_drop(self->server);
  self->server = NULL;
}

/* Gives the record back without its token. */
static int logout_give(logout *self, mcp_error *err) {
  mcpi_buf text;
  mcpi_buf_init_secret(&text, mcpi_auth_allocator(self->task.auth),
                       MCPI_AUTH_RECORD_MAX);
  mcpi_token_free(self->record.token, mcpi_auth_allocator(self->task.auth));
  self->record.token = NULL;
  mcpi_str written = MCPI_STR(""); /* which removes it */
  if (!mcpi_auth_record_is_empty(&self->record)) {
    mcpi_auth_record_put(&text, &self->record, self->server->url);
    if (text.error == 0) {
      written = mcpi_buf_str(&text);
    }
  }
  int rc = mcpi_taking_give(&self->taking, written, err);
  mcpi_buf_deinit(&text);
  return rc;
}

/* The token has been revoked, or `why` says why it has not. */
static void logout_remove(logout *self, const mcp_error *why) {
  mcp_error err = {.code = 0};
  int rc = logout_give(self, &err);
  mcpi_server_forget(self->server);
  if (rc != 0) {
    mcpi_error_complete(&err, rc);
  } else if (why->code != 0 && why->code != MCP_ERR_UNSUPPORTED) {
    rc = mcp_error_set(&err, why->code,
                       "the token for %s is removed, but was not revoked: %s",
                       self->server->url, why->message);
  }
  mcpi_auth_task_finish(&self->task, rc != 0 ? &err : NULL);
}

static void logout_on_login(mcpi_login *login, mcpi_flow_result *result) {
  logout_remove(MCPI_CONTAINER(login, logout, login), &result->why);
}

static void logout_revoke(logout *self) {
  const mcpi_auth_record *record = &self->record;
  const mcpi_flow_start start = {
      .server_url = self->server->url,
      .known_client = record->client.client_id != NULL ? &record->client : NULL,
      .server_is_public = self->server->is_public};
  mcpi_login_start(&self->login, MCPI_LOGIN_TO_REVOKE, &start, record->token);
}

static void logout_find_nothing(logout *self) {
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_NOT_FOUND, "there is no token for %s",
                self->server->url);
  mcpi_auth_task_finish(&self->task, &err);
}

/* A token that could not be stored is only in memory. Returns 0; MCP_ERR_PARSE:
 * there is a record, in which no token can be found; MCP_ERR_NOMEM. */
static int logout_find_token(logout *self, mcpi_str text) {
  const mcp_allocator *allocator = mcpi_auth_allocator(self->task.auth);
  const mcpi_token *ours = self->server->credentials.record.token;
  int rc =
      mcpi_auth_record_read(&self->record, text, self->server->url, allocator);
  if (rc != MCP_ERR_NOMEM && self->record.token == NULL && ours != NULL) {
    self->record.token = mcpi_token_copy(ours, allocator);
    return self->record.token != NULL ? 0 : MCP_ERR_NOMEM;
  }
  return rc;
}

static void logout_of_record(logout *self, mcpi_str text) {
  mcp_error why;
  int rc = logout_find_token(self, text);
  if (rc == MCP_ERR_NOMEM) {
    mcpi_no_memory(&why);
    mcpi_auth_task_finish(&self->task, &why);
  } else if (rc != 0) {
    mcp_error_set(&why, rc, "its stored record is not valid");
    logout_remove(self, &why);
  } else if (self->record.token == NULL) {
    logout_find_nothing(self);
  } else {
    logout_revoke(self);
  }
}

static void logout_on_taken(mcpi_taking *taking, const mcp_error *err,
                            mcpi_str text) {
  logout *self = MCPI_CONTAINER(taking, logout, taking);
  mcp_auth *auth = self->task.auth;
  mcpi_auth_enter(auth);
  if (err != NULL) {
    mcpi_auth_task_finish(&self->task, err);
  } else {
    logout_of_record(self, text);
  }
  mcpi_auth_leave(auth);
}

/* The tokens of a program are only in memory. */
static void logout_forget(logout *self) {
  if (self->server->credentials.record.token == NULL) {
    logout_find_nothing(self);
    return;
  }
  mcpi_server_forget(self->server);
  mcpi_auth_task_finish(&self->task, NULL);
}

static void logout_run(mcpi_auth_task *task) {
  logout *self = (logout *)(void *)task;
  mcp_error err;
  if (mcpi_auth_is_by_program(task->auth)) {
    logout_forget(self);
  } else if (self->taking.state == MCPI_TAKING_FREE) {
    mcpi_loop_start_timer(task->auth->loop, &task->timer,
                          mcpi_taking_limit_ms(&task->auth->options));
    mcpi_taking_start(&self->taking);
  } else if (self->taking.state == MCPI_TAKING_WAITING) {
    mcpi_server_is_in_use(self->server, &err);
    mcpi_auth_task_finish(task, &err);
  }
}

int mcp_auth_logout(mcp_auth *auth, const char *server_url,
                    mcp_auth_done_cb on_done, void *userdata, mcp_error *err) {
  mcp_error why = {.code = 0};
  mcpi_error_clear(err);
  mcpi_auth_task *task = mcpi_auth_task_new(
      auth, sizeof(logout), logout_run, logout_stop, on_done, userdata, &why);
  if (task == NULL) {
    return mcp_error_set(err, why.code, "%s", why.message);
  }
  logout *self = (logout *)(void *)task;
  mcpi_auth_server *server = mcpi_servers_get(auth, server_url, &why);
  if (server == NULL) {
    mcpi_auth_task_free(task);
    return mcp_error_set(err, why.code, "%s", why.message);
  }
  mcpi_auth_record_init(&self->record);
  mcpi_login_init(&self->login, auth, logout_on_login);
  self->taking = (mcpi_taking){
      .store = &auth->store, .key = server->url, .on_taken = logout_on_taken};
  self->server = server;
  return mcpi_auth_task_start(task, err);
}
