/* SPDX-License-Identifier: MIT */
/* The server of a bundle, as mcpctl starts it: unpacked into a folder that is
 * removed at the end. */
#ifndef CTL_BUNDLED_H
#define CTL_BUNDLED_H

#include "bundle/bundle.h"

struct ctl_options;

/* Unpacks the bundle in the file, and makes its server the one of the options,
 * which then own it. Returns what ctl_server_use does. */
int ctl_bundled_use(struct ctl_options *options, const char *path);

/* The same for a bundle that is checked already, without reports. `path` names
 * it. Returns 0, or MCP_ERR_* as in err. */
int ctl_bundled_take(struct ctl_options *options, const ctl_bundle *bundle,
                     const char *path, mcp_error *err);

#endif
