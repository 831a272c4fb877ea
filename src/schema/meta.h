/* SPDX-License-Identifier: MIT */
/* Schemas of schemas: the drafts' meta-schemas, for schemas that refer to them,
 * and the schema of elicitation's forms (form.json). The drafts' texts are in
 * src/schema/meta, with their licence. */
#ifndef MCPI_SCHEMA_META_H
#define MCPI_SCHEMA_META_H

#include "base/str.h"
#include <mcp/json.h>

typedef struct mcpi_meta_text {
  const char *uri; /* without fragment; NULL at the end */
  const char *text;
  size_t len;
} mcpi_meta_text;

extern const mcpi_meta_text mcpi_meta_texts[];

/* Returns the text of this URI, or NULL. */
const mcpi_meta_text *mcpi_meta_find(mcpi_str uri);

#endif
