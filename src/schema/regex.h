/* SPDX-License-Identifier: MIT */
/* The regular expressions of `pattern`: whoever provides them (mcp/schema.h).
 */
#ifndef MCPI_SCHEMA_REGEX_H
#define MCPI_SCHEMA_REGEX_H

#include "base/str.h"
#include <mcp/schema.h>

/* NULL: nobody has, so there are none. */
const mcp_regex_engine *mcpi_regex_engine(void);

#endif
