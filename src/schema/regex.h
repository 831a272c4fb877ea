/* SPDX-License-Identifier: MIT */
/* The engine that is provided for regular expressions (mcp/schema.h). */
#ifndef MCPI_SCHEMA_REGEX_H
#define MCPI_SCHEMA_REGEX_H

#include "base/str.h"
#include <mcp/schema.h>

/* Returns NULL if no engine is provided. */
const mcp_regex_engine *mcpi_regex_engine(void);

#endif
