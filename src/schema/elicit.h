/* SPDX-License-Identifier: MIT */
/* The restricted schemas of elicitation's forms (PROTOCOL 5.2): one flat
 * object whose members are strings, numbers, booleans and choices. */
#ifndef MCPI_SCHEMA_ELICIT_H
#define MCPI_SCHEMA_ELICIT_H

#include "base/alloc.h"
#include <mcp/schema.h>
#include <stdatomic.h>

/* What a form is held to. */
enum {
  /* One that our program asks with: the keywords of all revisions and no
   * others, and nothing that no answer could be right for. Beyond the table of
   * PROTOCOL 5.2 two are let through that do no harm: `additionalProperties:
   * false`, which MCP_OBJECT() writes, and a string's `pattern`. */
  MCPI_FORM_OURS = 0,
  /* A peer's, before and since 2025-11-25, which brought choices of several.
   * Keywords that the protocol does not name are its own affair. */
  MCPI_FORM_PLAIN,
  MCPI_FORM_RICH,
  MCPI_FORM_COUNT
};

/* The rules, each a schema of schemas, compiled when they are first asked for.
 * Zeros are a valid beginning. Threads may share one. */
typedef struct mcpi_form_rules {
  _Atomic(mcp_validator *) compiled[MCPI_FORM_COUNT];
} mcpi_form_rules;

void mcpi_form_rules_deinit(mcpi_form_rules *rules);

/* Checks a form, and compiles it for its answers; formats are asserted.
 * which: MCPI_FORM_*
 * allocator: of the rules as well, which outlive the form.
 * 0; MCP_ERR_SCHEMA, with a message that begins with the JSON pointer; what
 * mcp_validator_new has besides. */
int mcpi_form_compile(mcp_validator **out, const mcp_json *form,
                      mcpi_form_rules *rules, int which,
                      const mcp_allocator *allocator, mcp_error *err);

/* Compiles for its answers what a client was shown of a form that has been
 * checked. Formats are asserted. 0, or what mcp_validator_new has. */
int mcpi_form_compile_shown(mcp_validator **out, const mcp_json *shown,
                            const mcp_allocator *allocator, mcp_error *err);

#endif
