/* SPDX-License-Identifier: MIT */
/* Instructions that apply further schemas to the same value. */
#include "schema/validate_choice.h"

#include "schema/validate_object.h"
#include "json/json.h"

const mcpi_keyword_group mcpi_keywords_of_choices = {1, "MCP_SCHEMA_CHOICES"};

int mcpi_check_all_of(mcpi_run *run, const mcpi_insn *insn,
                      const mcp_json *value, mcpi_marks *marks) {
  int is_fine = 1;
  for (uint32_t i = 0; i < insn->count; i++) {
    if (!mcpi_visit(run, mcpi_run_child(run, insn, i), value, marks)) {
      is_fine = 0;
      if (mcpi_run_is_done(run)) {
        break;
      }
    }
  }
  return is_fine;
}

/* Whether a schema accepts a value that it need not accept. Reports no errors,
 * and keeps the marks only if it accepts. */
static int choice_fits(mcpi_run *run, uint32_t node, const mcp_json *value,
                       mcpi_marks *marks) {
  mcpi_report *report = run->report;
  int is_fine;
  run->report = NULL;
  if (marks == NULL) {
    is_fine = mcpi_visit(run, node, value, NULL);
  } else {
    mcpi_marks own = *marks;
    is_fine = mcpi_visit(run, node, value, &own);
    *marks = is_fine ? own : *marks;
  }
  run->report = report;
  return is_fine;
}

/* Counts the alternatives that accept the value, up to `enough`. With marks,
 * all alternatives are checked. */
static uint32_t choice_count_fitting(mcpi_run *run, const mcpi_insn *insn,
                                     const mcp_json *value, mcpi_marks *marks,
                                     uint32_t enough) {
  uint32_t fitting = 0;
  for (uint32_t i = 0; i < insn->count; i++) {
    fitting +=
        (uint32_t)choice_fits(run, mcpi_run_child(run, insn, i), value, marks);
    if (fitting >= enough && marks == NULL) {
      break;
    }
  }
  return fitting;
}

/* Returns the types that a value of this kind can be of. */
static uint32_t value_types(const mcp_json *value) {
  uint32_t types = UINT32_C(1) << mcpi_json_kind(value);
  return (types & MCPI_TYPES_NUMBER) != 0 ? types | MCPI_TYPES_INTEGRAL : types;
}

/* Returns the types of all alternatives if the value is of none, else 0. */
static uint32_t choice_other_types(const mcpi_run *run, const mcpi_insn *insn,
                                   const mcp_json *value) {
  uint32_t types = 0;
  for (uint32_t i = 0; i < insn->count; i++) {
    types |= run->program->nodes[mcpi_run_child(run, insn, i)].types;
  }
  return (types & value_types(value)) == 0 ? types : 0;
}

/* Returns the only alternative for values of that type, or MCPI_NONE. */
static uint32_t choice_only_candidate(const mcpi_run *run,
                                      const mcpi_insn *insn,
                                      const mcp_json *value) {
  uint32_t types = value_types(value);
  uint32_t found = MCPI_NONE;
  for (uint32_t i = 0; i < insn->count; i++) {
    uint32_t child = mcpi_run_child(run, insn, i);
    if ((run->program->nodes[child].types & types) == 0) {
      continue;
    }
    if (found != MCPI_NONE) {
      return MCPI_NONE;
    }
    found = child;
  }
  return found;
}

/* Reports that the member that tells alternatives apart is missing, or is not a
 * string. */
static void choice_report_no_tag(mcpi_run *run, const mcpi_insn *insn,
                                 const mcp_json *object) {
  const mcpi_tag *tag = &run->program->tags[insn->others];
  const mcpi_str *values = run->program->tag_values + tag->values;
  const mcp_json *found = mcp_json_get_n(object, tag->name.ptr, tag->name.len);
  if (found == NULL) {
    mcpi_report_no_tag(run->report, insn, object, tag->name, values);
  } else {
    mcpi_report_tag(run->report, insn, found, values);
  }
}

/* Reports that no alternative fits. If the type tells which one was meant (an
 * object or null, for example), reports that alternative's errors. */
static void choice_report_no_fit(mcpi_run *run, const mcpi_insn *insn,
                                 const mcp_json *value) {
  uint32_t candidate = choice_only_candidate(run, insn, value);
  if (candidate != MCPI_NONE) {
    mcpi_visit(run, candidate, value, NULL);
  } else if (insn->others != MCPI_NONE &&
             mcp_json_type(value) == MCP_JSON_OBJECT) {
    choice_report_no_tag(run, insn, value);
  } else {
    mcpi_report_choice(run->report, insn, choice_other_types(run, insn, value),
                       value);
  }
}

MCPI_APART static int choice_check_untagged(mcpi_run *run,
                                            const mcpi_insn *insn,
                                            const mcp_json *value,
                                            mcpi_marks *marks) {
  int is_one = insn->op == MCPI_OP_ONE_OF;
  uint32_t fitting =
      choice_count_fitting(run, insn, value, marks, is_one ? 2 : 1);
  int is_fine = is_one ? fitting == 1 : fitting > 0;
  if (is_fine || !mcpi_run_explains(run)) {
    return is_fine;
  }
  if (fitting == 0) {
    choice_report_no_fit(run, insn, value);
  } else {
    mcpi_report_ambiguous(run->report, insn, value);
  }
  return 0;
}

/* Returns the string that tells which alternative is meant, or NULL. */
static inline const mcp_json *
choice_find_tag(mcpi_run *run, const mcpi_tag *tag, const mcp_json *object) {
  size_t count = mcpi_json_count(object);
  const mcp_json *name = mcpi_json_first(object);
  for (size_t i = 0; i < count; i++) {
    const mcp_json *value = mcpi_json_value_of(name);
    if (mcpi_run_same(run, mcpi_json_text(name), tag->name)) {
      return mcpi_types_have(MCPI_TYPES_STRING, value) ? value : NULL;
    }
    name = mcpi_json_behind(value);
  }
  return NULL;
}

/* Checks the alternative that a tag tells, if it does. `merged` is the node
 * around the alternatives if its properties are to be checked too, or NULL. */
static int choice_check_tagged(mcpi_run *run, const mcpi_insn *insn,
                               const mcp_json *object, mcpi_marks *marks,
                               const mcpi_node *merged) {
  const mcpi_program *program = run->program;
  const mcpi_tag *tag = &program->tags[insn->others];
  const mcpi_str *values = program->tag_values + tag->values;
  const mcp_json *found =
      mcpi_run_spend(run, 1 + mcpi_json_count(object) + insn->count)
          ? choice_find_tag(run, tag, object)
          : NULL;
  if (found == NULL) {
    return merged != NULL ? mcpi_visit_insns(run, merged, object, marks)
                          : choice_check_untagged(run, insn, object, marks);
  }
  mcpi_str text = mcpi_json_text(found);
  uint32_t i = 0;
  while (i < insn->count && !mcpi_run_same(run, values[i], text)) {
    i++;
  }
  if (i == insn->count) {
    if (mcpi_run_explains(run)) {
      mcpi_report_tag(run->report, insn, found, values);
    }
    return 0;
  }
  if (merged != NULL) {
    const mcpi_insn both = {.op = MCPI_OP_OBJECT, .first = tag->merged + i};
    return mcpi_check_object(run, &both, object, NULL);
  }
  return mcpi_visit_node(run, &program->nodes[mcpi_run_child(run, insn, i)],
                         object, marks);
}

int mcpi_check_choice(mcpi_run *run, const mcpi_insn *insn,
                      const mcp_json *value, mcpi_marks *marks) {
  return insn->others != MCPI_NONE && mcpi_json_type(value) == MCP_JSON_OBJECT
             ? choice_check_tagged(run, insn, value, marks, NULL)
             : choice_check_untagged(run, insn, value, marks);
}

int mcpi_check_not(mcpi_run *run, const mcpi_insn *insn, const mcp_json *value,
                   mcpi_marks *marks) {
  (void)marks;
  if (!choice_fits(run, insn->first, value, NULL)) {
    return !run->is_aborted;
  }
  if (mcpi_run_explains(run)) {
    mcpi_report_not(run->report, insn, value);
  }
  return 0;
}

int mcpi_check_if(mcpi_run *run, const mcpi_insn *insn, const mcp_json *value,
                  mcpi_marks *marks) {
  int is_then = choice_fits(run, mcpi_run_child(run, insn, 0), value, marks);
  uint32_t branch = mcpi_run_child(run, insn, is_then ? 1 : 2);
  return branch == MCPI_NONE || mcpi_visit(run, branch, value, marks);
}

int mcpi_check_ref(mcpi_run *run, const mcpi_insn *insn, const mcp_json *value,
                   mcpi_marks *marks) {
  return mcpi_visit(run, insn->first, value, marks);
}

/* The outermost resource on the way that has an anchor of the name decides
 * where a dynamic reference leads. */
int mcpi_check_dynamic_ref(mcpi_run *run, const mcpi_insn *insn,
                           const mcp_json *value, mcpi_marks *marks) {
  const mcpi_dynamic *places = run->program->dynamics + insn->first;
  uint32_t found = insn->others;
  for (const mcpi_scope *s = run->scope;
       s != NULL && mcpi_run_spend(run, 1 + insn->count / 16); s = s->outer) {
    for (uint32_t i = 0; i < insn->count; i++) {
      if (places[i].resource == s->resource) {
        found = places[i].node;
      }
    }
  }
  return mcpi_visit(run, found, value, marks);
}

int mcpi_check_merged(mcpi_run *run, const mcpi_node *node,
                      const mcp_json *object) {
  const mcpi_insn *choice = run->program->insns + node->first + 1;
  return choice_check_tagged(run, choice, object, NULL, node);
}
