/* SPDX-License-Identifier: MIT */
/* Shows progress on standard error. */
#ifndef CTL_PROGRESS_H
#define CTL_PROGRESS_H

/* Draws the bar on a terminal; elsewhere prints a line when `is_verbose`.
 * `total` 0: unknown; `message` may be NULL. */
void ctl_progress_show(double progress, double total, const char *message,
                       int is_verbose);

/* Erases the bar, so that something else can be printed. */
void ctl_progress_clear(void);

/* The terminal's last line has something else of mcpctl's that is drawn again
 * later, such as a prompt: ctl_progress_clear erases it, too. */
void ctl_progress_mark(void);
/* Whether there is a bar, or a marked line, that was not erased. */
int ctl_progress_is_shown(void);

#endif
