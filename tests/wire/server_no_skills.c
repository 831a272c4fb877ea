/* SPDX-License-Identifier: MIT */
/* The command `skills`, for a runner that has only libmcp-core. */
#include "server_program.h"

int server_skills(server_self *me, char *rest) {
  (void)me;
  (void)rest;
  return MCP_ERR_UNSUPPORTED;
}
