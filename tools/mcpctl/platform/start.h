/* SPDX-License-Identifier: MIT */
/* What a process does first. */
#ifndef CTL_PLATFORM_START_H
#define CTL_PLATFORM_START_H

/* Prepares the standard streams, and gives the command line as UTF-8. Returns
 * 0, or -1 with errno. */
int ctl_start(int *argc, char ***argv);

#endif
