/* SPDX-License-Identifier: MIT */
/* Limits of the process. */
#ifndef CTL_PLATFORM_LIMITS_H
#define CTL_PLATFORM_LIMITS_H

/* Raises the limit of open files as far as the process may. */
void ctl_limits_raise_files(void);

#endif
