/* SPDX-License-Identifier: MIT */
/* Where the files of a server's record are: a folder, and a name that shows the
 * server to people. */
#ifndef MCPI_LOGIN_RECORD_NAME_H
#define MCPI_LOGIN_RECORD_NAME_H

#include "core/loop.h"
#include <mcp/sys/crypto.h>

enum {
  /* The beginning of a name, which shows the server. */
  MCPI_RECORD_SHOWN_LEN = 60,
  MCPI_RECORD_NAME_SIZE = MCPI_RECORD_SHOWN_LEN + 1 + 2 * MCP_SHA256_SIZE + 1
};

/* Writes the name of a key's record, without a suffix: "example.com-mcp-HASH".
 * It has only small letters, digits, "." and "-". Returns 0, or an MCP_ERR_*
 * with err: the platform of the loop has no SHA-256. */
int mcpi_record_name(const mcp_loop *loop, const char *key,
                     char name[MCPI_RECORD_NAME_SIZE], mcp_error *err);
/* Returns folder/name + suffix. Owned; NULL when out of memory. */
char *mcpi_record_path(const mcp_allocator *allocator, const char *folder,
                       const char *name, const char *suffix);
/* Returns the folder "mcp/auth" in $XDG_STATE_HOME, or in ~/.local/state. Makes
 * nothing. Owned; NULL with err: MCP_ERR_IO (the user has no home folder),
 * MCP_ERR_NOMEM. */
char *mcpi_record_default_folder(const mcp_allocator *allocator,
                                 mcp_error *err);

#endif
