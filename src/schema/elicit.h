/* SPDX-License-Identifier: MIT */
/* The restricted schemas of elicitation's forms (MCP, Elicitation: Requested
 * Schema): one flat object whose members are strings, numbers, booleans and
 * choices. */
#ifndef MCPI_SCHEMA_ELICIT_H
#define MCPI_SCHEMA_ELICIT_H

#include "base/alloc.h"
#include <mcp/schema.h>
#include <stdatomic.h>

/* The rules that a form must follow. */
enum {
  /* A form of our program: it has only keywords of some revision, and a right
   * answer is possible. Two harmless keywords are allowed:
   * `additionalProperties: false`, which MCP_OBJECT() writes, and a string's
   * `pattern`. */
  MCPI_FORM_OURS = 0,
  /* A peer's form, before 2025-11-25 and from then on, when choices of several
   * values came. Keywords that the protocol does not name are allowed. */
  MCPI_FORM_PLAIN,
  MCPI_FORM_RICH,
  MCPI_FORM_COUNT
};

/* The rules, each a schema of schemas, compiled at first use. Initialise with
 * zeros. Several threads may share one. */
typedef struct mcpi_form_rules {
  _Atomic(mcp_validator *) compiled[MCPI_FORM_COUNT];
} mcpi_form_rules;

void mcpi_form_rules_deinit(mcpi_form_rules *rules);

/* Checks a form, and compiles a validator for its answers that asserts formats.
 * which: MCPI_FORM_*
 * allocator: also for the rules, which outlive the form.
 * 0; MCP_ERR_SCHEMA, with a message that begins with a JSON pointer; or what
 * mcpi_validator_compile returns. */
int mcpi_form_compile(mcp_validator **out, const mcp_json *form,
                      mcpi_form_rules *rules, int which,
                      const mcp_allocator *allocator, mcp_error *err);

/* Compiles a validator for the answers to a checked form, as it was shown to
 * the client. Asserts formats. 0, or what mcpi_validator_compile returns. */
int mcpi_form_compile_shown(mcp_validator **out, const mcp_json *shown,
                            const mcp_allocator *allocator, mcp_error *err);

#endif
