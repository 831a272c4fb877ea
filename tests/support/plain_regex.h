/* SPDX-License-Identifier: MIT */
/* Regular expressions for tests of libmcp-core, which has none: a text that is
 * looked for, with ^ and $ at its ends. A pattern with a '(' is at fault there;
 * one with a '!' costs too much to match; one with a '&' is too large to be
 * compiled, and for one with a '@' there is no memory. */
#ifndef MCP_TESTS_PLAIN_REGEX_H
#define MCP_TESTS_PLAIN_REGEX_H

#include <stddef.h>

/* From now on, in this process. */
void plain_regex_provide(void);
/* Those that are compiled and not released. */
size_t plain_regex_live(void);

#endif
