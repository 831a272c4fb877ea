/* SPDX-License-Identifier: MIT */
/* Collects the schemas that describe one value. */
#include "show/shape.h"
#include "common/json.h"
#include "schema/schema.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- references -------------------------------------------------------- */

static int hex_value(char digit) {
  return isdigit((unsigned char)digit)
             ? digit - '0'
             : (tolower((unsigned char)digit) - 'a') + 10;
}

/* Decodes percent-encoded bytes such as %41, in place. */
static void decode_percent(char *text) {
  char *to = text;
  for (const char *at = text; *at != '\0'; at++) {
    if (at[0] == '%' && isxdigit((unsigned char)at[1]) &&
        isxdigit((unsigned char)at[2])) {
      *to++ = (char)(hex_value(at[1]) * 16 + hex_value(at[2]));
      at += 2;
    } else {
      *to++ = *at;
    }
  }
  *to = '\0';
}

/* Follows a reference by a JSON pointer into the same document. NULL for other
 * references, which tools' schemas seldom have. */
static const mcp_json *follow_ref(const mcp_json *root, const char *ref) {
  if (ref == NULL || ref[0] != '#') {
    return NULL;
  }
  char *pointer = strdup(ref + 1);
  const mcp_json *found = NULL;
  if (pointer != NULL) {
    decode_percent(pointer);
    found = mcp_json_pointer(root, pointer);
  }
  free(pointer);
  return found;
}

/* ---- parts ------------------------------------------------------------- */

static int is_null(const mcp_json *schema) {
  const char *type = ctl_json_member(schema, "type");
  return (type != NULL && strcmp(type, "null") == 0) ||
         mcp_json_type(mcp_json_get(schema, "const")) == MCP_JSON_NULL;
}

static void shape_add_alternatives(ctl_shape *shape, const mcp_json *list) {
  mcp_json_iter iter;
  const mcp_json *schema = NULL;
  const mcp_json *other = NULL;
  size_t others = 0;
  mcp_json_iter_init(&iter, list);
  while (others < 2 && (schema = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (!is_null(schema)) {
      other = schema;
      others++;
    }
  }
  if (others == 1) {
    shape->is_nullable |= mcp_json_size(list) > 1;
    ctl_shape_add(shape, other);
  } else if (others > 1 && shape->alternatives == NULL) {
    shape->alternatives = list;
  }
}

static int has_part(const ctl_shape *shape, const mcp_json *schema) {
  for (size_t i = 0; i < shape->count; i++) {
    if (shape->parts[i] == schema) {
      return 1;
    }
  }
  return 0;
}

/* Adds each schema once, so that a circle of references ends. */
void ctl_shape_add(ctl_shape *shape, const mcp_json *schema) {
  mcp_json_iter iter;
  const mcp_json *part = NULL;
  if (schema == NULL || shape->count == CTL_SHAPE_PARTS ||
      has_part(shape, schema)) {
    return;
  }
  shape->parts[shape->count++] = schema;
  ctl_shape_add(shape,
                follow_ref(shape->root, ctl_json_member(schema, "$ref")));
  mcp_json_iter_init(&iter, mcp_json_get(schema, "allOf"));
  while ((part = mcp_json_iter_next(&iter, NULL)) != NULL) {
    ctl_shape_add(shape, part);
  }
  shape_add_alternatives(shape, mcp_json_get(schema, "anyOf"));
  shape_add_alternatives(shape, mcp_json_get(schema, "oneOf"));
}

void ctl_shape_init(ctl_shape *shape, const mcp_json *root,
                    const mcp_json *schema) {
  *shape = (ctl_shape){.root = root};
  ctl_shape_add(shape, schema);
}

/* ---- questions --------------------------------------------------------- */

const mcp_json *ctl_shape_get(const ctl_shape *shape, const char *keyword) {
  for (size_t i = 0; i < shape->count; i++) {
    const mcp_json *value = mcp_json_get(shape->parts[i], keyword);
    if (value != NULL) {
      return value;
    }
  }
  return NULL;
}

int ctl_shape_requires(const ctl_shape *shape, const char *name) {
  for (size_t i = 0; i < shape->count; i++) {
    if (ctl_schema_requires(shape->parts[i], name)) {
      return 1;
    }
  }
  return 0;
}

int ctl_shape_is_choice(const ctl_shape *shape) {
  mcp_json_iter iter;
  const mcp_json *schema = NULL;
  mcp_json_iter_init(&iter, shape->alternatives);
  while ((schema = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (mcp_json_get(schema, "const") == NULL) {
      return 0;
    }
  }
  return shape->alternatives != NULL;
}
