/* SPDX-License-Identifier: MIT */
/* The progress bar on standard error. */
#ifndef CTL_PROGRESS_H
#define CTL_PROGRESS_H

/* Draws it anew on a terminal; elsewhere prints a line when `is_verbose`.
 * `total` 0: not known; `message` may be NULL. */
void ctl_progress_show(double progress, double total, const char *message,
                       int is_verbose);

/* Takes the bar away, so that something else can be printed. */
void ctl_progress_clear(void);

#endif
