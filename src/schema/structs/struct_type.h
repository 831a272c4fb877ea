/* SPDX-License-Identifier: MIT */
/* Descriptions of a program's structures (mcp/fields.h). */
#ifndef MCPI_SCHEMA_STRUCT_TYPE_H
#define MCPI_SCHEMA_STRUCT_TYPE_H

#include "base/alloc.h"
#include <mcp/fields.h>
#include <stddef.h>

/* A place in a JSON value, as a chain from the innermost part outwards. */
typedef struct mcpi_place {
  const struct mcpi_place *up; /* NULL: this is the root */
  const char *name;            /* of the member; NULL: an element */
  size_t index;                /* of the element */
} mcpi_place;

/* Sets an error whose message begins with the place as a JSON pointer. Returns
 * code. */
int mcpi_place_fail(const mcpi_place *place, mcp_error *err, int code,
                    const char *format, ...) MCP_PRINTF(4, 5);

/* Checks that a description has its sizes. Returns 0, MCP_ERR_INVALID or, for
 * one that a newer header has made, MCP_ERR_UNSUPPORTED. */
int mcpi_struct_check(const mcp_struct_type *type, mcp_error *err);

/* Copies the description of a member, which may be shorter or longer than
 * ours. */
mcp_member mcpi_struct_member(const mcp_struct_type *type, size_t index);

/* The name in JSON. */
static inline const char *mcpi_member_name(const mcp_member *member) {
  return member->json_name != NULL ? member->json_name : member->field_name;
}

/* The size of the member's value, or of each of its items. */
size_t mcpi_member_value_size(const mcp_member *member);

/* An enumerator has the size that its compiler has chosen. */
int64_t mcpi_enum_load(const void *from, size_t size);
void mcpi_enum_store(void *to, size_t size, int64_t value);
/* NULL: the enumeration does not have the string. */
const mcp_enum_value *mcpi_enum_find(const mcp_enum_type *type,
                                     const char *name);

/* What mcp_struct_from_json returns has this in front of it. Aligned, and so is
 * the structure: a program's may have members of any type. */
typedef struct mcpi_struct_head {
  _Alignas(max_align_t) mcp_allocator allocator;
  size_t size;                   /* of all, with this head */
  struct mcpi_struct_head *next; /* of the same call */
} mcpi_struct_head;

static inline mcpi_struct_head *mcpi_struct_head_of(void *structure) {
  return (mcpi_struct_head *)structure - 1;
}

/* Inline, so that a call that ends needs nothing else of structures. */
static inline void mcpi_struct_release(mcpi_struct_head *head) {
  const mcp_allocator allocator = head->allocator;
  mcpi_free(&allocator, head, head->size);
}

#endif
