/* SPDX-License-Identifier: MIT */
/* Copies of bytes that no NUL follows. */
#ifndef CTL_COPY_H
#define CTL_COPY_H

#include <stdlib.h>
#include <string.h>

/* Returns a copy with a NUL after it; owned: end it with free. NULL: out of
 * memory. `bytes` may be NULL if `len` is 0. strndup would do, but the address
 * sanitizer's strict mode wants a NUL within what strndup gets. */
static inline char *ctl_copy(const char *bytes, size_t len) {
  char *copy = malloc(len + 1);
  if (copy != NULL) {
    if (len > 0) {
      memcpy(copy, bytes, len);
    }
    copy[len] = '\0';
  }
  return copy;
}

#endif
