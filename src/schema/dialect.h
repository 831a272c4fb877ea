/* SPDX-License-Identifier: MIT */
/* Which dialect a schema is written in: by its `$schema`, whose meta-schema may
 * choose among the vocabularies. */
#ifndef MCPI_SCHEMA_DIALECT_H
#define MCPI_SCHEMA_DIALECT_H

#include "schema/library.h"

typedef struct mcpi_dialect {
  uint8_t dialect;      /* MCPI_DIALECT_* */
  uint8_t vocabularies; /* MCPI_VOCABULARY_* */
} mcpi_dialect;

/* The dialect of a schema inside that resource; MCPI_NO_RESOURCE: of a
 * document's root. Only where a resource begins does `$schema` count. 0;
 * MCP_ERR_SCHEMA (a dialect, or a vocabulary that it requires, that is not
 * known; err names it); MCP_ERR_NOMEM. */
int mcpi_dialect_of(const mcpi_library *library, const mcpi_document *document,
                    const mcp_json *schema, uint32_t parent, mcpi_dialect *out);

/* What the program has given under that URI, or NULL. An empty fragment does
 * not count. */
const mcp_schema_document *mcpi_dialect_given(const mcpi_library *library,
                                              mcpi_str uri);

#endif
