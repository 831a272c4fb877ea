/* SPDX-License-Identifier: MIT */
/* The shared libraries that a program of Linux needs. */
#ifndef CTL_NEEDS_H
#define CTL_NEEDS_H

#include <stddef.h>

/* Calls `each` with the name of each library that an ELF program of 64 bits,
 * least significant byte first, needs. Does nothing for other bytes. */
void ctl_needs_each(const char *bytes, size_t len,
                    void (*each)(void *userdata, const char *name),
                    void *userdata);

/* Whether the library belongs to the C library or to the compiler, and so is on
 * each system that has this C library. */
int ctl_needs_is_common(const char *name);

#endif
