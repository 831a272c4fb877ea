/* SPDX-License-Identifier: MIT */
/* For which system a program is. */
#ifndef CTL_SYSTEMS_H
#define CTL_SYSTEMS_H

#include <stddef.h>

/* The first bytes of a program that say it. */
enum { CTL_SYSTEMS_BYTES = 4 };

/* Returns the systems that run a program that begins with these bytes: bit n is
 * ctl_manifest_platforms[n]. A script that names its interpreter runs on Linux
 * and macOS. 0: the bytes do not say it. */
unsigned ctl_systems_of(const char *bytes, size_t len);

/* Returns what such a program is: "a program for Linux", for messages. */
const char *ctl_systems_words(unsigned systems);

#endif
