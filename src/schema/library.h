/* SPDX-License-Identifier: MIT */
/* What references can name while a schema is compiled: resources and anchors in
 * the loaded documents. The first reference to a document loads it and searches
 * it for both.
 *
 * A resource is a schema with a URI of its own: a document's root, or a
 * subschema with an `$id`. It decides the draft of the schemas in it.
 * Resources may contain resources. Those of a document are in the order of its
 * text. */
#ifndef MCPI_SCHEMA_LIBRARY_H
#define MCPI_SCHEMA_LIBRARY_H

#include "schema/document.h"
#include "schema/draft.h"

typedef struct mcpi_resource {
  mcpi_document *document;
  const mcp_json *root;
  const mcp_json *end; /* after the last value in it */
  char *uri;           /* absolute if it can be, without fragment */
  uint32_t parent;     /* the resource around it, or MCPI_NO_RESOURCE */
  mcpi_draft draft;
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
  const mcp_validator_options *options; /* without defaults left; borrowed */
  mcpi_document *documents;
  mcpi_buf resources;
  mcpi_buf anchors;
  size_t bytes_left; /* of text that may be loaded */
  size_t steps_left; /* that searches may take */
  mcp_error *err;
} mcpi_library;

void mcpi_library_init(mcpi_library *library, const mcp_allocator *allocator,
                       const mcp_validator_options *options, mcp_error *err);
/* Frees everything except the documents: the caller frees those. */
void mcpi_library_deinit(mcpi_library *library);

/* The next three return 0, MCP_ERR_SCHEMA, MCP_ERR_LIMIT or MCP_ERR_NOMEM, with
 * err. Only hostile schemas make searches long; so the steps are counted. */

/* Takes steps from those that all searches may take. */
int mcpi_library_spend(mcpi_library *library, size_t steps);
/* Copies a schema in. *resource is its root's. */
int mcpi_library_load(mcpi_library *library, const char *uri,
                      const mcp_json *schema, uint32_t *resource);
/* Finds the resource of a URI, and loads its document if need be. Also returns
 * MCP_ERR_NOT_FOUND, without err. */
int mcpi_library_find(mcpi_library *library, mcpi_str uri, uint32_t *resource);

const mcpi_resource *mcpi_library_resource(const mcpi_library *library,
                                           uint32_t index);
uint32_t mcpi_library_resource_count(const mcpi_library *library);
/* Returns the innermost resource that a value of the document is in. */
uint32_t mcpi_library_resource_of(const mcpi_library *library,
                                  const mcpi_document *document,
                                  const mcp_json *value);
const mcpi_anchor *mcpi_library_anchors(const mcpi_library *library,
                                        size_t *count);
/* Returns the resource's anchor of that name, or NULL. */
const mcpi_anchor *mcpi_library_anchor(mcpi_library *library, uint32_t resource,
                                       mcpi_str name);

#endif
