/* SPDX-License-Identifier: MIT */
/* Writes a resource's bytes to a file. */
#ifndef CTL_SAVE_H
#define CTL_SAVE_H

#include <mcp/json.h>

/* Writes the bytes of one entry of a resource's contents, text or blob, to a
 * file; "-" is standard output. Returns an exit code. */
int ctl_save_resource(const mcp_json *resource, const char *path);
/* The same for a string of base64. */
int ctl_save_base64(const mcp_json *data, const char *path);

#endif
