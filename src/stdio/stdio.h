/* SPDX-License-Identifier: MIT */
#ifndef MCPI_STDIO_STDIO_H
#define MCPI_STDIO_STDIO_H

/* Puts the descriptors' flags back when the process is about to end without
 * closing the transport. Callable in a signal handler. */
void mcpi_stdio_restore_flags(void);

#endif
