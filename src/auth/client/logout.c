/* SPDX-License-Identifier: MIT */
/* mcp_auth_logout: takes the record of a server, lets the authorization server
 * revoke the token (RFC 7009), and writes the record without it. Then it does
 * the same with the records of the other grants, one in each turn of the
 * loop. */
#include "auth/client/record_key.h"
#include "auth/client/servers.h"
#include "auth/client/task.h"
#include "base/error.h"

typedef struct logout {
  mcpi_auth_task task;
  mcpi_auth_server *server; /* held; NULL: not yet */
  mcpi_taking taking;
  char *key; /* of the record that is taken; owned */
  mcpi_login login;
  mcpi_auth_record record; /* what is left of it */
  uint32_t records;        /* how many are done; the first is that of the
                              program's own grant */
  int has_removed;         /* one of them had a token */
  mcp_error trouble;       /* the first token that was not revoked */
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
  mcpi_strfree(mcpi_auth_allocator(task->auth), self->key);
  mcpi_server_drop(self->server);
  self->server = NULL;
}

static void logout_fail_for_memory(logout *self) {
  mcp_error err;
  mcpi_no_memory(&err);
  mcpi_auth_task_finish(&self->task, &err);
}

/* --- one record after the other ------------------------------------------- */

static void logout_end(logout *self) {
  mcp_error err;
  if (self->has_removed) {
    mcpi_auth_task_finish(&self->task,
                          self->trouble.code != 0 ? &self->trouble : NULL);
    return;
  }
  mcp_error_set(&err, MCP_ERR_NOT_FOUND, "there is no token for %s",
                self->server->url);
  mcpi_auth_task_finish(&self->task, &err);
}

/* The record has been given back. */
static void logout_go_on(logout *self) {
  mcp_auth *auth = self->task.auth;
  self->records++;
  mcpi_auth_record_deinit(&self->record, mcpi_auth_allocator(auth));
  if (self->records == MCPI_GRANTS) {
    logout_end(self);
  } else if (mcpi_loop_start_timer(auth->loop, &self->task.timer, 0) != 0) {
    logout_fail_for_memory(self);
  }
}

static void logout_take(logout *self) {
  mcp_auth *auth = self->task.auth;
  const mcp_allocator *allocator = mcpi_auth_allocator(auth);
  uint32_t grant = (auth->options.grant + self->records) % MCPI_GRANTS;
  mcpi_strfree(allocator, self->key);
  self->key = mcpi_record_key(self->server->url, grant, allocator);
  if (self->key == NULL) {
    logout_fail_for_memory(self);
    return;
  }
  self->taking.key = self->key;
  mcpi_loop_start_timer(auth->loop, &self->task.timer,
                        mcpi_taking_limit_ms(&auth->options));
  mcpi_taking_start(&self->taking);
}

/* --- a record ------------------------------------------------------------- */

/* Gives the record back without its token. */
static int logout_give(logout *self, mcp_error *err) {
  const mcp_allocator *allocator = mcpi_auth_allocator(self->task.auth);
  mcpi_token_free(self->record.token, allocator);
  self->record.token = NULL;
  return mcpi_taking_give_record(&self->taking, &self->record, allocator, err);
}

/* The token has been revoked, or `why` says why it has not. */
static void logout_remove(logout *self, const mcp_error *why) {
  mcp_error err = {.code = 0};
  int rc = logout_give(self, &err);
  if (self->records == 0) {
    mcpi_server_forget(self->server);
  }
  if (rc != 0) {
    mcpi_error_complete(&err, rc);
    mcpi_auth_task_finish(&self->task, &err);
    return;
  }
  if (why->code != 0 && why->code != MCP_ERR_UNSUPPORTED &&
      self->trouble.code == 0) {
    mcp_error_set(&self->trouble, why->code,
                  "the token for %s is removed, but was not revoked: %s",
                  self->server->url, why->message);
  }
  self->has_removed = 1;
  logout_go_on(self);
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
  mcpi_taking_give(&self->taking, mcpi_str_z(NULL), NULL);
  logout_go_on(self);
}

/* A token that could not be stored is only in memory, and the record has an
 * older one, or none. Returns 0; MCP_ERR_PARSE: there is a record, in which no
 * token can be found; MCP_ERR_NOMEM. */
static int logout_find_token(logout *self, mcpi_str text) {
  const mcp_allocator *allocator = mcpi_auth_allocator(self->task.auth);
  const mcpi_credentials *credentials = &self->server->credentials;
  const mcpi_token *ours = credentials->record.token;
  int rc = mcpi_auth_record_read(&self->record, text, self->key, allocator);
  if (rc != MCP_ERR_NOMEM && self->records == 0 && ours != NULL &&
      !mcpi_credentials_is_news(credentials, &self->record)) {
    mcpi_token_free(self->record.token, allocator);
    self->record.token = mcpi_token_copy(ours, allocator);
    return self->record.token != NULL ? 0 : MCP_ERR_NOMEM;
  }
  return rc;
}

static void logout_of_record(logout *self, mcpi_str text) {
  mcp_error why;
  int rc = logout_find_token(self, text);
  if (rc == MCP_ERR_NOMEM) {
    logout_fail_for_memory(self);
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
  self->has_removed = self->server->credentials.record.token != NULL;
  mcpi_server_forget(self->server);
  logout_end(self);
}

static void logout_run(mcpi_auth_task *task) {
  logout *self = (logout *)(void *)task;
  mcp_error err;
  if (mcpi_auth_is_by_program(task->auth)) {
    logout_forget(self);
  } else if (self->taking.state == MCPI_TAKING_FREE) {
    logout_take(self);
  } else if (self->taking.state == MCPI_TAKING_WAITING) {
    mcpi_taking_time_out(&self->taking, &err);
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
  self->taking =
      (mcpi_taking){.store = &auth->store, .on_taken = logout_on_taken};
  self->server = server;
  return mcpi_auth_task_start(task, err);
}
