/* SPDX-License-Identifier: MIT */
/* This libmcp was built without libsecret. */
#include "keyring/keyring.h"

const mcpi_keyring_engine *mcpi_keyring_engine_get(mcp_error *err) {
  mcp_error_set(err, MCP_ERR_UNSUPPORTED,
                "this libmcp was built without keyrings (MCP_KEYRING): keep "
                "tokens in files, or build it with libsecret and MCP_MODULES");
  return NULL;
}
