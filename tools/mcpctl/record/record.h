/* SPDX-License-Identifier: MIT */
/* The verb record: mcpctl stands between a client and its server, and writes
 * down what they say. */
#ifndef CTL_RECORD_H
#define CTL_RECORD_H

struct ctl_options;

/* Returns an exit code. */
int ctl_record_run(const struct ctl_options *given);

#endif
