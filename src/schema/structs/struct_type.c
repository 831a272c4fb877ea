/* SPDX-License-Identifier: MIT */
#include "schema/structs/struct_type.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/widen.h"
#include "schema/say.h"
#include <string.h>

/* The first version of mcp/fields.h has all members up to and with these. */
enum {
  MIN_MEMBER_SIZE = offsetof(mcp_member, more) + sizeof(const char *),
  MIN_TYPE_SIZE = offsetof(mcp_struct_type, functions) + sizeof(void *)
};

/* --- places ------------------------------------------------------------- */

enum { PLACE_SIZE = 120 };

/* The outermost part is the last of the chain. After a part that does not fit
 * nothing follows: the place is then one that encloses the value. */
static void place_put(mcpi_buf *text, const mcpi_place *place) {
  if (place == NULL || place->up == NULL) {
    return;
  }
  place_put(text, place->up);
  size_t from = text->len;
  if (text->error != 0) {
    return;
  }
  if (place->name != NULL) {
    mcpi_say_token(text, mcpi_str_z(place->name));
  } else {
    mcpi_say_index(text, place->index);
  }
  if (text->error != 0) {
    text->len = from; /* the error stays */
  }
}

int mcpi_place_fail(const mcpi_place *place, mcp_error *err, int code,
                    const char *format, ...) {
  mcp_error why;
  char space[PLACE_SIZE];
  /* The buffer has its full size already, and so never allocates. */
  mcpi_buf text = {.allocator = mcp_allocator_default(),
                   .data = space,
                   .cap = sizeof(space),
                   .max = sizeof(space)};
  va_list args;
  va_start(args, format);
  mcpi_error_set_v(&why, code, format, args);
  va_end(args);
  place_put(&text, place);
  return mcp_error_set(err, code, "%.*s%s%s", (int)text.len, space,
                       text.len > 0 ? ": " : "", why.message);
}

/* --- descriptions ------------------------------------------------------- */

static int struct_check_rest(const mcp_struct_type *type, mcp_error *err) {
  int rc = 0;
  for (size_t i = 0; rc == 0 && i < type->member_count; i++) {
    rc = mcpi_widen_check_rest(
        (const char *)type->members + i * type->member_size, sizeof(mcp_member),
        type->member_size, "mcp_member", err);
  }
  return rc;
}

int mcpi_struct_check(const mcp_struct_type *type, mcp_error *err) {
  if (type == NULL || type->size < MIN_TYPE_SIZE || type->members == NULL ||
      type->member_size < MIN_MEMBER_SIZE ||
      type->member_size > MCPI_WIDEN_MAX_SIZE) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "the structure has no valid mcp_struct_type: use "
                         "MCP_DEFINE_STRUCT");
  }
  return type->member_size > sizeof(mcp_member) ? struct_check_rest(type, err)
                                                : 0;
}

mcp_member mcpi_struct_member(const mcp_struct_type *type, size_t index) {
  mcp_member member = {0};
  size_t size = type->member_size;
  memcpy(&member, (const char *)type->members + index * size,
         size < sizeof(member) ? size : sizeof(member));
  return member;
}

size_t mcpi_member_value_size(const mcp_member *member) {
  switch (member->kind) {
  case MCP_MEMBER_STRING:
  case MCP_MEMBER_JSON:
    return sizeof(const char *);
  case MCP_MEMBER_INTEGER:
    return sizeof(int64_t);
  case MCP_MEMBER_NUMBER:
    return sizeof(double);
  case MCP_MEMBER_BOOLEAN:
    return sizeof(bool);
  case MCP_MEMBER_ENUM:
    return member->value_size;
  default:
    return member->type()->struct_size;
  }
}

/* --- enumerations ------------------------------------------------------- */

int64_t mcpi_enum_load(const void *from, size_t size) {
  int8_t one;
  int16_t two;
  int32_t four;
  int64_t eight;
  switch (size) {
  case sizeof(one):
    memcpy(&one, from, sizeof(one));
    return one;
  case sizeof(two):
    memcpy(&two, from, sizeof(two));
    return two;
  case sizeof(four):
    memcpy(&four, from, sizeof(four));
    return four;
  default:
    memcpy(&eight, from, sizeof(eight));
    return eight;
  }
}

void mcpi_enum_store(void *to, size_t size, int64_t value) {
  int8_t one = (int8_t)value;
  int16_t two = (int16_t)value;
  int32_t four = (int32_t)value;
  switch (size) {
  case sizeof(one):
    memcpy(to, &one, sizeof(one));
    break;
  case sizeof(two):
    memcpy(to, &two, sizeof(two));
    break;
  case sizeof(four):
    memcpy(to, &four, sizeof(four));
    break;
  default:
    memcpy(to, &value, sizeof(value));
  }
}

const mcp_enum_value *mcpi_enum_find(const mcp_enum_type *type,
                                     const char *name) {
  for (size_t i = 0; i < type->value_count; i++) {
    if (strcmp(type->values[i].name, name) == 0) {
      return &type->values[i];
    }
  }
  return NULL;
}

const char *mcp_enum_name(const mcp_enum_type *type, int64_t value) {
  for (size_t i = 0; type != NULL && i < type->value_count; i++) {
    if (type->values[i].value == value) {
      return type->values[i].name;
    }
  }
  return NULL;
}
