/* SPDX-License-Identifier: MIT */
/* The verb `pack`: makes a bundle. */
#ifndef CTL_PACK_H
#define CTL_PACK_H

struct ctl_options;

/* For ctl_verb. */
int ctl_pack_run(const struct ctl_options *options);

#endif
