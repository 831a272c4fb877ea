/* SPDX-License-Identifier: MIT */
/* From a JSON Schema to a program (program.h).
 *
 * Nodes are compiled in the order in which they are found: compiling one adds
 * its children at the end, so the list of nodes is its own queue, and nothing
 * recurses. A place of a document that was found before has its node already,
 * so a schema that refers to itself comes to an end. */
#ifndef MCPI_SCHEMA_COMPILER_H
#define MCPI_SCHEMA_COMPILER_H

#include "schema/keyword.h"
#include "schema/program.h"

typedef struct mcpi_compiler {
  mcpi_library library;
  const mcp_allocator *allocator;
  const mcp_validator_options *options;
  mcp_error *err;
  /* Growing arrays, of what program.h says. They
   * move: keep indexes, not pointers. */
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

/* A name that dynamic references have. Where they lead, which is the same for
 * all of them, is not known before all is compiled. */
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
  int has_object; /* an instruction for properties and its like */
  int has_items;
  uint32_t limits; /* the last LIMITS among the instructions, or MCPI_NONE */
} mcpi_subject;

/* Entries of a growing array. */
#define mcpi_count_of(array, type) ((uint32_t)((array)->len / sizeof(type)))
#define mcpi_entry_at(array, type, index)                                      \
  ((type *)mcpi_entry_address(array, index, sizeof(type)))

/* Returns the address of an entry, or of the end of the array. An array that
 * nothing was added to has no memory, and C does not let us add 0 to NULL. */
static inline void *mcpi_entry_address(const mcpi_buf *array, size_t index,
                                       size_t size) {
  return array->data != NULL ? array->data + index * size : NULL;
}

/* What adds to the arrays need not look whether there was memory: the frame
 * does so behind each node. */

/* The node of a schema at that place, now or before. */
uint32_t mcpi_compiler_node(mcpi_compiler *c, mcpi_document *document,
                            const mcp_json *schema);
/* Takes from what a compilation may cost. 0, or MCP_ERR_LIMIT with err. */
int mcpi_compiler_spend(mcpi_compiler *c, size_t steps);

/* The same for a schema inside the one that is being compiled. */
uint32_t mcpi_subject_child(mcpi_subject *s, const mcp_json *schema);
/* Fails: "/minimum: expected a number, got null". */
int mcpi_subject_malformed(const mcpi_subject *s, const mcp_json *value,
                           const char *expected);
/* Fails otherwise: "/multipleOf: it has too many digits". */
#define mcpi_subject_fail(s, code, value, ...)                                 \
  mcpi_document_fail((s)->c->err, (code), (s)->document, (value), __VA_ARGS__)
/* Returns 0, to end with. */
int mcpi_subject_add(mcpi_subject *s, const mcpi_insn *insn);

/* One keyword of a subject (compile_keywords.c). */
int mcpi_compile_keyword(mcpi_subject *s, int keyword);
/* properties, patternProperties, additionalProperties and required
 * (compile_object.c). */
int mcpi_compile_object(mcpi_subject *s);
/* Adds to `objects` one that says what two say, which are both open. 0,
 * MCP_ERR_LIMIT or MCP_ERR_NOMEM. */
int mcpi_compile_merged(mcpi_compiler *c, mcpi_object a, mcpi_object b);
/* A regular expression: *pattern is its place in `patterns`. */
int mcpi_compile_pattern(mcpi_subject *s, const mcp_json *place, mcpi_str text,
                         uint32_t node, uint32_t *pattern);
/* compile_ref.c */
int mcpi_compile_ref(mcpi_subject *s, const mcp_json *value);
int mcpi_compile_dynamic_ref(mcpi_subject *s, const mcp_json *value);
/* Adds the nodes that dynamic references may lead to. */
int mcpi_compile_dynamic_nodes(mcpi_compiler *c);
/* Writes their tables, once all nodes are there. */
void mcpi_compile_dynamics(mcpi_compiler *c);

/* Looks for a schema that has to be satisfied in order to satisfy itself
 * (compile_graph.c). 0, MCP_ERR_SCHEMA or MCP_ERR_NOMEM. */
int mcpi_compile_check_circles(mcpi_compiler *c);
/* Lets what leads to nothing but a reference lead to its end. */
void mcpi_compile_shorten(mcpi_compiler *c);

/* Finds the members that tell alternatives apart (compile_tags.c). */
void mcpi_compile_tags(mcpi_compiler *c);

#endif
