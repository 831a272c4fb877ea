/* SPDX-License-Identifier: MIT */
/* Reads descriptors on threads of their own: on Windows a wait cannot be for a
 * pipe, a file or a console together with the loop. */
#ifndef CTL_PLATFORM_INPUT_WINDOWS_H
#define CTL_PLATFORM_INPUT_WINDOWS_H

/* Whether ctl_input_read has something. If it has not, a thread reads, and
 * calls ctl_wake when it has. */
int ctl_input_is_ready(int fd);

#endif
