/* SPDX-License-Identifier: MIT */
/* The ids of sessions and of streams of HTTP+SSE: how an endpoint makes one,
 * and what a request says with one. */
#include "endpoint/session_id.h"

#include "base/base64.h"
#include "endpoint/endpoint.h"
#include "endpoint/head.h"

int mcpi_endpoint_make_id(const mcp_http *http,
                          char id[MCPI_ENDPOINT_SESSION_ID_LEN + 1]) {
  const mcp_platform *platform = &http->shard->loop->platform;
  uint8_t bytes[MCPI_ENDPOINT_SESSION_ID_LEN - 1];
  if (platform->random == NULL) {
    return MCP_ERR_PLATFORM;
  }
  int rc = platform->random(platform->userdata, bytes, sizeof(bytes));
  id[0] = mcpi_base64url_digit((unsigned)http->home);
  for (size_t i = 0; i < sizeof(bytes); i++) {
    id[1 + i] = mcpi_base64url_digit(bytes[i]); /* six bits of each byte */
  }
  id[MCPI_ENDPOINT_SESSION_ID_LEN] = '\0';
  return rc;
}

size_t mcpi_endpoint_session_home(const char *id) {
  int home = mcpi_base64url_value(id[0]);
  return home >= 0 ? (size_t)home : MCPI_HTTP1_MAX_HOMES;
}

const char *mcpi_endpoint_sse_id(const mcp_http *http, const char *target) {
  const mcpi_str name = MCPI_STR("sessionId=");
  if ((http->options.wires & MCP_HTTP_SSE) == 0 ||
      !mcpi_endpoint_path_is(target, http->options.messages_path)) {
    return NULL;
  }
  const char *at = strchr(target, '?');
  while (at != NULL && strncmp(at + 1, name.ptr, name.len) != 0) {
    at = strchr(at + 1, '&');
  }
  return at != NULL ? at + 1 + name.len : NULL;
}
