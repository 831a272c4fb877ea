/* SPDX-License-Identifier: MIT */
/* mcp_auth_list: takes one record after the other, and shows what is in it. */
#include "auth/client/record.h"
#include "auth/client/record_key.h"
#include "auth/client/taking.h"
#include "auth/client/task.h"
#include "base/error.h"

enum {
  /* Bytes of all keys: some thousand servers. */
  KEYS_MAX = 1024 * 1024
};

typedef struct list {
  mcpi_auth_task task;
  void (*each)(mcp_auth *auth, const mcp_auth_stored *stored, void *userdata);
  mcpi_buf keys;  /* each with its NUL */
  size_t next;    /* where the next key begins */
  int has_listed; /* `keys` has been filled */
  int is_turning; /* list_go_on runs */
  int is_taking;  /* a record is being taken, or shown */
  mcpi_taking taking;
  mcp_error trouble; /* of the first record that could not be shown */
} list;

static void list_stop(mcpi_auth_task *task) {
  list *self = (list *)(void *)task;
  if (self->taking.store != NULL) {
    mcpi_taking_cancel(&self->taking);
  }
  mcpi_buf_deinit(&self->keys);
}

static void list_on_key(void *argument, const char *key) {
  list *self = argument;
  mcpi_buf_put(&self->keys, key, strlen(key) + 1);
}

static void list_note_trouble(list *self, const mcp_error *err) {
  if (self->trouble.code == 0) {
    self->trouble = *err;
  }
}

/* --- one record ----------------------------------------------------------- */

static void list_show(list *self, const mcpi_auth_record *record,
                      const char *server_url, uint32_t grant) {
  const mcpi_token *token = record->token;
  const mcp_auth_stored stored = {
      .size = sizeof(stored),
      .server_url = server_url,
      .issuer = token->issuer,
      .client_id = token->client_id != NULL ? token->client_id : "",
      .scopes = token->scopes != NULL ? token->scopes : "",
      .expires_ms = token->expires_ms,
      .is_renewable = token->refresh != NULL,
      .is_bound = token->key != NULL,
      .grant = grant};
  self->each(self->task.auth, &stored, self->task.userdata);
}

/* The record is given back before the program sees it: the program may log out,
 * or free the mcp_auth, which frees `keys`. So the URL is copied. */
static void list_read(list *self, mcpi_str text) {
  const mcp_allocator *allocator = mcpi_auth_allocator(self->task.auth);
  const char *key = self->taking.key;
  mcpi_str shown = mcpi_record_key_url(key);
  uint32_t grant = mcpi_record_key_grant(key);
  mcpi_auth_record record;
  mcp_error err;
  mcpi_auth_record_init(&record);
  char *url = mcpi_strndup(allocator, shown.ptr, shown.len);
  int rc = MCP_ERR_NOMEM;
  if (url != NULL) {
    rc = mcpi_auth_record_read(&record, text, key, allocator);
  }
  mcpi_taking_give(&self->taking, mcpi_str_z(NULL), NULL);
  if (rc == MCP_ERR_NOMEM) {
    mcpi_no_memory(&err);
    list_note_trouble(self, &err);
  } else if (rc != 0) {
    mcp_error_set(&err, rc,
                  "the stored record for %s is not valid: log out of the "
                  "server, or log in to it again",
                  url);
    list_note_trouble(self, &err);
  } else if (record.token != NULL) {
    list_show(self, &record, url, grant);
  }
  mcpi_strfree(allocator, url);
  mcpi_auth_record_deinit(&record, allocator);
}

/* --- all ------------------------------------------------------------------ */

static int list_is_over(const list *self) {
  return mcpi_list_is_empty(&self->task.link);
}

static void list_take_next(list *self) {
  mcp_auth *auth = self->task.auth;
  self->taking.key = self->keys.data + self->next;
  self->next += strlen(self->taking.key) + 1;
  self->is_taking = 1;
  mcpi_loop_start_timer(auth->loop, &self->task.timer,
                        mcpi_taking_limit_ms(&auth->options));
  mcpi_taking_start(&self->taking);
}

/* Stores may answer at once, so this is a loop. */
static void list_go_on(list *self) {
  if (self->is_turning) {
    return;
  }
  self->is_turning = 1;
  while (!list_is_over(self) && !self->is_taking &&
         self->next < self->keys.len) {
    list_take_next(self);
  }
  self->is_turning = 0;
  if (!list_is_over(self) && !self->is_taking) {
    mcpi_auth_task_finish(&self->task,
                          self->trouble.code != 0 ? &self->trouble : NULL);
  }
}

static void list_on_taken(mcpi_taking *taking, const mcp_error *err,
                          mcpi_str text) {
  list *self = MCPI_CONTAINER(taking, list, taking);
  mcp_auth *auth = self->task.auth;
  mcpi_auth_enter(auth);
  if (err == NULL) {
    list_read(self, text);
  } else {
    list_note_trouble(self, err);
  }
  if (!list_is_over(self)) {
    self->is_taking = 0;
    list_go_on(self);
  }
  mcpi_auth_leave(auth);
}

static void list_is_late(list *self) {
  mcp_error err;
  mcpi_taking_time_out(&self->taking, &err);
  list_note_trouble(self, &err);
  self->is_taking = 0;
  list_go_on(self);
}

static void list_begin(list *self) {
  const mcp_auth_store *store = &self->task.auth->store;
  mcp_error err = {.code = 0};
  int rc = MCP_ERR_UNSUPPORTED;
  self->has_listed = 1;
  if (store->list != NULL) {
    rc = store->list(store->userdata, list_on_key, self, &err);
  } else {
    mcp_error_set(&err, rc, "the token store cannot list its records");
  }
  if (rc == 0) {
    rc = self->keys.error;
  }
  if (rc != 0) {
    mcpi_error_complete(&err, rc);
    list_note_trouble(self, &err);
  }
  list_go_on(self);
}

static void list_run(mcpi_auth_task *task) {
  list *self = (list *)(void *)task;
  if (self->has_listed) {
    list_is_late(self);
  } else {
    /* So that moving the timer needs no memory. */
    mcpi_loop_start_timer(task->auth->loop, &task->timer, INT64_MAX);
    list_begin(self);
  }
}

int mcp_auth_list(mcp_auth *auth,
                  void (*each)(mcp_auth *auth, const mcp_auth_stored *stored,
                               void *userdata),
                  mcp_auth_done_cb on_done, void *userdata, mcp_error *err) {
  mcp_error why = {.code = 0};
  mcpi_error_clear(err);
  if (each == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "each is NULL");
  }
  mcpi_auth_task *task = mcpi_auth_task_new(auth, sizeof(list), list_run,
                                            list_stop, on_done, userdata, &why);
  if (task == NULL) {
    return mcp_error_set(err, why.code, "%s", why.message);
  }
  list *self = (list *)(void *)task;
  self->each = each;
  mcpi_buf_init(&self->keys, mcpi_auth_allocator(auth), KEYS_MAX);
  self->taking =
      (mcpi_taking){.store = &auth->store, .on_taken = list_on_taken};
  return mcpi_auth_task_start(task, err);
}
