/* SPDX-License-Identifier: MIT */
#include "diff/compat.h"
#include "common/exit.h"

#include <string.h>

/* ---- verdicts ---------------------------------------------------------- */

int ctl_compat_verdict(int effect, int direction) {
  switch (effect) {
  case CTL_EFFECT_NONE:
    return CTL_COMPATIBLE;
  case CTL_EFFECT_WORDING:
    return CTL_WORDING;
  case CTL_EFFECT_WIDER:
    return direction == CTL_GIVEN ? CTL_COMPATIBLE : CTL_BREAKING;
  case CTL_EFFECT_NARROWER:
    return direction == CTL_GIVEN ? CTL_BREAKING : CTL_COMPATIBLE;
  default:
    return CTL_BREAKING;
  }
}

/* The effect of values that were added and removed. */
static int effect_of(int has_more, int has_fewer) {
  if (has_more && has_fewer) {
    return CTL_EFFECT_OTHER;
  }
  if (has_more) {
    return CTL_EFFECT_WIDER;
  }
  return has_fewer ? CTL_EFFECT_NARROWER : CTL_EFFECT_NONE;
}

/* ---- limits ------------------------------------------------------------ */

int ctl_rule_limit(const mcp_json *before, const mcp_json *after) {
  if (mcp_json_equal(before, after)) {
    return CTL_EFFECT_NONE;
  }
  if (before == NULL) {
    return CTL_EFFECT_NARROWER;
  }
  return after == NULL ? CTL_EFFECT_WIDER : CTL_EFFECT_UNKNOWN;
}

/* Whether either is there, but is not of the type. */
static int has_other_type(const mcp_json *before, const mcp_json *after,
                          int type) {
  return (before != NULL && mcp_json_type(before) != type) ||
         (after != NULL && mcp_json_type(after) != type);
}

/* `sign` is 1 for a bound below, and -1 for one above. Numbers that doubles
 * cannot tell apart count as changed in an unknown way. */
static int rule_bound(const mcp_json *before, const mcp_json *after,
                      double sign) {
  if (has_other_type(before, after, MCP_JSON_NUMBER)) {
    return CTL_EFFECT_UNKNOWN;
  }
  if (before == NULL || after == NULL || mcp_json_equal(before, after)) {
    return ctl_rule_limit(before, after);
  }
  double by = sign * (mcp_json_number(after) - mcp_json_number(before));
  if (by > 0) {
    return CTL_EFFECT_NARROWER;
  }
  return by < 0 ? CTL_EFFECT_WIDER : CTL_EFFECT_UNKNOWN;
}

int ctl_rule_minimum(const mcp_json *before, const mcp_json *after) {
  return rule_bound(before, after, 1);
}

int ctl_rule_maximum(const mcp_json *before, const mcp_json *after) {
  return rule_bound(before, after, -1);
}

static int is_zero(const mcp_json *value) {
  return mcp_json_type(value) == MCP_JSON_NUMBER && mcp_json_number(value) == 0;
}

int ctl_rule_min_len(const mcp_json *before, const mcp_json *after) {
  return ctl_rule_minimum(is_zero(before) ? NULL : before,
                          is_zero(after) ? NULL : after);
}

int ctl_rule_flag(const mcp_json *before, const mcp_json *after) {
  if (has_other_type(before, after, MCP_JSON_BOOL)) {
    return CTL_EFFECT_UNKNOWN;
  }
  return effect_of(mcp_json_bool(before) && !mcp_json_bool(after),
                   mcp_json_bool(after) && !mcp_json_bool(before));
}

/* ---- types and values -------------------------------------------------- */

/* Bits for the types. A number is an integer or has a fraction. */
enum { INTEGER = 16, FRACTION = 32, ALL_TYPES = 127 };

/* 0: the name is not that of a type. */
static unsigned type_bits(const mcp_json *name) {
  static const struct {
    const char *name;
    unsigned bits;
  } types[] = {{"null", 1},
               {"boolean", 2},
               {"string", 4},
               {"array", 8},
               {"object", 64},
               {"integer", INTEGER},
               {"number", INTEGER | FRACTION}};
  const char *text = mcp_json_string(name);
  for (size_t i = 0; text != NULL && i < sizeof(types) / sizeof(*types); i++) {
    if (strcmp(types[i].name, text) == 0) {
      return types[i].bits;
    }
  }
  return 0;
}

/* The bits of `type`; 0: it is not valid. */
static unsigned types_of(const mcp_json *type) {
  unsigned all = 0;
  mcp_json_iter iter;
  const mcp_json *name;
  if (type == NULL) {
    return ALL_TYPES;
  }
  if (mcp_json_type(type) != MCP_JSON_ARRAY) {
    return type_bits(type);
  }
  mcp_json_iter_init(&iter, type);
  while ((name = mcp_json_iter_next(&iter, NULL)) != NULL) {
    unsigned bits = type_bits(name);
    if (bits == 0) {
      return 0;
    }
    all |= bits;
  }
  return all;
}

int ctl_rule_type(const mcp_json *before, const mcp_json *after) {
  unsigned old_types = types_of(before);
  unsigned new_types = types_of(after);
  if (old_types == 0 || new_types == 0) {
    return CTL_EFFECT_UNKNOWN;
  }
  return effect_of((new_types & ~old_types) != 0,
                   (old_types & ~new_types) != 0);
}

static int array_has(const mcp_json *array, const mcp_json *value) {
  mcp_json_iter iter;
  const mcp_json *item;
  mcp_json_iter_init(&iter, array);
  while ((item = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (mcp_json_equal(item, value)) {
      return 1;
    }
  }
  return 0;
}

/* Whether each item of the array is also in the other one. */
static int is_subset(const mcp_json *array, const mcp_json *other) {
  mcp_json_iter iter;
  const mcp_json *item;
  mcp_json_iter_init(&iter, array);
  while ((item = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (!array_has(other, item)) {
      return 0;
    }
  }
  return 1;
}

int ctl_rule_enum(const mcp_json *before, const mcp_json *after) {
  if (has_other_type(before, after, MCP_JSON_ARRAY)) {
    return CTL_EFFECT_UNKNOWN;
  }
  if (before == NULL || after == NULL) {
    return ctl_rule_limit(before, after);
  }
  return effect_of(!is_subset(after, before), !is_subset(before, after));
}

/* ---- schemas in schemas ------------------------------------------------ */

static int is_boolean(const mcp_json *schema, int value) {
  return mcp_json_type(schema) == MCP_JSON_BOOL &&
         mcp_json_bool(schema) == value;
}

static int accepts_all(const mcp_json *schema) {
  return schema == NULL || is_boolean(schema, 1) ||
         (mcp_json_type(schema) == MCP_JSON_OBJECT &&
          mcp_json_size(schema) == 0);
}

static int is_schema(const mcp_json *value) {
  return value == NULL || mcp_json_type(value) == MCP_JSON_BOOL ||
         mcp_json_type(value) == MCP_JSON_OBJECT;
}

int ctl_rule_schema(const mcp_json *before, const mcp_json *after) {
  if (!is_schema(before) || !is_schema(after)) {
    return ctl_rule_unknown(before, after);
  }
  int is_wider = is_boolean(before, 0) || accepts_all(after);
  int is_narrower = is_boolean(after, 0) || accepts_all(before);
  if (is_wider && is_narrower) {
    return CTL_EFFECT_NONE;
  }
  return is_wider || is_narrower ? effect_of(is_wider, is_narrower)
                                 : CTL_EFFECT_INSIDE;
}

/* Returns whether all are `more`, or `fewer`; else unknown. */
static int rule_alternatives(const mcp_json *before, const mcp_json *after,
                             int more, int fewer) {
  if (has_other_type(before, after, MCP_JSON_ARRAY)) {
    return CTL_EFFECT_UNKNOWN;
  }
  int is_more = is_subset(before, after);
  int is_fewer = is_subset(after, before);
  if (is_more && is_fewer) {
    return CTL_EFFECT_NONE;
  }
  if (is_more || is_fewer) {
    return is_more ? more : fewer;
  }
  return mcp_json_size(before) == mcp_json_size(after) ? CTL_EFFECT_INSIDE
                                                       : CTL_EFFECT_UNKNOWN;
}

int ctl_rule_any_of(const mcp_json *before, const mcp_json *after) {
  return before == NULL || after == NULL
             ? ctl_rule_limit(before, after)
             : rule_alternatives(before, after, CTL_EFFECT_WIDER,
                                 CTL_EFFECT_NARROWER);
}

int ctl_rule_all_of(const mcp_json *before, const mcp_json *after) {
  return before == NULL || after == NULL
             ? ctl_rule_limit(before, after)
             : rule_alternatives(before, after, CTL_EFFECT_NARROWER,
                                 CTL_EFFECT_WIDER);
}

/* ---- the rest of a schema ---------------------------------------------- */

int ctl_rule_default(const mcp_json *before, const mcp_json *after) {
  return before == NULL || mcp_json_equal(before, after) ? CTL_EFFECT_NONE
                                                         : CTL_EFFECT_OTHER;
}

int ctl_rule_wording(const mcp_json *before, const mcp_json *after) {
  return mcp_json_equal(before, after) ? CTL_EFFECT_NONE : CTL_EFFECT_WORDING;
}

int ctl_rule_unknown(const mcp_json *before, const mcp_json *after) {
  return mcp_json_equal(before, after) ? CTL_EFFECT_NONE : CTL_EFFECT_UNKNOWN;
}

/* ---- how a tool acts --------------------------------------------------- */

/* The hints, each with its value if it is not there. A client may do without a
 * question what is safe. */
typedef struct tool_hint {
  const char *name;
  int usual;
  int is_safe_if; /* the value that says that the tool is harmless */
} tool_hint;

static const tool_hint hints[] = {{"readOnlyHint", 0, 1},
                                  {"destructiveHint", 1, 0},
                                  {"idempotentHint", 0, 1},
                                  {"openWorldHint", 1, 0}};

static int is_safe(const tool_hint *hint, const mcp_json *annotations) {
  const mcp_json *value = mcp_json_get(annotations, hint->name);
  int is_set = mcp_json_type(value) == MCP_JSON_BOOL ? mcp_json_bool(value)
                                                     : hint->usual;
  return is_set == hint->is_safe_if;
}

/* A tool that only reads destroys nothing, and may be called twice, whatever
 * these two hints are. */
static int says_safe(const tool_hint *hint, const mcp_json *annotations) {
  int is_moot = hint == &hints[1] || hint == &hints[2];
  return is_safe(hint, annotations) ||
         (is_moot && is_safe(&hints[0], annotations));
}

static const tool_hint *hint_find(const char *name) {
  for (size_t i = 0; i < sizeof(hints) / sizeof(*hints); i++) {
    if (strcmp(hints[i].name, name) == 0) {
      return &hints[i];
    }
  }
  return NULL;
}

int ctl_compat_is_hint(const char *annotation) {
  return hint_find(annotation) != NULL;
}

int ctl_compat_hint(const char *name, const mcp_json *before,
                    const mcp_json *after) {
  const tool_hint *hint = hint_find(name);
  return hint == NULL || (says_safe(hint, before) && !says_safe(hint, after))
             ? CTL_BREAKING
             : CTL_COMPATIBLE;
}

/* "optional" lets a client call in both ways. */
int ctl_compat_task_support(const mcp_json *before, const mcp_json *after) {
  const char *is = after != NULL ? mcp_json_string(after) : "forbidden";
  const char *was = before != NULL ? mcp_json_string(before) : "forbidden";
  if (is == NULL || was == NULL) {
    return CTL_BREAKING;
  }
  return strcmp(is, "optional") == 0 || strcmp(is, was) == 0 ? CTL_COMPATIBLE
                                                             : CTL_BREAKING;
}
