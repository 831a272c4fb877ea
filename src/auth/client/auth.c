/* SPDX-License-Identifier: MIT */
/* The mcp_auth: making one, its end, and what the program answers. */
#include "auth/client/auth.h"

#include "auth/client/options.h"
#include "auth/client/servers.h"
#include "auth/client/task.h"
#include "base/error.h"

/* --- making one ----------------------------------------------------------- */

static mcp_auth *auth_alloc(mcp_loop *loop) {
  const mcp_allocator *allocator = &loop->allocator;
  mcp_auth *auth = mcpi_calloc(allocator, 1, sizeof(*auth));
  if (auth != NULL) {
    auth->loop = loop;
    auth->holders = 1;
    mcpi_issuers_init(&auth->issuers, allocator);
    mcpi_map_init(&auth->servers, allocator, loop->hash_seed);
    mcpi_list_init(&auth->logins);
    mcpi_list_init(&auth->tasks);
    mcpi_list_init(&auth->graves);
  }
  return auth;
}

static int auth_configure(mcp_auth *auth, const mcp_auth_options *given,
                          mcp_error *err) {
  int rc = mcpi_auth_options_init(&auth->options, &auth->store, auth->loop,
                                  given, err);
  if (rc == 0 && auth->store.take == NULL &&
      mcp_auth_store_memory(&auth->store, auth->loop) != 0) {
    rc = mcpi_no_memory(err);
  }
  return rc;
}

mcp_auth *mcpi_auth_new(mcp_loop *loop, const mcp_auth_options *options,
                        const mcpi_auth_host *host_table, void *host,
                        mcp_error *err) {
  mcpi_error_clear(err);
  if (loop == NULL) {
    mcpi_error_null(err, "loop");
    return NULL;
  }
  mcp_auth *auth = auth_alloc(loop);
  if (auth == NULL) {
    mcpi_no_memory(err);
    return NULL;
  }
  if (auth_configure(auth, options, err) != 0) {
    mcpi_auth_drop(auth);
    return NULL;
  }
  auth->host_table = host_table;
  auth->host = host;
  return auth;
}

mcp_loop *mcpi_auth_loop(const mcp_auth *auth) {
  return auth->loop;
}

void mcp_auth_free(mcp_auth *auth) {
  mcp_error err;
  if (auth == NULL || auth->is_freed) {
    return;
  }
  mcpi_auth_closed(&err);
  auth->is_freed = 1;
  mcpi_auth_enter(auth);
  mcpi_auth_task_finish_all(auth, &err);
  mcpi_servers_close(auth, &err);
  mcpi_auth_drop(auth);
  mcpi_auth_leave(auth);
}

int mcp_auth_is_renewing(const mcp_auth *auth) {
  return auth != NULL && mcpi_servers_are_renewing(auth);
}

/* --- servers -------------------------------------------------------------- */

mcpi_auth_server *mcpi_auth_server_ref(mcp_auth *auth, const char *url,
                                       mcp_error *err) {
  return mcpi_servers_get(auth, url, err);
}

void mcpi_auth_server_unref(mcpi_auth_server *server) {
  if (server != NULL) {
    mcpi_server_drop(server);
  }
}

uint64_t mcpi_auth_server_generation(const mcpi_auth_server *server) {
  return server->credentials.generation;
}

/* --- answers of the program ----------------------------------------------- */

static int auth_answer(mcp_auth *auth, uint64_t login,
                       mcpi_login_answer_kind kind, const char *text,
                       const char *secret, int64_t expires_ms, mcp_error *err) {
  mcpi_error_clear(err);
  if (auth == NULL) {
    return mcpi_error_null(err, "mcp_auth");
  }
  if (text == NULL && kind != MCPI_ANSWER_CLIENT) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "the answer to login %llu is "
                         "NULL",
                         (unsigned long long)login);
  }
  mcpi_login *found = mcpi_login_find(auth, login, err);
  if (found == NULL) {
    return MCP_ERR_INVALID;
  }
  return mcpi_login_answer_with(found, kind, text, secret, expires_ms, err);
}

int mcp_auth_redirected(mcp_auth *auth, uint64_t login, const char *url,
                        mcp_error *err) {
  return auth_answer(auth, login, MCPI_ANSWER_URL, url, NULL, 0, err);
}

int mcp_auth_assert(mcp_auth *auth, uint64_t login, const char *assertion,
                    mcp_error *err) {
  return auth_answer(auth, login, MCPI_ANSWER_ASSERTION, assertion, NULL, 0,
                     err);
}

int mcp_auth_give_token(mcp_auth *auth, uint64_t login, const char *token,
                        int64_t expires_ms, mcp_error *err) {
  return auth_answer(auth, login, MCPI_ANSWER_TOKEN, token, NULL, expires_ms,
                     err);
}

int mcp_auth_give_client(mcp_auth *auth, uint64_t login, const char *id,
                         const char *secret, mcp_error *err) {
  return auth_answer(auth, login, MCPI_ANSWER_CLIENT, id, secret, 0, err);
}

int mcp_auth_abandon(mcp_auth *auth, uint64_t login, const char *why,
                     mcp_error *err) {
  if (why == NULL) {
    why = "the login was abandoned";
  }
  return auth_answer(auth, login, MCPI_ANSWER_NO, why, NULL, 0, err);
}

int mcp_auth_open_browser(mcp_auth *auth, const mcp_auth_prompt *prompt,
                          void *userdata) {
  (void)userdata;
  if (auth == NULL || prompt == NULL || prompt->url == NULL) {
    return MCP_ERR_INVALID;
  }
  if (auth->host_table == NULL) {
    return MCP_ERR_CLOSED;
  }
  return auth->host_table->open_browser(auth->host, prompt->url, NULL);
}
