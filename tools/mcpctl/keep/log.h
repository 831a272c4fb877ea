/* SPDX-License-Identifier: MIT */
/* The log of a session that stays: what its server writes on standard error,
 * and mcpctl's own messages. When it has CTL_KEEP_LOG_SIZE bytes, it becomes
 * PATH.old, and a new one begins. */
#ifndef CTL_KEEP_LOG_H
#define CTL_KEEP_LOG_H

#include <stddef.h>

enum { CTL_KEEP_LOG_SIZE = 512 * 1024 };

typedef struct ctl_keep_log {
  const char *path; /* borrowed */
  size_t size;
} ctl_keep_log;

/* Begins a new log, which becomes the standard error of this process. Without
 * one, what is written is lost: the session works anyway. */
void ctl_keep_log_open(ctl_keep_log *log, const char *path);
void ctl_keep_log_add(ctl_keep_log *log, const char *bytes, size_t len);

#endif
