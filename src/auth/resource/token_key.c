/* SPDX-License-Identifier: MIT */
#include "auth/resource/token_key.h"

#include <string.h>

static int token_key_hash(mcp_loop *loop, mcpi_str text,
                          uint8_t out[MCP_SHA256_SIZE]) {
  const mcp_platform *platform = &loop->platform;
  return platform->crypto->sha256(platform->userdata, text.ptr, text.len, out);
}

/* A resource that is too long to be remembered is hashed each time. */
static int token_key_put_resource(mcpi_token_key *out, mcp_loop *loop,
                                  mcpi_str resource, mcpi_last_resource *last) {
  uint8_t *to = out->bytes + MCP_SHA256_SIZE;
  int is_last = resource.len > 0 &&
                mcpi_str_eq(resource, mcpi_str_n(last->text, last->len));
  int rc = 0;
  if (is_last) {
    memcpy(to, last->hash, sizeof(last->hash));
  } else {
    rc = token_key_hash(loop, resource, to);
  }
  if (rc == 0 && !is_last && resource.len <= sizeof(last->text)) {
    last->len = resource.len;
    memcpy(last->text, resource.ptr, resource.len);
    memcpy(last->hash, to, sizeof(last->hash));
  }
  out->len += MCP_SHA256_SIZE;
  return rc;
}

int mcpi_token_key_make(mcpi_token_key *out, mcp_loop *loop, mcpi_str token,
                        mcpi_str resource, mcpi_last_resource *last) {
  out->len = MCP_SHA256_SIZE;
  int rc = token_key_hash(loop, token, out->bytes);
  if (rc == 0 && resource.ptr != NULL) {
    rc = token_key_put_resource(out, loop, resource, last);
  }
  return rc;
}
