/* SPDX-License-Identifier: MIT */
/* This libmcp was built without libyaml. */
#include "yaml/yaml.h"

const mcpi_yaml *mcpi_yaml_get(mcp_error *err) {
  mcp_error_set(err, MCP_ERR_UNSUPPORTED,
                "this libmcp was built without skills (MCP_SKILLS)");
  return NULL;
}
