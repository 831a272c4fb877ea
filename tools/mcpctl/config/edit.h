/* SPDX-License-Identifier: MIT */
/* The verbs that write configurations: `add` and `remove` change a file,
 * `export` prints an entry for a host. */
#ifndef CTL_EDIT_H
#define CTL_EDIT_H

#include "line/options.h"

/* Each returns an exit code. */
int ctl_add_run(const ctl_options *options);
int ctl_remove_run(const ctl_options *options);
int ctl_export_run(const ctl_options *options);

/* Puts the entry of the server that the command line describes, by a URL or a
 * command, with --env, --cwd and --header. */
void ctl_edit_put_entry(mcp_builder *out, const char *name,
                        const ctl_options *options);

#endif
