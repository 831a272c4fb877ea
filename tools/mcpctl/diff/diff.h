/* SPDX-License-Identifier: MIT */
/* The verb `diff`: compares two servers, or a server and a snapshot. */
#ifndef CTL_DIFF_H
#define CTL_DIFF_H

struct ctl_options;

/* For ctl_verb.run. */
int ctl_diff_run(const struct ctl_options *options);

#endif
