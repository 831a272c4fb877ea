/* SPDX-License-Identifier: MIT */
/* Functions of POSIX and of the GNU C library that tests use, for Windows. Each
 * test is compiled with this header before its own. */
#ifndef MCP_TESTS_CROSS_POSIX_H
#define MCP_TESTS_CROSS_POSIX_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

#define program_invocation_short_name posix_program_name()
const char *posix_program_name(void);

void *memmem(const void *text, size_t len, const void *part, size_t part_len);
char *strndup(const char *text, size_t len);
ssize_t getdelim(char **line, size_t *size, int end, FILE *file);
ssize_t getline(char **line, size_t *size, FILE *file);
int setenv(const char *name, const char *value, int replaces);
int unsetenv(const char *name);
char *mkdtemp(char *pattern);

#endif
