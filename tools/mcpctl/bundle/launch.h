/* SPDX-License-Identifier: MIT */
/* How the server of a bundle is started: mcp_config with the values of its
 * variables. */
#ifndef CTL_LAUNCH_H
#define CTL_LAUNCH_H

#include "bundle/settings.h"

/* Everything is owned. The lists end with NULL. */
typedef struct ctl_launch {
  char **command;
  char **env; /* NAME=VALUE */
} ctl_launch;

/* Makes it for a platform. The manifest has the right form, and the settings
 * are checked. Returns 0, or MCP_ERR_* as in err; the caller calls
 * ctl_launch_deinit in both cases. */
int ctl_launch_init(ctl_launch *launch, const mcp_json *manifest,
                    const char *platform, const ctl_settings *settings,
                    mcp_error *err);
void ctl_launch_deinit(ctl_launch *launch);

#endif
