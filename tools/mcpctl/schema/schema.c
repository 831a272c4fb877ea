/* SPDX-License-Identifier: MIT */
/* What an object's schema requires. */
#include "schema/schema.h"

#include <string.h>

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

int ctl_schema_is_repeated(const mcp_json *list, const mcp_json *item) {
  mcp_json_iter iter;
  const mcp_json *earlier;
  mcp_json_iter_init(&iter, list);
  while ((earlier = mcp_json_iter_next(&iter, NULL)) != item) {
    if (mcp_json_equal(earlier, item)) {
      return 1;
    }
  }
  return 0;
}
