/* SPDX-License-Identifier: MIT */
/* Regular expressions. A pattern of ECMA-262 is written in PCRE2's language
 * (ecma.h), which PCRE2 then compiles and matches. PCRE2 is behind a table of
 * functions, because few programs have patterns: pcre2/ fills the table, and
 * which file of this folder finds it is chosen by the build:
 *
 *   module.c  pcre2/ is a library of its own, opened when it is first needed
 *   linked.c  pcre2/ is in the same library
 *   none.c    there are no regular expressions (MCP_REGEX=OFF)
 */
#ifndef MCPI_REGEX_REGEX_H
#define MCPI_REGEX_REGEX_H

#include "module/module.h"
#include <stddef.h>

/* Where its memory comes from; static. `userdata` is NULL. */
typedef struct mcpi_pcre2_memory {
  void *(*take)(size_t len, void *userdata);
  void (*give_back)(void *ptr, void *userdata); /* NULL is accepted */
} mcpi_pcre2_memory;

/* As mcp_regex_engine, but that memory takes the place of userdata, the pattern
 * is in PCRE2's language, and an offset is one in that. */
typedef struct mcpi_pcre2 {
  mcpi_module_head head;
  int (*compile)(const mcpi_pcre2_memory *memory, const char *pattern,
                 size_t len, void **regex, size_t *error_offset);
  int (*match)(const void *regex, const char *text, size_t len,
               size_t *steps_left);
  void (*release)(void *regex);
  size_t (*memory)(const void *regex);
} mcpi_pcre2;

/* The table, or NULL with err: MCP_ERR_PLATFORM, and why there is none. Any
 * thread. Once it was found it is found without fail. */
const mcpi_pcre2 *mcpi_pcre2_get(mcp_error *err);

/* pcre2/pcre2.c */
MCP_API const mcpi_pcre2 *mcpi_pcre2_table(void);

#endif
