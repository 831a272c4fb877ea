/* SPDX-License-Identifier: MIT */
/* The warning that a server wrote something to its standard output that is not
 * a message. Many hosts fail then, also where mcpctl does not. */
#ifndef CTL_JUNK_H
#define CTL_JUNK_H

/* Warns, unless *has_warned is set, and sets it. `who` is "the server" or its
 * name. `what` says what it wrote; NULL: nothing is said of that. */
void ctl_junk_warn(int *has_warned, const char *who, const char *what);

#endif
