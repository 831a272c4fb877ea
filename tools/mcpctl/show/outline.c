/* SPDX-License-Identifier: MIT */
/* A JSON Schema as a table. */
#include "show/outline.h"
#include "common/json.h"
#include "common/report.h"
#include "platform/memory.h"
#include "schema/schema.h"
#include "show/shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A peer's schema of a few hundred bytes could have millions of rows. */
enum { MAX_VALUES = 1000, MAX_DEPTH = 24 };

typedef struct ctl_outline {
  ctl_table *table;
  size_t rows;
  size_t values; /* looked at; not all of them have rows */
  int is_cut;
} ctl_outline;

/* A value whose members are being added. */
typedef struct ctl_level {
  const struct ctl_level *up; /* NULL: this is the root value */
  int depth;
  const char *path;
  const ctl_shape *shape;
} ctl_level;

/* ---- rows -------------------------------------------------------------- */

/* Finds an outer level that one of the same schemas describes: there is one if
 * the value can contain itself. NULL: there is no such level. */
static const ctl_level *find_same(const ctl_level *level,
                                  const ctl_shape *shape) {
  for (; level != NULL; level = level->up) {
    for (size_t i = 0; i < level->shape->count * shape->count; i++) {
      if (level->shape->parts[i / shape->count] ==
          shape->parts[i % shape->count]) {
        return level;
      }
    }
  }
  return NULL;
}

static char *shape_text(void (*put)(FILE *out, const ctl_shape *shape),
                        const ctl_shape *shape) {
  char *text = NULL;
  size_t len = 0;
  FILE *out = ctl_memory_open(&text, &len);
  if (out != NULL) {
    put(out, shape);
    ctl_memory_close(out, &text, &len);
  }
  return text;
}

static const char *meaning_of(const ctl_shape *shape) {
  const char *text = mcp_json_string(ctl_shape_get(shape, "description"));
  return text != NULL ? text : mcp_json_string(ctl_shape_get(shape, "title"));
}

static void add_limits(ctl_table *table, const ctl_shape *shape,
                       const ctl_level *same) {
  char *text = same == NULL ? shape_text(ctl_shape_put_limits, shape) : NULL;
  if (same != NULL &&
      asprintf(&text, "like %s",
               same->path[0] != '\0' ? same->path : "the whole") < 0) {
    text = NULL;
  }
  ctl_table_add(table, text);
  free(text);
}

/* `required` is what to say in that column; NULL: nothing. */
static void add_row(ctl_outline *outline, const char *path,
                    const ctl_shape *shape, const char *required,
                    const ctl_level *same) {
  const mcp_json *value = ctl_shape_get(shape, "default");
  char *type = shape_text(ctl_shape_put_type, shape);
  char *json = value != NULL ? ctl_json_text(value) : NULL;
  ctl_table_add(outline->table, path);
  ctl_table_add(outline->table, type);
  ctl_table_add(outline->table, required);
  ctl_table_add(outline->table, json);
  add_limits(outline->table, shape, same);
  ctl_table_add(outline->table, meaning_of(shape));
  outline->rows++;
  free(type);
  free(json);
}

/* ---- members ----------------------------------------------------------- */

static void add_members(ctl_outline *outline, const ctl_level *level);

/* Adds a value and its members. The path is taken and may be NULL (out of
 * memory). Items get no row where the array's type says all of them
 * (is_optional). */
static void outline_add_value(ctl_outline *outline, const ctl_level *up,
                              char *path, const ctl_shape *shape,
                              const char *required, int is_optional) {
  ctl_level level = {up, up->depth + 1, path, shape};
  const ctl_level *same = find_same(up, shape);
  char *limits = shape_text(ctl_shape_put_limits, shape);
  if (path == NULL || limits == NULL) {
    outline->table->is_broken = 1;
  } else if (outline->values++ >= MAX_VALUES || level.depth == MAX_DEPTH) {
    outline->is_cut = 1;
  } else {
    if (!is_optional || same != NULL || limits[0] != '\0' ||
        meaning_of(shape) != NULL) {
      add_row(outline, path, shape, required, same);
    }
    if (same == NULL) {
      add_members(outline, &level);
    }
  }
  free(limits);
  free(path);
}

/* The path of a part of the level's value; owned. The root value has no name,
 * so no separator comes before its parts. */
static char *path_of(const ctl_level *level, const char *before,
                     const char *name, const char *after) {
  char *path = NULL;
  int is_whole = level->path[0] == '\0';
  int is_separated = before[0] == '.' || before[0] == ' ';
  if (asprintf(&path, "%s%s%s%s", level->path,
               before + (is_whole && is_separated), name, after) < 0) {
    return NULL;
  }
  return path;
}

static char *path_at(const ctl_level *level, const char *before, size_t at,
                     const char *after) {
  char number[24];
  snprintf(number, sizeof(number), "%zu", at);
  return path_of(level, before, number, after);
}

/* Adds an object's member. All parts of the shape that describe it count. */
static void add_property(ctl_outline *outline, const ctl_level *level,
                         size_t part, const char *name) {
  ctl_shape shape = {.root = level->shape->root};
  for (size_t i = 0; i < level->shape->count; i++) {
    const mcp_json *properties =
        mcp_json_get(level->shape->parts[i], "properties");
    const mcp_json *schema = mcp_json_get(properties, name);
    if (i < part && schema != NULL) {
      return; /* it has been added */
    }
    ctl_shape_add(&shape, schema);
  }
  outline_add_value(outline, level, path_of(level, ".", name, ""), &shape,
                    ctl_shape_requires(level->shape, name) ? "yes" : "no", 0);
}

static void add_properties(ctl_outline *outline, const ctl_level *level) {
  for (size_t i = 0; i < level->shape->count; i++) {
    mcp_json_iter iter;
    const mcp_json *name = NULL;
    mcp_json_iter_init(&iter,
                       mcp_json_get(level->shape->parts[i], "properties"));
    while (mcp_json_iter_next(&iter, &name) != NULL && !outline->is_cut) {
      const char *text = mcp_json_string(name);
      if (text != NULL) {
        add_property(outline, level, i, text);
      }
    }
  }
}

static int has_property(const ctl_level *level, const char *name) {
  int has = 0;
  for (size_t i = 0; i < level->shape->count; i++) {
    has |= mcp_json_get(mcp_json_get(level->shape->parts[i], "properties"),
                        name) != NULL;
  }
  return has;
}

/* Adds required members that have no schema of their own. */
static void add_required(ctl_outline *outline, const ctl_level *level) {
  mcp_json_iter iter;
  const mcp_json *list = ctl_shape_get(level->shape, "required");
  const mcp_json *value = NULL;
  mcp_json_iter_init(&iter, list);
  while ((value = mcp_json_iter_next(&iter, NULL)) != NULL &&
         !outline->is_cut) {
    const char *name = mcp_json_string(value);
    if (name != NULL && !has_property(level, name) &&
        !ctl_schema_is_repeated(list, value)) {
      ctl_shape shape;
      ctl_shape_init(&shape, level->shape->root,
                     ctl_shape_get(level->shape, "additionalProperties"));
      outline_add_value(outline, level, path_of(level, ".", name, ""), &shape,
                        "yes", 0);
    }
  }
}

static void add_one(ctl_outline *outline, const ctl_level *level, char *path,
                    const mcp_json *schema, int is_optional) {
  ctl_shape shape;
  ctl_shape_init(&shape, level->shape->root, schema);
  outline_add_value(outline, level, path, &shape, NULL, is_optional);
}

/* Adds members that the schema does not name. */
static void add_unnamed(ctl_outline *outline, const ctl_level *level) {
  mcp_json_iter iter;
  const mcp_json *pattern = NULL;
  const mcp_json *schema = NULL;
  mcp_json_iter_init(&iter, ctl_shape_get(level->shape, "patternProperties"));
  while ((schema = mcp_json_iter_next(&iter, &pattern)) != NULL &&
         !outline->is_cut) {
    const char *text = mcp_json_string(pattern);
    if (text != NULL) {
      add_one(outline, level, path_of(level, ".(", text, ")"), schema, 0);
    }
  }
  schema = ctl_shape_get(level->shape, "additionalProperties");
  if (mcp_json_type(schema) == MCP_JSON_OBJECT) {
    add_one(outline, level, path_of(level, ".", "*", ""), schema, 0);
  }
}

static void add_items(ctl_outline *outline, const ctl_level *level) {
  mcp_json_iter iter;
  const mcp_json *schema = NULL;
  const mcp_json *items = ctl_shape_get(level->shape, "items");
  const mcp_json *tuple = ctl_shape_get(level->shape, "prefixItems");
  size_t at = 0;
  if (mcp_json_type(items) == MCP_JSON_ARRAY) { /* draft-07 */
    tuple = items;
    items = ctl_shape_get(level->shape, "additionalItems");
  }
  mcp_json_iter_init(&iter, tuple);
  while ((schema = mcp_json_iter_next(&iter, NULL)) != NULL &&
         !outline->is_cut) {
    add_one(outline, level, path_at(level, "[", at++, "]"), schema, 0);
  }
  if (mcp_json_type(items) == MCP_JSON_OBJECT) {
    add_one(outline, level, path_of(level, "[", "", "]"), items, tuple == NULL);
  }
}

/* ---- alternatives ------------------------------------------------------ */

/* Whether the schema says more about a value than its type. */
static int has_more(const ctl_shape *shape) {
  static const char *const keywords[] = {"properties",  "patternProperties",
                                         "prefixItems", "required",
                                         "description", "title"};
  char *limits = shape_text(ctl_shape_put_limits, shape);
  int has_some = limits != NULL && limits[0] != '\0';
  free(limits);
  for (size_t i = 0; i < sizeof(keywords) / sizeof(*keywords); i++) {
    has_some |= ctl_shape_get(shape, keywords[i]) != NULL;
  }
  return has_some;
}

/* A list that is too long for the value's row counts as having more. */
static int any_has_more(const ctl_shape *shape) {
  mcp_json_iter iter;
  const mcp_json *schema = NULL;
  if (mcp_json_size(shape->alternatives) > CTL_SHAPE_ALTERNATIVES) {
    return 1;
  }
  mcp_json_iter_init(&iter, shape->alternatives);
  while ((schema = mcp_json_iter_next(&iter, NULL)) != NULL) {
    ctl_shape alternative;
    ctl_shape item;
    ctl_shape_init(&alternative, shape->root, schema);
    ctl_shape_init(&item, shape->root, ctl_shape_get(&alternative, "items"));
    if (has_more(&alternative) || has_more(&item)) {
      return 1;
    }
  }
  return 0;
}

/* Adds alternatives, unless they differ in their types only: then the value's
 * own row lists them. */
static void outline_add_alternatives(ctl_outline *outline,
                                     const ctl_level *level) {
  mcp_json_iter iter;
  const mcp_json *schema = NULL;
  size_t at = 1;
  if (ctl_shape_is_choice(level->shape) || !any_has_more(level->shape)) {
    return;
  }
  mcp_json_iter_init(&iter, level->shape->alternatives);
  while ((schema = mcp_json_iter_next(&iter, NULL)) != NULL &&
         !outline->is_cut) {
    add_one(outline, level, path_at(level, " (", at++, ")"), schema, 0);
  }
}

static void add_members(ctl_outline *outline, const ctl_level *level) {
  add_properties(outline, level);
  add_required(outline, level);
  add_unnamed(outline, level);
  add_items(outline, level);
  outline_add_alternatives(outline, level);
}

/* ---- all --------------------------------------------------------------- */

size_t ctl_outline_make(ctl_table *table, const char *heading,
                        const mcp_json *schema) {
  const char *const headings[] = {
      heading, "TYPE", "REQUIRED", "DEFAULT", "ALLOWED", "DESCRIPTION", NULL};
  ctl_outline outline = {.table = table};
  ctl_shape shape;
  ctl_level whole = {NULL, 0, "", &shape};
  ctl_table_init(table, headings);
  table->is_wrapped = 1;
  ctl_shape_init(&shape, schema, schema);
  add_members(&outline, &whole);
  if (outline.is_cut) {
    ctl_report(0, "the schema is too large to be shown whole: --json shows it");
  }
  return outline.rows;
}
