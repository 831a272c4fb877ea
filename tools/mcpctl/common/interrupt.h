/* SPDX-License-Identifier: MIT */
/* SIGINT: the first one asks for an orderly end; the second one ends the
 * process at once. */
#ifndef CTL_INTERRUPT_H
#define CTL_INTERRUPT_H

/* Catches SIGINT, unless it was ignored. 0, or -1 with errno. */
int ctl_interrupt_setup(void);

/* A descriptor that becomes readable with the first SIGINT. */
int ctl_interrupt_fd(void);
/* Makes the descriptor unreadable again after it ended one wait. */
void ctl_interrupt_clear(void);

/* Forgets a SIGINT that has come: what follows is not what the user wanted to
 * end. */
void ctl_interrupt_reset(void);

/* Whether SIGINT has come. */
int ctl_interrupt_has_come(void);

#endif
