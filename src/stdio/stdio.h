/* SPDX-License-Identifier: MIT */
#ifndef MCPI_STDIO_STDIO_H
#define MCPI_STDIO_STDIO_H

/* Restores the descriptors' flags when the process is about to end without
 * closing the transport. May be called in a signal handler. */
void mcpi_stdio_restore_flags(void);

#endif
