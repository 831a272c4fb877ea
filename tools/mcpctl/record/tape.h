/* SPDX-License-Identifier: MIT */
/* A recording as it is written: a line of JSON for each message, without the
 * secrets in it. docs/MCPCTL.md describes the lines. */
#ifndef CTL_TAPE_H
#define CTL_TAPE_H

#include "line/options.h"

#include <mcp/loop.h>

typedef struct ctl_tape ctl_tape;

/* Makes the file, which only the user can read, and writes its first line. A
 * file that is there already is an error, unless the options say --overwrite.
 * Owned: end it with ctl_tape_free, before the loop. NULL: err says why. */
ctl_tape *ctl_tape_new(mcp_loop *loop, const ctl_options *options,
                       const char *path, mcp_error *err);

/* Adds a message of "client" or "server". `is_made`: mcpctl has made it. A
 * text that is not a message is added as junk. */
void ctl_tape_add(ctl_tape *tape, const char *from, const char *text,
                  size_t len, int is_made);
void ctl_tape_add_junk(ctl_tape *tape, const char *from, const char *text,
                       size_t len);

/* Closes the file. Returns 0; or MCP_ERR_IO: the file is not complete, and err
 * says why. */
int ctl_tape_free(ctl_tape *tape, mcp_error *err);

#endif
