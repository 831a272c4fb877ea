/* SPDX-License-Identifier: MIT */
/* The state of one validation, and what it may cost.
 *
 * A schema may refer to itself, and schema and value may both be a peer's. So a
 * run counts the steps that it takes and how deep it descends, and is aborted
 * when either is used up. It allocates nothing. */
#ifndef MCPI_SCHEMA_RUN_H
#define MCPI_SCHEMA_RUN_H

#include "base/apart.h"
#include "schema/program.h"
#include "schema/report.h"
#include "json/inline.h"

/* The resources that the run went through on its way, the innermost first. */
typedef struct mcpi_scope {
  const struct mcpi_scope *outer;
  uint32_t resource;
} mcpi_scope;

typedef struct mcpi_run {
  const mcpi_program *program;
  mcpi_report *report; /* NULL: only the verdict is wanted */
  const mcpi_scope *scope;
  size_t steps_left;
  uint32_t depth_left;
  int is_aborted; /* the steps or the depth are used up */
  mcpi_slow slow; /* the pattern that used them up, if it was one */
} mcpi_run;

/* Aborts the run. Returns 0: the value is not accepted. */
static inline int mcpi_run_abort(mcpi_run *run) {
  run->is_aborted = 1;
  return 0;
}

/* Aborts the run because of a pattern. Returns 0. */
int mcpi_run_abort_on(mcpi_run *run, const mcpi_pattern *pattern,
                      const mcp_json *source, const mcp_json *value);

/* Whether the run can stop at a first failure. */
static inline int mcpi_run_is_done(const mcpi_run *run) {
  return run->report == NULL || run->report->left == 0 || run->is_aborted;
}

/* Whether errors are to be reported. An aborted run reports none: it has not
 * seen all of the value. */
static inline int mcpi_run_explains(const mcpi_run *run) {
  return run->report != NULL && !run->is_aborted;
}

/* Takes steps from those that are left. Returns 0, and aborts the run, when
 * they are used up. */
static inline int mcpi_run_spend(mcpi_run *run, size_t steps) {
  if (steps >= run->steps_left) {
    run->steps_left = 0;
    return mcpi_run_abort(run);
  }
  run->steps_left -= steps;
  return 1;
}

/* Spends on a number that is kept as its text: a peer chose how long it is.
 * Returns 0 when the steps are used up. */
int mcpi_run_spend_digits(mcpi_run *run, const mcp_json *number);

int mcpi_run_same_long(mcpi_run *run, mcpi_str a, mcpi_str b);

/* Whether two texts are the same; long ones cost steps. Also 0 when the steps
 * are used up. */
static inline int mcpi_run_same(mcpi_run *run, mcpi_str a, mcpi_str b) {
  return a.len == b.len && (a.len < 64 ? mcpi_bytes_eq(a.ptr, b.ptr, a.len)
                                       : mcpi_run_same_long(run, a, b));
}

/* Whether the value is of one of these kinds (MCPI_TYPES_*). */
static inline int mcpi_types_have(uint32_t types, const mcp_json *value) {
  return (types >> mcpi_json_kind(value) & 1) != 0;
}

/* The node of a child of an instruction. */
static inline uint32_t mcpi_run_child(const mcpi_run *run,
                                      const mcpi_insn *insn, uint32_t index) {
  return run->program->children[insn->first + index];
}

#endif
