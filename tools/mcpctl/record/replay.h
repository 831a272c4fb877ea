/* SPDX-License-Identifier: MIT */
/* The verb replay: uses a recording again. */
#ifndef CTL_REPLAY_H
#define CTL_REPLAY_H

#include "record/recording.h"

#include <mcp/loop.h>

struct ctl_options;

/* Each of these returns an exit code. */

int ctl_replay_run(const struct ctl_options *options);

/* Is the recorded server, for the client that has started mcpctl. */
int ctl_replay_serve(mcp_loop *loop, ctl_recording *recording);

/* Asks the server of the options what was recorded, and prints how its answers
 * differ. */
int ctl_replay_compare(mcp_loop *loop, const struct ctl_options *options,
                       ctl_recording *recording);

#endif
