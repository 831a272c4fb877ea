/* SPDX-License-Identifier: MIT */
/* The commands of skills, for a runner that has only libmcp-core. */
#include "client_program.h"

int client_skills_run(client_self *me, const char *verb, char *const words[2],
                      const mcp_request_options *options, mcp_done_cb on_done) {
  (void)me;
  (void)verb;
  (void)words;
  (void)options;
  (void)on_done;
  return MCP_ERR_UNSUPPORTED;
}
