/* SPDX-License-Identifier: MIT */
/* SIGINT: the first asks for an orderly end, the second one ends the process
 * on the spot. */
#ifndef CTL_INTERRUPT_H
#define CTL_INTERRUPT_H

/* Catches SIGINT, unless it was ignored. 0, or -1 with errno. */
int ctl_interrupt_setup(void);

/* A descriptor that becomes readable with the first SIGINT. */
int ctl_interrupt_fd(void);
/* Has it ended one wait, it is not to end all others. */
void ctl_interrupt_clear(void);

/* Whether it has come. */
int ctl_interrupt_has_come(void);

#endif
