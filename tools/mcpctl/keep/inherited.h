/* SPDX-License-Identifier: MIT */
/* The descriptors that the shell has passed on to `start`, besides the standard
 * streams. `start` itself may need them, as for --trace-file /dev/fd/3. The
 * process of the session closes them: they could be pipes, whose readers would
 * wait for its end. */
#ifndef CTL_KEEP_INHERITED_H
#define CTL_KEEP_INHERITED_H

#include <stddef.h>

typedef struct ctl_inherited {
  int *list; /* owned */
  size_t count;
} ctl_inherited;

/* Notes what is open now; mcpctl must not have opened anything yet. Without
 * memory or /proc, fewer are noted. */
void ctl_inherited_read(ctl_inherited *inherited);
void ctl_inherited_close(const ctl_inherited *inherited);
void ctl_inherited_deinit(ctl_inherited *inherited);

#endif
