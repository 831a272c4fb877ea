/* SPDX-License-Identifier: MIT */
/* Descriptors of any kind. On Windows they are those of the C library; sockets
 * have numbers of their own there (sockets.h). */
#ifndef MCPI_PLATFORM_DESCRIPTORS_H
#define MCPI_PLATFORM_DESCRIPTORS_H

/* A duplicate that children do not inherit; negative errno on failure. */
int mcpi_fd_duplicate(int fd);
void mcpi_fd_close(int fd);
/* Whether it is an open descriptor. */
int mcpi_fd_is_open(int fd);
/* Lets `fd` stand for the open file of `from` as well. Returns 0 or negative
 * errno. */
int mcpi_fd_replace(int fd, int from);
/* Opens /dev/null; negative errno on failure. */
int mcpi_fd_open_null(void);

/* Opens /dev/null in place of each standard descriptor that is closed.
 * Otherwise the next file that is opened would get its number, and libuv ends
 * the process if that is one of libuv's own files. */
void mcpi_fd_fill_standard(void);

/* Returns the flags that processes share with the open file, such as
 * O_NONBLOCK; 0 where there are none; a negative errno value if the descriptor
 * is closed. */
int mcpi_fd_flags(int fd);
/* May be called in a signal handler. */
void mcpi_fd_set_flags(int fd, int flags);

#endif
