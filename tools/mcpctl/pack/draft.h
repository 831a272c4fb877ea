/* SPDX-License-Identifier: MIT */
/* How the server of a new bundle is started: by a program, or by a command in a
 * folder. */
#ifndef CTL_DRAFT_H
#define CTL_DRAFT_H

#include "line/options.h"
#include "pack/compose.h"
#include "pack/gather.h"

typedef struct ctl_drafted {
  ctl_draft draft;
  char **owned; /* the strings of the draft */
  size_t owned_count;
  const char **args; /* an owned array; NULL: the draft's is that of the line */
} ctl_drafted;

/* For a program and those of --platform, which it adds to the files. Returns 0,
 * or MCP_ERR_* as in err; the caller calls ctl_drafted_deinit in both cases. */
int ctl_drafted_program(ctl_drafted *drafted, ctl_gathered *gathered,
                        const ctl_options *options, mcp_error *err);
/* For the command after --, in a folder whose files are gathered. */
int ctl_drafted_folder(ctl_drafted *drafted, const ctl_gathered *gathered,
                       const ctl_options *options, mcp_error *err);
/* Takes the first PNG image of the icons that the server says it has: into the
 * files, if the server gives the image itself. */
int ctl_drafted_icon(ctl_drafted *drafted, ctl_gathered *gathered,
                     const mcp_json *listing, mcp_error *err);
void ctl_drafted_deinit(ctl_drafted *drafted);

#endif
