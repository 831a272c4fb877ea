/* SPDX-License-Identifier: MIT */
/* The compiler's frame: the queue of nodes, and the program made of it all. */
#include "schema/compiler.h"

#include "base/error.h"
#include "schema/regex.h"
#include "schema/say.h"
#include "json/json.h"

#include <mcp/sys/yyjson.h>

enum { ARRAYS = 12 };

/* Those that the program is made of, those with the strictest alignment first:
 * the sizes of their entries are multiples of it. Then the compiler's own. */
static void list_arrays(mcpi_compiler *c, mcpi_buf *arrays[ARRAYS]) {
  mcpi_buf *const all[ARRAYS] = {&c->nodes,    &c->insns,   &c->properties,
                                 &c->patterns, &c->tags,    &c->tag_values,
                                 &c->headers,  &c->objects, &c->dynamics,
                                 &c->children, &c->slots,   &c->dynamic_names};
  memcpy(arrays, all, sizeof(all));
}

/* An array that could not grow shows it here, and need not be asked before. */
static int check_arrays(mcpi_compiler *c) {
  mcpi_buf *arrays[ARRAYS];
  list_arrays(c, arrays);
  for (size_t i = 0; i < ARRAYS; i++) {
    if (arrays[i]->error != 0) {
      return mcpi_no_memory(c->err);
    }
  }
  return 0;
}

static mcpi_node *node_at(const mcpi_compiler *c, uint32_t index) {
  return mcpi_entry_at(&c->nodes, mcpi_node, index);
}

int mcpi_compiler_spend(mcpi_compiler *c, size_t steps) {
  return mcpi_library_spend(&c->library, steps);
}

/* --- nodes -------------------------------------------------------------- */

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

int mcpi_subject_malformed(const mcpi_subject *s, const mcp_json *value,
                           const char *expected) {
  return mcpi_document_error(s->c->err, s->document, value, expected);
}

int mcpi_subject_add(mcpi_subject *s, const mcpi_insn *insn) {
  mcpi_buf_put(&s->c->insns, insn, sizeof(*insn));
  return 0;
}

/* --- one node ----------------------------------------------------------- */

static void note_header(const mcpi_subject *s, mcpi_str name,
                        const mcp_json *value) {
  const mcpi_header header = {s->schema, value};
  if (s->document->next == NULL &&
      mcpi_str_eq(name, MCPI_STR("x-mcp-header"))) {
    mcpi_buf_put(&s->c->headers, &header, sizeof(header));
  }
}

/* In draft-07 a `$ref` hides everything beside it. */
static void find_keywords(mcpi_subject *s) {
  const mcpi_resource *in = mcpi_library_resource(&s->c->library, s->resource);
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *value;
  mcp_json_iter_init(&iter, s->schema);
  while ((value = mcp_json_iter_next(&iter, &name)) != NULL) {
    int keyword =
        mcpi_keyword_find(mcpi_json_str(name), in->dialect, in->vocabularies);
    if (keyword == MCPI_KEYWORD_NONE) {
      note_header(s, mcpi_json_str(name), value);
    } else if (s->keywords[keyword] == NULL) {
      s->keywords[keyword] = value;
    }
  }
  const mcp_json *ref = s->keywords[MCPI_KEYWORD_REF];
  if (in->dialect == MCPI_DIALECT_DRAFT_07 && ref != NULL) {
    memset(s->keywords, 0, sizeof(s->keywords));
    s->keywords[MCPI_KEYWORD_REF] = ref;
  }
}

/* The types that the first LIMITS concerns alone. */
static void find_measured(const mcpi_compiler *c, mcpi_node *node) {
  const mcpi_insn *insns = mcpi_entry_at(&c->insns, mcpi_insn, node->first);
  uint32_t i = 0;
  while (i < node->count && insns[i].op != MCPI_OP_LIMITS) {
    i++;
  }
  if (i == node->count) {
    return;
  }
  node->measured = node->types & insns[i].types;
  node->least = insns[i].least;
  node->greatest = insns[i].greatest;
  for (uint32_t k = 0; k < node->count; k++) {
    if (k < i || k > i + insns[i].count) {
      node->measured &= ~insns[k].types;
    }
  }
}

/* Its instructions are those from `first` on. */
static void finish_node(const mcpi_compiler *c, mcpi_node *node,
                        uint32_t first) {
  uint32_t end = mcpi_count_of(&c->insns, mcpi_insn);
  node->first = first;
  node->count = (uint16_t)(end - first);
  node->passes = node->types;
  node->is_leaf = 1;
  for (uint32_t i = first; i < end; i++) {
    const mcpi_insn *insn = mcpi_entry_at(&c->insns, mcpi_insn, i);
    node->passes &= ~insn->types;
    node->is_leaf = node->is_leaf && mcpi_op_is_leaf(insn->op);
  }
  find_measured(c, node);
}

/* The node itself is there, whatever there was no memory for since. */
static int compile_keywords(mcpi_subject *s) {
  uint32_t first = mcpi_count_of(&s->c->insns, mcpi_insn);
  int rc = 0;
  find_keywords(s);
  for (int keyword = 0; rc == 0 && keyword < MCPI_KEYWORD_COUNT; keyword++) {
    if (s->keywords[keyword] != NULL) {
      rc = mcpi_compile_keyword(s, keyword);
    }
  }
  if (rc == 0) {
    finish_node(s->c, node_at(s->c, s->node), first);
  }
  return rc;
}

static int compile_node(mcpi_compiler *c, uint32_t index) {
  const mcpi_node *node = node_at(c, index);
  const mcpi_resource *in = mcpi_library_resource(&c->library, node->resource);
  mcpi_subject s = {.c = c,
                    .node = index,
                    .resource = node->resource,
                    .document = in->document,
                    .schema = node->schema,
                    .limits = MCPI_NONE};
  switch (mcp_json_type(s.schema)) {
  case MCP_JSON_BOOL:
    node_at(c, index)->types = mcp_json_bool(s.schema) ? MCPI_TYPES_ANY : 0;
    finish_node(c, node_at(c, index), mcpi_count_of(&c->insns, mcpi_insn));
    return 0;
  case MCP_JSON_OBJECT:
    return compile_keywords(&s);
  default:
    return mcpi_subject_malformed(&s, s.schema,
                                  "a schema (an object or a boolean)");
  }
}

static int too_many(const mcpi_compiler *c, uint32_t index) {
  const mcpi_node *node = node_at(c, index);
  const mcpi_resource *in = mcpi_library_resource(&c->library, node->resource);
  return mcpi_document_fail(c->err, MCP_ERR_LIMIT, in->document, node->schema,
                            "a schema of more than %lu subschemas",
                            (unsigned long)c->options->max_nodes);
}

static int compile_nodes(mcpi_compiler *c, uint32_t *next) {
  int rc = 0;
  while (rc == 0 && *next < mcpi_count_of(&c->nodes, mcpi_node)) {
    if (*next >= c->options->max_nodes) {
      return too_many(c, *next);
    }
    rc = compile_node(c, (*next)++);
    if (rc == 0) {
      rc = check_arrays(c);
    }
  }
  return rc;
}

/* Dynamic references may lead to nodes that nothing else does, and these to
 * further ones. */
static int compile_graph(mcpi_compiler *c) {
  uint32_t next = 0;
  int rc = compile_nodes(c, &next);
  while (rc == 0) {
    rc = mcpi_compile_dynamic_nodes(c);
    if (rc != 0 || next == mcpi_count_of(&c->nodes, mcpi_node)) {
      break;
    }
    rc = compile_nodes(c, &next);
  }
  if (rc == 0) {
    mcpi_compile_dynamics(c);
    rc = check_arrays(c);
  }
  return rc;
}

static int compile_all(mcpi_compiler *c, const mcp_json *schema) {
  uint32_t resource;
  const char *uri = c->options->base_uri;
  int rc =
      mcpi_library_load(&c->library, uri != NULL ? uri : "", schema, &resource);
  if (rc == 0) {
    mcpi_document *document = c->library.documents;
    mcpi_compiler_node(c, document, document->root);
    rc = check_arrays(c);
  }
  if (rc == 0) {
    rc = compile_graph(c);
  }
  if (rc == 0) {
    rc = mcpi_compile_check_circles(c);
  }
  return rc;
}

/* --- the program -------------------------------------------------------- */

/* Moves an array behind what `memory` has already. */
static const void *move(char *memory, size_t *used, const mcpi_buf *array) {
  char *to = memory + *used;
  if (array->len > 0) {
    memcpy(to, array->data, array->len);
  }
  *used += array->len;
  return to;
}

/* All arrays in one piece. */
static int make_program(mcpi_compiler *c, mcpi_program *out) {
  mcpi_buf *arrays[ARRAYS];
  size_t size = 0;
  size_t used = 0;
  list_arrays(c, arrays);
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
  out->objects = move(memory, &used, &c->objects);
  out->insns = move(memory, &used, &c->insns);
  out->nodes = move(memory, &used, &c->nodes);
  out->properties = move(memory, &used, &c->properties);
  out->patterns = move(memory, &used, &c->patterns);
  out->tags = move(memory, &used, &c->tags);
  out->tag_values = move(memory, &used, &c->tag_values);
  out->headers = move(memory, &used, &c->headers);
  out->dynamics = move(memory, &used, &c->dynamics);
  out->children = move(memory, &used, &c->children);
  out->slots = move(memory, &used, &c->slots);
  return 0;
}

static void release_patterns(const mcpi_pattern *patterns, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    mcpi_regex_engine()->release(patterns[i].regex);
  }
}

static void compiler_init(mcpi_compiler *c,
                          const mcp_validator_options *options,
                          mcp_error *err) {
  mcpi_buf *arrays[ARRAYS];
  c->allocator = options->allocator;
  c->options = options;
  c->err = err;
  mcpi_library_init(&c->library, options->allocator, options, err);
  list_arrays(c, arrays);
  for (size_t i = 0; i < ARRAYS; i++) {
    mcpi_buf_init(arrays[i], options->allocator, SIZE_MAX);
  }
}

static void compiler_deinit(mcpi_compiler *c) {
  mcpi_buf *arrays[ARRAYS];
  list_arrays(c, arrays);
  for (size_t i = 0; i < ARRAYS; i++) {
    mcpi_buf_deinit(arrays[i]);
  }
  mcpi_library_deinit(&c->library);
}

int mcpi_program_compile(mcpi_program *out, mcpi_document **documents,
                         const mcp_json *schema,
                         const mcp_validator_options *options, mcp_error *err) {
  mcpi_compiler c;
  compiler_init(&c, options, err);
  int rc = compile_all(&c, schema);
  if (rc == 0) {
    mcpi_compile_shorten(&c);
    mcpi_compile_tags(&c);
    rc = check_arrays(&c);
  }
  if (rc == 0) {
    rc = make_program(&c, out);
  }
  if (rc != 0) {
    release_patterns((const mcpi_pattern *)(void *)c.patterns.data,
                     mcpi_count_of(&c.patterns, mcpi_pattern));
  }
  *documents = c.library.documents;
  compiler_deinit(&c);
  return rc;
}

void mcpi_program_free(mcpi_program *program, const mcp_allocator *allocator) {
  release_patterns(program->patterns, program->pattern_count);
  mcpi_free(allocator, program->memory, program->size);
}

size_t mcpi_program_size(const mcpi_program *program) {
  const mcp_regex_engine *engine = mcpi_regex_engine();
  size_t bytes = program->size;
  if (engine == NULL || engine->memory == NULL) {
    return bytes;
  }
  for (uint32_t i = 0; i < program->pattern_count; i++) {
    bytes += engine->memory(program->patterns[i].regex);
  }
  return bytes;
}
