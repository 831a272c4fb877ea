/* SPDX-License-Identifier: MIT */
/* Describes one value of a JSON Schema in words. */
#include "common/json.h"
#include "show/shape.h"

#include <stdlib.h>
#include <string.h>

/* A server's schema can refer to itself, so that its arrays of arrays, or
 * alternatives of alternatives, have no end. */
enum { MAX_DEPTH = 3, MAX_NAMES = 8, NAME = 64 };

/* ---- types ------------------------------------------------------------- */

/* Names of types, without repetition. */
typedef struct ctl_names {
  char list[MAX_NAMES][NAME];
  size_t count;
  size_t added; /* repeated ones too */
  int is_cut;   /* there are more */
} ctl_names;

static void add_name(ctl_names *names, const char *name) {
  char shown[NAME];
  snprintf(shown, sizeof(shown), "%s", name);
  names->added++;
  for (size_t i = 0; i < names->count; i++) {
    if (strcmp(names->list[i], shown) == 0) {
      return;
    }
  }
  if (names->count == MAX_NAMES) {
    names->is_cut = 1;
    return;
  }
  memcpy(names->list[names->count++], shown, sizeof(shown));
}

static void add_types(ctl_names *names, const ctl_shape *shape, int depth);

/* Adds a name such as "array of number", or "array" if the items may have
 * several types or any. */
static void add_array(ctl_names *names, const ctl_shape *shape, int depth) {
  const mcp_json *items = ctl_shape_get(shape, "items");
  char name[NAME];
  if (mcp_json_type(items) != MCP_JSON_OBJECT || depth == MAX_DEPTH) {
    add_name(names, "array");
    return;
  }
  ctl_shape item;
  ctl_names of = {0};
  ctl_shape_init(&item, shape->root, items);
  add_types(&of, &item, depth + 1);
  int is_one = of.count == 1 && strcmp(of.list[0], "any") != 0;
  snprintf(name, sizeof(name), is_one ? "array of %.50s" : "array", of.list[0]);
  add_name(names, name);
}

static void add_type(ctl_names *names, const ctl_shape *shape, const char *type,
                     int depth) {
  if (type != NULL && strcmp(type, "array") == 0) {
    add_array(names, shape, depth);
  } else if (type != NULL) {
    add_name(names, type);
  }
}

static void add_stated(ctl_names *names, const ctl_shape *shape,
                       const mcp_json *type, int depth) {
  mcp_json_iter iter;
  const mcp_json *one = NULL;
  add_type(names, shape, mcp_json_string(type), depth);
  mcp_json_iter_init(&iter, type);
  while ((one = mcp_json_iter_next(&iter, NULL)) != NULL) {
    add_type(names, shape, mcp_json_string(one), depth);
  }
}

static void names_add_value(ctl_names *names, const mcp_json *value) {
  if (value != NULL) {
    add_name(names, mcp_json_type_name(mcp_json_type(value)));
  }
}

static void add_values(ctl_names *names, const ctl_shape *shape) {
  mcp_json_iter iter;
  const mcp_json *value = NULL;
  mcp_json_iter_init(&iter, ctl_shape_get(shape, "enum"));
  while ((value = mcp_json_iter_next(&iter, NULL)) != NULL) {
    names_add_value(names, value);
  }
  names_add_value(names, ctl_shape_get(shape, "const"));
}

static void names_add_alternatives(ctl_names *names, const ctl_shape *shape,
                                   int depth) {
  mcp_json_iter iter;
  const mcp_json *schema = NULL;
  int count = 0;
  mcp_json_iter_init(&iter, shape->alternatives);
  while (depth < MAX_DEPTH &&
         (schema = mcp_json_iter_next(&iter, NULL)) != NULL) {
    ctl_shape alternative;
    if (count++ == CTL_SHAPE_ALTERNATIVES) {
      names->is_cut = 1;
      return;
    }
    ctl_shape_init(&alternative, shape->root, schema);
    add_types(names, &alternative, depth + 1);
  }
}

/* Adds the type that other keywords imply, where no keyword states it. */
static void add_implied(ctl_names *names, const ctl_shape *shape) {
  const char *ref = mcp_json_string(ctl_shape_get(shape, "$ref"));
  const mcp_json *only = shape->count == 1 ? shape->parts[0] : NULL;
  if (mcp_json_type(only) == MCP_JSON_BOOL && !mcp_json_bool(only)) {
    add_name(names, "nothing");
  } else if (ctl_shape_get(shape, "properties") != NULL) {
    add_name(names, "object");
  } else if (ctl_shape_get(shape, "items") != NULL ||
             ctl_shape_get(shape, "prefixItems") != NULL) {
    add_array(names, shape, 0);
  } else if (ref != NULL && shape->count == 1) { /* to another document */
    add_name(names, strrchr(ref, '/') != NULL ? strrchr(ref, '/') + 1 : ref);
  } else {
    add_name(names, "any");
  }
}

static void add_types(ctl_names *names, const ctl_shape *shape, int depth) {
  size_t before = names->added;
  add_stated(names, shape, ctl_shape_get(shape, "type"), depth);
  if (names->added == before) {
    add_values(names, shape);
  }
  if (names->added == before) {
    names_add_alternatives(names, shape, depth);
  }
  if (names->added == before) {
    add_implied(names, shape);
  }
  if (shape->is_nullable) {
    add_name(names, "null");
  }
}

void ctl_shape_put_type(FILE *out, const ctl_shape *shape) {
  ctl_names names = {0};
  add_types(&names, shape, 0);
  for (size_t i = 0; i < names.count; i++) {
    fprintf(out, "%s%s", i > 0 ? " or " : "", names.list[i]);
  }
  fputs(names.is_cut ? " or more" : "", out);
}

/* ---- limits ------------------------------------------------------------ */

/* A list of limits with commas in between. */
typedef struct ctl_limits {
  FILE *out;
  const ctl_shape *shape;
  int has_some;
} ctl_limits;

/* Prints the comma before the next limit. */
static FILE *next(ctl_limits *limits) {
  fputs(limits->has_some ? ", " : "", limits->out);
  limits->has_some = 1;
  return limits->out;
}

/* Prints a string without quotes, and any other value as JSON. */
static void limits_put_value(FILE *out, const mcp_json *value) {
  const char *string = mcp_json_string(value);
  char *json = string == NULL ? ctl_json_text(value) : NULL;
  fputs(string != NULL ? string : json != NULL ? json : "?", out);
  free(json);
}

/* "a|b", the values of `enum`, or each `const` of the alternatives. */
static void limits_put_choices(ctl_limits *limits, const mcp_json *list,
                               const char *member) {
  mcp_json_iter iter;
  const mcp_json *value = NULL;
  const char *before = "";
  FILE *out = mcp_json_size(list) > 0 ? next(limits) : NULL;
  mcp_json_iter_init(&iter, list);
  while ((value = mcp_json_iter_next(&iter, NULL)) != NULL) {
    fputs(before, out);
    limits_put_value(out, member != NULL ? mcp_json_get(value, member) : value);
    before = "|";
  }
}

static void limits_put_values(ctl_limits *limits) {
  const mcp_json *value = ctl_shape_get(limits->shape, "const");
  limits_put_choices(limits, ctl_shape_get(limits->shape, "enum"), NULL);
  if (value != NULL) {
    limits_put_value(next(limits), value);
  }
  if (ctl_shape_is_choice(limits->shape)) {
    limits_put_choices(limits, limits->shape->alternatives, "const");
  }
}

static int is_one(const mcp_json *value) {
  return mcp_json_number(value) == 1;
}

/* Prints "1 to 5 items" or "at least 1 item"; `unit` is the singular, or NULL:
 * there is no unit. */
static void limits_put_range(ctl_limits *limits, const char *least,
                             const char *most, const char *unit) {
  const mcp_json *from = ctl_shape_get(limits->shape, least);
  const mcp_json *to = ctl_shape_get(limits->shape, most);
  const mcp_json *last = to != NULL ? to : from;
  if (last == NULL) {
    return;
  }
  FILE *out = next(limits);
  if (from != NULL && to != NULL && mcp_json_equal(from, to)) {
    fputs("exactly ", out);
  } else if (from != NULL && to != NULL) {
    limits_put_value(out, from);
    fputs(" to ", out);
  } else {
    fputs(to != NULL ? "at most " : "at least ", out);
  }
  limits_put_value(out, last);
  if (unit != NULL) {
    fprintf(out, " %s%s", unit, is_one(last) ? "" : "s");
  }
}

/* In draft-04 exclusiveMinimum and exclusiveMaximum are booleans, which this
 * ignores. */
static void put_bound(ctl_limits *limits, const char *keyword,
                      const char *before) {
  const mcp_json *bound = ctl_shape_get(limits->shape, keyword);
  if (mcp_json_type(bound) == MCP_JSON_NUMBER) {
    fputs(before, next(limits));
    limits_put_value(limits->out, bound);
  }
}

static void limits_put_word(ctl_limits *limits, const char *keyword,
                            const char *before) {
  const char *word = mcp_json_string(ctl_shape_get(limits->shape, keyword));
  if (word != NULL) {
    fprintf(next(limits), "%s%s", before, word);
  }
}

/* Names the rules that have no short form. */
static void put_others(ctl_limits *limits) {
  static const char *const keywords[] = {
      "not",           "if",
      "contains",      "dependentRequired",
      "dependencies",  "dependentSchemas",
      "propertyNames", "unevaluatedItems",
  };
  for (size_t i = 0; i < sizeof(keywords) / sizeof(*keywords); i++) {
    if (ctl_shape_get(limits->shape, keywords[i]) != NULL) {
      fprintf(next(limits), "see %s", keywords[i]);
    }
  }
}

void ctl_shape_put_limits(FILE *out, const ctl_shape *shape) {
  ctl_limits limits = {.out = out, .shape = shape};
  limits_put_values(&limits);
  limits_put_range(&limits, "minimum", "maximum", NULL);
  put_bound(&limits, "exclusiveMinimum", "more than ");
  put_bound(&limits, "exclusiveMaximum", "less than ");
  put_bound(&limits, "multipleOf", "a multiple of ");
  limits_put_range(&limits, "minLength", "maxLength", "character");
  limits_put_word(&limits, "format", "");
  limits_put_word(&limits, "contentEncoding", "");
  limits_put_word(&limits, "contentMediaType", "");
  limits_put_word(&limits, "pattern", "matches ");
  limits_put_range(&limits, "minItems", "maxItems", "item");
  if (mcp_json_bool(ctl_shape_get(shape, "uniqueItems"))) {
    fputs("no item twice", next(&limits));
  }
  limits_put_range(&limits, "minProperties", "maxProperties", "member");
  put_others(&limits);
}
