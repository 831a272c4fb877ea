/* SPDX-License-Identifier: MIT */
/* A compiled schema: three flat arrays that a validation only reads.
 *
 * A node is one (sub)schema: the types that it admits, then a run of
 * instructions, one for each further keyword. Most nodes have none.
 *
 *     nodes       [ object | string | integer ]   node 0 is the whole schema
 *                     |                   |
 *     insns       [ OBJECT ]          [ MINIMUM ]
 *                     |
 *     properties  [ "path" -> node 1 | "lines" -> node 2 ]   sorted by name
 *
 * Instructions keep the keyword's value in the validator's own copy of the
 * schema: for comparing, for sentences, and for JSON pointers, which are found
 * from the address of a value (see errors.h) and so cost nothing until
 * something is wrong. */
#ifndef MCPI_SCHEMA_VALIDATOR_H
#define MCPI_SCHEMA_VALIDATOR_H

#include "base/str.h"
#include <mcp/schema.h>

/* Sets of types: a bit for each MCP_JSON_*, and one for whole numbers. */
enum {
  MCPI_TYPES_NUMBER = 1 << MCP_JSON_NUMBER,
  MCPI_TYPES_STRING = 1 << MCP_JSON_STRING,
  MCPI_TYPES_ARRAY = 1 << MCP_JSON_ARRAY,
  MCPI_TYPES_OBJECT = 1 << MCP_JSON_OBJECT,
  MCPI_TYPES_ANY = (1 << MCP_JSON_NULL) | (1 << MCP_JSON_BOOL) |
                   MCPI_TYPES_NUMBER | MCPI_TYPES_STRING | MCPI_TYPES_ARRAY |
                   MCPI_TYPES_OBJECT,
  MCPI_TYPES_INTEGER = 1 << 7
};

/* Instructions, in the order in which they run: what is cheap and tells the
 * most comes first. */
enum {
  MCPI_OP_ENUM = 0,
  MCPI_OP_CONST,
  MCPI_OP_MINIMUM,
  MCPI_OP_MAXIMUM,
  MCPI_OP_EXCLUSIVE_MINIMUM,
  MCPI_OP_EXCLUSIVE_MAXIMUM,
  MCPI_OP_MIN_LENGTH,
  MCPI_OP_MAX_LENGTH,
  MCPI_OP_MIN_ITEMS,
  MCPI_OP_MAX_ITEMS,
  MCPI_OP_MIN_PROPERTIES,
  MCPI_OP_MAX_PROPERTIES,
  MCPI_OP_OBJECT, /* properties, required and additionalProperties in one */
  MCPI_OP_ITEMS,
  MCPI_OP_UNIQUE_ITEMS,
  MCPI_OP_ALL_OF,
  MCPI_OP_ANY_OF,
  MCPI_OP_ONE_OF,
  MCPI_OP_COUNT
};

/* No node; or, in a property: not required. */
#define MCPI_NONE UINT32_MAX

/* Names that one schema may require: a validation keeps a bit for each on the
 * stack, and no schema for people or models has more. */
enum { MCPI_MAX_REQUIRED = 1024 };

typedef struct mcpi_insn {
  uint8_t op;
  uint8_t types;     /* values of other types pass */
  uint16_t required; /* OBJECT: how many names are required */
  uint32_t first;    /* the first child node; OBJECT: the first property */
  uint32_t count;    /* how many */
  uint32_t others;   /* OBJECT: additionalProperties' node, or MCPI_NONE */
  size_t limit;      /* MIN_LENGTH ... MAX_PROPERTIES */
  /* The keyword's value; OBJECT: the schema that has the keywords. */
  const mcp_json *source;
} mcpi_insn;

typedef struct mcpi_property {
  mcpi_str name;     /* in the copy of the schema */
  uint32_t node;     /* MCPI_NONE: it is only required */
  uint32_t required; /* its bit, or MCPI_NONE */
} mcpi_property;

typedef struct mcpi_node {
  uint32_t first; /* instruction */
  uint16_t count;
  uint16_t types; /* what it admits: MCPI_TYPES_*; 0: the schema `false` */
  const mcp_json *schema;
} mcpi_node;

typedef struct mcpi_program {
  const mcpi_node *nodes;
  const mcpi_insn *insns;
  const mcpi_property *properties;
  void *memory; /* of all three; ended with mcpi_free */
  size_t size;
} mcpi_program;

/* Compiles a schema that stays where it is as long as the program. 0,
 * MCP_ERR_SCHEMA, MCP_ERR_LIMIT or MCP_ERR_NOMEM. */
int mcpi_program_compile(mcpi_program *out, const mcp_json *schema,
                         const mcp_allocator *allocator, mcp_error *err);

#endif
