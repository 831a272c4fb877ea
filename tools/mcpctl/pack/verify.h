/* SPDX-License-Identifier: MIT */
/* The verb `verify`: checks a bundle, and starts its server. */
#ifndef CTL_VERIFY_H
#define CTL_VERIFY_H

#include "bundle/bundle.h"

struct ctl_options;

/* For ctl_verb. */
int ctl_verify_run(const struct ctl_options *options);

/* Starts the server of a bundle without faults, and compares it with the
 * manifest. Adds to the findings. Returns CTL_OK, also if the server fails; or
 * an exit code after a report: the user interrupted it. */
int ctl_verify_server(const struct ctl_options *options,
                      const ctl_bundle *bundle, const char *path,
                      ctl_findings *findings);

#endif
