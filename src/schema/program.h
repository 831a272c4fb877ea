/* SPDX-License-Identifier: MIT */
/* A compiled schema: flat arrays that a validation only reads.
 *
 * A node is one (sub)schema: the types that it admits, and a run of
 * instructions for its other keywords. Most nodes have no instructions.
 *
 *     nodes       [ object | string | integer ]   node 0 is the whole schema
 *                     |                   |
 *     insns       [ OBJECT ]          [ MINIMUM ]
 *                     |
 *     objects     [ properties, patterns, others ]
 *                     |
 *     properties  [ "path" -> node 1 | "lines" -> node 2 ]
 *
 * Two places of a schema that refer to the same subschema share its node, so
 * the nodes are a graph, and a recursive schema is a circle in it.
 *
 * An instruction points to its keyword's value in the validator's own copy of
 * the schema. Values are compared with it, and sentences quote it. Its address
 * also gives the JSON pointer to the keyword (say.h), so that a pointer costs
 * nothing until an error is reported. */
#ifndef MCPI_SCHEMA_PROGRAM_H
#define MCPI_SCHEMA_PROGRAM_H

#include "base/str.h"
#include <mcp/schema.h>
#include <mcp/sys/yyjson.h>

/* The bits of the kinds (mcpi_json_kind) that belong to one of yyjson's types:
 * one kind for each of up to three subtypes. */
#define MCPI_KINDS(type) (0x10101 << (type))

/* Sets of types, with a bit for each kind: the kind of a value tells at once
 * whether the value is in a set. For integers this is not enough: a real such
 * as 1.0, or a number that is kept as its text, can be an integer, and its kind
 * does not tell. The bit of the kind 0, which no value has, stands for these
 * numbers. */
enum {
  MCPI_TYPES_NULL = MCPI_KINDS(YYJSON_TYPE_NULL),
  MCPI_TYPES_BOOL = MCPI_KINDS(YYJSON_TYPE_BOOL),
  MCPI_TYPES_NUMBER = MCPI_KINDS(YYJSON_TYPE_NUM) | MCPI_KINDS(YYJSON_TYPE_RAW),
  MCPI_TYPES_STRING = MCPI_KINDS(YYJSON_TYPE_STR),
  MCPI_TYPES_ARRAY = MCPI_KINDS(YYJSON_TYPE_ARR),
  MCPI_TYPES_OBJECT = MCPI_KINDS(YYJSON_TYPE_OBJ),
  MCPI_TYPES_ANY = MCPI_TYPES_NULL | MCPI_TYPES_BOOL | MCPI_TYPES_NUMBER |
                   MCPI_TYPES_STRING | MCPI_TYPES_ARRAY | MCPI_TYPES_OBJECT,
  MCPI_TYPES_INTEGRAL = 1 << 0,
  MCPI_TYPES_INTEGER = MCPI_TYPES_INTEGRAL |
                       1 << (YYJSON_TYPE_NUM | YYJSON_SUBTYPE_UINT) |
                       1 << (YYJSON_TYPE_NUM | YYJSON_SUBTYPE_SINT)
};

/* A LIMITS comes before the limits of one type: bounds of numbers (MINIMUM to
 * EXCLUSIVE_MAXIMUM), lengths of strings, counts of items, or counts of members
 * (MIN_* and MAX_*). It has an interval. A value inside the interval satisfies
 * all these limits; any other value is checked exactly, limit by limit. */
enum {
  MCPI_OP_REF = 0,
  MCPI_OP_DYNAMIC_REF,
  MCPI_OP_ENUM,
  MCPI_OP_CONST,
  MCPI_OP_LIMITS,
  MCPI_OP_MINIMUM,
  MCPI_OP_MAXIMUM,
  MCPI_OP_EXCLUSIVE_MINIMUM,
  MCPI_OP_EXCLUSIVE_MAXIMUM,
  MCPI_OP_MULTIPLE_OF,
  MCPI_OP_MIN_LENGTH,
  MCPI_OP_MAX_LENGTH,
  MCPI_OP_PATTERN,
  MCPI_OP_FORMAT,
  MCPI_OP_MIN_ITEMS,
  MCPI_OP_MAX_ITEMS,
  MCPI_OP_MIN_PROPERTIES,
  MCPI_OP_MAX_PROPERTIES,
  MCPI_OP_OBJECT, /* properties, patternProperties, additionalProperties and
                     required */
  MCPI_OP_PROPERTY_NAMES,
  MCPI_OP_DEPENDENT_REQUIRED,
  MCPI_OP_DEPENDENT_SCHEMAS,
  MCPI_OP_ITEMS,    /* prefixItems and items */
  MCPI_OP_CONTAINS, /* with minContains and maxContains */
  MCPI_OP_UNIQUE_ITEMS,
  MCPI_OP_ALL_OF,
  MCPI_OP_ANY_OF,
  MCPI_OP_ONE_OF,
  MCPI_OP_NOT,
  MCPI_OP_IF,
  MCPI_OP_UNEVALUATED_ITEMS,
  MCPI_OP_UNEVALUATED_PROPERTIES,
  MCPI_OP_COUNT
};

/* In place of an index: there is no such node, tag or place. */
#define MCPI_NONE UINT32_MAX

/* Names that one schema may require. A validation keeps a bit for each on the
 * stack, and no schema in use has more. */
enum { MCPI_MAX_REQUIRED = 1024 };

typedef struct mcpi_insn {
  uint32_t types; /* values of other types pass */
  uint8_t op;
  /* REF, NOT, PROPERTY_NAMES, CONTAINS, UNEVALUATED_*: the child node.
   * ALL_OF, ANY_OF, ONE_OF, DEPENDENT_SCHEMAS, ITEMS: the index in `children`
   *   of the first of `count`.
   * IF: the index in `children` of the condition. It is followed by then and
   *   else, each of which may be MCPI_NONE.
   * DYNAMIC_REF: the index in `dynamics` of the first of `count`. References to
   *   anchors of the same name have the same ones.
   * OBJECT, PATTERN: the index in `objects` or `patterns`.
   * FORMAT: the number that mcpi_format_find returns.
   * LIMITS: not used; `count` limits follow the instruction. */
  uint32_t first;
  uint32_t count;
  /* ITEMS: the node of the items after the first ones, or MCPI_NONE.
   * DYNAMIC_REF: the node when no dynamic anchor is in scope.
   * ANY_OF, ONE_OF: the index in `tags`, or MCPI_NONE. */
  uint32_t others;
  size_t limit; /* the number of MIN_* or MAX_*; CONTAINS: minContains */
  size_t most;  /* CONTAINS: maxContains */
  /* LIMITS: the interval, for a number, for the length of a string in bytes, or
   * for the count of items or members. */
  double least;
  double greatest;
  /* The keyword's value; OBJECT and ITEMS: the schema that has the keywords. */
  const mcp_json *source;
} mcpi_insn;

typedef struct mcpi_property {
  mcpi_str name;         /* in the copy of the schema */
  uint64_t word;         /* of the name: mcpi_name_word */
  uint64_t required_bit; /* 0: not required, or not among the first 64 */
  uint32_t node;         /* MCPI_NONE: it is only required */
  uint32_t required;     /* its place among the required, or MCPI_NONE */
} mcpi_property;

enum { MCPI_GUESSES = 64 };

typedef struct mcpi_object {
  /* By mcpi_name_guess: the place + 1 of the first property with that guess, or
   * 0 if no property has it. Places count from `first`. The value 255 stands
   * for all higher places too; a look-up compares the name anyway. */
  uint8_t guesses[MCPI_GUESSES];
  uint64_t required_bits;
  uint32_t first; /* property, in the schema's order */
  uint32_t count;
  /* A hash table of slot_mask + 1 slots: the index of its first slot. A slot
   * has a property's place + 1, or 0. */
  uint32_t slots;
  uint32_t slot_mask; /* 0: no slots; few names are searched one by one */
  uint32_t patterns;
  uint32_t pattern_count;
  uint32_t others;   /* additionalProperties' node, or MCPI_NONE */
  uint32_t required; /* the number of required names */
  uint32_t is_open;  /* members without a property are accepted */
} mcpi_object;

/* A regular expression, and in patternProperties the node for its members. */
typedef struct mcpi_pattern {
  void *regex; /* made by mcpi_regex_engine(), owned by the program */
  uint32_t node;
  mcpi_str text;
} mcpi_pattern;

/* A member whose value tells which of several alternatives is meant: each
 * alternative allows only one string there, and no two allow the same string.
 * So only the alternative with the value's string needs to be checked. */
typedef struct mcpi_tag {
  mcpi_str name;
  /* The index in `tag_values` of the first value: one for each alternative. */
  uint32_t values;
  /* The index in `objects` of the first merged table: one for each alternative,
   * with its properties and those of the schema around it; or MCPI_NONE. */
  uint32_t merged;
} mcpi_tag;

/* Where a dynamic reference leads when the run went through the resource. */
typedef struct mcpi_dynamic {
  uint32_t resource;
  uint32_t node;
} mcpi_dynamic;

/* An `x-mcp-header` in the schema itself (http_params.h). */
typedef struct mcpi_header {
  const mcp_json *schema; /* that has it */
  const mcp_json *value;
} mcpi_header;

typedef struct mcpi_node {
  uint32_t types;  /* what it admits: MCPI_TYPES_*; 0: the schema `false` */
  uint32_t passes; /* the types that no instruction concerns */
  /* The types that only one LIMITS and its limits concern. */
  uint32_t measured;
  double least; /* the bounds of that LIMITS */
  double greatest;
  uint32_t collects; /* the types that its unevaluated* concern: evaluated
                        members or items are remembered */
  uint32_t resource;
  uint32_t first; /* instruction */
  uint16_t count;
  /* Checking it takes no level of depth: no instruction has a child, or the
   * node only joins two others (compile_object.c). */
  uint8_t is_leaf;
  /* Its instructions are an OBJECT and a choice that has merged tables. */
  uint8_t is_merged;
  const mcp_json *schema;
} mcpi_node;

typedef struct mcpi_program {
  const mcpi_node *nodes;
  const mcpi_insn *insns;
  const uint32_t *children;
  const mcpi_object *objects;
  const mcpi_property *properties;
  const uint32_t *slots;
  const mcpi_pattern *patterns;
  const mcpi_dynamic *dynamics;
  const mcpi_tag *tags;
  const mcpi_str *tag_values;
  const mcpi_header *headers; /* in no order */
  uint32_t header_count;
  uint32_t node_count;
  uint32_t pattern_count;
  int has_dynamics; /* runs remember the resources on their way */
  void *memory;     /* one block of `size` bytes, which has all arrays */
  size_t size;
} mcpi_program;

/* Whether the instruction has no subschemas. Returns 0 for DEPENDENT_REQUIRED
 * too, although it has none. */
static inline int mcpi_op_is_leaf(int op) {
  return (op >= MCPI_OP_ENUM && op <= MCPI_OP_MAX_PROPERTIES) ||
         op == MCPI_OP_UNIQUE_ITEMS;
}

/* Returns a name's first eight bytes, or all bytes of a shorter name, as a
 * number. Two names of the same length up to eight are equal if their words
 * are. */
static inline uint64_t mcpi_name_word(mcpi_str name) {
  const unsigned char *p = (const unsigned char *)name.ptr;
  if (name.len >= 8) {
    return mcpi_load_word(name.ptr);
  }
  if (name.len >= 4) {
    uint32_t first;
    uint32_t last;
    memcpy(&first, p, 4);
    memcpy(&last, p + name.len - 4, 4);
    return (uint64_t)last << 32 | first;
  }
  return name.len == 0 ? 0
                       : (uint64_t)p[name.len - 1] << 16 |
                             (uint64_t)p[name.len / 2] << 8 | p[0];
}

/* Returns a number below MCPI_GUESSES, made of the length and the first byte
 * (the NUL after an empty name). For most names that an object table lacks,
 * this shows it: no name in the table has their guess. */
static inline unsigned mcpi_name_guess(mcpi_str name) {
  return (unsigned)(name.len * 7 + (unsigned char)name.ptr[0]) % MCPI_GUESSES;
}

/* Returns the slot, before masking, where the search for a name begins. Its
 * first and last eight bytes and its length tell nearly all names apart. */
static inline uint32_t mcpi_name_hash(mcpi_str name) {
  uint64_t word = mcpi_name_word(name) ^ name.len;
  if (name.len > 8) {
    word ^= mcpi_load_word(name.ptr + name.len - 8) * 31;
  }
  return (uint32_t)(word * UINT64_C(0x9E3779B97F4A7C15) >> 32);
}

void mcpi_program_free(mcpi_program *program, const mcp_allocator *allocator);
/* Frees the compiled expressions of a program's patterns. */
void mcpi_patterns_release(const mcpi_pattern *patterns, uint32_t count);
/* Returns the bytes of memory that the program takes. */
size_t mcpi_program_size(const mcpi_program *program);

#endif
