/* SPDX-License-Identifier: MIT */
/* A member of a structure as a field of a schema. */
#ifndef MCPI_SCHEMA_STRUCT_FIELDS_H
#define MCPI_SCHEMA_STRUCT_FIELDS_H

#include "base/buf.h"
#include "schema/structs/struct_type.h"

typedef struct mcpi_struct_field {
  mcp_field field;
  mcp_schema schema;   /* of the items, or of the structure */
  mcpi_buf text;       /* the texts that the field points to */
  const char **values; /* of an enumeration; owned */
  size_t value_count;
} mcpi_struct_field;

/* Returns 0, MCP_ERR_INVALID or MCP_ERR_NOMEM. The caller calls
 * mcpi_struct_field_deinit in all cases. */
int mcpi_struct_field_init(mcpi_struct_field *made, const mcp_member *member,
                           const mcp_allocator *allocator, mcp_error *err);
void mcpi_struct_field_deinit(mcpi_struct_field *made);

#endif
