/* SPDX-License-Identifier: MIT */
/* The ways to write to a pipe without SIGPIPE, for fd_write_posix.c. */
#ifndef MCPI_PLATFORM_FD_WRITE_QUIET_H
#define MCPI_PLATFORM_FD_WRITE_QUIET_H

#include "platform/fd_write.h"

#include <signal.h>

/* The cheapest way that the system has. */
ssize_t mcpi_fd_write_quiet(mcpi_fd_writer *writer, struct iovec *parts,
                            int count);
/* With the signal blocked: every system can do this. */
ssize_t mcpi_fd_write_blocked(mcpi_fd_writer *writer, struct iovec *parts,
                              int count);

/* Takes the signal that a write has just raised in this thread. */
void mcpi_sigpipe_take(const sigset_t *only_sigpipe);

#endif
