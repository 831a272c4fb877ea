/* SPDX-License-Identifier: MIT */
/* Stream sockets of this machine. None of them waits, and no program that is
 * started later gets one. The functions return a descriptor, or -1 with errno.
 */
#ifndef CTL_PLATFORM_LOCAL_SOCKET_H
#define CTL_PLATFORM_LOCAL_SOCKET_H

/* A new socket of the kind AF_UNIX. */
int ctl_local_socket(void);

/* A connection that a listening socket has. */
int ctl_local_accept(int listener);

/* Two sockets that are connected. Returns 0, or -1 with errno. */
int ctl_local_pair(int ends[2]);

/* Whether the process at the other end is the same user's. */
int ctl_local_is_own(int fd);

#endif
