/* SPDX-License-Identifier: MIT */
/* A structure that is larger than the limit for structures, though its JSON is
 * short: each `{}` of the array becomes more than a MB. */
#ifndef MCPI_TESTS_FAT_STRUCTURES_H
#define MCPI_TESTS_FAT_STRUCTURES_H

#include "schema/structs/struct_type.h"

#include <mcp/fields.h>
#include <stddef.h>
#include <stdint.h>

struct fat {
  int64_t one;
  bool has_one;
  char own[1024 * 1024];
};
#define FAT(FIELD) FIELD(OPTIONAL_INTEGER, one, "One")
MCP_DESCRIBE_STRUCT(fat, FAT);
#define WIDE(FIELD) FIELD(OPTIONAL_STRUCTS(fat), all, "Many")
MCP_DEFINE_STRUCT(wide, WIDE);

/* The bytes of a `wide` with an array of `count`, which is aligned. */
static inline size_t wide_size(size_t count) {
  size_t before = sizeof(mcpi_struct_head) + sizeof(struct wide);
  before += _Alignof(max_align_t) - 1;
  before -= before % _Alignof(max_align_t);
  return before + count * sizeof(struct fat);
}

#endif
