/* SPDX-License-Identifier: MIT */
/* Drafts of JSON Schema: which one a schema is written in, by its `$schema`.
 * That names a meta-schema, which may choose among the vocabularies. */
#ifndef MCPI_SCHEMA_DRAFT_H
#define MCPI_SCHEMA_DRAFT_H

#include "base/str.h"
#include <mcp/schema.h>

typedef struct mcpi_draft {
  uint8_t number;       /* MCPI_DRAFT_* */
  uint8_t vocabularies; /* MCPI_VOCABULARY_* */
} mcpi_draft;

/* Finds the draft that a URI names: one of ours, or one whose meta-schema is
 * among the documents of the options. 0; MCP_ERR_SCHEMA, with err naming the
 * draft, or a vocabulary that its meta-schema requires, that is not known. */
int mcpi_draft_find(const mcp_validator_options *options, mcpi_str uri,
                    mcpi_draft *out, mcp_error *err);

/* Returns the document that the program has given under this URI, or NULL. An
 * empty fragment does not count. */
const mcp_schema_document *
mcpi_draft_document(const mcp_validator_options *options, mcpi_str uri);

#endif
