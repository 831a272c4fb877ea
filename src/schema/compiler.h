/* SPDX-License-Identifier: MIT */
/* The state of a compilation: what the compilers of keywords add to.
 *
 * Nodes are compiled in the order in which they are found. Compiling a node
 * adds its children at the end of `nodes`, so that array is also the queue, and
 * nothing recurses. A place of a document that was found before has its node
 * already, so the compilation of a schema that refers to itself ends. */
#ifndef MCPI_SCHEMA_COMPILER_H
#define MCPI_SCHEMA_COMPILER_H

#include "schema/keyword.h"
#include "schema/library.h"
#include "schema/program.h"

typedef struct mcpi_compiler {
  mcpi_library library;
  const mcp_allocator *allocator;
  const mcp_validator_options *options;
  mcp_error *err;
  /* Growing arrays of program.h's structures. They move when they grow: keep
   * indexes, not pointers. Code that adds to them need not check for memory;
   * mcpi_compiler_check does that after each node. */
  mcpi_buf nodes;
  mcpi_buf insns;
  mcpi_buf children;
  mcpi_buf objects;
  mcpi_buf properties;
  mcpi_buf slots;
  mcpi_buf patterns;
  mcpi_buf dynamics;
  mcpi_buf tags;
  mcpi_buf tag_values;
  mcpi_buf headers;
  mcpi_buf dynamic_names; /* mcpi_dynamic_name */
} mcpi_compiler;

/* A name that dynamic references have. All references of one name share a list
 * of places, which is written when all nodes are compiled. */
typedef struct mcpi_dynamic_name {
  mcpi_str name;
  uint32_t first; /* of `count` in `dynamics`, in the end */
  uint32_t count;
} mcpi_dynamic_name;

/* The schema that is being compiled. */
typedef struct mcpi_subject {
  mcpi_compiler *c;
  uint32_t node;
  uint32_t resource;
  mcpi_document *document;
  const mcp_json *schema;
  const mcp_json *keywords[MCPI_KEYWORD_COUNT]; /* their values, or NULL */
  int has_object;  /* it has its OBJECT instruction */
  int has_items;   /* it has its ITEMS instruction */
  uint32_t limits; /* the last LIMITS among the instructions, or MCPI_NONE */
} mcpi_subject;

/* --- arrays ------------------------------------------------------------- */

#define mcpi_count_of(array, type) ((uint32_t)((array)->len / sizeof(type)))
#define mcpi_entry_at(array, type, index)                                      \
  ((type *)mcpi_entry_address(array, index, sizeof(type)))

/* Returns the address of an entry, or of the end of the array. An empty array
 * has no memory, and C does not allow to add 0 to NULL. */
static inline void *mcpi_entry_address(const mcpi_buf *array, size_t index,
                                       size_t size) {
  return array->data != NULL ? array->data + index * size : NULL;
}

static inline mcpi_node *mcpi_compiler_node_at(const mcpi_compiler *c,
                                               uint32_t index) {
  return mcpi_entry_at(&c->nodes, mcpi_node, index);
}

static inline mcpi_insn *mcpi_compiler_insn_at(const mcpi_compiler *c,
                                               uint32_t index) {
  return mcpi_entry_at(&c->insns, mcpi_insn, index);
}

static inline uint32_t *mcpi_compiler_child_at(const mcpi_compiler *c,
                                               uint32_t index) {
  return mcpi_entry_at(&c->children, uint32_t, index);
}

/* --- the compiler ------------------------------------------------------- */

void mcpi_compiler_init(mcpi_compiler *c, const mcp_validator_options *options,
                        mcp_error *err);
/* Frees everything except the documents and the patterns. */
void mcpi_compiler_deinit(mcpi_compiler *c);
/* Returns MCP_ERR_NOMEM, with err, when an array could not grow; else 0. */
int mcpi_compiler_check(mcpi_compiler *c);
/* Copies the arrays into one piece of memory. 0 or MCP_ERR_NOMEM. */
int mcpi_compiler_make_program(mcpi_compiler *c, mcpi_program *out);

/* Takes steps from those that a compilation may cost. 0, or MCP_ERR_LIMIT with
 * err. */
int mcpi_compiler_spend(mcpi_compiler *c, size_t steps);
/* Returns the index of the node of the schema at that place, and adds the node
 * if this is the first time that the place is found. */
uint32_t mcpi_compiler_node(mcpi_compiler *c, mcpi_document *document,
                            const mcp_json *schema);

/* --- the schema that is being compiled ---------------------------------- */

/* Returns the index of the node of a schema inside the subject. */
uint32_t mcpi_subject_child(mcpi_subject *s, const mcp_json *schema);
/* Appends an instruction. Returns 0, so that a compiler can end with it. */
int mcpi_subject_add(mcpi_subject *s, const mcpi_insn *insn);
/* Sets MCP_ERR_SCHEMA: "/minimum: expected a number, got null". */
int mcpi_subject_malformed(const mcpi_subject *s, const mcp_json *value,
                           const char *expected);
/* Sets any error: "/multipleOf: it has too many digits". */
#define mcpi_subject_fail(s, code, value, ...)                                 \
  mcpi_document_fail((s)->c->err, (code), (s)->document, (value), __VA_ARGS__)

#endif
