/* SPDX-License-Identifier: MIT */
/* Bytes that end where an unmapped page begins: a read past them is a crash,
 * with or without a sanitizer. */
#ifndef MCP_TESTS_GUARDED_H
#define MCP_TESTS_GUARDED_H

#include <stddef.h>

/* A copy of the bytes, writable; end it with guarded_free and the same len. */
char *guarded_copy(const void *bytes, size_t len);
void guarded_free(char *copy, size_t len);

#endif
