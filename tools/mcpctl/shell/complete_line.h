/* SPDX-License-Identifier: MIT */
/* Completes a command line of mcpctl for another shell, such as bash. Its
 * scripts are in the folder completions/. */
#ifndef CTL_COMPLETE_LINE_H
#define CTL_COMPLETE_LINE_H

/* Runs `mcpctl complete-line LINE`, where LINE is a command line up to the
 * cursor, beginning with the name of the program. Prints how its last word can
 * go on, one word a line. It prints nothing where a file may stand, on failure,
 * and after "--". It never asks the user anything, and ends within about a
 * second. Returns an exit code. */
int ctl_complete_line_run(int argc, char **argv);

#endif
