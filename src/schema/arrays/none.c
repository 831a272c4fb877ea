/* SPDX-License-Identifier: MIT */
/* This libmcp was built without the keywords of arrays: no schema that has one
 * of them is compiled, and so none of these checks runs. */
#include "schema/validate_array.h"

const mcpi_keyword_group mcpi_keywords_of_arrays = {0, "MCP_SCHEMA_ARRAYS"};

#define NEVER(name)                                                            \
  int name(mcpi_run *run, const mcpi_insn *insn, const mcp_json *value,        \
           mcpi_marks *marks) {                                                \
    (void)run;                                                                 \
    (void)insn;                                                                \
    (void)value;                                                               \
    (void)marks;                                                               \
    return 0;                                                                  \
  }

NEVER(mcpi_check_items)
NEVER(mcpi_check_contains)
NEVER(mcpi_check_unique)
NEVER(mcpi_check_unevaluated_items)
