/* SPDX-License-Identifier: MIT */
/* The errors of one validation (mcp_validator_check). Each is an object with
 * two pointers, a keyword and a sentence. */
#ifndef MCPI_SCHEMA_REPORT_H
#define MCPI_SCHEMA_REPORT_H

#include "schema/document.h"
#include "schema/program.h"

/* Where the errors go. */
typedef struct mcpi_report {
  /* One of these, or none. */
  mcp_builder *errors;
  mcpi_buf *sentences; /* gets the sentences, each after the separator */
  mcp_error *err;      /* gets the first sentence */
  const char *separator;
  const mcpi_document *documents; /* for the pointers into schemas */
  const mcp_json *instance;
  uint32_t left; /* how many more may be written */
  uint32_t max_message;
} mcpi_report;

/* A pattern that took too long on a value. All NULL: there is none. */
typedef struct mcpi_slow {
  const mcpi_pattern *pattern;
  const mcp_json *source; /* where the schema has it */
  const mcp_json *value;
} mcpi_slow;

/* Each function writes one error. `value` is the value that is wrong. */
void mcpi_report_type(mcpi_report *report, const mcpi_node *node,
                      const mcp_json *value);
/* keyword: required or dependentRequired; source: the list of names. */
void mcpi_report_missing(mcpi_report *report, const mcp_json *source,
                         const char *keyword, const mcp_json *value,
                         mcpi_str name);
/* OBJECT and UNEVALUATED_PROPERTIES */
void mcpi_report_unknown(mcpi_report *report, const mcpi_insn *insn,
                         const mcp_json *value, mcpi_str name);
void mcpi_report_name(mcpi_report *report, const mcpi_insn *insn,
                      const mcp_json *value, mcpi_str name);
/* MINIMUM and the like, MULTIPLE_OF */
void mcpi_report_bound(mcpi_report *report, const mcpi_insn *insn,
                       const mcp_json *value);
/* MIN_LENGTH to MAX_PROPERTIES; `count` is what the value has. */
void mcpi_report_count(mcpi_report *report, const mcpi_insn *insn,
                       const mcp_json *value, size_t count);
/* PATTERN and FORMAT */
void mcpi_report_text(mcpi_report *report, const mcpi_insn *insn,
                      const mcp_json *value);
/* ITEMS and UNEVALUATED_ITEMS: no item is allowed at that index. */
void mcpi_report_extra_item(mcpi_report *report, const mcpi_insn *insn,
                            const mcp_json *value, size_t index);
void mcpi_report_contains(mcpi_report *report, const mcpi_insn *insn,
                          const mcp_json *value, size_t found);
void mcpi_report_equal_items(mcpi_report *report, const mcpi_insn *insn,
                             const mcp_json *value, size_t first,
                             size_t second);
/* ENUM, CONST, and ANY_OF or ONE_OF when no alternative fits. If the value is
 * not of any alternative's type, `types` are the types of all, else 0. */
void mcpi_report_choice(mcpi_report *report, const mcpi_insn *insn,
                        uint32_t types, const mcp_json *value);
/* ANY_OF and ONE_OF: `value`, which should tell the alternatives apart, is not
 * one of these values. */
void mcpi_report_tag(mcpi_report *report, const mcpi_insn *insn,
                     const mcp_json *value, const mcpi_str *values);
/* ANY_OF and ONE_OF: the member that should tell them apart is missing. */
void mcpi_report_no_tag(mcpi_report *report, const mcpi_insn *insn,
                        const mcp_json *value, mcpi_str name,
                        const mcpi_str *values);
/* ONE_OF when several fit. */
void mcpi_report_ambiguous(mcpi_report *report, const mcpi_insn *insn,
                           const mcp_json *value);
void mcpi_report_not(mcpi_report *report, const mcpi_insn *insn,
                     const mcp_json *value);
/* The run was aborted. */
void mcpi_report_cost(mcpi_report *report, const mcpi_slow *slow);

#endif
