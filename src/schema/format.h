/* SPDX-License-Identifier: MIT */
/* The formats of strings that `format` names (JSON Schema validation, 7.3). */
#ifndef MCPI_SCHEMA_FORMAT_H
#define MCPI_SCHEMA_FORMAT_H

#include "base/str.h"

/* The number of a format, or -1: none that is checked. */
int mcpi_format_find(mcpi_str name);
/* Whether the text is of that format. */
int mcpi_format_accepts(int format, mcpi_str text);

#endif
