/* SPDX-License-Identifier: MIT */
/* The environment of this process, in UTF-8. */
#ifndef MCPI_PLATFORM_ENVIRONMENT_H
#define MCPI_PLATFORM_ENVIRONMENT_H

#include "base/alloc.h"

/* Returns "NAME=VALUE" strings, NULL at the end; NULL without memory. */
char **mcpi_environment_get(const mcp_allocator *allocator);
void mcpi_environment_free(char **environment, const mcp_allocator *allocator);
/* Compares two names of this length, as the system does. Returns 0: equal. */
int mcpi_environment_compare(const char *a, const char *b, size_t len);
/* Variables that a program needs to run at all, and that are not secret. NULL
 * at the end. */
extern const char *const mcpi_environment_safe[];

#endif
