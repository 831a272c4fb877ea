/* SPDX-License-Identifier: MIT */
/* Instructions that apply further schemas to the same value. */
#ifndef MCPI_SCHEMA_VALIDATE_CHOICE_H
#define MCPI_SCHEMA_VALIDATE_CHOICE_H

#include "schema/keyword.h"
#include "schema/validate.h"

/* Of these and of references (compile_ref.h). */
extern const mcpi_keyword_group mcpi_keywords_of_choices;

mcpi_check mcpi_check_ref;
mcpi_check mcpi_check_dynamic_ref;
mcpi_check mcpi_check_all_of;
mcpi_check mcpi_check_choice; /* anyOf, oneOf */
mcpi_check mcpi_check_not;
mcpi_check mcpi_check_if;

/* Checks a node that is an OBJECT and a choice with merged tables (program.h):
 * goes over the object's members once. For a run that only wants a verdict. */
int mcpi_check_merged(mcpi_run *run, const mcpi_node *node,
                      const mcp_json *object);

#endif
