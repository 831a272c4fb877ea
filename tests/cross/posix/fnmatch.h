/* SPDX-License-Identifier: MIT */
#ifndef MCP_TESTS_CROSS_POSIX_FNMATCH_H
#define MCP_TESTS_CROSS_POSIX_FNMATCH_H

/* Knows * and ? only. 0: the name fits. */
int fnmatch(const char *pattern, const char *name, int flags);

#endif
