/* SPDX-License-Identifier: MIT */
/* Streams that write to memory. */
#ifndef CTL_PLATFORM_MEMORY_H
#define CTL_PLATFORM_MEMORY_H

#include <stdio.h>

/* Opens a stream. Both pointers must stay until it is closed; what they point
 * to counts then. NULL: out of memory. */
FILE *ctl_memory_open(char **text, size_t *len);

/* Closes the stream. *text is what was written, with a NUL after it; owned: end
 * it with free, also on failure. Returns 0, or another number when out of
 * memory. */
int ctl_memory_close(FILE *stream, char **text, size_t *len);

#endif
