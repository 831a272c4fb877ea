/* SPDX-License-Identifier: MIT */
/* Unpacks a bundle into a folder of its own, which only the user may enter. */
#ifndef CTL_UNPACK_H
#define CTL_UNPACK_H

#include "bundle/zip.h"

/* Makes the folder in $TMPDIR, or in /tmp, and writes all files. Catches the
 * signals that end a process, so that the folder can be removed. Returns its
 * absolute path, owned: end it with ctl_unpack_remove. NULL: err says why; that
 * is MCP_ERR_CANCELLED after an interrupt. */
char *ctl_unpack(const ctl_zip *zip, mcp_error *err);

/* Removes the folder with all that is in it, also what a server has written
 * there, and frees the path. Follows no links. Reports a failure. NULL is
 * accepted. */
void ctl_unpack_remove(char *folder);

#endif
