/* SPDX-License-Identifier: MIT */
/* The schemas of structures (mcp_schema.struct_type). */
#include "schema/build_writer.h"
#include "schema/structs/struct_fields.h"

#include "json/write.h"
#include <string.h>

static int schema_check_open(mcpi_schema_writer *w,
                             const mcp_struct_type *type) {
  int rc = mcpi_struct_check(type, w->err);
  for (const mcpi_open_struct *one = w->structs; rc == 0 && one != NULL;
       one = one->outer) {
    if (one->type == type) {
      rc = mcp_error_set(w->err, MCP_ERR_INVALID,
                         "struct %s contains itself: state its schema as JSON",
                         type->name);
    }
  }
  return rc;
}

static int schema_check_name(mcpi_schema_writer *w, const mcp_struct_type *type,
                             size_t index, const char *name) {
  for (size_t i = 0; i < index; i++) {
    mcp_member other = mcpi_struct_member(type, i);
    if (strcmp(mcpi_member_name(&other), name) == 0) {
      return mcp_error_set(w->err, MCP_ERR_INVALID,
                           "field \"%s\": two fields have this name", name);
    }
  }
  return 0;
}

static int schema_put_member(mcpi_schema_writer *w, const mcp_struct_type *type,
                             size_t index) {
  mcpi_struct_field made;
  mcp_member member = mcpi_struct_member(type, index);
  int rc = mcpi_struct_field_init(&made, &member, w->buf->allocator, w->err);
  if (rc == 0) {
    rc = schema_check_name(w, type, index, made.field.name);
  }
  if (rc == 0) {
    rc = mcpi_build_property(w, &made.field);
  }
  mcpi_struct_field_deinit(&made);
  return rc;
}

static void schema_put_required(mcpi_buf *buf, const mcp_struct_type *type) {
  int is_first = 1;
  for (size_t i = 0; i < type->member_count; i++) {
    mcp_member member = mcpi_struct_member(type, i);
    if (!member.is_optional) {
      mcpi_buf_puts(buf,
                    is_first ? MCPI_STR(",\"required\":[") : MCPI_STR(","));
      mcpi_json_put_string(buf, mcpi_str_z(mcpi_member_name(&member)));
      is_first = 0;
    }
  }
  if (!is_first) {
    mcpi_buf_putc(buf, ']');
  }
}

static int schema_build(mcpi_schema_writer *w, const mcp_struct_type *type) {
  int rc = schema_check_open(w, type);
  if (rc != 0) {
    return rc;
  }
  const mcpi_open_struct open = {type, w->structs};
  w->structs = &open;
  mcpi_buf_lit(w->buf, "{\"type\":\"object\",\"properties\":{");
  for (size_t i = 0; rc == 0 && i < type->member_count; i++) {
    rc = schema_put_member(w, type, i);
  }
  w->structs = open.outer;
  if (rc != 0) {
    return rc;
  }
  mcpi_buf_putc(w->buf, '}');
  schema_put_required(w->buf, type);
  mcpi_buf_lit(w->buf, ",\"additionalProperties\":false}");
  return w->buf->error;
}

static int schema_check_defaults(mcpi_schema_writer *w,
                                 const mcp_validator *validator,
                                 const mcp_struct_type *type,
                                 const mcp_json *place) {
  const mcp_json *properties = mcp_json_get(place, "properties");
  int rc = 0;
  for (size_t i = 0; rc == 0 && i < type->member_count; i++) {
    mcpi_struct_field made;
    mcp_member member = mcpi_struct_member(type, i);
    const mcp_json *at = mcp_json_get(properties, mcpi_member_name(&member));
    rc = mcpi_struct_field_init(&made, &member, w->buf->allocator, w->err);
    if (rc == 0) {
      rc = mcpi_build_check_default(w, validator, &made.field, at);
    }
    if (rc == 0 && member.kind == MCP_MEMBER_STRUCT) {
      rc = schema_check_defaults(w, validator, member.type(),
                                 member.is_array ? mcp_json_get(at, "items")
                                                 : at);
    }
    mcpi_struct_field_deinit(&made);
  }
  return rc;
}

const struct mcp_struct_function_table *mcp_struct_functions(void) {
  static const struct mcp_struct_function_table functions = {
      .build = schema_build, .check_defaults = schema_check_defaults};
  return &functions;
}
