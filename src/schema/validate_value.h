/* SPDX-License-Identifier: MIT */
/* Instructions for numbers, strings, sizes and fixed values. */
#ifndef MCPI_SCHEMA_VALIDATE_VALUE_H
#define MCPI_SCHEMA_VALIDATE_VALUE_H

#include "schema/validate.h"

mcpi_check mcpi_check_bound;    /* minimum and the like */
mcpi_check mcpi_check_multiple; /* multipleOf */
mcpi_check mcpi_check_length;   /* minLength, maxLength */
mcpi_check mcpi_check_size;     /* of arrays and objects */
mcpi_check mcpi_check_pattern;
mcpi_check mcpi_check_format;
mcpi_check mcpi_check_const;
mcpi_check mcpi_check_enum;

#endif
