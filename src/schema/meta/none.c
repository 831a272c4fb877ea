/* SPDX-License-Identifier: MIT */
/* This libmcp was built without the meta-schemas (MCP_SCHEMA_META): a reference
 * to one of them finds nothing, and neither do the questions that need the
 * schema of forms. */
#include "schema/meta.h"

const mcpi_meta_text mcpi_meta_texts[] = {{NULL, NULL, 0}};
