/* SPDX-License-Identifier: MIT */
/* The images, the audio and the embedded resources of a result, as files. */
#ifndef CTL_PIECES_H
#define CTL_PIECES_H

#include <mcp/client.h>

/* Whether a block of content is such a piece. */
int ctl_pieces_has(const mcp_json *block);

/* Saves the pieces of a result, and reports each file. One piece goes into the
 * file `output` ("-": standard output), or into that folder if it is there or
 * the name ends with a slash. Several go into the folder, which is made if it
 * is missing. In a folder a file has the kind, the number and the type as its
 * name: image-1.png. Returns an exit code. */
int ctl_pieces_save(const mcp_result *result, const char *output);

#endif
