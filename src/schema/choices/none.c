/* SPDX-License-Identifier: MIT */
/* This libmcp was built without the keywords that apply further schemas to the
 * same value: no schema that has one of them is compiled, and so none of these
 * functions is called for one. */
#include "schema/compile_ref.h"
#include "schema/compile_tags.h"
#include "schema/validate_choice.h"

const mcpi_keyword_group mcpi_keywords_of_choices = {0, "MCP_SCHEMA_CHOICES"};

/* --- compiling ---------------------------------------------------------- */

int mcpi_compile_ref(mcpi_subject *s, const mcp_json *value) {
  (void)s;
  (void)value;
  return MCP_ERR_SCHEMA;
}

int mcpi_compile_dynamic_ref(mcpi_subject *s, const mcp_json *value) {
  (void)s;
  (void)value;
  return MCP_ERR_SCHEMA;
}

int mcpi_compile_dynamic_nodes(mcpi_compiler *c) {
  (void)c;
  return 0;
}

void mcpi_compile_dynamics(mcpi_compiler *c) {
  (void)c;
}

void mcpi_compile_tags(mcpi_compiler *c) {
  (void)c;
}

/* --- checking ----------------------------------------------------------- */

#define NEVER(name)                                                            \
  int name(mcpi_run *run, const mcpi_insn *insn, const mcp_json *value,        \
           mcpi_marks *marks) {                                                \
    (void)run;                                                                 \
    (void)insn;                                                                \
    (void)value;                                                               \
    (void)marks;                                                               \
    return 0;                                                                  \
  }

NEVER(mcpi_check_ref)
NEVER(mcpi_check_dynamic_ref)
NEVER(mcpi_check_all_of)
NEVER(mcpi_check_choice)
NEVER(mcpi_check_not)
NEVER(mcpi_check_if)

int mcpi_check_merged(mcpi_run *run, const mcpi_node *node,
                      const mcp_json *object) {
  (void)run;
  (void)node;
  (void)object;
  return 0;
}
