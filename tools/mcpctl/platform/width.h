/* SPDX-License-Identifier: MIT */
/* Columns of characters. */
#ifndef CTL_PLATFORM_WIDTH_H
#define CTL_PLATFORM_WIDTH_H

#include <stdint.h>

/* How many columns a terminal gives the character. -1: not known. */
int ctl_width(uint32_t code);

#endif
