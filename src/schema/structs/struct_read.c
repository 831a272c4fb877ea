/* SPDX-License-Identifier: MIT */
/* JSON to structures.
 *
 * Two passes run the same functions. The first one has no memory to write to:
 * it checks the value, and adds up what strings, arrays and structures need.
 * The second one writes into one allocation of that size. */
#include "schema/structs/struct_type.h"

#include "base/buf.h"
#include "base/error.h"
#include "schema/say.h"
#include "json/write.h"

#include <float.h>
#include <stdalign.h>
#include <stddef.h>
#include <string.h>

/* A small array of small objects may become large structures: the limit is for
 * a client that knows this. */
enum { MAX_BYTES = 64 * 1024 * 1024 };

typedef struct struct_reader {
  char *base;       /* NULL in the first pass */
  size_t used;      /* bytes of it */
  mcpi_buf scratch; /* for the text of a JSON field */
  mcp_error *err;
} struct_reader;

static int read_struct(struct_reader *r, const mcpi_place *place,
                       const mcp_struct_type *type, const mcp_json *value,
                       char *to);

/* Takes memory for the value at a place, and sets *out to it: NULL in the first
 * pass. */
static int reader_take(struct_reader *r, const mcpi_place *place, size_t count,
                       size_t size, size_t alignment, char **out) {
  size_t at = (r->used + alignment - 1) / alignment * alignment;
  if (at > MAX_BYTES || (size > 0 && count > (MAX_BYTES - at) / size)) {
    return mcpi_place_fail(
        place, r->err, MCP_ERR_LIMIT,
        "the structure would have at least %llu bytes, but the limit is %d",
        (unsigned long long)at + (unsigned long long)count * size, MAX_BYTES);
  }
  r->used = at + count * size;
  *out = r->base != NULL ? r->base + at : NULL;
  return 0;
}

/* In the first pass `to` is NULL. */
static void reader_put(char *to, const void *value, size_t size) {
  if (to != NULL) {
    memcpy(to, value, size);
  }
}

static int read_refuse(struct_reader *r, const mcpi_place *place,
                       const char *expected, const mcp_json *value) {
  return mcpi_place_fail(place, r->err, MCP_ERR_SCHEMA, "expected %s, got %s",
                         expected, mcp_json_type_name(mcp_json_type(value)));
}

/* --- one value ---------------------------------------------------------- */

static int read_bytes(struct_reader *r, const mcpi_place *place,
                      const char *bytes, size_t len, char *to) {
  char *copy = NULL;
  int rc = reader_take(r, place, len + 1, 1, 1, &copy);
  if (rc == 0 && copy != NULL) {
    memcpy(copy, bytes, len);
    copy[len] = '\0';
    reader_put(to, &copy, sizeof(copy));
  }
  return rc;
}

/* Returns a string without NUL. NULL: the value is not one, which is
 * MCP_ERR_SCHEMA. */
static const char *read_text(struct_reader *r, const mcpi_place *place,
                             const mcp_json *value) {
  const char *text = mcp_json_string(value);
  if (mcp_json_type(value) != MCP_JSON_STRING) {
    read_refuse(r, place, "a string", value);
  } else if (text == NULL) {
    mcpi_place_fail(place, r->err, MCP_ERR_SCHEMA,
                    "the string must not contain NUL (\\u0000)");
  }
  return text;
}

static int read_string(struct_reader *r, const mcpi_place *place,
                       const mcp_json *value, char *to) {
  const char *text = read_text(r, place, value);
  return text != NULL ? read_bytes(r, place, text, strlen(text), to)
                      : MCP_ERR_SCHEMA;
}

static int read_json(struct_reader *r, const mcpi_place *place,
                     const mcp_json *value, char *to) {
  mcpi_buf_clear(&r->scratch);
  mcpi_json_put_value(&r->scratch, value);
  if (r->scratch.error != 0) {
    return mcpi_no_memory(r->err);
  }
  return read_bytes(r, place, r->scratch.data, r->scratch.len, to);
}

/* printf's %g writes a comma in some locales. */
static int refuse_fraction(struct_reader *r, const mcpi_place *place,
                           const mcp_json *number) {
  mcpi_buf_clear(&r->scratch);
  mcpi_say_number(&r->scratch, number);
  if (r->scratch.error != 0) {
    return mcpi_no_memory(r->err);
  }
  return mcpi_place_fail(place, r->err, MCP_ERR_SCHEMA,
                         "expected an integer, got the number %.*s",
                         (int)r->scratch.len, r->scratch.data);
}

static int read_integer(struct_reader *r, const mcpi_place *place,
                        const mcp_json *value, char *to) {
  int64_t number = 0;
  int rc = mcp_json_try_int(value, &number);
  if (rc == MCP_ERR_LIMIT) {
    return mcpi_place_fail(place, r->err, MCP_ERR_SCHEMA,
                           "the integer does not fit into 64 bits");
  }
  if (rc != 0) {
    return mcp_json_type(value) == MCP_JSON_NUMBER
               ? refuse_fraction(r, place, value)
               : read_refuse(r, place, "an integer", value);
  }
  reader_put(to, &number, sizeof(number));
  return 0;
}

static int read_number(struct_reader *r, const mcpi_place *place,
                       const mcp_json *value, char *to) {
  double number = mcp_json_number(value);
  if (mcp_json_type(value) != MCP_JSON_NUMBER) {
    return read_refuse(r, place, "a number", value);
  }
  if (number > DBL_MAX || number < -DBL_MAX) {
    return mcpi_place_fail(place, r->err, MCP_ERR_SCHEMA,
                           "the number does not fit into a double");
  }
  reader_put(to, &number, sizeof(number));
  return 0;
}

static int read_boolean(struct_reader *r, const mcpi_place *place,
                        const mcp_json *value, char *to) {
  bool flag = mcp_json_bool(value) != 0;
  if (mcp_json_type(value) != MCP_JSON_BOOL) {
    return read_refuse(r, place, "a boolean", value);
  }
  reader_put(to, &flag, sizeof(flag));
  return 0;
}

static int read_enum(struct_reader *r, const mcpi_place *place,
                     const mcp_member *member, const mcp_json *value,
                     char *to) {
  const mcp_enum_type *type = member->values();
  const char *name = read_text(r, place, value);
  if (name == NULL) {
    return MCP_ERR_SCHEMA;
  }
  const mcp_enum_value *found = mcpi_enum_find(type, name);
  if (found == NULL) {
    return mcpi_place_fail(place, r->err, MCP_ERR_SCHEMA,
                           "\"%.40s\" is not a value of %s", name, type->name);
  }
  if (to != NULL) {
    mcpi_enum_store(to, member->value_size, found->value);
  }
  return 0;
}

static int read_value(struct_reader *r, const mcpi_place *place,
                      const mcp_member *member, const mcp_json *value,
                      char *to) {
  switch (member->kind) {
  case MCP_MEMBER_STRING:
    return read_string(r, place, value, to);
  case MCP_MEMBER_INTEGER:
    return read_integer(r, place, value, to);
  case MCP_MEMBER_NUMBER:
    return read_number(r, place, value, to);
  case MCP_MEMBER_BOOLEAN:
    return read_boolean(r, place, value, to);
  case MCP_MEMBER_ENUM:
    return read_enum(r, place, member, value, to);
  case MCP_MEMBER_STRUCT:
    return read_struct(r, place, member->type(), value, to);
  default:
    return read_json(r, place, value, to);
  }
}

/* --- arrays ------------------------------------------------------------- */

static int read_items(struct_reader *r, const mcpi_place *place,
                      const mcp_member *member, const mcp_json *array,
                      char *items) {
  mcp_json_iter iter;
  const mcp_json *item;
  size_t size = mcpi_member_value_size(member);
  mcpi_place at = {.up = place};
  int rc = 0;
  mcp_json_iter_init(&iter, array);
  while (rc == 0 && (item = mcp_json_iter_next(&iter, NULL)) != NULL) {
    char *to = items != NULL ? items + at.index * size : NULL;
    rc = read_value(r, &at, member, item, to);
    at.index++;
  }
  return rc;
}

static int read_array(struct_reader *r, const mcpi_place *place,
                      const mcp_member *member, const mcp_json *value,
                      char *structure) {
  char *items = NULL;
  size_t count = mcp_json_size(value);
  if (mcp_json_type(value) != MCP_JSON_ARRAY) {
    return read_refuse(r, place, "an array", value);
  }
  /* An empty array is not NULL. Structures may have members of any type. */
  int rc =
      reader_take(r, place, count > 0 ? count : 1,
                  mcpi_member_value_size(member), alignof(max_align_t), &items);
  if (rc == 0) {
    rc = read_items(r, place, member, value, items);
  }
  if (rc == 0 && structure != NULL) {
    memcpy(structure + member->offset, &items, sizeof(items));
    memcpy(structure + member->count_offset, &count, sizeof(count));
  }
  return rc;
}

/* --- structures --------------------------------------------------------- */

/* The structure is zeroed: a pointer is NULL, and a flag is false. */
static void read_default(const mcp_member *member, char *to) {
  bool flag = member->default_int != 0;
  if (!member->has_default || to == NULL) {
    return;
  }
  switch (member->kind) {
  case MCP_MEMBER_STRING:
    memcpy(to, &member->default_string, sizeof(member->default_string));
    break;
  case MCP_MEMBER_INTEGER:
    memcpy(to, &member->default_int, sizeof(member->default_int));
    break;
  case MCP_MEMBER_NUMBER:
    memcpy(to, &member->default_number, sizeof(member->default_number));
    break;
  case MCP_MEMBER_BOOLEAN:
    memcpy(to, &flag, sizeof(flag));
    break;
  default:
    mcpi_enum_store(to, member->value_size, member->default_int);
  }
}

static int read_member(struct_reader *r, const mcpi_place *up,
                       const mcp_member *member, const mcp_json *object,
                       char *structure) {
  const bool is_there = true;
  const mcp_json *value = mcp_json_get(object, mcpi_member_name(member));
  mcpi_place place = {.up = up, .name = mcpi_member_name(member)};
  char *to = structure != NULL ? structure + member->offset : NULL;
  if (member->is_optional && (mcp_json_type(value) == MCP_JSON_NONE ||
                              mcp_json_type(value) == MCP_JSON_NULL)) {
    read_default(member, to);
    return 0;
  }
  if (value == NULL) {
    return mcpi_place_fail(up, r->err, MCP_ERR_SCHEMA,
                           "the member \"%s\" is missing", place.name);
  }
  if (member->has_offset != 0 && structure != NULL) {
    memcpy(structure + member->has_offset, &is_there, sizeof(is_there));
  }
  return member->is_array ? read_array(r, &place, member, value, structure)
                          : read_value(r, &place, member, value, to);
}

static int read_struct(struct_reader *r, const mcpi_place *place,
                       const mcp_struct_type *type, const mcp_json *value,
                       char *to) {
  if (mcp_json_type(value) != MCP_JSON_OBJECT) {
    return read_refuse(r, place, "an object", value);
  }
  int rc = mcpi_struct_check(type, r->err);
  for (size_t i = 0; rc == 0 && i < type->member_count; i++) {
    mcp_member member = mcpi_struct_member(type, i);
    rc = read_member(r, place, &member, value, to);
  }
  return rc;
}

/* Runs a pass. The structure comes first. */
static int reader_run(struct_reader *r, const mcp_struct_type *type,
                      const mcp_json *value) {
  const mcpi_place root = {0};
  char *structure = NULL;
  r->used = sizeof(mcpi_struct_head);
  int rc = reader_take(r, &root, 1, type->struct_size, 1, &structure);
  return rc == 0 ? read_struct(r, &root, type, value, structure) : rc;
}

static void *reader_finish(struct_reader *r, const mcp_allocator *allocator,
                           const mcp_struct_type *type, const mcp_json *value) {
  size_t size = r->used;
  mcpi_struct_head *head = mcpi_calloc(allocator, 1, size);
  if (head == NULL) {
    mcpi_no_memory(r->err);
    return NULL;
  }
  head->allocator = *allocator;
  head->size = size;
  r->base = (char *)head;
  if (reader_run(r, type, value) != 0) {
    mcp_struct_free(head + 1);
    return NULL;
  }
  return head + 1;
}

void *mcp_struct_from_json(const mcp_struct_type *type, const mcp_json *value,
                           const mcp_allocator *allocator, mcp_error *err) {
  struct_reader r = {.err = err};
  void *made = NULL;
  if (mcpi_struct_check(type, err) != 0) {
    return NULL;
  }
  if (allocator == NULL) {
    allocator = mcp_allocator_default();
  }
  mcpi_buf_init(&r.scratch, allocator, SIZE_MAX);
  if (reader_run(&r, type, value) == 0) {
    made = reader_finish(&r, allocator, type, value);
  }
  mcpi_buf_deinit(&r.scratch);
  return made;
}

void mcp_struct_free(void *structure) {
  if (structure != NULL) {
    mcpi_struct_release(mcpi_struct_head_of(structure));
  }
}
