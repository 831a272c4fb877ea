/* SPDX-License-Identifier: MIT */
/* One validation: a walk over a value and a program's nodes side by side.
 *
 * It allocates nothing. How deep it goes and how much it does is bounded, since
 * a schema may refer to itself, and both may be a peer's. */
#ifndef MCPI_SCHEMA_VALIDATE_H
#define MCPI_SCHEMA_VALIDATE_H

#include "schema/program.h"
#include "schema/report.h"
#include "json/inline.h"

/* For what few values need: it keeps its registers and its stack to itself, so
 * that all others need not save and restore them. */
#if defined(__GNUC__)
#define MCPI_APART __attribute__((noinline))
#else
#define MCPI_APART
#endif

/* Which members or items of one value have been evaluated, for unevaluated*.
 * Mostly these are all up to one, or all. For others there are bits, but of a
 * window alone, since no memory holds one for each of a million: a value that
 * has some behind the window is gone over again for the next one. */
enum { MCPI_MARKS = 512 };

typedef struct mcpi_marks {
  uint64_t bits[MCPI_MARKS / 64];
  size_t first;  /* of the window */
  size_t before; /* all before this one are */
  size_t end;    /* none from this one on is, but for those before */
} mcpi_marks;

/* The resources that were come by, the innermost first. */
typedef struct mcpi_scope {
  const struct mcpi_scope *outer;
  uint32_t resource;
} mcpi_scope;

typedef struct mcpi_run {
  const mcpi_program *program;
  mcpi_report *report; /* NULL: only the answer is wanted */
  const mcpi_scope *scope;
  size_t steps_left;
  uint32_t depth_left;
  int is_given_up;
  mcpi_slow slow; /* which pattern that was for, if it was for one */
} mcpi_run;

/* A pattern has taken what the run may cost. 0. */
int mcpi_run_give_up_on(mcpi_run *run, const mcpi_pattern *pattern,
                        const mcp_json *source, const mcp_json *value);

/* Whether the node of that index accepts the value. What it evaluates of the
 * value's members or items is marked; NULL: nobody asks. After a refusal the
 * marks are of no use. */
int mcpi_visit(mcpi_run *run, uint32_t index, const mcp_json *value,
               mcpi_marks *marks);

/* Whether a first failure is all that is asked for. */
static inline int mcpi_run_is_done(const mcpi_run *run) {
  return run->report == NULL || run->report->left == 0 || run->is_given_up;
}

/* Whether what is wrong is to be told. What a run that was given up has not
 * seen is not wrong. */
static inline int mcpi_run_explains(const mcpi_run *run) {
  return run->report != NULL && !run->is_given_up;
}

/* Takes from what the run may cost. 0: it is used up. */
static inline int mcpi_run_spend(mcpi_run *run, size_t steps) {
  if (steps >= run->steps_left) {
    run->steps_left = 0;
    run->is_given_up = 1;
    return 0;
  }
  run->steps_left -= steps;
  return 1;
}

int mcpi_run_same_long(mcpi_run *run, mcpi_str a, mcpi_str b);

/* Whether two texts are the same: long ones cost. 0 too when the run is given
 * up.
 */
static inline int mcpi_run_same(mcpi_run *run, mcpi_str a, mcpi_str b) {
  return a.len == b.len && (a.len < 64 ? mcpi_bytes_eq(a.ptr, b.ptr, a.len)
                                       : mcpi_run_same_long(run, a, b));
}

/* Likewise whether a number is a whole one; one kept as its text is as long as
 * its sender liked. */
int mcpi_run_is_integer(mcpi_run *run, const mcp_json *number);

static inline int mcpi_types_have(uint32_t types, const mcp_json *value) {
  return (types >> mcpi_json_kind(value) & 1) != 0;
}

/* Whether a number, a string's bytes or another value's size is between these:
 * 0, too, of numbers that it takes another look to know. */
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

/* Whether a value shows at once that the node accepts it. */
static inline int mcpi_node_passes(const mcpi_node *node,
                                   const mcp_json *value) {
  return mcpi_types_have(node->passes, value) ||
         (mcpi_types_have(node->measured, value) &&
          mcpi_is_between(node->least, node->greatest, value));
}

/* What mcpi_visit does with a value that was spent for, and that the node does
 * not pass at once. */
int mcpi_visit_node(mcpi_run *run, const mcpi_node *node, const mcp_json *value,
                    mcpi_marks *marks);

/* The same as mcpi_visit for a member or item, which were spent for: of most
 * the type tells all. */
static inline int mcpi_visit_inner(mcpi_run *run, const mcpi_node *node,
                                   const mcp_json *value) {
  return mcpi_node_passes(node, value) ||
         mcpi_visit_node(run, node, value, NULL);
}

static inline void mcpi_mark(mcpi_marks *marks, size_t index) {
  size_t place = index - marks->first;
  if (index <= marks->before) {
    marks->before += index == marks->before;
    return;
  }
  if (place < MCPI_MARKS) {
    marks->bits[place / 64] |= UINT64_C(1) << (place % 64);
  }
  marks->end = index < marks->end ? marks->end : index + 1;
}

static inline int mcpi_is_marked(const mcpi_marks *marks, size_t index) {
  size_t place = index - marks->first;
  return index < marks->before ||
         (place < MCPI_MARKS && (marks->bits[place / 64] >> (place % 64) & 1));
}

/* As far as it is known what is marked, of a value with so many members or
 * items. */
static inline size_t mcpi_marks_end(const mcpi_marks *marks, size_t count) {
  size_t end = marks->first + MCPI_MARKS;
  return marks->end > end ? end : count;
}

void mcpi_mark_all(mcpi_marks *marks);

/* Writes a value with the defaults of what it lacks (defaults.c). What the run
 * may cost holds for it too. */
int mcpi_apply_defaults(mcpi_run *run, const mcp_json *value, const char *name,
                        mcp_builder *builder);

/* What an instruction does: tells whether the value, which is of one of its
 * types, is fine by it. */
typedef int (*mcpi_check)(mcpi_run *run, const mcpi_insn *insn,
                          const mcp_json *value, mcpi_marks *marks);

/* Those for objects (validate_object.c) ... */
int mcpi_check_object(mcpi_run *run, const mcpi_insn *insn,
                      const mcp_json *object, mcpi_marks *marks);
int mcpi_check_property_names(mcpi_run *run, const mcpi_insn *insn,
                              const mcp_json *object, mcpi_marks *marks);
int mcpi_check_dependent_required(mcpi_run *run, const mcpi_insn *insn,
                                  const mcp_json *object, mcpi_marks *marks);
int mcpi_check_dependent_schemas(mcpi_run *run, const mcpi_insn *insn,
                                 const mcp_json *object, mcpi_marks *marks);
int mcpi_check_unevaluated_properties(mcpi_run *run, const mcpi_insn *insn,
                                      const mcp_json *object,
                                      mcpi_marks *marks);
/* ... and arrays (validate_array.c). */
int mcpi_check_items(mcpi_run *run, const mcpi_insn *insn,
                     const mcp_json *array, mcpi_marks *marks);
int mcpi_check_contains(mcpi_run *run, const mcpi_insn *insn,
                        const mcp_json *array, mcpi_marks *marks);
int mcpi_check_unique(mcpi_run *run, const mcpi_insn *insn,
                      const mcp_json *array, mcpi_marks *marks);
int mcpi_check_unevaluated_items(mcpi_run *run, const mcpi_insn *insn,
                                 const mcp_json *array, mcpi_marks *marks);

#endif
