/* SPDX-License-Identifier: MIT */
/* Instructions for objects. */
#include "schema/validate_object.h"

#include "schema/regex.h"
#include "json/inline.h"
#include "json/json.h"

/* --- members by their names --------------------------------------------- */

/* An object, and what it is checked with. */
typedef struct subject {
  mcpi_run *run;
  const mcpi_insn *insn;
  const mcpi_object *table;
  const mcpi_property *properties;
  const mcp_json *object;
} subject;

MCPI_APART static int property_has_long_name(mcpi_run *run,
                                             const mcpi_property *property,
                                             mcpi_str name) {
  return mcpi_run_same(run, property->name, name);
}

static inline int
property_has_name(mcpi_run *run, const mcpi_property *property, mcpi_str name) {
  return property->name.len == name.len &&
         property->word == mcpi_name_word(name) &&
         (name.len <= 8 || property_has_long_name(run, property, name));
}

/* Searches one by one, or in the slots. Returns NULL also when the steps are
 * used up. */
MCPI_APART static const mcpi_property *object_search(const subject *s,
                                                     mcpi_str name) {
  const mcpi_object *table = s->table;
  const mcpi_property *properties = s->properties;
  if (table->slot_mask == 0) {
    for (uint32_t i = 0; i < table->count; i++) {
      if (property_has_name(s->run, &properties[i], name)) {
        return &properties[i];
      }
    }
    return NULL;
  }
  const uint32_t *slots = s->run->program->slots + table->slots;
  uint32_t at = mcpi_name_hash(name) & table->slot_mask;
  while (slots[at] != 0 && mcpi_run_spend(s->run, 1)) {
    const mcpi_property *property = &properties[slots[at] - 1];
    if (property_has_name(s->run, property, name)) {
      return property;
    }
    at = (at + 1) & table->slot_mask;
  }
  return NULL;
}

/* Finds a member's property. Members mostly come in the order of the schema's
 * properties; `next` is the property after the last that was found. */
static inline const mcpi_property *object_find(const subject *s, mcpi_str name,
                                               const mcpi_property *next,
                                               const mcpi_property *end) {
  if (next < end && property_has_name(s->run, next, name)) {
    return next;
  }
  uint8_t guess = s->table->guesses[mcpi_name_guess(name)];
  if (guess == 0) {
    return NULL;
  }
  const mcpi_property *guessed = &s->properties[guess - 1];
  return property_has_name(s->run, guessed, name) ? guessed
                                                  : object_search(s, name);
}

/* --- one member --------------------------------------------------------- */

/* Checks patternProperties. Sets *is_evaluated when a pattern fits the name. */
static int object_check_patterns(const subject *s, mcpi_str name,
                                 const mcp_json *value, int *is_evaluated) {
  const mcpi_pattern *pattern = s->run->program->patterns + s->table->patterns;
  int is_fine = 1;
  for (uint32_t i = 0; i < s->table->pattern_count; i++, pattern++) {
    if (!mcpi_run_spend(s->run, 1 + name.len / 16)) {
      return 0;
    }
    int is_found = mcpi_regex_engine()->match(pattern->regex, name.ptr,
                                              name.len, &s->run->steps_left);
    if (is_found < 0) {
      return mcpi_run_abort_on(s->run, pattern, s->insn->source, s->object);
    }
    if (is_found) {
      *is_evaluated = 1;
      is_fine &= mcpi_visit(s->run, pattern->node, value, NULL);
    }
  }
  return is_fine;
}

/* Checks additionalProperties. If it is `false`, the error belongs to the
 * object and lists the names that are known. */
static int object_check_other(const subject *s, mcpi_str name,
                              const mcp_json *value) {
  const mcpi_node *others = &s->run->program->nodes[s->table->others];
  if (others->types != 0) {
    return mcpi_visit_inner(s->run, others, value);
  }
  if (mcpi_run_explains(s->run)) {
    mcpi_report_unknown(s->run->report, s->insn, s->object, name);
  }
  return 0;
}

/* Checks a member by its property, if it has one, then by patterns, then by
 * additionalProperties. */
MCPI_APART static int object_check_member(const subject *s,
                                          const mcpi_property *property,
                                          const mcp_json *name, size_t index,
                                          mcpi_marks *marks) {
  const mcpi_node *nodes = s->run->program->nodes;
  const mcp_json *value = mcpi_json_value_of(name);
  mcpi_str key = mcpi_json_text(name);
  int is_evaluated = property != NULL && property->node != MCPI_NONE;
  int is_fine =
      !is_evaluated || mcpi_visit_inner(s->run, &nodes[property->node], value);
  is_fine &= object_check_patterns(s, key, value, &is_evaluated);
  if (!is_evaluated && s->table->others != MCPI_NONE) {
    is_evaluated = 1;
    is_fine = object_check_other(s, key, value);
  }
  if (is_evaluated && marks != NULL) {
    mcpi_marks_set(marks, index);
  }
  return is_fine;
}

/* Checks all members; most need only their property. Adds to *found the bits of
 * the required names that are there. */
static inline int object_check_members(const subject *s, mcpi_marks *marks,
                                       uint64_t *found) {
  const mcpi_object *table = s->table;
  const mcpi_node *nodes = s->run->program->nodes;
  const mcpi_property *next = s->properties;
  const mcpi_property *end = next + table->count;
  const mcp_json *name = mcpi_json_first(s->object);
  size_t count = mcpi_json_count(s->object);
  int is_plain = table->pattern_count == 0 && marks == NULL;
  int is_fine = 1;
  for (size_t i = 0; i < count;
       i++, name = mcpi_json_behind(mcpi_json_value_of(name))) {
    const mcpi_property *property =
        object_find(s, mcpi_json_text(name), next, end);
    uint32_t node = MCPI_NONE;
    int fits = 1;
    if (property != NULL) {
      next = property + 1;
      *found |= property->required_bit;
      node = property->node;
    }
    if (is_plain && node != MCPI_NONE) {
      fits = mcpi_visit_inner(s->run, &nodes[node], mcpi_json_value_of(name));
    } else if (node != MCPI_NONE || !table->is_open) {
      fits = object_check_member(s, property, name, i, marks);
    }
    if (!fits) {
      is_fine = 0;
      if (mcpi_run_is_done(s->run)) {
        break;
      }
    }
  }
  return is_fine;
}

/* --- required ----------------------------------------------------------- */

/* A bit for each required name; set when it is there. */
typedef struct required_set {
  uint64_t bits[MCPI_MAX_REQUIRED / 64];
} required_set;

static void required_mark(required_set *set, uint32_t index) {
  set->bits[index / 64] |= UINT64_C(1) << (index % 64);
}

static int required_has(const required_set *set, uint32_t index) {
  return (set->bits[index / 64] >> (index % 64) & 1) != 0;
}

static uint32_t object_find_required(const subject *s, required_set *found) {
  const mcp_json *name = mcpi_json_first(s->object);
  size_t count = mcpi_json_count(s->object);
  uint32_t left = s->table->required;
  for (size_t i = 0; i < count;
       i++, name = mcpi_json_behind(mcpi_json_value_of(name))) {
    const mcpi_property *property = object_search(s, mcpi_json_text(name));
    if (property != NULL && property->required != MCPI_NONE &&
        !required_has(found, property->required)) {
      required_mark(found, property->required);
      left--;
    }
  }
  return left;
}

/* Reports the missing names in the order of `required`. */
static void object_report_missing(const subject *s, required_set *found) {
  const mcp_json *list = mcp_json_get(s->insn->source, "required");
  mcp_json_iter iter;
  const mcp_json *name;
  mcp_json_iter_init(&iter, list);
  while (!mcpi_run_is_done(s->run) &&
         (name = mcp_json_iter_next(&iter, NULL)) != NULL) {
    mcpi_str key = mcpi_json_str(name);
    const mcpi_property *property = object_search(s, key);
    if (property != NULL && !required_has(found, property->required)) {
      required_mark(found, property->required);
      mcpi_report_missing(s->run->report, list, "required", s->object, key);
    }
  }
}

/* Checks required names for objects that lack some, and for schemas that
 * require more names than a word has bits. */
MCPI_APART static int object_check_required(const subject *s) {
  required_set found = {{0}};
  if (!mcpi_run_spend(s->run, mcpi_json_count(s->object))) {
    return 0;
  }
  if (object_find_required(s, &found) == 0) {
    return 1;
  }
  object_report_missing(s, &found);
  return 0;
}

int mcpi_check_object(mcpi_run *run, const mcpi_insn *insn,
                      const mcp_json *object, mcpi_marks *marks) {
  const mcpi_object *table = &run->program->objects[insn->first];
  const subject s = {.run = run,
                     .insn = insn,
                     .table = table,
                     .properties = run->program->properties + table->first,
                     .object = object};
  uint64_t found = 0;
  if (!mcpi_run_spend(run, mcpi_json_count(object))) {
    return 0;
  }
  int is_fine = object_check_members(&s, marks, &found);
  if (found == table->required_bits && table->required <= 64) {
    return is_fine;
  }
  if (mcpi_run_is_done(run) && (!is_fine || table->required <= 64)) {
    return 0;
  }
  return object_check_required(&s) && is_fine;
}

/* --- names and dependencies --------------------------------------------- */

int mcpi_check_property_names(mcpi_run *run, const mcpi_insn *insn,
                              const mcp_json *object, mcpi_marks *marks) {
  (void)marks;
  mcpi_report *report = run->report;
  size_t count = mcpi_json_count(object);
  const mcp_json *name = count > 0 ? mcpi_json_first(object) : NULL;
  int is_fine = 1;
  for (size_t i = 0; i < count; i++) {
    run->report = NULL;
    int fits = mcpi_visit(run, insn->first, name, NULL);
    run->report = report;
    if (run->slow.value == name) {
      run->slow.value = object; /* a name has no pointer */
    }
    if (!fits) {
      is_fine = 0;
      if (mcpi_run_explains(run)) {
        mcpi_report_name(report, insn, object, mcpi_json_text(name));
      }
      if (mcpi_run_is_done(run)) {
        break;
      }
    }
    name = mcpi_json_behind(mcpi_json_value_of(name));
  }
  return is_fine;
}

static int object_has_member(mcpi_run *run, const mcp_json *object,
                             mcpi_str name) {
  size_t count = mcpi_json_count(object);
  const mcp_json *other = count > 0 ? mcpi_json_first(object) : NULL;
  mcpi_run_spend(run, 1 + count / 8);
  for (size_t i = 0; i < count && !run->is_aborted; i++) {
    if (mcpi_run_same(run, mcpi_json_text(other), name)) {
      return 1;
    }
    other = mcpi_json_behind(mcpi_json_value_of(other));
  }
  return 0;
}

static int object_check_needed(mcpi_run *run, const mcp_json *names,
                               const mcp_json *object) {
  mcp_json_iter iter;
  const mcp_json *name;
  int is_fine = 1;
  mcp_json_iter_init(&iter, names);
  while ((name = mcp_json_iter_next(&iter, NULL)) != NULL) {
    mcpi_str key = mcpi_json_str(name);
    if (!object_has_member(run, object, key)) {
      is_fine = 0;
      if (mcpi_run_explains(run)) {
        mcpi_report_missing(run->report, names, "dependentRequired", object,
                            key);
      }
      if (mcpi_run_is_done(run)) {
        break;
      }
    }
  }
  return is_fine;
}

int mcpi_check_dependent_required(mcpi_run *run, const mcpi_insn *insn,
                                  const mcp_json *object, mcpi_marks *marks) {
  (void)marks;
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *names;
  int is_fine = 1;
  mcp_json_iter_init(&iter, insn->source);
  while ((names = mcp_json_iter_next(&iter, &name)) != NULL) {
    if (mcp_json_type(names) == MCP_JSON_ARRAY &&
        object_has_member(run, object, mcpi_json_str(name)) &&
        !object_check_needed(run, names, object)) {
      is_fine = 0;
      if (mcpi_run_is_done(run)) {
        break;
      }
    }
  }
  return is_fine && !run->is_aborted;
}

int mcpi_check_dependent_schemas(mcpi_run *run, const mcpi_insn *insn,
                                 const mcp_json *object, mcpi_marks *marks) {
  const uint32_t *child = run->program->children + insn->first;
  mcp_json_iter iter;
  const mcp_json *name;
  int is_fine = 1;
  mcp_json_iter_init(&iter, insn->source);
  for (; mcp_json_iter_next(&iter, &name) != NULL; child++) {
    if (*child != MCPI_NONE &&
        object_has_member(run, object, mcpi_json_str(name)) &&
        !mcpi_visit(run, *child, object, marks)) {
      is_fine = 0;
      if (mcpi_run_is_done(run)) {
        break;
      }
    }
  }
  return is_fine && !run->is_aborted;
}

/* --- unevaluatedProperties ---------------------------------------------- */

int mcpi_check_unevaluated_properties(mcpi_run *run, const mcpi_insn *insn,
                                      const mcp_json *object,
                                      mcpi_marks *marks) {
  size_t count = mcpi_json_count(object);
  const mcp_json *name = count > 0 ? mcpi_json_first(object) : NULL;
  size_t end = mcpi_marks_end(marks, count);
  int is_refused = run->program->nodes[insn->first].types == 0;
  int is_fine = mcpi_run_spend(run, end / 16);
  for (size_t i = 0; i < end && !run->is_aborted; i++) {
    const mcp_json *value = mcpi_json_value_of(name);
    if (i >= marks->first && !mcpi_marks_has(marks, i)) {
      if (is_refused && mcpi_run_explains(run)) {
        mcpi_report_unknown(run->report, insn, object, mcpi_json_text(name));
      }
      if (is_refused || !mcpi_visit(run, insn->first, value, NULL)) {
        is_fine = 0;
        if (mcpi_run_is_done(run)) {
          break;
        }
      }
    }
    name = mcpi_json_behind(value);
  }
  return is_fine;
}
