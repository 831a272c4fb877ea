/* SPDX-License-Identifier: MIT */
/* Documents: the JSON texts that a compiled schema is made of, in our copies.
 *
 * The schema itself is one. Others are documents that the program has given and
 * the drafts' own meta-schemas, each copied when a reference first leads to it.
 * They form a list whose last entry is the schema itself. */
#ifndef MCPI_SCHEMA_DOCUMENT_H
#define MCPI_SCHEMA_DOCUMENT_H

#include "base/buf.h"
#include <mcp/schema.h>

typedef struct mcpi_document {
  struct mcpi_document *next; /* NULL: this is the schema itself */
  char *uri;                  /* "" when it has none */
  void *memory;
  size_t memory_len;
  const mcp_json *root;
  size_t value_count; /* in a row from the root on */
  uint32_t *nodes;    /* while compiling: each value's node + 1, or 0 */
  uint32_t first_resource;
  uint32_t resource_count;
} mcpi_document;

void mcpi_documents_free(mcpi_document *documents,
                         const mcp_allocator *allocator);
/* Returns the bytes of memory that they take. */
size_t mcpi_documents_size(const mcpi_document *documents);
/* Returns the schema itself. */
const mcpi_document *mcpi_documents_last(const mcpi_document *documents);
/* Returns the document that a value is in. */
const mcpi_document *mcpi_documents_find(const mcpi_document *documents,
                                         const mcp_json *value);

/* Writes where a value is, for the beginning of a sentence: "/minimum: ", and
 * before that the document's URI unless it is the schema itself. */
void mcpi_document_say_place(mcpi_buf *buf, const mcpi_document *document,
                             const mcp_json *value);
/* Sets an error whose message begins with that place. Returns `code`. */
MCP_PRINTF(5, 6)
int mcpi_document_fail(mcp_error *err, int code, const mcpi_document *document,
                       const mcp_json *value, const char *format, ...);
/* Sets MCP_ERR_SCHEMA with "/minimum: expected a number, got null". */
int mcpi_document_fail_expected(mcp_error *err, const mcpi_document *document,
                                const mcp_json *value, const char *expected);

#endif
