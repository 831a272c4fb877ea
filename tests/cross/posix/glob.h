/* SPDX-License-Identifier: MIT */
#ifndef MCP_TESTS_CROSS_POSIX_GLOB_H
#define MCP_TESTS_CROSS_POSIX_GLOB_H

#include <stddef.h>

typedef struct glob_t {
  size_t gl_pathc;
  char **gl_pathv;
} glob_t;

/* Only the last part of the pattern has wildcards. */
int glob(const char *pattern, int flags, int (*on_error)(const char *, int),
         glob_t *out);
void globfree(glob_t *found);

#endif
