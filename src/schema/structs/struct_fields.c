/* SPDX-License-Identifier: MIT */
#include "schema/structs/struct_fields.h"

#include "base/error.h"
#include "json/write.h"
#include <string.h>

/* The texts lie in one buffer, which moves as it grows. So each is a place in
 * it until all are there. */
typedef struct field_texts {
  size_t minimum;
  size_t maximum;
  size_t default_value;
  size_t items;
} field_texts;

/* --- texts -------------------------------------------------------------- */

static size_t put_number(mcpi_buf *text, double number) {
  size_t at = text->len;
  mcpi_json_put_number(text, number);
  mcpi_buf_putc(text, '\0');
  return at;
}

static size_t put_default(mcpi_buf *text, const mcp_member *member) {
  size_t at = text->len;
  switch (member->kind) {
  case MCP_MEMBER_STRING:
    mcpi_json_put_string(text, mcpi_str_z(member->default_string));
    break;
  case MCP_MEMBER_NUMBER:
    mcpi_json_put_number(text, member->default_number);
    break;
  case MCP_MEMBER_BOOLEAN:
    mcpi_buf_puts(text, mcpi_str_z(member->default_int ? "true" : "false"));
    break;
  case MCP_MEMBER_ENUM:
    mcpi_json_put_string(
        text, mcpi_str_z(mcp_enum_name(member->values(), member->default_int)));
    break;
  default:
    mcpi_json_put_int(text, member->default_int);
  }
  mcpi_buf_putc(text, '\0');
  return at;
}

static const char *type_word(int32_t kind) {
  static const char *const words[] = {NULL,      "string", "integer", "number",
                                      "boolean", "string", "object"};
  return kind <= MCP_MEMBER_STRUCT ? words[kind] : NULL;
}

/* The schema of an array's items, which are not structures. */
static size_t put_items(mcpi_buf *text, const mcp_member *member) {
  size_t at = text->len;
  const mcp_enum_type *type =
      member->kind == MCP_MEMBER_ENUM ? member->values() : NULL;
  mcpi_buf_lit(text, "{\"type\":\"");
  mcpi_buf_puts(text, mcpi_str_z(type_word(member->kind)));
  mcpi_buf_putc(text, '"');
  for (size_t i = 0; type != NULL && i < type->value_count; i++) {
    mcpi_buf_puts(text, i == 0 ? MCPI_STR(",\"enum\":[") : MCPI_STR(","));
    mcpi_json_put_string(text, mcpi_str_z(type->values[i].name));
  }
  mcpi_buf_puts(text, type != NULL ? MCPI_STR("]}") : MCPI_STR("}"));
  mcpi_buf_putc(text, '\0');
  return at;
}

/* A program may set the bound alone, without MCP_MINIMUM. */
static int has_minimum(const mcp_member *member) {
  return member->has_minimum || member->minimum != 0;
}

static int has_maximum(const mcp_member *member) {
  return member->has_maximum || member->maximum != 0;
}

static void put_texts(mcpi_buf *text, const mcp_member *member,
                      field_texts *at) {
  if (has_minimum(member)) {
    at->minimum = put_number(text, member->minimum);
  }
  if (has_maximum(member)) {
    at->maximum = put_number(text, member->maximum);
  }
  if (member->has_default) {
    at->default_value = put_default(text, member);
  }
  if (member->is_array && member->kind != MCP_MEMBER_STRUCT) {
    at->items = put_items(text, member);
  }
}

static void field_point(mcpi_struct_field *made, const mcp_member *member,
                        const field_texts *at) {
  const char *text = made->text.data;
  mcp_field *field = &made->field;
  made->schema.size = sizeof(mcp_schema);
  if (has_minimum(member)) {
    field->minimum = text + at->minimum;
  }
  if (has_maximum(member)) {
    field->maximum = text + at->maximum;
  }
  if (member->has_default) {
    field->default_value = text + at->default_value;
  }
  if (member->kind == MCP_MEMBER_STRUCT) {
    made->schema.struct_type = member->type;
    field->schema = &made->schema;
  } else if (member->kind == MCP_MEMBER_JSON) {
    made->schema.text = "{}"; /* any value */
    field->schema = &made->schema;
  } else if (member->is_array) {
    made->schema.text = text + at->items;
    field->schema = &made->schema;
  }
}

/* --- fields ------------------------------------------------------------- */

static int field_put_values(mcpi_struct_field *made, const mcp_enum_type *type,
                            const mcp_allocator *allocator, mcp_error *err) {
  made->value_count = type->value_count + 1;
  made->values = mcpi_calloc(allocator, made->value_count, sizeof(char *));
  if (made->values == NULL) {
    return mcpi_no_memory(err);
  }
  for (size_t i = 0; i < type->value_count; i++) {
    made->values[i] = type->values[i].name;
  }
  made->field.values = made->values;
  return 0;
}

static int32_t field_type(const mcp_member *member) {
  static const int32_t types[] = {
      MCP_FIELD_NONE,    MCP_FIELD_STRING, MCP_FIELD_INTEGER, MCP_FIELD_NUMBER,
      MCP_FIELD_BOOLEAN, MCP_FIELD_STRING, MCP_FIELD_OBJECT,  MCP_FIELD_OBJECT};
  return member->is_array ? MCP_FIELD_ARRAY : types[member->kind];
}

static int member_check(const mcp_member *member, mcp_error *err) {
  const char *name = mcpi_member_name(member);
  if (name == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "a field has no name");
  }
  if (member->kind <= MCP_MEMBER_NONE || member->kind > MCP_MEMBER_JSON) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "field \"%s\": its kind %ld is not a value of "
                         "MCP_MEMBER_*",
                         name, (long)member->kind);
  }
  if (!member->has_default) {
    return 0;
  }
  if (member->kind == MCP_MEMBER_ENUM &&
      mcp_enum_name(member->values(), member->default_int) == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "field \"%s\": its default %lld is not a value of %s",
                         name, (long long)member->default_int,
                         member->values()->name);
  }
  if (member->kind == MCP_MEMBER_STRING && member->default_string == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "field \"%s\": its default is NULL", name);
  }
  return 0;
}

int mcpi_struct_field_init(mcpi_struct_field *made, const mcp_member *member,
                           const mcp_allocator *allocator, mcp_error *err) {
  field_texts at = {0};
  *made = (mcpi_struct_field){0};
  mcpi_buf_init(&made->text, allocator, SIZE_MAX);
  int rc = member_check(member, err);
  if (rc == 0 && member->kind == MCP_MEMBER_ENUM && !member->is_array) {
    rc = field_put_values(made, member->values(), allocator, err);
  }
  if (rc != 0) {
    return rc;
  }
  put_texts(&made->text, member, &at);
  if (made->text.error != 0) {
    return mcpi_no_memory(err);
  }
  made->field.name = mcpi_member_name(member);
  made->field.description = member->description;
  made->field.type = field_type(member);
  made->field.optional = member->is_optional;
  made->field.min_length = member->min_length;
  made->field.max_length = member->max_length;
  made->field.min_items = member->min_items;
  made->field.max_items = member->max_items;
  made->field.pattern = member->pattern;
  made->field.more = member->more;
  field_point(made, member, &at);
  return 0;
}

void mcpi_struct_field_deinit(mcpi_struct_field *made) {
  mcpi_free(made->text.allocator, made->values,
            made->value_count * sizeof(char *));
  mcpi_buf_deinit(&made->text);
}
