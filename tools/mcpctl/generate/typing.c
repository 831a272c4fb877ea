/* SPDX-License-Identifier: MIT */
#include "generate/typing.h"

#include "common/json.h"

#include <string.h>

/* References and alternatives within each other. Each may search a long list of
 * definitions. */
enum { MAX_STEPS = 10 };

enum {
  /* A longer list of strings is not an enumeration, and is not read: each of
   * thousands of members may refer to it. */
  MAX_VALUES = 500,
  /* The same for a list of alternatives or of types. */
  MAX_ALTERNATIVES = 100
};

/* ---- to the schema that counts ----------------------------------------- */

static int is_null_type(const mcp_json *schema) {
  const char *type = ctl_json_member(schema, "type");
  return type != NULL && strcmp(type, "null") == 0;
}

/* The only alternative besides null; NULL: there are several. */
static const mcp_json *sole_alternative(const mcp_json *list,
                                        int *is_nullable) {
  mcp_json_iter iter;
  const mcp_json *one;
  const mcp_json *sole = NULL;
  size_t count = 0;
  if (mcp_json_size(list) > MAX_ALTERNATIVES) {
    return NULL;
  }
  mcp_json_iter_init(&iter, list);
  while ((one = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (is_null_type(one)) {
      *is_nullable = 1;
    } else {
      sole = one;
      count++;
    }
  }
  return count == 1 ? sole : NULL;
}

/* The next schema on the way; NULL: `schema` is the one that counts, or
 * typing->why says why there is none. */
static const mcp_json *typing_step(const mcp_json *root, const mcp_json *schema,
                                   ctl_typing *typing) {
  static const char *const lists[] = {"anyOf", "oneOf", "allOf"};
  const char *ref = ctl_json_member(schema, "$ref");
  if (ref != NULL) {
    const mcp_json *found =
        ref[0] == '#' ? mcp_json_pointer(root, ref + 1) : NULL;
    typing->why = found == NULL ? "a reference that leads elsewhere" : NULL;
    return found;
  }
  if (mcp_json_get(schema, "properties") != NULL) {
    return NULL; /* alternatives say more of these members */
  }
  for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
    const mcp_json *list = mcp_json_get(schema, lists[i]);
    if (mcp_json_type(list) != MCP_JSON_ARRAY) {
      continue;
    }
    const mcp_json *sole = sole_alternative(list, &typing->is_nullable);
    if (sole == NULL) {
      typing->why = i == 2 ? "several schemas at once" : "alternatives";
      return NULL;
    }
    return sole;
  }
  return NULL;
}

/* ---- its kind ---------------------------------------------------------- */

/* The type besides "null"; NULL: there are several, or none. */
static const char *sole_type(const mcp_json *schema, int *is_nullable) {
  const mcp_json *type = mcp_json_get(schema, "type");
  const char *sole = mcp_json_string(type);
  mcp_json_iter iter;
  const mcp_json *one;
  size_t count = 0;
  if (mcp_json_type(type) != MCP_JSON_ARRAY) {
    return sole;
  }
  if (mcp_json_size(type) > MAX_ALTERNATIVES) {
    return NULL;
  }
  mcp_json_iter_init(&iter, type);
  while ((one = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const char *name = mcp_json_string(one);
    if (name != NULL && strcmp(name, "null") == 0) {
      *is_nullable = 1;
    } else {
      sole = name;
      count++;
    }
  }
  return count == 1 ? sole : NULL;
}

/* Whether all values are strings that C has, besides null. */
static int are_strings(const mcp_json *values, int *is_nullable) {
  mcp_json_iter iter;
  const mcp_json *one;
  size_t count = 0;
  mcp_json_iter_init(&iter, values);
  while ((one = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (mcp_json_type(one) == MCP_JSON_NULL) {
      *is_nullable = 1;
    } else if (mcp_json_string(one) == NULL) {
      return 0;
    } else {
      count++;
    }
  }
  return count > 0;
}

static ctl_typing as_json(ctl_typing typing, const char *why) {
  typing.kind = CTL_KIND_JSON;
  typing.why = why;
  return typing;
}

static ctl_typing typing_of_object(ctl_typing typing) {
  const mcp_json *properties = mcp_json_get(typing.schema, "properties");
  if (mcp_json_type(properties) != MCP_JSON_OBJECT ||
      mcp_json_size(properties) == 0) {
    return as_json(typing, "an object with any members");
  }
  typing.kind = CTL_KIND_STRUCT;
  return typing;
}

static ctl_typing typing_of_type(ctl_typing typing, const char *type) {
  static const struct {
    const char *name;
    ctl_kind kind;
  } scalars[] = {{"string", CTL_KIND_STRING},
                 {"integer", CTL_KIND_INTEGER},
                 {"number", CTL_KIND_NUMBER},
                 {"boolean", CTL_KIND_BOOLEAN}};
  for (size_t i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++) {
    if (strcmp(type, scalars[i].name) == 0) {
      typing.kind = scalars[i].kind;
      return typing;
    }
  }
  if (strcmp(type, "object") == 0) {
    return typing_of_object(typing);
  }
  return as_json(typing, strcmp(type, "array") == 0
                             ? "an array whose items have no type of C"
                             : "a type that C lacks");
}

/* Of a list of values, whose `type` is "string" or not given. */
static ctl_typing typing_of_values(ctl_typing typing, const mcp_json *values,
                                   const char *type) {
  if (mcp_json_size(values) > MAX_VALUES) {
    typing.kind = CTL_KIND_STRING;
    return type != NULL ? typing : as_json(typing, "more than 500 values");
  }
  if (mcp_json_type(values) != MCP_JSON_ARRAY ||
      !are_strings(values, &typing.is_nullable)) {
    return as_json(typing, "values that are not all strings");
  }
  typing.kind = CTL_KIND_ENUM;
  return typing;
}

static ctl_typing typing_finish(ctl_typing typing) {
  const mcp_json *values = mcp_json_get(typing.schema, "enum");
  int has_type = mcp_json_get(typing.schema, "type") != NULL;
  const char *type = sole_type(typing.schema, &typing.is_nullable);
  if (values != NULL && (type == NULL || strcmp(type, "string") == 0)) {
    return typing_of_values(typing, values, type);
  }
  if (type == NULL && mcp_json_get(typing.schema, "properties") != NULL &&
      !has_type) {
    type = "object";
  }
  if (type == NULL) {
    return as_json(typing, has_type ? "several types" : NULL);
  }
  return typing_of_type(typing, type);
}

ctl_typing ctl_typing_of(const mcp_json *root, const mcp_json *schema) {
  ctl_typing typing = {.schema = schema, .kind = CTL_KIND_JSON};
  for (int i = 0; i < MAX_STEPS; i++) {
    const mcp_json *next = typing_step(root, typing.schema, &typing);
    if (typing.why != NULL) {
      return typing;
    }
    if (next == NULL) {
      return typing_finish(typing);
    }
    typing.schema = next;
  }
  typing.why = "references that lead too far";
  return typing;
}

int ctl_typing_is_array(const mcp_json *root, const mcp_json *schema,
                        ctl_typing *items) {
  int is_nullable = 0;
  const char *type = sole_type(schema, &is_nullable);
  const mcp_json *of = mcp_json_get(schema, "items");
  if (type == NULL || strcmp(type, "array") != 0 ||
      mcp_json_type(of) != MCP_JSON_OBJECT ||
      mcp_json_get(schema, "prefixItems") != NULL) {
    return 0;
  }
  *items = ctl_typing_of(root, of);
  return items->kind != CTL_KIND_JSON && !items->is_nullable;
}
