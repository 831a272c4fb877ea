/* SPDX-License-Identifier: MIT */
/* Programs that mcpctl runs for the user. */
#ifndef CTL_PLATFORM_PROGRAM_H
#define CTL_PLATFORM_PROGRAM_H

#include <stdio.h>

/* Runs a command of the system's shell, and waits for its end. Returns its exit
 * status; -1 with errno if it cannot be started, or 0 if a signal has ended it.
 */
int ctl_program_run(const char *command);

/* Starts a command of the system's shell, whose output the stream has. NULL
 * with errno. */
FILE *ctl_program_open(const char *command);
void ctl_program_close(FILE *output);

#endif
