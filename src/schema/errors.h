/* SPDX-License-Identifier: MIT */
/* Sentences that say what is wrong with a value, so that a language model (or
 * a person) can put it right: where, what was expected, what was found.
 *
 * They are written into memory on the stack; nothing here allocates, but the
 * builder that receives the errors. */
#ifndef MCPI_SCHEMA_ERRORS_H
#define MCPI_SCHEMA_ERRORS_H

#include "base/buf.h"
#include "schema/validator.h"

/* The longest sentence or pointer. Longer ones lose what does not fit. */
enum { MCPI_SENTENCE_SIZE = 1024 };

/* A buffer that never grows. The first piece that does not fit ends it. */
typedef struct mcpi_sentence {
  mcpi_buf buf;
  char space[MCPI_SENTENCE_SIZE];
} mcpi_sentence;

void mcpi_sentence_init(mcpi_sentence *sentence);

/* The JSON pointer from `root` to a value inside it, by its address: a tree's
 * values lie in the order of their text, so the child that leads there is the
 * last one not behind it. Too long a pointer ends at an ancestor. */
void mcpi_say_pointer(mcpi_buf *buf, const mcp_json *root,
                      const mcp_json *value);
/* The same in front of a sentence, shortened: "/a: ". */
void mcpi_say_place(mcpi_buf *buf, const mcp_json *root, const mcp_json *value);
/* `the string "x"`, `the number 1`, `true`, `an array of 3 items`. */
void mcpi_say_value(mcpi_buf *buf, const mcp_json *value);

/* Sets MCP_ERR_SCHEMA with "/a/minimum: expected a number, got null". */
int mcpi_schema_error(mcp_error *err, const mcp_json *root,
                      const mcp_json *value, const char *expected);

/* Where the errors of one validation go. */
typedef struct mcpi_report {
  mcp_builder *errors;
  const mcp_json *schema; /* roots, for the pointers */
  const mcp_json *instance;
  uint32_t left; /* how many more may be written */
} mcpi_report;

/* Each writes one error. `value` is the instance's value that is wrong. */
void mcpi_report_type(mcpi_report *report, const mcpi_node *node,
                      const mcp_json *value);
void mcpi_report_missing(mcpi_report *report, const mcpi_insn *insn,
                         const mcp_json *value, mcpi_str name);
void mcpi_report_unknown(mcpi_report *report, const mcpi_insn *insn,
                         const mcp_json *value, mcpi_str name);
void mcpi_report_bound(mcpi_report *report, const mcpi_insn *insn,
                       const mcp_json *value);
/* `count` is what the value has of what is limited. */
void mcpi_report_count(mcpi_report *report, const mcpi_insn *insn,
                       const mcp_json *value, size_t count);
/* ENUM, CONST, and ANY_OF or ONE_OF when nothing fits. */
void mcpi_report_choice(mcpi_report *report, const mcpi_insn *insn,
                        const mcp_json *value);
/* ONE_OF when several fit. */
void mcpi_report_ambiguous(mcpi_report *report, const mcpi_insn *insn,
                           const mcp_json *value);
void mcpi_report_equal_items(mcpi_report *report, const mcpi_insn *insn,
                             const mcp_json *value, size_t first,
                             size_t second);
/* The validation was given up. */
void mcpi_report_cost(mcpi_report *report);

#endif
