/* SPDX-License-Identifier: MIT */
/* Descriptors, whatever is behind them. */
#ifndef MCPI_PLATFORM_DESCRIPTORS_H
#define MCPI_PLATFORM_DESCRIPTORS_H

/* A duplicate that children do not inherit; negative errno on failure. */
int mcpi_fd_duplicate(int fd);

/* Opens /dev/null in the place of each standard descriptor that is closed. Else
 * the next file to be opened would take it for its own, and libuv ends the
 * process when that was one of its own files. */
void mcpi_fd_fill_standard(void);

#endif
