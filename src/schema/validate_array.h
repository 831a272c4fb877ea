/* SPDX-License-Identifier: MIT */
/* Instructions for arrays. */
#ifndef MCPI_SCHEMA_VALIDATE_ARRAY_H
#define MCPI_SCHEMA_VALIDATE_ARRAY_H

#include "schema/keyword.h"
#include "schema/validate.h"

extern const mcpi_keyword_group mcpi_keywords_of_arrays;

mcpi_check mcpi_check_items; /* prefixItems and items */
mcpi_check mcpi_check_contains;
mcpi_check mcpi_check_unique;
mcpi_check mcpi_check_unevaluated_items;

#endif
