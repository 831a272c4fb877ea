/* SPDX-License-Identifier: MIT */
/* The command `skills`, for a runner that has libmcp. */
#include "server_program.h"

#include <string.h>

int server_skills(server_self *me, char *rest) {
  char *words = strchr(rest, ' ');
  if (words != NULL) {
    *words++ = '\0';
  }
  return mcp_server_add_skills(
      me->server, rest,
      &(mcp_skills_options){.size = sizeof(mcp_skills_options),
                            .directory_read =
                                words != NULL &&
                                strcmp(words, "directory_read") == 0},
      NULL);
}
