/* SPDX-License-Identifier: MIT */
/* Options NAME=NUMBER of a transcript, which set members of a structure. */
#ifndef MCP_TESTS_SETTING_H
#define MCP_TESTS_SETTING_H

#include <stddef.h>

typedef struct setting {
  const char *name;
  size_t offset;
  size_t size; /* of a uint32_t, a size_t or a uint64_t */
} setting;

#define SETTING_OF(type, name, member)                                         \
  { name, offsetof(type, member), sizeof(((type *)NULL)->member) }

/* Sets the member that has the option's name. Does nothing when none has. */
void setting_apply(const setting *settings, size_t count, void *object,
                   const char *option);

#endif
