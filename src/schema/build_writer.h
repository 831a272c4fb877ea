/* SPDX-License-Identifier: MIT */
/* What writes an mcp_schema, for the files that write parts of one. */
#ifndef MCPI_SCHEMA_BUILD_WRITER_H
#define MCPI_SCHEMA_BUILD_WRITER_H

#include "base/buf.h"
#include <mcp/fields.h>

/* A structure whose fields are being written. */
typedef struct mcpi_open_struct {
  const mcp_struct_type *type;
  const struct mcpi_open_struct *outer;
} mcpi_open_struct;

typedef struct mcpi_schema_writer {
  mcpi_buf *buf;
  mcp_error *err;
  int nesting;
  int has_default;                 /* of any field */
  const mcpi_open_struct *structs; /* the innermost; NULL: none */
} mcpi_schema_writer;

/* What mcp_struct_type.functions returns. */
struct mcp_struct_function_table {
  /* Writes the schema of a structure. */
  int (*build)(mcpi_schema_writer *w, const mcp_struct_type *type);
  /* Checks the defaults of its fields when the whole schema is there. `place`
   * is the structure's schema in the validator's copy. */
  int (*check_defaults)(mcpi_schema_writer *w, const mcp_validator *validator,
                        const mcp_struct_type *type, const mcp_json *place);
};

/* Checks a field, and writes it as the next property. */
int mcpi_build_property(mcpi_schema_writer *w, const mcp_field *field);
/* Checks its default; `place` is the field's schema in the validator's copy. */
int mcpi_build_check_default(mcpi_schema_writer *w,
                             const mcp_validator *validator,
                             const mcp_field *field, const mcp_json *place);

#endif
