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

#endif
