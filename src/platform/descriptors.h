/* SPDX-License-Identifier: MIT */
/* Descriptors of any kind. */
#ifndef MCPI_PLATFORM_DESCRIPTORS_H
#define MCPI_PLATFORM_DESCRIPTORS_H

/* A duplicate that children do not inherit; negative errno on failure. */
int mcpi_fd_duplicate(int fd);

/* Opens /dev/null in place of each standard descriptor that is closed.
 * Otherwise the next file that is opened would get its number, and libuv ends
 * the process if that is one of libuv's own files. */
void mcpi_fd_fill_standard(void);

#endif
