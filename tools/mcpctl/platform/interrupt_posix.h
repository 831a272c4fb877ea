/* SPDX-License-Identifier: MIT */
/* What a wait needs of the interrupt. */
#ifndef CTL_PLATFORM_INTERRUPT_POSIX_H
#define CTL_PLATFORM_INTERRUPT_POSIX_H

/* A descriptor that becomes readable with the first interrupt. */
int ctl_interrupt_fd(void);
/* Makes the descriptor unreadable again after it ended one wait. */
void ctl_interrupt_clear(void);

#endif
