/* SPDX-License-Identifier: MIT */
/* Secrets that are no longer needed. */
#ifndef CTL_ERASE_H
#define CTL_ERASE_H

#include <stddef.h>

/* Overwrites bytes. The compiler may not leave it out, as it may with memset
 * before free. */
static inline void ctl_erase(void *bytes, size_t len) {
  volatile unsigned char *at = bytes;
  while (len-- > 0) {
    *at++ = 0;
  }
}

#endif
