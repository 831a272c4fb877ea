/* SPDX-License-Identifier: MIT */
/* The end of the server's standard error. mcpctl shows it when the server
 * fails, since it often has the reason. */
#ifndef CTL_TAIL_H
#define CTL_TAIL_H

#include <stddef.h>

enum { CTL_TAIL_SIZE = 4096, CTL_TAIL_LINES = 10 };

typedef struct ctl_tail {
  char bytes[CTL_TAIL_SIZE];
  size_t len;
} ctl_tail;

void ctl_tail_add(ctl_tail *tail, const char *bytes, size_t len);

/* Prints the last CTL_TAIL_LINES lines on standard error. */
void ctl_tail_print(const ctl_tail *tail);

#endif
