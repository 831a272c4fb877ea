/* SPDX-License-Identifier: MIT */
/* Instructions for objects. */
#ifndef MCPI_SCHEMA_VALIDATE_OBJECT_H
#define MCPI_SCHEMA_VALIDATE_OBJECT_H

#include "schema/validate.h"

mcpi_check mcpi_check_object; /* properties, required and the like */
mcpi_check mcpi_check_property_names;
mcpi_check mcpi_check_dependent_required;
mcpi_check mcpi_check_dependent_schemas;
mcpi_check mcpi_check_unevaluated_properties;

#endif
