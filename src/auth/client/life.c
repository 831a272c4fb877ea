/* SPDX-License-Identifier: MIT */
#include "auth/client/life.h"

#include "auth/client/options.h"

int mcpi_auth_closed(mcp_error *err) {
  return mcp_error_set(err, MCP_ERR_CLOSED, "the mcp_auth has been freed");
}

void mcpi_auth_hold(mcp_auth *auth) {
  auth->holders++;
}

static void auth_destroy(mcp_auth *auth) {
  mcp_loop *loop = auth->loop;
  mcpi_issuers_deinit(&auth->issuers);
  mcpi_map_deinit(&auth->servers);
  mcpi_auth_options_deinit(&auth->options, loop);
  mcpi_free(&loop->allocator, auth, sizeof(*auth));
}

void mcpi_auth_drop(mcp_auth *auth) {
  if (--auth->holders == 0) {
    auth_destroy(auth);
  }
}

void mcpi_auth_enter(mcp_auth *auth) {
  auth->holders++;
  auth->frames++;
  auth->loop->frames++;
}

/* Nothing of the program's runs below us any more. */
static void auth_release(mcp_auth *auth) {
  mcp_auth_store store = auth->store;
  const mcpi_auth_host *host_table = auth->host_table;
  auth->store = (mcp_auth_store){.size = sizeof(store)};
  auth->host_table = NULL;
  if (store.take != NULL && store.release != NULL) {
    store.release(store.userdata);
  }
  if (host_table != NULL && host_table->release != NULL) {
    host_table->release(auth->host);
  }
}

static void destroy_graves(mcp_auth *auth) {
  while (!mcpi_list_is_empty(&auth->graves)) {
    mcpi_auth_grave *grave =
        MCPI_CONTAINER(auth->graves.next, mcpi_auth_grave, link);
    mcpi_list_remove(&grave->link);
    grave->destroy(grave);
  }
}

void mcpi_auth_bury(mcp_auth *auth, mcpi_auth_grave *grave) {
  if (auth->frames > 0) {
    mcpi_list_append(&auth->graves, &grave->link);
  } else {
    grave->destroy(grave);
  }
}

void mcpi_auth_leave(mcp_auth *auth) {
  auth->loop->frames--;
  auth->frames--;
  if (auth->frames == 0) {
    destroy_graves(auth);
  }
  if (auth->frames == 0 && auth->is_freed) {
    auth_release(auth);
  }
  mcpi_auth_drop(auth);
}
