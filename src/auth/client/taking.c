/* SPDX-License-Identifier: MIT */
#include "auth/client/taking.h"

#include "auth/client/record_key.h"
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

/* Without memory, the text is not whole. */
static int taking_give_text(mcpi_taking *taking, const mcpi_buf *text,
                            mcp_error *err) {
  if (text->error != 0) {
    mcpi_taking_give(taking, mcpi_str_z(NULL), NULL);
    return mcp_error_set(err, text->error, "cannot write the record of %s: %s",
                         taking->key, mcp_error_text(text->error));
  }
  return mcpi_taking_give(
      taking, text->len > 0 ? mcpi_buf_str(text) : MCPI_STR(""), err);
}

int mcpi_taking_give_record(mcpi_taking *taking, const mcpi_auth_record *record,
                            const mcp_allocator *allocator, mcp_error *err) {
  mcpi_buf text;
  mcpi_buf_init_secret(&text, allocator, MCPI_AUTH_RECORD_MAX);
  if (!mcpi_auth_record_is_empty(record)) {
    mcpi_auth_record_put(&text, record, taking->key);
  }
  int rc = taking_give_text(taking, &text, err);
  mcpi_buf_deinit(&text);
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

int mcpi_taking_time_out(mcpi_taking *taking, mcp_error *err) {
  mcpi_str url = mcpi_record_key_url(taking->key);
  mcpi_taking_cancel(taking);
  return mcp_error_set(
      err, MCP_ERR_TIMEOUT,
      "the stored token for %.*s is used by someone else for too long",
      (int)url.len, url.ptr);
}
