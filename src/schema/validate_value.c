/* SPDX-License-Identifier: MIT */
/* Instructions for numbers, strings, sizes and fixed values. */
#include "schema/validate_value.h"

#include "schema/format.h"
#include "schema/regex.h"
#include "json/json.h"

/* --- numbers and counts ------------------------------------------------- */

static int bound_accepts(const mcpi_insn *insn, const mcp_json *value) {
  int order = mcpi_json_number_compare(value, insn->source);
  switch (insn->op) {
  case MCPI_OP_MINIMUM:
    return order >= 0;
  case MCPI_OP_MAXIMUM:
    return order <= 0;
  case MCPI_OP_EXCLUSIVE_MINIMUM:
    return order > 0;
  default:
    return order < 0;
  }
}

int mcpi_check_bound(mcpi_run *run, const mcpi_insn *insn,
                     const mcp_json *value, mcpi_marks *marks) {
  (void)marks;
  if (!mcpi_run_spend_digits(run, value) ||
      !mcpi_run_spend_digits(run, insn->source)) {
    return 0;
  }
  if (bound_accepts(insn, value)) {
    return 1;
  }
  if (mcpi_run_explains(run)) {
    mcpi_report_bound(run->report, insn, value);
  }
  return 0;
}

int mcpi_check_multiple(mcpi_run *run, const mcpi_insn *insn,
                        const mcp_json *value, mcpi_marks *marks) {
  (void)marks;
  if (!mcpi_run_spend_digits(run, value) ||
      !mcpi_run_spend_digits(run, insn->source)) {
    return 0;
  }
  int is_multiple = mcpi_json_is_multiple(value, insn->source);
  if (is_multiple < 0) {
    return mcpi_run_abort(run);
  }
  if (!is_multiple && mcpi_run_explains(run)) {
    mcpi_report_bound(run->report, insn, value);
  }
  return is_multiple;
}

/* Checks how many items or members there are. */
int mcpi_check_size(mcpi_run *run, const mcpi_insn *insn, const mcp_json *value,
                    mcpi_marks *marks) {
  int is_minimum =
      insn->op == MCPI_OP_MIN_ITEMS || insn->op == MCPI_OP_MIN_PROPERTIES;
  size_t count = mcpi_json_count(value);
  (void)marks;
  if (is_minimum ? count >= insn->limit : count <= insn->limit) {
    return 1;
  }
  if (mcpi_run_explains(run)) {
    mcpi_report_count(run->report, insn, value, count);
  }
  return 0;
}

/* --- strings ------------------------------------------------------------ */

/* Counts code points: bytes that do not continue a character. */
static size_t string_length(mcpi_str string) {
  size_t length = 0;
  for (size_t i = 0; i < string.len; i++) {
    length += ((unsigned char)string.ptr[i] & 0xC0) != 0x80;
  }
  return length;
}

/* A character has one to four bytes, so most strings need not be counted. */
int mcpi_check_length(mcpi_run *run, const mcpi_insn *insn,
                      const mcp_json *value, mcpi_marks *marks) {
  int is_minimum = insn->op == MCPI_OP_MIN_LENGTH;
  mcpi_str text = mcpi_json_text(value);
  (void)marks;
  if (is_minimum ? (text.len + 3) / 4 >= insn->limit
                 : text.len <= insn->limit) {
    return 1;
  }
  if (!mcpi_run_spend(run, text.len / 64)) {
    return 0;
  }
  size_t length = string_length(text);
  if (is_minimum ? length >= insn->limit : length <= insn->limit) {
    return 1;
  }
  if (mcpi_run_explains(run)) {
    mcpi_report_count(run->report, insn, value, length);
  }
  return 0;
}

int mcpi_check_pattern(mcpi_run *run, const mcpi_insn *insn,
                       const mcp_json *value, mcpi_marks *marks) {
  (void)marks;
  const mcpi_pattern *pattern = &run->program->patterns[insn->first];
  mcpi_str text = mcpi_json_text(value);
  if (!mcpi_run_spend(run, text.len / 16)) {
    return 0;
  }
  int is_found = mcpi_regex_engine()->match(pattern->regex, text.ptr, text.len,
                                            &run->steps_left);
  if (is_found < 0) {
    return mcpi_run_abort_on(run, pattern, insn->source, value);
  }
  if (!is_found && mcpi_run_explains(run)) {
    mcpi_report_text(run->report, insn, value);
  }
  return is_found;
}

int mcpi_check_format(mcpi_run *run, const mcpi_insn *insn,
                      const mcp_json *value, mcpi_marks *marks) {
  (void)marks;
  mcpi_str text = mcpi_json_text(value);
  if (!mcpi_run_spend(run, text.len / 16)) {
    return 0;
  }
  int is_fine = mcpi_format_accepts((int)insn->first, text);
  if (is_fine < 0) {
    return mcpi_run_abort(run);
  }
  if (!is_fine && mcpi_run_explains(run)) {
    mcpi_report_text(run->report, insn, value);
  }
  return is_fine;
}

/* --- enum and const ----------------------------------------------------- */

MCPI_APART static int value_equals_other(mcpi_run *run, const mcp_json *wanted,
                                         const mcp_json *value) {
  int is_equal = mcpi_json_equal(wanted, value, &run->steps_left);
  return run->steps_left > 0 ? is_equal : mcpi_run_abort(run);
}

/* Compares two strings, which most values are, without mcpi_json_equal. */
static inline int value_equals(mcpi_run *run, const mcp_json *wanted,
                               const mcp_json *value) {
  if (mcpi_types_have(MCPI_TYPES_STRING, value)) {
    return mcpi_types_have(MCPI_TYPES_STRING, wanted) &&
           mcpi_run_same(run, mcpi_json_text(wanted), mcpi_json_text(value));
  }
  return value_equals_other(run, wanted, value);
}

static int refuse_value(mcpi_run *run, const mcpi_insn *insn,
                        const mcp_json *value) {
  if (mcpi_run_explains(run)) {
    mcpi_report_choice(run->report, insn, 0, value);
  }
  return 0;
}

int mcpi_check_const(mcpi_run *run, const mcpi_insn *insn,
                     const mcp_json *value, mcpi_marks *marks) {
  (void)marks;
  return value_equals(run, insn->source, value) ||
         refuse_value(run, insn, value);
}

int mcpi_check_enum(mcpi_run *run, const mcpi_insn *insn, const mcp_json *value,
                    mcpi_marks *marks) {
  size_t count = mcpi_json_count(insn->source);
  const mcp_json *wanted = count > 0 ? mcpi_json_first(insn->source) : NULL;
  (void)marks;
  mcpi_run_spend(run, count);
  for (size_t i = 0; i < count && !run->is_aborted; i++) {
    if (value_equals(run, wanted, value)) {
      return 1;
    }
    wanted = mcpi_json_behind(wanted);
  }
  return refuse_value(run, insn, value);
}
