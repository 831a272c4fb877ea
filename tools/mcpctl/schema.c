/* SPDX-License-Identifier: MIT */
/* JSON Schemas in words, for people. */
#include "schema.h"
#include "json.h"

#include <string.h>

/* The strings of an array with something in between. */
static void put_joined(FILE *out, const mcp_json *array, const char *between) {
  mcp_json_iter iter;
  const mcp_json *value = NULL;
  const char *before = "";
  mcp_json_iter_init(&iter, array);
  while ((value = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const char *text = mcp_json_string(value);
    fprintf(out, "%s%s", before, text != NULL ? text : "...");
    before = between;
  }
}

/* Without a type: what else says what is meant. */
static void put_untyped(FILE *out, const mcp_json *schema) {
  const char *ref = ctl_json_member(schema, "$ref");
  if (ref != NULL) {
    const char *slash = strrchr(ref, '/');
    fputs(slash != NULL ? slash + 1 : ref, out);
  } else if (mcp_json_get(schema, "properties") != NULL) {
    fputs("object", out);
  } else if (mcp_json_get(schema, "anyOf") != NULL ||
             mcp_json_get(schema, "oneOf") != NULL) {
    fputs("one of several", out);
  } else {
    fputs("any", out);
  }
}

void ctl_schema_put_type(FILE *out, const mcp_json *schema) {
  const mcp_json *type = mcp_json_get(schema, "type");
  const mcp_json *items = mcp_json_get(schema, "items");
  if (mcp_json_size(mcp_json_get(schema, "enum")) > 0) {
    put_joined(out, mcp_json_get(schema, "enum"), "|");
  } else if (mcp_json_type(type) == MCP_JSON_ARRAY) {
    put_joined(out, type, " or ");
  } else if (mcp_json_string(type) == NULL) {
    put_untyped(out, schema);
  } else {
    fputs(mcp_json_string(type), out);
    const char *of = ctl_json_member(items, "type");
    if (of != NULL) {
      fprintf(out, " of %s", of);
    }
  }
}

int ctl_schema_requires(const mcp_json *schema, const char *name) {
  mcp_json_iter iter;
  const mcp_json *value = NULL;
  mcp_json_iter_init(&iter, mcp_json_get(schema, "required"));
  while ((value = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const char *required = mcp_json_string(value);
    if (required != NULL && strcmp(required, name) == 0) {
      return 1;
    }
  }
  return 0;
}
