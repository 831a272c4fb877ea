/* SPDX-License-Identifier: MIT */
/* The record of a server in a token store. */
#include "auth/client/record.h"

#include <stdlib.h>

#define URL "https://example.com/mcp"

static void check(int condition) {
  if (!condition) {
    abort();
  }
}

/* A record that was written is read as it is. */
static void write_and_read(const mcpi_auth_record *record) {
  const mcp_allocator *allocator = mcp_allocator_default();
  mcpi_auth_record again;
  mcpi_buf text;
  mcpi_buf_init_secret(&text, allocator, SIZE_MAX);
  mcpi_auth_record_put(&text, record, URL);
  check(text.error == 0);
  mcpi_auth_record_init(&again);
  int rc = mcpi_auth_record_read(&again, mcpi_buf_str(&text), URL, allocator);
  check(rc == 0 || text.len > MCPI_AUTH_RECORD_MAX);
  check(rc != 0 || (again.token == NULL) == (record->token == NULL));
  check(rc != 0 || (again.scopes == NULL) == (record->scopes == NULL));
  mcpi_auth_record_deinit(&again, allocator);
  mcpi_buf_deinit(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
  const mcp_allocator *allocator = mcp_allocator_default();
  mcpi_auth_record record;
  mcpi_auth_record_init(&record);
  int rc = mcpi_auth_record_read(&record, mcpi_str_n((const char *)data, len),
                                 URL, allocator);
  if (rc == 0) {
    for (const char *at = record.token != NULL ? record.token->access : "";
         *at != '\0'; at++) {
      check(*at > ' ' && *at <= '~');
    }
    write_and_read(&record);
  } else {
    check(record.token == NULL && record.client.client_id == NULL);
  }
  mcpi_auth_record_deinit(&record, allocator);
  return 0;
}
