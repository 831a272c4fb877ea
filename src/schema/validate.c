/* SPDX-License-Identifier: MIT */
/* Visiting nodes and their instructions. */
#include "schema/validate.h"

#include "schema/validate_array.h"
#include "schema/validate_choice.h"
#include "schema/validate_object.h"
#include "schema/validate_value.h"

static int check_nothing(mcpi_run *run, const mcpi_insn *insn,
                         const mcp_json *value, mcpi_marks *marks) {
  (void)run;
  (void)insn;
  (void)value;
  (void)marks;
  return 1;
}

static mcpi_check *const checks[MCPI_OP_COUNT] = {
    [MCPI_OP_REF] = mcpi_check_ref,
    [MCPI_OP_DYNAMIC_REF] = mcpi_check_dynamic_ref,
    [MCPI_OP_ENUM] = mcpi_check_enum,
    [MCPI_OP_CONST] = mcpi_check_const,
    [MCPI_OP_LIMITS] = check_nothing,
    [MCPI_OP_MINIMUM] = mcpi_check_bound,
    [MCPI_OP_MAXIMUM] = mcpi_check_bound,
    [MCPI_OP_EXCLUSIVE_MINIMUM] = mcpi_check_bound,
    [MCPI_OP_EXCLUSIVE_MAXIMUM] = mcpi_check_bound,
    [MCPI_OP_MULTIPLE_OF] = mcpi_check_multiple,
    [MCPI_OP_MIN_LENGTH] = mcpi_check_length,
    [MCPI_OP_MAX_LENGTH] = mcpi_check_length,
    [MCPI_OP_PATTERN] = mcpi_check_pattern,
    [MCPI_OP_FORMAT] = mcpi_check_format,
    [MCPI_OP_MIN_ITEMS] = mcpi_check_size,
    [MCPI_OP_MAX_ITEMS] = mcpi_check_size,
    [MCPI_OP_MIN_PROPERTIES] = mcpi_check_size,
    [MCPI_OP_MAX_PROPERTIES] = mcpi_check_size,
    [MCPI_OP_OBJECT] = mcpi_check_object,
    [MCPI_OP_PROPERTY_NAMES] = mcpi_check_property_names,
    [MCPI_OP_DEPENDENT_REQUIRED] = mcpi_check_dependent_required,
    [MCPI_OP_DEPENDENT_SCHEMAS] = mcpi_check_dependent_schemas,
    [MCPI_OP_ITEMS] = mcpi_check_items,
    [MCPI_OP_CONTAINS] = mcpi_check_contains,
    [MCPI_OP_UNIQUE_ITEMS] = mcpi_check_unique,
    [MCPI_OP_ALL_OF] = mcpi_check_all_of,
    [MCPI_OP_ANY_OF] = mcpi_check_choice,
    [MCPI_OP_ONE_OF] = mcpi_check_choice,
    [MCPI_OP_NOT] = mcpi_check_not,
    [MCPI_OP_IF] = mcpi_check_if,
    [MCPI_OP_UNEVALUATED_ITEMS] = mcpi_check_unevaluated_items,
    [MCPI_OP_UNEVALUATED_PROPERTIES] = mcpi_check_unevaluated_properties,
};

/* When a value is wrong already, errors of unevaluated* could be wrong
 * themselves, so these instructions are skipped. */
static const mcpi_insn *end_before_unevaluated(const mcpi_insn *insn,
                                               const mcpi_insn *end) {
  while (end > insn && end[-1].op >= MCPI_OP_UNEVALUATED_ITEMS) {
    end--;
  }
  return end;
}

/* Whether one look shows that the value satisfies a LIMITS. Otherwise the
 * instructions after it are checked. */
static inline int insn_is_within_limits(const mcpi_insn *limits,
                                        const mcp_json *value) {
  return mcpi_is_between(limits->least, limits->greatest, value);
}

MCPI_APART static int visit_each_insn(mcpi_run *run, const mcpi_insn *insn,
                                      const mcpi_insn *end,
                                      const mcp_json *value,
                                      mcpi_marks *marks) {
  int is_fine = 1;
  for (; insn < end; insn++) {
    if (!mcpi_types_have(insn->types, value)) {
      continue;
    }
    if (insn->op == MCPI_OP_LIMITS && insn_is_within_limits(insn, value)) {
      insn += insn->count;
      continue;
    }
    if (!checks[insn->op](run, insn, value, marks)) {
      is_fine = 0;
      if (mcpi_run_is_done(run)) {
        break;
      }
      end = end_before_unevaluated(insn + 1, end);
    }
  }
  return is_fine;
}

int mcpi_visit_insns(mcpi_run *run, const mcpi_node *node,
                     const mcp_json *value, mcpi_marks *marks) {
  const mcpi_insn *insn = run->program->insns + node->first;
  return visit_each_insn(run, insn, insn + node->count, value, marks);
}

/* Checks the instructions of a node, which has some: mostly limits, or another
 * one, or both. */
static inline int visit_few_insns(mcpi_run *run, const mcpi_node *node,
                                  const mcp_json *value, mcpi_marks *marks) {
  const mcpi_insn *insn = run->program->insns + node->first;
  const mcpi_insn *end = insn + node->count;
  if (insn->op == MCPI_OP_LIMITS && mcpi_types_have(insn->types, value) &&
      insn_is_within_limits(insn, value)) {
    insn += 1 + insn->count;
    if (insn == end) {
      return 1;
    }
  }
  return insn + 1 == end && mcpi_types_have(insn->types, value)
             ? checks[insn->op](run, insn, value, marks)
             : visit_each_insn(run, insn, end, value, marks);
}

/* Checks a node with unevaluated*, window by window. To the nodes around it,
 * such a node evaluates everything. */
static int visit_collecting(mcpi_run *run, const mcpi_node *node,
                            const mcp_json *value, mcpi_marks *outer) {
  mcpi_marks own = {.first = 0};
  int is_fine = mcpi_visit_insns(run, node, value, &own);
  while (is_fine && mcpi_marks_next(&own) < own.end) {
    own = (mcpi_marks){.first = mcpi_marks_next(&own)};
    is_fine = mcpi_visit_insns(run, node, value, &own);
  }
  if (is_fine && outer != NULL) {
    mcpi_marks_set_all(outer);
  }
  return is_fine;
}

/* Checks a node of a schema that needs marks or scopes, as few do. The way goes
 * through the node's resource. */
MCPI_APART static int visit_remembering(mcpi_run *run, const mcpi_node *node,
                                        const mcp_json *value,
                                        mcpi_marks *marks) {
  const mcpi_scope scope = {run->scope, node->resource};
  const mcpi_scope *outer = run->scope;
  if (outer == NULL || outer->resource != node->resource) {
    run->scope = &scope;
  }
  int is_fine = mcpi_types_have(node->collects, value)
                    ? visit_collecting(run, node, value, marks)
                    : mcpi_visit_insns(run, node, value, marks);
  run->scope = outer;
  return is_fine;
}

/* Checks a node whose instructions have subschemas, one level further down. */
MCPI_APART static int visit_inside(mcpi_run *run, const mcpi_node *node,
                                   const mcp_json *value, mcpi_marks *marks) {
  if (run->depth_left == 0) {
    return mcpi_run_abort(run);
  }
  run->depth_left--;
  int is_fine;
  if (run->program->has_dynamics || node->collects != 0) {
    is_fine = visit_remembering(run, node, value, marks);
  } else if (node->is_merged && run->report == NULL && marks == NULL &&
             mcpi_json_type(value) == MCP_JSON_OBJECT) {
    is_fine = mcpi_check_merged(run, node, value);
  } else {
    is_fine = visit_few_insns(run, node, value, marks);
  }
  run->depth_left++;
  return is_fine;
}

/* Checks a value whose kind is not among the node's types. It may be an integer
 * nevertheless. */
MCPI_APART static int visit_other_kind(mcpi_run *run, const mcpi_node *node,
                                       const mcp_json *value,
                                       mcpi_marks *marks) {
  if ((node->types & MCPI_TYPES_INTEGRAL) != 0 &&
      mcpi_types_have(MCPI_TYPES_NUMBER, value) &&
      mcpi_run_spend_digits(run, value) && mcp_json_is_integer(value)) {
    return node->count == 0 || visit_inside(run, node, value, marks);
  }
  if (mcpi_run_explains(run)) {
    mcpi_report_type(run->report, node, value);
  }
  return 0;
}

int mcpi_visit_node(mcpi_run *run, const mcpi_node *node, const mcp_json *value,
                    mcpi_marks *marks) {
  if (!mcpi_types_have(node->types, value)) {
    return visit_other_kind(run, node, value, marks);
  }
  return node->is_leaf ? visit_few_insns(run, node, value, marks)
                       : visit_inside(run, node, value, marks);
}

int mcpi_visit(mcpi_run *run, uint32_t index, const mcp_json *value,
               mcpi_marks *marks) {
  const mcpi_node *node = &run->program->nodes[index];
  if (!mcpi_run_spend(run, 1)) {
    return 0;
  }
  if (mcpi_types_have(node->passes, value)) {
    return 1;
  }
  return run->depth_left > 0 ? mcpi_visit_node(run, node, value, marks)
                             : mcpi_run_abort(run);
}
