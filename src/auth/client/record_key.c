/* SPDX-License-Identifier: MIT */
#include "auth/client/record_key.h"

#include "base/buf.h"

/* What follows the URL. */
static const char *const suffixes[MCPI_GRANTS] = {
    [MCP_AUTH_CODE] = "",
    [MCP_AUTH_CLIENT_CREDENTIALS] = "#client_credentials",
    [MCP_AUTH_ENTERPRISE] = "#enterprise",
    [MCP_AUTH_WORKLOAD] = "#workload",
};

char *mcpi_record_key(const char *server_url, uint32_t grant,
                      const mcp_allocator *allocator) {
  mcpi_buf key;
  mcpi_buf_init(&key, allocator, SIZE_MAX);
  mcpi_buf_puts(&key, mcpi_str_z(server_url));
  mcpi_buf_puts(&key, mcpi_str_z(suffixes[grant]));
  return mcpi_buf_take_string(&key);
}

mcpi_str mcpi_record_key_url(const char *key) {
  return mcpi_str_n(key, strcspn(key, "#"));
}

uint32_t mcpi_record_key_grant(const char *key) {
  const char *suffix = key + strcspn(key, "#");
  for (uint32_t grant = 0; grant < MCPI_GRANTS; grant++) {
    if (strcmp(suffix, suffixes[grant]) == 0) {
      return grant;
    }
  }
  return MCP_AUTH_CODE;
}
