/* SPDX-License-Identifier: MIT */
/* All of JSON for code that reads, compares and writes values. The mcp_json of
 * <mcp/json.h> is yyjson's value. */
#ifndef MCPI_JSON_JSON_H
#define MCPI_JSON_JSON_H

#include "json/builder.h"
#include "json/canonical.h"
#include "json/duplicate.h"
#include "json/equal.h"
#include "json/number.h"
#include "json/parse.h"
#include "json/text.h"
#include "json/value.h"
#include "json/write.h"

#endif
