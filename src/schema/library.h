/* SPDX-License-Identifier: MIT */
/* What a schema is made of while it is compiled: documents, and in them
 * resources and anchors, which references name.
 *
 * A document is one JSON text: the schema itself, one that the program has
 * given, or one of the dialects' own. It is copied and looked through when
 * something first refers to it.
 *
 * A resource is a schema with a URI of its own: a document's root, and what has
 * an `$id`. It decides about the dialect of what is in it. Resources nest, and
 * a document's lie in the order of their text. */
#ifndef MCPI_SCHEMA_LIBRARY_H
#define MCPI_SCHEMA_LIBRARY_H

#include "base/buf.h"
#include <mcp/schema.h>

typedef struct mcpi_document {
  struct mcpi_document *next;
  char *uri; /* "" when it has none */
  void *memory;
  size_t memory_len;
  const mcp_json *root;
  size_t value_count; /* in a row from the root on */
  uint32_t *nodes;    /* while compiling: that of each value + 1, or 0 */
  uint32_t first_resource;
  uint32_t resource_count;
} mcpi_document;

typedef struct mcpi_resource {
  mcpi_document *document;
  const mcp_json *root;
  const mcp_json *end; /* behind the last value in it */
  char *uri;           /* absolute if it can be, without fragment */
  uint32_t parent;     /* the resource around it, or MCPI_NO_RESOURCE */
  uint8_t dialect;
  uint8_t vocabularies;
} mcpi_resource;

#define MCPI_NO_RESOURCE UINT32_MAX

typedef struct mcpi_anchor {
  uint32_t resource;
  int is_dynamic;
  mcpi_str name;
  const mcp_json *schema;
} mcpi_anchor;

typedef struct mcpi_library {
  const mcp_allocator *allocator;
  const mcp_validator_options *options; /* filled in; borrowed */
  mcpi_document *documents;             /* the schema itself is the last */
  mcpi_buf resources;
  mcpi_buf anchors;
  size_t bytes_left; /* of text that may be loaded */
  size_t steps_left; /* of searches */
  mcp_error *err;
} mcpi_library;

void mcpi_library_init(mcpi_library *library, const mcp_allocator *allocator,
                       const mcp_validator_options *options, mcp_error *err);
/* Ends all but the documents, which are the caller's. */
void mcpi_library_deinit(mcpi_library *library);
void mcpi_documents_free(mcpi_document *documents,
                         const mcp_allocator *allocator);
/* Bytes of memory that they take. */
size_t mcpi_documents_size(const mcpi_document *documents);

/* Each of these returns 0, MCP_ERR_SCHEMA, MCP_ERR_LIMIT or MCP_ERR_NOMEM with
 * err. Searches are long only in schemas that mean ill; they are counted. */

/* Takes from what all searches may cost. */
int mcpi_library_spend(mcpi_library *library, size_t steps);
/* Copies a schema in. *resource is its root's. */
int mcpi_library_load(mcpi_library *library, const char *uri,
                      const mcp_json *schema, uint32_t *resource);
/* The resource of that URI, loaded if need be. MCP_ERR_NOT_FOUND, without err.
 */
int mcpi_library_find(mcpi_library *library, mcpi_str uri, uint32_t *resource);

const mcpi_resource *mcpi_library_resource(const mcpi_library *library,
                                           uint32_t index);
uint32_t mcpi_library_resource_count(const mcpi_library *library);
/* The innermost resource that a value of the document is in. */
uint32_t mcpi_library_resource_of(const mcpi_library *library,
                                  const mcpi_document *document,
                                  const mcp_json *value);
const mcpi_anchor *mcpi_library_anchors(const mcpi_library *library,
                                        size_t *count);
/* NULL: there is none of that name. */
const mcpi_anchor *mcpi_library_anchor(mcpi_library *library, uint32_t resource,
                                       mcpi_str name);

/* Where in a schema's text something is, in front of a sentence: "/minimum: ",
 * and the URI before it in another document than the schema itself. */
void mcpi_say_schema_place(mcpi_buf *buf, const mcpi_document *document,
                           const mcp_json *value);
/* Sets any error, behind that place. */
MCP_PRINTF(5, 6)
int mcpi_document_fail(mcp_error *err, int code, const mcpi_document *document,
                       const mcp_json *value, const char *format, ...);
/* Sets MCP_ERR_SCHEMA with "/minimum: expected a number, got null". */
int mcpi_document_error(mcp_error *err, const mcpi_document *document,
                        const mcp_json *value, const char *expected);

/* The document that a value is in. */
const mcpi_document *mcpi_document_of(const mcpi_document *documents,
                                      const mcp_json *value);

#endif
