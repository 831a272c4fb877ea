/* SPDX-License-Identifier: MIT */
#include "auth/client/taking.h"

#include <stddef.h>

static void taking_done(void *argument, const mcp_error *err, const char *text,
                        size_t len) {
  mcpi_taking *taking = argument;
  taking->state = err == NULL ? MCPI_TAKING_HELD : MCPI_TAKING_FREE;
  taking->on_taken(taking, err, mcpi_str_n(text, text != NULL ? len : 0));
}

/* A careless store sets no error. */
static void taking_complete(mcp_error *err, int rc) {
  if (rc != 0 && err->code == 0) {
    mcp_error_set(err, rc, "the token store failed: %s", mcp_error_text(rc));
  }
}

void mcpi_taking_start(mcpi_taking *taking) {
  const mcp_auth_store *store = taking->store;
  mcp_error err = {.code = 0};
  taking->state = MCPI_TAKING_WAITING;
  int rc = store->take(store->userdata, taking->key, taking_done, taking, &err);
  if (rc != 0) {
    taking_complete(&err, rc);
    taking_done(taking, &err, NULL, 0);
  }
}

int mcpi_taking_give(mcpi_taking *taking, mcpi_str text, mcp_error *err) {
  const mcp_auth_store *store = taking->store;
  mcp_error why = {.code = 0};
  taking->state = MCPI_TAKING_FREE;
  int rc = store->give(store->userdata, taking->key, text.ptr, text.len, &why);
  taking_complete(&why, rc);
  if (rc != 0 && err != NULL) {
    *err = why;
  }
  return rc;
}

void mcpi_taking_cancel(mcpi_taking *taking) {
  const mcp_auth_store *store = taking->store;
  if (taking->state == MCPI_TAKING_WAITING) {
    taking->state = MCPI_TAKING_FREE;
    store->cancel(store->userdata, taking->key, taking);
  } else if (taking->state == MCPI_TAKING_HELD) {
    mcpi_taking_give(taking, mcpi_str_z(NULL), NULL);
  }
}
