/* SPDX-License-Identifier: MIT */
/* Schemas of schemas: the dialects' own, for schemas that refer to them, and
 * what elicitation's forms may be (form.json). The dialects' texts are in
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

/* The one of that URI, or NULL. An empty fragment does not count. */
const mcpi_meta_text *mcpi_meta_find(mcpi_str uri);

#endif
