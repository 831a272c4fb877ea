/* SPDX-License-Identifier: MIT */
/* Boolean schemas as objects, for revisions that want objects. */
#include "schema/degrade.h"

#include "schema/keyword.h"
#include "json/json.h"

static size_t degrade_property(const mcp_json *schema, mcpi_buf *out) {
  if (mcp_json_type(schema) != MCP_JSON_BOOL) {
    return mcpi_schema_put_objects(schema, out);
  }
  mcpi_buf_puts(out, mcp_json_bool(schema) ? MCPI_STR("{}")
                                           : MCPI_STR("{\"not\":{}}"));
  return 1;
}

static void degrade_member_name(const mcp_json *name, int is_first,
                                mcpi_buf *out) {
  if (!is_first) {
    mcpi_buf_putc(out, ',');
  }
  mcpi_json_put_value(out, name);
  mcpi_buf_putc(out, ':');
}

static size_t degrade_map(const mcp_json *map, int are_properties,
                          mcpi_buf *out) {
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *schema;
  size_t count = 0;
  int is_first = 1;
  mcpi_buf_putc(out, '{');
  mcp_json_iter_init(&iter, map);
  while ((schema = mcp_json_iter_next(&iter, &name)) != NULL) {
    degrade_member_name(name, is_first, out);
    is_first = 0;
    count += are_properties ? degrade_property(schema, out)
                            : mcpi_schema_put_objects(schema, out);
  }
  mcpi_buf_putc(out, '}');
  return count;
}

static size_t degrade_array(const mcp_json *schemas, mcpi_buf *out) {
  mcp_json_iter iter;
  const mcp_json *schema;
  size_t count = 0;
  int is_first = 1;
  mcpi_buf_putc(out, '[');
  mcp_json_iter_init(&iter, schemas);
  while ((schema = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (!is_first) {
      mcpi_buf_putc(out, ',');
    }
    is_first = 0;
    count += mcpi_schema_put_objects(schema, out);
  }
  mcpi_buf_putc(out, ']');
  return count;
}

/* A value that does not have the keyword's shape is written as it is. */
static size_t degrade_keyword(mcpi_str name, const mcp_json *value,
                              mcpi_buf *out) {
  int keyword =
      mcpi_keyword_find(name, MCPI_DRAFT_2020_12 | MCPI_DRAFT_07, UINT32_MAX);
  int shape = keyword != MCPI_KEYWORD_NONE ? mcpi_keyword_shape(keyword)
                                           : MCPI_SHAPE_PLAIN;
  int type = mcp_json_type(value);
  if (shape == MCPI_SHAPE_MAP && type == MCP_JSON_OBJECT) {
    return degrade_map(value, keyword == MCPI_KEYWORD_PROPERTIES, out);
  }
  if ((shape == MCPI_SHAPE_SCHEMAS || shape == MCPI_SHAPE_EITHER) &&
      type == MCP_JSON_ARRAY) {
    return degrade_array(value, out);
  }
  if (shape == MCPI_SHAPE_SCHEMA || shape == MCPI_SHAPE_EITHER) {
    return mcpi_schema_put_objects(value, out);
  }
  mcpi_json_put_value(out, value);
  return 0;
}

size_t mcpi_schema_put_objects(const mcp_json *schema, mcpi_buf *out) {
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *value;
  size_t count = 0;
  int is_first = 1;
  if (mcp_json_type(schema) != MCP_JSON_OBJECT) {
    mcpi_json_put_value(out, schema);
    return 0;
  }
  mcpi_buf_putc(out, '{');
  mcp_json_iter_init(&iter, schema);
  while ((value = mcp_json_iter_next(&iter, &name)) != NULL) {
    degrade_member_name(name, is_first, out);
    is_first = 0;
    count += degrade_keyword(mcpi_json_str(name), value, out);
  }
  mcpi_buf_putc(out, '}');
  return count;
}
