/* SPDX-License-Identifier: MIT */
/* The verb mock: a server that a file describes. */
#ifndef CTL_MOCK_H
#define CTL_MOCK_H

struct ctl_options;

/* Serves until the client leaves. Returns an exit code. */
int ctl_mock_run(const struct ctl_options *options);

#endif
