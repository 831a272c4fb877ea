/* SPDX-License-Identifier: MIT */
/* Where the sessions that stay have their files. Each has a socket
 *
 *     $XDG_RUNTIME_DIR/mcpctl/NAME-HASH.sock, or
 *     /tmp/mcpctl-UID/NAME-HASH.sock
 *
 * in a folder that only the user may enter, and a log
 *
 *     $XDG_STATE_HOME/mcpctl/NAME-HASH.log
 *
 * The hash is that of the definition: all that matters to the connection. So
 * another definition under the same name is another session. */
#ifndef CTL_KEEP_PATH_H
#define CTL_KEEP_PATH_H

#include "line/options.h"

typedef struct ctl_keep_path {
  char *definition; /* JSON text, with secrets; never shown */
  char *folder;
  char *socket;
  char *begun; /* where the socket is until it listens */
  char *lock;  /* a file: whoever starts the session has locked it */
  char *log;
} ctl_keep_path;

/* Makes the paths for the server of the options, which has a name. All are
 * owned. Returns 0 or MCP_ERR_*; the caller calls ctl_keep_path_deinit in both
 * cases. */
int ctl_keep_path_make(ctl_keep_path *path, const ctl_options *options,
                       mcp_error *err);
void ctl_keep_path_deinit(ctl_keep_path *path);

/* The folder of the sockets. Owned: end it with free; NULL: out of memory. */
char *ctl_keep_folder(void);
/* Checks that the folder is the user's own, and that nobody else may enter it.
 * `makes`: makes it first, if it is not there. Returns 0, MCP_ERR_NOT_FOUND (it
 * is not there), or MCP_ERR_REFUSED. */
int ctl_keep_folder_check(const char *folder, int makes, mcp_error *err);

#endif
