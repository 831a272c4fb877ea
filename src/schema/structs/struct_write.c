/* SPDX-License-Identifier: MIT */
/* Structures to JSON. */
#include "schema/structs/struct_type.h"

#include "base/alloc.h"
#include "base/error.h"
#include <float.h>
#include <string.h>

typedef struct struct_writer {
  mcp_builder *builder;
  mcp_error *err;
} struct_writer;

static int write_struct(struct_writer *w, const mcpi_place *place,
                        const mcp_struct_type *type, const char *name,
                        const char *from);

/* Reports what the builder refused, if it did. The builder names the place. */
static int writer_check(struct_writer *w, int rc) {
  if (rc == 0) {
    return 0;
  }
  const char *why = mcp_builder_error(w->builder)->message;
  return mcp_error_set(w->err, rc, "%s", why);
}

/* --- one value ---------------------------------------------------------- */

static const char *load_pointer(const char *from) {
  const char *pointer;
  memcpy(&pointer, from, sizeof(pointer));
  return pointer;
}

static int write_text(struct_writer *w, const mcpi_place *place,
                      const mcp_member *member, const char *name,
                      const char *text) {
  if (text == NULL) {
    return mcpi_place_fail(
        place, w->err, MCP_ERR_INVALID, "the required %s is NULL",
        member->kind == MCP_MEMBER_JSON ? "JSON text" : "string");
  }
  return writer_check(w, member->kind == MCP_MEMBER_JSON
                             ? mcp_builder_json(w->builder, name, text)
                             : mcp_builder_string(w->builder, name, text));
}

static int write_integer(struct_writer *w, const char *name, const char *from) {
  int64_t number;
  memcpy(&number, from, sizeof(number));
  return writer_check(w, mcp_builder_int(w->builder, name, number));
}

static int write_number(struct_writer *w, const mcpi_place *place,
                        const char *name, const char *from) {
  double number;
  memcpy(&number, from, sizeof(number));
  if (!(number >= -DBL_MAX && number <= DBL_MAX)) {
    return mcpi_place_fail(place, w->err, MCP_ERR_INVALID,
                           "%g is not a finite number", number);
  }
  return writer_check(w, mcp_builder_number(w->builder, name, number));
}

static int write_boolean(struct_writer *w, const char *name, const char *from) {
  bool flag;
  memcpy(&flag, from, sizeof(flag));
  return writer_check(w, mcp_builder_bool(w->builder, name, flag));
}

static int write_enum(struct_writer *w, const mcpi_place *place,
                      const mcp_member *member, const char *name,
                      const char *from) {
  const mcp_enum_type *type = member->values();
  int64_t value = mcpi_enum_load(from, member->value_size);
  const char *text = mcp_enum_name(type, value);
  if (text == NULL) {
    return mcpi_place_fail(place, w->err, MCP_ERR_INVALID,
                           "%lld is not a value of %s", (long long)value,
                           type->name);
  }
  return writer_check(w, mcp_builder_string(w->builder, name, text));
}

static int write_value(struct_writer *w, const mcpi_place *place,
                       const mcp_member *member, const char *name,
                       const char *from) {
  switch (member->kind) {
  case MCP_MEMBER_INTEGER:
    return write_integer(w, name, from);
  case MCP_MEMBER_NUMBER:
    return write_number(w, place, name, from);
  case MCP_MEMBER_BOOLEAN:
    return write_boolean(w, name, from);
  case MCP_MEMBER_ENUM:
    return write_enum(w, place, member, name, from);
  case MCP_MEMBER_STRUCT:
    return write_struct(w, place, member->type(), name, from);
  default:
    return write_text(w, place, member, name, load_pointer(from));
  }
}

/* --- arrays ------------------------------------------------------------- */

static int write_array(struct_writer *w, const mcpi_place *place,
                       const mcp_member *member, const char *items,
                       size_t count) {
  size_t size = mcpi_member_value_size(member);
  mcpi_place at = {.up = place};
  if (items == NULL && count > 0) {
    return mcpi_place_fail(place, w->err, MCP_ERR_INVALID,
                           "the array is NULL, and its count is %zu", count);
  }
  int rc = writer_check(w, mcp_builder_array(w->builder, place->name));
  for (; rc == 0 && at.index < count; at.index++) {
    rc = write_value(w, &at, member, NULL, items + at.index * size);
  }
  return rc == 0 ? writer_check(w, mcp_builder_end(w->builder)) : rc;
}

/* --- structures --------------------------------------------------------- */

static int member_is_absent(const mcp_member *member, const char *structure) {
  bool is_there = true;
  if (!member->is_optional) {
    return 0;
  }
  if (member->has_offset != 0) {
    memcpy(&is_there, structure + member->has_offset, sizeof(is_there));
    return !is_there;
  }
  return (member->is_array || member->kind == MCP_MEMBER_STRING ||
          member->kind == MCP_MEMBER_JSON) &&
         load_pointer(structure + member->offset) == NULL;
}

static int write_member(struct_writer *w, const mcpi_place *up,
                        const mcp_member *member, const char *structure) {
  const char *from = structure + member->offset;
  mcpi_place place = {.up = up, .name = mcpi_member_name(member)};
  size_t count = 0;
  if (member_is_absent(member, structure)) {
    return member->is_nullable
               ? writer_check(w, mcp_builder_null(w->builder, place.name))
               : 0;
  }
  if (!member->is_array) {
    return write_value(w, &place, member, place.name, from);
  }
  memcpy(&count, structure + member->count_offset, sizeof(count));
  return write_array(w, &place, member, load_pointer(from), count);
}

/* The builder's limit of depth also ends a circle of structures. */
static int write_struct(struct_writer *w, const mcpi_place *place,
                        const mcp_struct_type *type, const char *name,
                        const char *from) {
  int rc = mcpi_struct_check(type, w->err);
  if (rc == 0) {
    rc = writer_check(w, mcp_builder_object(w->builder, name));
  }
  for (size_t i = 0; rc == 0 && i < type->member_count; i++) {
    mcp_member member = mcpi_struct_member(type, i);
    rc = write_member(w, place, &member, from);
  }
  return rc == 0 ? writer_check(w, mcp_builder_end(w->builder)) : rc;
}

int mcp_struct_write(const mcp_struct_type *type, const void *structure,
                     const char *name, mcp_builder *builder, mcp_error *err) {
  struct_writer w = {.builder = builder, .err = err};
  const mcpi_place root = {0};
  if (structure == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "the structure is NULL");
  }
  return write_struct(&w, &root, type, name, structure);
}

char *mcp_struct_to_text(const mcp_struct_type *type, const void *structure,
                         mcp_error *err) {
  size_t len = 0;
  char *copy = NULL;
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  if (mcp_struct_write(type, structure, NULL, builder, err) == 0) {
    const char *text = mcp_builder_text(builder, &len);
    copy = mcpi_strndup(mcp_allocator_default(), text, len);
    if (copy == NULL) {
      mcpi_no_memory(err);
    }
  }
  mcp_builder_free(builder);
  return copy;
}
