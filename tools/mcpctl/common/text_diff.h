/* SPDX-License-Identifier: MIT */
/* Shows the lines in which two texts differ. */
#ifndef CTL_TEXT_DIFF_H
#define CTL_TEXT_DIFF_H

/* Prints them on standard output, in the unified format. `name` stands above
 * them. Returns an exit code. */
int ctl_text_diff_print(const char *name, const char *before,
                        const char *after);

#endif
