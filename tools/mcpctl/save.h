/* SPDX-License-Identifier: MIT */
/* A resource's bytes, written where the user wants them. */
#ifndef CTL_SAVE_H
#define CTL_SAVE_H

#include <mcp/json.h>

/* Writes the bytes of one entry of a resource's contents, text or blob, to a
 * file; "-" is standard output. An exit code. */
int ctl_save_resource(const mcp_json *resource, const char *path);

#endif
