/* SPDX-License-Identifier: MIT */
#include "diff/listing_diff.h"
#include "common/exit.h"
#include "common/json.h"
#include "diff/compat.h"
#include "diff/listing.h"
#include "diff/schema_diff.h"

#include <stdlib.h>
#include <string.h>

#define UNJUDGED ", which cannot be judged"

/* ---- entries ----------------------------------------------------------- */

typedef struct member_rule {
  const char *name;
  /* Adds the differences of the member, whose values are not the same. */
  void (*diff)(ctl_changes *changes, const char *member, ctl_values values);
} member_rule;

typedef struct entry_kind {
  const char *noun;         /* as in "the tool" */
  const member_rule *rules; /* the last one has no name: for other members */
} entry_kind;

/* Adds a member by its verdict. */
static void add_member(ctl_changes *changes, int verdict, const char *member,
                       ctl_values values, const char *more) {
  char *path = ctl_members_path("", member);
  char *subject = NULL;
  if (asprintf(&subject, "the %s", changes->kind) < 0) {
    subject = NULL;
  }
  if (path != NULL && subject != NULL) {
    ctl_changes_add_member(changes, verdict, path, values, subject, member,
                           more);
  } else {
    changes->is_broken = 1;
  }
  free(path);
  free(subject);
}

static void member_wording(ctl_changes *changes, const char *member,
                           ctl_values values) {
  add_member(changes, CTL_WORDING, member, values, "");
}

static void member_unknown(ctl_changes *changes, const char *member,
                           ctl_values values) {
  add_member(changes, CTL_BREAKING, member, values, UNJUDGED);
}

/* Adds the differences of the members of two objects. */
static void diff_members(ctl_changes *changes, ctl_values objects,
                         const member_rule *rules) {
  ctl_members walk;
  ctl_values values;
  const char *name;
  ctl_members_begin(&walk, objects);
  while ((name = ctl_members_next(&walk, &values)) != NULL) {
    const member_rule *rule = rules;
    while (rule->name != NULL && strcmp(rule->name, name) != 0) {
      rule++;
    }
    if (!mcp_json_equal(values.before, values.after)) {
      rule->diff(changes, name, values);
    }
  }
}

/* ---- tools ------------------------------------------------------------- */

static void member_input(ctl_changes *changes, const char *member,
                         ctl_values values) {
  (void)member;
  ctl_schema_diff(changes, CTL_GIVEN, "/inputSchema", values);
}

/* A client relies on what the result has. Without a schema it has nothing to
 * rely on. */
static void member_output(ctl_changes *changes, const char *member,
                          ctl_values values) {
  if (values.before != NULL && values.after != NULL) {
    ctl_schema_diff(changes, CTL_RETURNED, "/outputSchema", values);
  } else {
    add_member(changes, values.before == NULL ? CTL_COMPATIBLE : CTL_BREAKING,
               member, values, "");
  }
}

/* Returns what the change of a member of an object means, a verdict. */
enum { CTL_UNJUDGED = -1 };
typedef int part_judge(const char *member, ctl_values objects,
                       ctl_values values);

static int judge_annotation(const char *member, ctl_values objects,
                            ctl_values values) {
  (void)values;
  if (strcmp(member, "title") == 0) {
    return CTL_WORDING;
  }
  return ctl_compat_is_hint(member)
             ? ctl_compat_hint(member, objects.before, objects.after)
             : CTL_UNJUDGED;
}

static int judge_execution(const char *member, ctl_values objects,
                           ctl_values values) {
  (void)objects;
  return strcmp(member, "taskSupport") == 0
             ? ctl_compat_task_support(values.before, values.after)
             : CTL_UNJUDGED;
}

/* Adds a member of an object in the entry. */
static void add_part(ctl_changes *changes, int verdict, const char *object,
                     const char *member, ctl_values values) {
  int is_unjudged = verdict == CTL_UNJUDGED;
  char *above = ctl_members_path("", object);
  char *path = above != NULL ? ctl_members_path(above, member) : NULL;
  if (path != NULL) {
    ctl_changes_add_member(changes, is_unjudged ? CTL_BREAKING : verdict, path,
                           values, "the tool", member,
                           is_unjudged ? UNJUDGED : "");
  } else {
    changes->is_broken = 1;
  }
  free(above);
  free(path);
}

static int is_object_or_none(const mcp_json *value) {
  return value == NULL || mcp_json_type(value) == MCP_JSON_OBJECT;
}

/* Compares the members of an object in the entry of a tool. */
static void diff_object(ctl_changes *changes, const char *object,
                        ctl_values objects, part_judge *judge) {
  size_t count = changes->count;
  ctl_members walk;
  ctl_values values;
  const char *name;
  if (!is_object_or_none(objects.before) || !is_object_or_none(objects.after)) {
    member_unknown(changes, object, objects);
    return;
  }
  ctl_members_begin(&walk, objects);
  while ((name = ctl_members_next(&walk, &values)) != NULL) {
    if (!mcp_json_equal(values.before, values.after)) {
      add_part(changes, judge(name, objects, values), object, name, values);
    }
  }
  if (changes->count == count) { /* it has no members */
    add_member(changes, CTL_COMPATIBLE, object, objects, "");
  }
}

static void member_annotations(ctl_changes *changes, const char *member,
                               ctl_values values) {
  diff_object(changes, member, values, judge_annotation);
}

static void member_execution(ctl_changes *changes, const char *member,
                             ctl_values values) {
  diff_object(changes, member, values, judge_execution);
}

static const member_rule tool_rules[] = {
    {"title", member_wording},       {"description", member_wording},
    {"icons", member_wording},       {"inputSchema", member_input},
    {"outputSchema", member_output}, {"annotations", member_annotations},
    {"execution", member_execution}, {NULL, member_unknown},
};

/* ---- prompts ----------------------------------------------------------- */

static const mcp_json *argument_find(const mcp_json *arguments,
                                     const mcp_json *name) {
  mcp_json_iter iter;
  const mcp_json *argument;
  mcp_json_iter_init(&iter, arguments);
  while ((argument = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (mcp_json_equal(mcp_json_get(argument, "name"), name)) {
      return argument;
    }
  }
  return NULL;
}

/* Adds a member that changed in an argument that both prompts have. */
static void diff_argument_member(ctl_changes *changes, const char *subject,
                                 const char *member, ctl_values values) {
  int effect = ctl_rule_unknown(values.before, values.after);
  if (strcmp(member, "description") == 0 || strcmp(member, "title") == 0) {
    effect = CTL_EFFECT_WORDING;
  } else if (strcmp(member, "required") == 0) {
    effect = ctl_rule_flag(values.before, values.after);
  }
  ctl_changes_add_member(changes, ctl_compat_verdict(effect, CTL_GIVEN),
                         "/arguments", values, subject, member,
                         effect == CTL_EFFECT_UNKNOWN ? UNJUDGED : "");
}

static void diff_argument(ctl_changes *changes, const char *subject,
                          ctl_values arguments) {
  ctl_members walk;
  ctl_values values;
  const char *name;
  ctl_members_begin(&walk, arguments);
  while ((name = ctl_members_next(&walk, &values)) != NULL) {
    if (!mcp_json_equal(values.before, values.after)) {
      diff_argument_member(changes, subject, name, values);
    }
  }
}

/* Adds what is different in an argument, or that it is new or was removed. */
static void diff_one_argument(ctl_changes *changes, const mcp_json *name,
                              ctl_values arguments) {
  const char *text = mcp_json_string_n(name, NULL);
  char *subject = NULL;
  if (asprintf(&subject, "argument \"%s\"", text != NULL ? text : "?") < 0) {
    changes->is_broken = 1;
    return;
  }
  if (arguments.before == NULL) {
    int is_required = mcp_json_bool(mcp_json_get(arguments.after, "required"));
    ctl_changes_add(changes, is_required ? CTL_BREAKING : CTL_COMPATIBLE,
                    "/arguments", arguments, "%s is new and %s", subject,
                    is_required ? "required" : "optional");
  } else if (arguments.after == NULL) {
    ctl_changes_add(changes, CTL_COMPATIBLE, "/arguments", arguments,
                    "%s was removed", subject);
  } else {
    diff_argument(changes, subject, arguments);
  }
  free(subject);
}

static int is_array_or_none(const mcp_json *value) {
  return value == NULL || mcp_json_type(value) == MCP_JSON_ARRAY;
}

/* Compares each argument of one list, the first of its name, with that of the
 * other list. */
static void diff_arguments(ctl_changes *changes, const mcp_json *list,
                           ctl_values lists) {
  mcp_json_iter iter;
  const mcp_json *argument;
  mcp_json_iter_init(&iter, list);
  while ((argument = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const mcp_json *name = mcp_json_get(argument, "name");
    const ctl_values pair = {argument_find(lists.before, name),
                             argument_find(lists.after, name)};
    if (argument == pair.before ||
        (argument == pair.after && pair.before == NULL)) {
      diff_one_argument(changes, name, pair);
    }
  }
}

static void member_arguments(ctl_changes *changes, const char *member,
                             ctl_values values) {
  size_t count = changes->count;
  if (!is_array_or_none(values.before) || !is_array_or_none(values.after)) {
    member_unknown(changes, member, values);
    return;
  }
  diff_arguments(changes, values.before, values);
  diff_arguments(changes, values.after, values);
  if (changes->count == count) { /* only the order may differ */
    add_member(changes, CTL_COMPATIBLE, member, values, "");
  }
}

static const member_rule prompt_rules[] = {
    {"title", member_wording}, {"description", member_wording},
    {"icons", member_wording}, {"arguments", member_arguments},
    {NULL, member_unknown},
};

/* ---- resources --------------------------------------------------------- */

static void member_mime_type(ctl_changes *changes, const char *member,
                             ctl_values values) {
  add_member(changes, values.before == NULL ? CTL_COMPATIBLE : CTL_BREAKING,
             member, values, "");
}

/* `_meta` may say what the page of an app is allowed to do. */
static const member_rule resource_rules[] = {
    {"mimeType", member_mime_type},
    {"_meta", member_unknown},
    {NULL, member_wording},
};

/* ---- lists ------------------------------------------------------------- */

/* As ctl_listing_lists. */
static const entry_kind kinds[CTL_LISTING_LISTS] = {
    {"tool", tool_rules},
    {"prompt", prompt_rules},
    {"resource", resource_rules},
    {"template", resource_rules},
};

/* Adds the differences of two entries of the same name. */
static void diff_entry(ctl_changes *changes, const entry_kind *kind,
                       ctl_values entries) {
  size_t count = changes->count;
  if (mcp_json_equal(entries.before, entries.after)) {
    return;
  }
  diff_members(changes, entries, kind->rules);
  if (changes->count == count) { /* no rule sees it */
    ctl_changes_add(changes, CTL_BREAKING, "", entries,
                    "the %s differs, which cannot be judged", kind->noun);
  }
}

static void diff_lone_entry(ctl_changes *changes, const entry_kind *kind,
                            ctl_values entries) {
  int is_new = entries.before == NULL;
  ctl_changes_add(changes, is_new ? CTL_COMPATIBLE : CTL_BREAKING, "", entries,
                  "the %s %s", kind->noun, is_new ? "is new" : "was removed");
}

/* Walks through both lists, which are sorted, at the same time. */
static void diff_sorted(ctl_changes *changes, const entry_kind *kind,
                        const char *key, const ctl_sorted *before,
                        const ctl_sorted *after) {
  size_t i = 0;
  size_t j = 0;
  changes->kind = kind->noun;
  while (i < before->count || j < after->count) {
    ctl_values pair = {i < before->count ? before->entries[i] : NULL,
                       j < after->count ? after->entries[j] : NULL};
    int order = ctl_sorted_compare(key, pair.before, pair.after);
    pair.before = order <= 0 ? pair.before : NULL;
    pair.after = order >= 0 ? pair.after : NULL;
    i += pair.before != NULL;
    j += pair.after != NULL;
    changes->name =
        mcp_json_get(pair.before != NULL ? pair.before : pair.after, key);
    if (order == 0) {
      diff_entry(changes, kind, pair);
    } else {
      diff_lone_entry(changes, kind, pair);
    }
  }
}

static void diff_list(ctl_changes *changes, size_t index, ctl_values listings) {
  const ctl_listing_list *list = &ctl_listing_lists[index];
  ctl_sorted before;
  ctl_sorted after;
  int rc = ctl_sorted_init(&before, mcp_json_get(listings.before, list->name),
                           list->key);
  rc |= ctl_sorted_init(&after, mcp_json_get(listings.after, list->name),
                        list->key);
  if (rc == 0) {
    diff_sorted(changes, &kinds[index], list->key, &before, &after);
  } else {
    changes->is_broken = 1;
  }
  ctl_sorted_deinit(&before);
  ctl_sorted_deinit(&after);
}

/* Models read the instructions. The name and the version do not count, nor does
 * the revision that a client happens to speak. */
static void diff_server(ctl_changes *changes, ctl_values listings) {
  static const char member[] = "instructions";
  const ctl_values values = {mcp_json_get(listings.before, member),
                             mcp_json_get(listings.after, member)};
  changes->kind = "server";
  changes->name = NULL;
  if (!mcp_json_equal(values.before, values.after)) {
    ctl_changes_add_member(changes, CTL_WORDING, "/instructions", values,
                           "the server", member, "");
  }
}

void ctl_listing_diff(ctl_changes *changes, ctl_values listings) {
  diff_server(changes, listings);
  for (size_t i = 0; i < CTL_LISTING_LISTS; i++) {
    diff_list(changes, i, listings);
  }
}

void ctl_listing_diff_tool(ctl_changes *changes, ctl_values tools) {
  changes->kind = kinds[0].noun;
  changes->name = mcp_json_get(tools.after, "name");
  diff_entry(changes, &kinds[0], tools);
}
