/* SPDX-License-Identifier: MIT */
/* The interrupt of the user (SIGINT, Ctrl-C): the first one asks for an orderly
 * end; the second one ends the process at once.
 *
 * SIGTERM and SIGHUP end the process at once, unless it has caught them, too:
 * ctl_interrupt_catch_ends. */
#ifndef CTL_PLATFORM_INTERRUPT_H
#define CTL_PLATFORM_INTERRUPT_H

/* Catches interrupts, unless they are ignored. May be called again. 0, or -1
 * with errno. */
int ctl_interrupt_setup(void);

/* For a process that must clean up: from now on, signals that end it are
 * interrupts, which stay. 0, or -1 with errno. */
int ctl_interrupt_catch_ends(void);

/* Ends the process by such a signal if one has come, as if it had not been
 * caught. Else it does nothing. */
void ctl_interrupt_end(void);

/* Forgets an interrupt that has come: what follows is not what the user wanted
 * to end. Returns 0; -1 if it was a signal that ends the process, which is not
 * forgotten. */
int ctl_interrupt_reset(void);

/* Whether an interrupt has come. */
int ctl_interrupt_has_come(void);

#endif
