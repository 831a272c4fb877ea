/* SPDX-License-Identifier: MIT */
/* The state of a compilation: its arrays, and the nodes found so far. */
#include "schema/compiler.h"

#include "base/error.h"

#include <mcp/sys/yyjson.h>

enum { ARRAYS = 12 };

/* The arrays that a program is made of, those with the strictest alignment
 * first: the sizes of their entries are multiples of it. The compiler's own
 * array is the last. */
static void compiler_list_arrays(mcpi_compiler *c, mcpi_buf *arrays[ARRAYS]) {
  mcpi_buf *const all[ARRAYS] = {&c->nodes,    &c->insns,   &c->properties,
                                 &c->patterns, &c->tags,    &c->tag_values,
                                 &c->headers,  &c->objects, &c->dynamics,
                                 &c->children, &c->slots,   &c->dynamic_names};
  memcpy(arrays, all, sizeof(all));
}

void mcpi_compiler_init(mcpi_compiler *c, const mcp_validator_options *options,
                        mcp_error *err) {
  mcpi_buf *arrays[ARRAYS];
  c->allocator = options->allocator;
  c->options = options;
  c->err = err;
  mcpi_library_init(&c->library, options->allocator, options, err);
  compiler_list_arrays(c, arrays);
  for (size_t i = 0; i < ARRAYS; i++) {
    mcpi_buf_init(arrays[i], options->allocator, SIZE_MAX);
  }
}

void mcpi_compiler_deinit(mcpi_compiler *c) {
  mcpi_buf *arrays[ARRAYS];
  compiler_list_arrays(c, arrays);
  for (size_t i = 0; i < ARRAYS; i++) {
    mcpi_buf_deinit(arrays[i]);
  }
  mcpi_library_deinit(&c->library);
}

int mcpi_compiler_check(mcpi_compiler *c) {
  mcpi_buf *arrays[ARRAYS];
  compiler_list_arrays(c, arrays);
  for (size_t i = 0; i < ARRAYS; i++) {
    if (arrays[i]->error != 0) {
      return mcpi_no_memory(c->err);
    }
  }
  return 0;
}

/* Moves an array to the end of the arrays that `memory` already holds. */
static const void *compiler_move(char *memory, size_t *used,
                                 const mcpi_buf *array) {
  char *to = memory + *used;
  if (array->len > 0) {
    memcpy(to, array->data, array->len);
  }
  *used += array->len;
  return to;
}

int mcpi_compiler_make_program(mcpi_compiler *c, mcpi_program *out) {
  mcpi_buf *arrays[ARRAYS];
  size_t size = 0;
  size_t used = 0;
  compiler_list_arrays(c, arrays);
  for (size_t i = 0; i < ARRAYS; i++) {
    size += arrays[i]->len;
  }
  char *memory = mcpi_alloc(c->allocator, size);
  if (memory == NULL) {
    return mcpi_no_memory(c->err);
  }
  *out =
      (mcpi_program){.pattern_count = mcpi_count_of(&c->patterns, mcpi_pattern),
                     .node_count = mcpi_count_of(&c->nodes, mcpi_node),
                     .header_count = mcpi_count_of(&c->headers, mcpi_header),
                     .has_dynamics = c->dynamic_names.len > 0,
                     .memory = memory,
                     .size = size};
  out->objects = compiler_move(memory, &used, &c->objects);
  out->insns = compiler_move(memory, &used, &c->insns);
  out->nodes = compiler_move(memory, &used, &c->nodes);
  out->properties = compiler_move(memory, &used, &c->properties);
  out->patterns = compiler_move(memory, &used, &c->patterns);
  out->tags = compiler_move(memory, &used, &c->tags);
  out->tag_values = compiler_move(memory, &used, &c->tag_values);
  out->headers = compiler_move(memory, &used, &c->headers);
  out->dynamics = compiler_move(memory, &used, &c->dynamics);
  out->children = compiler_move(memory, &used, &c->children);
  out->slots = compiler_move(memory, &used, &c->slots);
  return 0;
}

int mcpi_compiler_spend(mcpi_compiler *c, size_t steps) {
  return mcpi_library_spend(&c->library, steps);
}

uint32_t mcpi_compiler_node(mcpi_compiler *c, mcpi_document *document,
                            const mcp_json *schema) {
  size_t place =
      (size_t)(mcp_json_to_yyjson(schema) - mcp_json_to_yyjson(document->root));
  if (document->nodes[place] != 0) {
    return document->nodes[place] - 1;
  }
  mcpi_node node = {.types = MCPI_TYPES_ANY,
                    .resource =
                        mcpi_library_resource_of(&c->library, document, schema),
                    .schema = schema};
  uint32_t index = mcpi_count_of(&c->nodes, mcpi_node);
  mcpi_buf_put(&c->nodes, &node, sizeof(node));
  document->nodes[place] = index + 1;
  return index;
}

uint32_t mcpi_subject_child(mcpi_subject *s, const mcp_json *schema) {
  return mcpi_compiler_node(s->c, s->document, schema);
}

int mcpi_subject_add(mcpi_subject *s, const mcpi_insn *insn) {
  mcpi_buf_put(&s->c->insns, insn, sizeof(*insn));
  return 0;
}

int mcpi_subject_malformed(const mcpi_subject *s, const mcp_json *value,
                           const char *expected) {
  return mcpi_document_fail_expected(s->c->err, s->document, value, expected);
}
