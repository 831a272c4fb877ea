/* SPDX-License-Identifier: MIT */
/* The interrupt of the user (SIGINT, Ctrl-C): the first one asks for an orderly
 * end; the second one ends the process at once. */
#ifndef CTL_PLATFORM_INTERRUPT_H
#define CTL_PLATFORM_INTERRUPT_H

/* Catches interrupts, unless they are ignored. 0, or -1 with errno. */
int ctl_interrupt_setup(void);

/* Forgets an interrupt that has come: what follows is not what the user wanted
 * to end. */
void ctl_interrupt_reset(void);

/* Whether an interrupt has come. */
int ctl_interrupt_has_come(void);

#endif
