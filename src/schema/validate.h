/* SPDX-License-Identifier: MIT */
/* Visiting nodes: a walk over a value and a program's nodes side by side.
 *
 * A node's instructions are checked by functions of one type, mcpi_check, which
 * validate_value.h, validate_choice.h, validate_array.h and validate_object.h
 * declare. Those that have subschemas visit further nodes: so validate.c and
 * these files call each other, as a schema's nodes do. */
#ifndef MCPI_SCHEMA_VALIDATE_H
#define MCPI_SCHEMA_VALIDATE_H

#include "schema/marks.h"
#include "schema/run.h"

/* Checks one instruction: whether it accepts the value, which is of one of its
 * types. */
typedef int mcpi_check(mcpi_run *run, const mcpi_insn *insn,
                       const mcp_json *value, mcpi_marks *marks);

/* Whether the node of that index accepts the value. Marks the members or items
 * that the node evaluates, unless marks is NULL. After a refusal the marks mean
 * nothing. */
int mcpi_visit(mcpi_run *run, uint32_t index, const mcp_json *value,
               mcpi_marks *marks);

/* Does what mcpi_visit does for a value whose step is spent already, and which
 * the node does not accept at one look. */
int mcpi_visit_node(mcpi_run *run, const mcpi_node *node, const mcp_json *value,
                    mcpi_marks *marks);

/* Checks all instructions of a node, whose types the value is of. */
int mcpi_visit_insns(mcpi_run *run, const mcpi_node *node,
                     const mcp_json *value, mcpi_marks *marks);

/* Whether a number, a string's bytes or another value's size lies between two
 * bounds. Also 0 for a number that no double is equal to. */
static inline int mcpi_is_between(double least, double greatest,
                                  const mcp_json *value) {
  double measure;
  if (!mcpi_types_have(MCPI_TYPES_NUMBER, value)) {
    measure = (double)(int64_t)mcpi_json_count(value);
  } else if (!mcpi_json_exact_double(value, &measure)) {
    return 0;
  }
  return measure >= least && measure <= greatest;
}

/* Whether one look at a value shows that the node accepts it. */
static inline int mcpi_node_passes(const mcpi_node *node,
                                   const mcp_json *value) {
  return mcpi_types_have(node->passes, value) ||
         (mcpi_types_have(node->measured, value) &&
          mcpi_is_between(node->least, node->greatest, value));
}

/* Does what mcpi_visit does for a member or item whose step is spent already:
 * for most of them one look is enough. */
static inline int mcpi_visit_inner(mcpi_run *run, const mcpi_node *node,
                                   const mcp_json *value) {
  return mcpi_node_passes(node, value) ||
         mcpi_visit_node(run, node, value, NULL);
}

#endif
