/* SPDX-License-Identifier: MIT */
/* Compares two schemas member by member, each by its rule (compat.h).
 *
 * References within a schema are followed, so that a definition is compared
 * where it is used. Each pair of definitions is compared once; that also ends
 * the walk through schemas that contain themselves. A definition that differs,
 * and that the walk did not reach, counts as a difference of its own: something
 * that mcpctl cannot judge may use it. */
#include "diff/schema_diff.h"
#include "common/exit.h"
#include "common/members.h"
#include "schema/schema.h"

#include <stdlib.h>
#include <string.h>

#define UNJUDGED ", which cannot be judged"

/* More pairs of definitions, or schemas in schemas, are not compared. Both are
 * far above those of tools that people write; the walk is recursive. */
enum { MAX_PAIRS = 1000, MAX_DEPTH = 200, MAX_REFERENCES = 16 };

typedef struct schema_diff {
  ctl_changes *changes;
  int direction;
  const char *path; /* of the whole schema */
  ctl_values roots;
  ctl_values pairs[MAX_PAIRS]; /* of definitions that were compared */
  size_t pair_count;
  int depth;
} schema_diff;

/* One place in both schemas. */
typedef struct spot {
  ctl_values at;
  const char *name; /* as `mcpctl tools` shows it: size.width; "" is all */
  const char *path; /* JSON pointer into the tool's entry */
} spot;

typedef struct schema_keyword {
  const char *name;
  ctl_rule *rule;
  /* Compares what is in it. NULL: the rule says all. */
  void (*walk)(schema_diff *diff, const spot *in,
               const struct schema_keyword *keyword, ctl_values values);
  const char *inside; /* what the names of its parts end with */
} schema_keyword;

static void diff_schemas(schema_diff *diff, const spot *here);

/* ---- words ------------------------------------------------------------- */

/* 'argument "size.width"', or "the input schema"; owned. */
static char *subject_of(const schema_diff *diff, const char *name) {
  int is_given = diff->direction == CTL_GIVEN;
  char *subject = NULL;
  int len =
      name[0] == '\0'
          ? asprintf(&subject, "the %s schema", is_given ? "input" : "output")
          : asprintf(&subject, "%s \"%s\"",
                     is_given ? "argument" : "result member", name);
  return len >= 0 ? subject : NULL;
}

/* Adds a difference of one keyword. */
static void diff_add(schema_diff *diff, const spot *in, const char *member,
                     const char *path, ctl_values values, int effect) {
  char *subject = subject_of(diff, in->name);
  if (subject == NULL) {
    diff->changes->is_broken = 1;
    return;
  }
  ctl_changes_add_member(
      diff->changes, ctl_compat_verdict(effect, diff->direction), path, values,
      subject, member, effect == CTL_EFFECT_UNKNOWN ? UNJUDGED : "");
  free(subject);
}

/* Adds that a keyword has another value, if it has, in an unknown way. */
static void diff_add_unknown(schema_diff *diff, const spot *in,
                             const char *member, const char *path,
                             ctl_values values) {
  if (!mcp_json_equal(values.before, values.after)) {
    diff_add(diff, in, member, path, values, CTL_EFFECT_UNKNOWN);
  }
}

/* ---- places ------------------------------------------------------------ */

static char *name_join(const char *name, const char *dot, const char *part) {
  char *joined = NULL;
  return asprintf(&joined, "%s%s%s", name, name[0] != '\0' ? dot : "", part) >=
                 0
             ? joined
             : NULL;
}

/* Compares a part. Takes the name and the path, which are NULL when out of
 * memory. */
static void diff_part(schema_diff *diff, ctl_values values, char *name,
                      char *path) {
  if (name == NULL || path == NULL) {
    diff->changes->is_broken = 1;
  } else {
    const spot part = {values, name, path};
    diff_schemas(diff, &part);
  }
  free(name);
  free(path);
}

/* ---- properties -------------------------------------------------------- */

/* Whether the schema refuses members that it does not describe. */
static int forbids_others(const mcp_json *schema) {
  const mcp_json *additional = mcp_json_get(schema, "additionalProperties");
  const mcp_json *unevaluated = mcp_json_get(schema, "unevaluatedProperties");
  return (mcp_json_type(additional) == MCP_JSON_BOOL &&
          !mcp_json_bool(additional)) ||
         (mcp_json_type(unevaluated) == MCP_JSON_BOOL &&
          !mcp_json_bool(unevaluated));
}

/* Whether mcpctl would have to compare a member with more schemas than those of
 * its name. */
static int judges_others(const mcp_json *schema) {
  return mcp_json_type(mcp_json_get(schema, "additionalProperties")) ==
             MCP_JSON_OBJECT ||
         mcp_json_type(mcp_json_get(schema, "unevaluatedProperties")) ==
             MCP_JSON_OBJECT ||
         mcp_json_get(schema, "patternProperties") != NULL;
}

/* What the schema says about a member that only the other schema describes; "":
 * it allows it. */
static const char *why_refused(const mcp_json *schema) {
  if (forbids_others(schema)) {
    return ", and the schema does not allow others";
  }
  return judges_others(schema) ? UNJUDGED : "";
}

/* A client that does not know an argument does not give it. A client that reads
 * a result may refuse what the old schema does not allow. */
static void add_new(schema_diff *diff, const spot *in, const char *name,
                    const char *subject, const char *path, ctl_values values) {
  if (diff->direction == CTL_RETURNED) {
    const char *why = why_refused(in->at.before);
    ctl_changes_add(diff->changes,
                    why[0] != '\0' ? CTL_BREAKING : CTL_COMPATIBLE, path,
                    values, "%s is new%s", subject, why);
    return;
  }
  int is_required = ctl_schema_requires(in->at.after, name);
  ctl_changes_add(diff->changes, is_required ? CTL_BREAKING : CTL_COMPATIBLE,
                  path, values, "%s is new and %s", subject,
                  is_required ? "required" : "optional");
}

/* Clients still give the argument, and miss the member of the result. */
static void add_removed(schema_diff *diff, const spot *in, const char *subject,
                        const char *path, ctl_values values) {
  int is_returned = diff->direction == CTL_RETURNED;
  const char *why = is_returned ? "" : why_refused(in->at.after);
  ctl_changes_add(diff->changes,
                  is_returned || why[0] != '\0' ? CTL_BREAKING : CTL_COMPATIBLE,
                  path, values, "%s was removed%s", subject, why);
}

/* Adds a member that one of the schemas does not describe. */
static void diff_lone_property(schema_diff *diff, const spot *in,
                               const char *name, const char *full_name,
                               const char *path, ctl_values values) {
  char *subject = subject_of(diff, full_name);
  if (subject == NULL) {
    diff->changes->is_broken = 1;
  } else if (values.before == NULL) {
    add_new(diff, in, name, subject, path, values);
  } else {
    add_removed(diff, in, subject, path, values);
  }
  free(subject);
}

static void diff_property(schema_diff *diff, const spot *in, const char *path,
                          const char *name, ctl_values values) {
  char *full_name = name_join(in->name, ".", name);
  char *full_path = ctl_members_path(path, name);
  if (values.before != NULL && values.after != NULL) {
    diff_part(diff, values, full_name, full_path);
    return;
  }
  if (full_name == NULL || full_path == NULL) {
    diff->changes->is_broken = 1;
  } else {
    diff_lone_property(diff, in, name, full_name, full_path, values);
  }
  free(full_name);
  free(full_path);
}

static int can_be_properties(const mcp_json *value) {
  return value == NULL || mcp_json_type(value) == MCP_JSON_OBJECT;
}

static void diff_properties(schema_diff *diff, const spot *in, const char *path,
                            ctl_values values) {
  ctl_members walk;
  ctl_values parts;
  const char *name;
  ctl_members_begin(&walk, values);
  while ((name = ctl_members_next(&walk, &parts)) != NULL) {
    diff_property(diff, in, path, name, parts);
  }
}

static void walk_properties(schema_diff *diff, const spot *in,
                            const schema_keyword *keyword, ctl_values values) {
  char *path = ctl_members_path(in->path, keyword->name);
  if (path == NULL) {
    diff->changes->is_broken = 1;
  } else if (!can_be_properties(values.before) ||
             !can_be_properties(values.after)) {
    diff_add_unknown(diff, in, keyword->name, path, values);
  } else if (mcp_json_size(values.before) + mcp_json_size(values.after) > 0) {
    diff_properties(diff, in, path, values);
  } else if (!mcp_json_equal(values.before, values.after)) {
    diff_add(diff, in, keyword->name, path, values, CTL_EFFECT_NONE);
  }
  free(path);
}

/* ---- required ---------------------------------------------------------- */

/* Adds that a member became required (`is_more`) or optional. */
static void add_one_required(schema_diff *diff, const spot *in,
                             const char *path, const char *name, int is_more) {
  const ctl_values values = {mcp_json_get(in->at.before, "required"),
                             mcp_json_get(in->at.after, "required")};
  int effect = is_more ? CTL_EFFECT_NARROWER : CTL_EFFECT_WIDER;
  char *full_name = name_join(in->name, ".", name);
  char *subject = full_name != NULL ? subject_of(diff, full_name) : NULL;
  if (subject != NULL) {
    ctl_changes_add(diff->changes, ctl_compat_verdict(effect, diff->direction),
                    path, values, "%s became %s", subject,
                    is_more ? "required" : "optional");
  } else {
    diff->changes->is_broken = 1;
  }
  free(full_name);
  free(subject);
}

/* Adds the names that only the list of `to` has, and returns how many there
 * are. If a member itself is new or was removed, that has been added, with
 * whether it is required. */
static int add_required(schema_diff *diff, const spot *in, const char *path,
                        const mcp_json *from, const mcp_json *to, int is_more) {
  const mcp_json *list = mcp_json_get(to, "required");
  mcp_json_iter iter;
  const mcp_json *item;
  int count = 0;
  mcp_json_iter_init(&iter, list);
  while ((item = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const char *name = mcp_json_string(item);
    if (name == NULL || ctl_schema_requires(from, name) ||
        ctl_schema_is_repeated(list, item)) {
      continue;
    }
    int is_lone = mcp_json_get(mcp_json_get(to, "properties"), name) != NULL &&
                  mcp_json_get(mcp_json_get(from, "properties"), name) == NULL;
    count++;
    if (!is_lone) {
      add_one_required(diff, in, path, name, is_more);
    }
  }
  return count;
}

static int is_list_of_names(const mcp_json *value) {
  mcp_json_iter iter;
  const mcp_json *item;
  if (value != NULL && mcp_json_type(value) != MCP_JSON_ARRAY) {
    return 0;
  }
  mcp_json_iter_init(&iter, value);
  while ((item = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (mcp_json_string(item) == NULL) {
      return 0;
    }
  }
  return 1;
}

static void walk_required(schema_diff *diff, const spot *in,
                          const schema_keyword *keyword, ctl_values values) {
  char *path = ctl_members_path(in->path, keyword->name);
  if (path == NULL) {
    diff->changes->is_broken = 1;
  } else if (!is_list_of_names(values.before) ||
             !is_list_of_names(values.after)) {
    diff_add_unknown(diff, in, keyword->name, path, values);
  } else {
    int more = add_required(diff, in, path, in->at.before, in->at.after, 1);
    int fewer = add_required(diff, in, path, in->at.after, in->at.before, 0);
    if (more + fewer == 0 && !mcp_json_equal(values.before, values.after)) {
      diff_add(diff, in, keyword->name, path, values, CTL_EFFECT_NONE);
    }
  }
  free(path);
}

/* ---- other parts ------------------------------------------------------- */

/* `items` and the like: the schema of a part. */
static void walk_part(schema_diff *diff, const spot *in,
                      const schema_keyword *keyword, ctl_values values) {
  diff_part(diff, values, name_join(in->name, "", keyword->inside),
            ctl_members_path(in->path, keyword->name));
}

static void diff_alternative(schema_diff *diff, const spot *in,
                             const char *list, size_t index,
                             ctl_values values) {
  char part[24];
  char *path = ctl_members_path(in->path, list);
  snprintf(part, sizeof(part), "%zu", index);
  diff_part(diff, values, strdup(in->name),
            path != NULL ? ctl_members_path(path, part) : NULL);
  free(path);
}

/* Compares the schemas of two lists of the same length one by one. */
static void walk_alternatives(schema_diff *diff, const spot *in,
                              const schema_keyword *keyword,
                              ctl_values values) {
  mcp_json_iter before;
  mcp_json_iter after;
  ctl_values pair;
  mcp_json_iter_init(&before, values.before);
  mcp_json_iter_init(&after, values.after);
  for (size_t i = 0;; i++) {
    pair.before = mcp_json_iter_next(&before, NULL);
    pair.after = mcp_json_iter_next(&after, NULL);
    if (pair.before == NULL || pair.after == NULL) {
      return;
    }
    diff_alternative(diff, in, keyword->name, i, pair);
  }
}

/* ---- keywords ---------------------------------------------------------- */

static const schema_keyword keywords[] = {
    {"type", ctl_rule_type, NULL, NULL},
    {"enum", ctl_rule_enum, NULL, NULL},
    {"const", ctl_rule_limit, NULL, NULL},
    {"minimum", ctl_rule_minimum, NULL, NULL},
    {"exclusiveMinimum", ctl_rule_minimum, NULL, NULL},
    {"minLength", ctl_rule_min_len, NULL, NULL},
    {"minItems", ctl_rule_min_len, NULL, NULL},
    {"minProperties", ctl_rule_min_len, NULL, NULL},
    {"maximum", ctl_rule_maximum, NULL, NULL},
    {"exclusiveMaximum", ctl_rule_maximum, NULL, NULL},
    {"maxLength", ctl_rule_maximum, NULL, NULL},
    {"maxItems", ctl_rule_maximum, NULL, NULL},
    {"maxProperties", ctl_rule_maximum, NULL, NULL},
    {"multipleOf", ctl_rule_limit, NULL, NULL},
    {"pattern", ctl_rule_limit, NULL, NULL},
    {"format", ctl_rule_limit, NULL, NULL},
    {"uniqueItems", ctl_rule_flag, NULL, NULL},
    {"properties", NULL, walk_properties, NULL},
    {"required", NULL, walk_required, NULL},
    {"additionalProperties", ctl_rule_schema, walk_part, ".*"},
    {"items", ctl_rule_schema, walk_part, "[]"},
    {"anyOf", ctl_rule_any_of, walk_alternatives, NULL},
    {"allOf", ctl_rule_all_of, walk_alternatives, NULL},
    {"title", ctl_rule_wording, NULL, NULL},
    {"description", ctl_rule_wording, NULL, NULL},
    {"$comment", ctl_rule_wording, NULL, NULL},
    {"examples", ctl_rule_wording, NULL, NULL},
    {"deprecated", ctl_rule_wording, NULL, NULL},
    {"readOnly", ctl_rule_wording, NULL, NULL},
    {"writeOnly", ctl_rule_wording, NULL, NULL},
};
static const schema_keyword unknown_keyword = {"", ctl_rule_unknown, NULL,
                                               NULL};

static const schema_keyword *keyword_find(const char *name) {
  for (size_t i = 0; i < sizeof(keywords) / sizeof(*keywords); i++) {
    if (strcmp(keywords[i].name, name) == 0) {
      return &keywords[i];
    }
  }
  return &unknown_keyword;
}

/* The definitions of the whole schema are compared where they are used. */
static int holds_definitions(const char *name) {
  return strcmp(name, "$defs") == 0 || strcmp(name, "definitions") == 0;
}

static int is_whole(const schema_diff *diff, const spot *here) {
  return here->at.before == diff->roots.before &&
         here->at.after == diff->roots.after;
}

/* Whether the member is also one of a schema that has a $ref. */
static int describes(const char *name) {
  return strcmp(name, "default") == 0 ||
         keyword_find(name)->rule == ctl_rule_wording;
}

static int effect_of_default(const schema_diff *diff, ctl_values values) {
  return diff->direction == CTL_GIVEN
             ? ctl_rule_default(values.before, values.after)
             : ctl_rule_wording(values.before, values.after);
}

static int effect_of_keyword(const schema_diff *diff,
                             const schema_keyword *keyword, const char *name,
                             ctl_values values) {
  if (strcmp(name, "default") == 0) {
    return effect_of_default(diff, values);
  }
  return keyword->rule != NULL ? keyword->rule(values.before, values.after)
                               : CTL_EFFECT_INSIDE;
}

static void diff_keyword(schema_diff *diff, const spot *in, const char *name,
                         ctl_values values) {
  const schema_keyword *keyword = keyword_find(name);
  int effect = effect_of_keyword(diff, keyword, name, values);
  int is_same = mcp_json_equal(values.before, values.after);
  /* Parts that are the same may refer to definitions that are not. */
  if (keyword->walk != NULL && (effect == CTL_EFFECT_INSIDE || is_same)) {
    keyword->walk(diff, in, keyword, values);
    return;
  }
  char *path = is_same ? NULL : ctl_members_path(in->path, name);
  if (path != NULL) {
    diff_add(diff, in, name, path, values, effect);
  } else if (!is_same) {
    diff->changes->is_broken = 1;
  }
  free(path);
}

/* ---- references -------------------------------------------------------- */

/* Whether the rest of a schema with a $ref only describes, or holds
 * definitions. */
static int only_describes(const mcp_json *root, const mcp_json *schema) {
  ctl_members walk;
  ctl_values values;
  const char *name;
  ctl_members_begin(&walk, (ctl_values){schema, NULL});
  while ((name = ctl_members_next(&walk, &values)) != NULL) {
    if (strcmp(name, "$ref") != 0 && !describes(name) &&
        !(schema == root && holds_definitions(name))) {
      return 0;
    }
  }
  return 1;
}

/* The schema that this one refers to; NULL: it does not, or mcpctl cannot
 * follow. Sets the pointer. */
static const mcp_json *reference_of(const mcp_json *root,
                                    const mcp_json *schema,
                                    const char **pointer) {
  const char *text = mcp_json_string(mcp_json_get(schema, "$ref"));
  if (text == NULL || text[0] != '#' || (text[1] != '/' && text[1] != '\0') ||
      strchr(text, '%') != NULL || !only_describes(root, schema)) {
    return NULL;
  }
  *pointer = text + 1;
  return mcp_json_pointer(root, text + 1);
}

static const mcp_json *follow(const mcp_json *root, const mcp_json *schema,
                              const char **pointer) {
  for (int i = 0; i < MAX_REFERENCES; i++) {
    const mcp_json *target = reference_of(root, schema, pointer);
    if (target == NULL) {
      break;
    }
    schema = target;
  }
  return schema;
}

static int was_pair_compared(const schema_diff *diff, ctl_values pair) {
  for (size_t i = 0; i < diff->pair_count; i++) {
    if (diff->pairs[i].before == pair.before &&
        diff->pairs[i].after == pair.after) {
      return 1;
    }
  }
  return 0;
}

/* Adds that the schemas differ, without how. */
static void diff_unseen(schema_diff *diff, const spot *here) {
  diff_add(diff, here, "form", here->path, here->at, CTL_EFFECT_UNKNOWN);
}

/* Compares what the schemas refer to. Returns 0 if neither has a reference that
 * can be followed. */
static int diff_references(schema_diff *diff, const spot *here) {
  const char *pointer = NULL;
  ctl_values pair = {follow(diff->roots.before, here->at.before, &pointer),
                     NULL};
  pair.after = follow(diff->roots.after, here->at.after, &pointer);
  if (pair.before == here->at.before && pair.after == here->at.after) {
    return 0;
  }
  if (was_pair_compared(diff, pair)) {
    return 1;
  }
  if (diff->pair_count == MAX_PAIRS) {
    diff_unseen(diff, here);
  } else {
    char *path = NULL;
    diff->pairs[diff->pair_count++] = pair;
    if (asprintf(&path, "%s%s", diff->path, pointer) < 0) {
      path = NULL;
    }
    diff_part(diff, pair, strdup(here->name), path);
  }
  return 1;
}

/* ---- schemas ----------------------------------------------------------- */

/* Whether an alternative is the schema, or the schema without what describes.
 * It has no words of its own: these would not be seen. */
static int is_same_schema(const mcp_json *schema, const mcp_json *alternative) {
  ctl_members walk;
  ctl_values values;
  const char *name;
  if (mcp_json_type(schema) != MCP_JSON_OBJECT ||
      mcp_json_type(alternative) != MCP_JSON_OBJECT) {
    return mcp_json_equal(schema, alternative);
  }
  ctl_members_begin(&walk, (ctl_values){schema, alternative});
  while ((name = ctl_members_next(&walk, &values)) != NULL) {
    int is_left_out = values.after == NULL && describes(name);
    if (!is_left_out && !mcp_json_equal(values.before, values.after)) {
      return 0;
    }
  }
  return 1;
}

/* Whether a schema is one of the alternatives of another one, which has nothing
 * else that decides. Many libraries write an optional value in this way. */
static int is_alternative_of(const mcp_json *schema, const mcp_json *other) {
  const mcp_json *list = mcp_json_get(other, "anyOf");
  mcp_json_iter iter;
  const mcp_json *alternative;
  ctl_members walk;
  ctl_values values;
  const char *name;
  ctl_members_begin(&walk, (ctl_values){other, NULL});
  while ((name = ctl_members_next(&walk, &values)) != NULL) {
    if (strcmp(name, "anyOf") != 0 && !describes(name)) {
      return 0;
    }
  }
  mcp_json_iter_init(&iter, list);
  while ((alternative = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (is_same_schema(schema, alternative)) {
      return 1;
    }
  }
  return 0;
}

/* Adds that one schema became an alternative of many, or the other way round.
 * Returns 0 if neither is so. */
static int diff_lone_alternative(schema_diff *diff, const spot *here) {
  const ctl_values lists = {mcp_json_get(here->at.before, "anyOf"),
                            mcp_json_get(here->at.after, "anyOf")};
  int effect = CTL_EFFECT_NONE;
  if (lists.before == NULL && lists.after != NULL &&
      is_alternative_of(here->at.before, here->at.after)) {
    effect = CTL_EFFECT_WIDER;
  } else if (lists.before != NULL && lists.after == NULL &&
             is_alternative_of(here->at.after, here->at.before)) {
    effect = CTL_EFFECT_NARROWER;
  }
  char *path =
      effect != CTL_EFFECT_NONE ? ctl_members_path(here->path, "anyOf") : NULL;
  if (path != NULL) {
    diff_add(diff, here, "anyOf", path, lists, effect);
  } else if (effect != CTL_EFFECT_NONE) {
    diff->changes->is_broken = 1;
  }
  free(path);
  return effect != CTL_EFFECT_NONE;
}

/* Compares the members; only those that describe if the others are compared
 * elsewhere. */
static void diff_members(schema_diff *diff, const spot *here,
                         int are_others_compared) {
  ctl_members walk;
  ctl_values values;
  const char *name;
  ctl_members_begin(&walk, here->at);
  while ((name = ctl_members_next(&walk, &values)) != NULL) {
    int is_compared = are_others_compared
                          ? describes(name)
                          : !(is_whole(diff, here) && holds_definitions(name));
    if (is_compared) {
      diff_keyword(diff, here, name, values);
    }
  }
}

static void diff_schemas(schema_diff *diff, const spot *here) {
  int effect = ctl_rule_schema(here->at.before, here->at.after);
  int is_walked = mcp_json_type(here->at.before) == MCP_JSON_OBJECT &&
                  mcp_json_type(here->at.after) == MCP_JSON_OBJECT;
  if (diff->depth == MAX_DEPTH) {
    diff_unseen(diff, here);
    return;
  }
  if (!is_walked) {
    if (!mcp_json_equal(here->at.before, here->at.after)) {
      diff_add(diff, here, "schema", here->path, here->at, effect);
    }
    return;
  }
  diff->depth++;
  int are_others_compared =
      diff_references(diff, here) || diff_lone_alternative(diff, here);
  diff_members(diff, here, are_others_compared);
  diff->depth--;
}

/* ---- definitions ------------------------------------------------------- */

static int was_compared(const schema_diff *diff, ctl_values values) {
  for (size_t i = 0; i < diff->pair_count; i++) {
    if ((values.before != NULL && diff->pairs[i].before == values.before) ||
        (values.after != NULL && diff->pairs[i].after == values.after)) {
      return 1;
    }
  }
  return 0;
}

static void diff_definitions(schema_diff *diff, const char *list) {
  ctl_members walk;
  ctl_values values;
  const char *name;
  char *path = ctl_members_path(diff->path, list);
  const ctl_values lists = {mcp_json_get(diff->roots.before, list),
                            mcp_json_get(diff->roots.after, list)};
  ctl_members_begin(&walk, lists);
  while (path != NULL && (name = ctl_members_next(&walk, &values)) != NULL) {
    if (was_compared(diff, values) ||
        mcp_json_equal(values.before, values.after)) {
      continue;
    }
    char *full_path = ctl_members_path(path, name);
    ctl_changes_add(diff->changes, CTL_BREAKING, full_path, values,
                    "the definition \"%s\" %s" UNJUDGED, name,
                    values.before == NULL  ? "is new"
                    : values.after == NULL ? "was removed"
                                           : "has changed");
    free(full_path);
  }
  diff->changes->is_broken |= path == NULL;
  free(path);
}

void ctl_schema_diff(ctl_changes *changes, int direction, const char *path,
                     ctl_values schemas) {
  schema_diff *diff = malloc(sizeof(*diff));
  if (mcp_json_equal(schemas.before, schemas.after) || diff == NULL) {
    changes->is_broken |= diff == NULL;
    free(diff);
    return;
  }
  diff->changes = changes;
  diff->direction = direction;
  diff->path = path;
  diff->roots = schemas;
  diff->pair_count = 0;
  diff->depth = 0;
  const spot all = {schemas, "", path};
  size_t count = changes->count;
  diff_schemas(diff, &all);
  diff_definitions(diff, "$defs");
  diff_definitions(diff, "definitions");
  if (changes->count == count) { /* none of the rules sees it */
    diff_unseen(diff, &all);
  }
  free(diff);
}
