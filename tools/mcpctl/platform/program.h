/* SPDX-License-Identifier: MIT */
/* Programs that mcpctl runs for the user. */
#ifndef CTL_PLATFORM_PROGRAM_H
#define CTL_PLATFORM_PROGRAM_H

/* Runs a command of the system's shell, and waits for its end. Returns its exit
 * status; -1 with errno if it cannot be started, or 0 if a signal has ended it.
 */
int ctl_program_run(const char *command);

#endif
