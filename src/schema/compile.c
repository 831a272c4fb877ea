/* SPDX-License-Identifier: MIT */
/* Compiling a schema: the queue of nodes, then what concerns all of them. */
#include "schema/compile.h"

#include "base/error.h"
#include "schema/compile_graph.h"
#include "schema/compile_keyword.h"
#include "schema/compile_ref.h"
#include "schema/compile_tags.h"
#include "schema/compiler.h"
#include "json/json.h"

/* --- one node ----------------------------------------------------------- */

/* Fills in s->keywords. In draft-07 a `$ref` hides everything beside it. */
static void find_keywords(mcpi_subject *s) {
  mcpi_draft draft = mcpi_library_resource(&s->c->library, s->resource)->draft;
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *value;
  mcp_json_iter_init(&iter, s->schema);
  while ((value = mcp_json_iter_next(&iter, &name)) != NULL) {
    mcpi_str key = mcpi_json_str(name);
    int keyword = mcpi_keyword_find(key, draft.number, draft.vocabularies);
    if (keyword != MCPI_KEYWORD_NONE) {
      if (s->keywords[keyword] == NULL) {
        s->keywords[keyword] = value;
      }
    } else if (s->document->next == NULL &&
               mcpi_str_eq(key, MCPI_STR("x-mcp-header"))) {
      const mcpi_header header = {s->schema, value};
      mcpi_buf_put(&s->c->headers, &header, sizeof(header));
    }
  }
  const mcp_json *ref = s->keywords[MCPI_KEYWORD_REF];
  if (draft.number == MCPI_DRAFT_07 && ref != NULL) {
    memset(s->keywords, 0, sizeof(s->keywords));
    s->keywords[MCPI_KEYWORD_REF] = ref;
  }
}

/* Finds the types that only the node's first LIMITS concerns, and copies its
 * bounds to the node. */
static void find_measured_types(const mcpi_compiler *c, mcpi_node *node) {
  const mcpi_insn *insns = mcpi_compiler_insn_at(c, node->first);
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

/* Completes a node whose instructions are those from `first` on. */
static void finish_node(const mcpi_compiler *c, mcpi_node *node,
                        uint32_t first) {
  uint32_t end = mcpi_count_of(&c->insns, mcpi_insn);
  node->first = first;
  node->count = (uint16_t)(end - first);
  node->passes = node->types;
  node->is_leaf = 1;
  for (uint32_t i = first; i < end; i++) {
    const mcpi_insn *insn = mcpi_compiler_insn_at(c, i);
    node->passes &= ~insn->types;
    node->is_leaf = node->is_leaf && mcpi_op_is_leaf(insn->op);
  }
  find_measured_types(c, node);
}

static int compile_node(mcpi_compiler *c, uint32_t index) {
  mcpi_node *node = mcpi_compiler_node_at(c, index);
  mcpi_subject s = {
      .c = c,
      .node = index,
      .resource = node->resource,
      .document = mcpi_library_resource(&c->library, node->resource)->document,
      .schema = node->schema,
      .limits = MCPI_NONE};
  uint32_t first = mcpi_count_of(&c->insns, mcpi_insn);
  int rc = 0;
  switch (mcp_json_type(s.schema)) {
  case MCP_JSON_BOOL:
    node->types = mcp_json_bool(s.schema) ? MCPI_TYPES_ANY : 0;
    break;
  case MCP_JSON_OBJECT:
    find_keywords(&s);
    for (int keyword = 0; rc == 0 && keyword < MCPI_KEYWORD_COUNT; keyword++) {
      if (s.keywords[keyword] != NULL) {
        rc = mcpi_compile_keyword(&s, keyword);
      }
    }
    break;
  default:
    rc = mcpi_subject_malformed(&s, s.schema,
                                "a schema (an object or a boolean)");
    break;
  }
  if (rc == 0) {
    /* The array of nodes may have moved; its memory is there even if another
     * array could not grow. */
    finish_node(c, mcpi_compiler_node_at(c, index), first);
  }
  return rc;
}

/* --- all nodes ---------------------------------------------------------- */

static int fail_too_many(const mcpi_compiler *c, uint32_t index) {
  const mcpi_node *node = mcpi_compiler_node_at(c, index);
  const mcpi_resource *in = mcpi_library_resource(&c->library, node->resource);
  return mcpi_document_fail(c->err, MCP_ERR_LIMIT, in->document, node->schema,
                            "a schema of more than %lu subschemas",
                            (unsigned long)c->options->max_nodes);
}

/* Compiles the nodes from *next on, with those that they add. */
static int compile_queue(mcpi_compiler *c, uint32_t *next) {
  int rc = 0;
  while (rc == 0 && *next < mcpi_count_of(&c->nodes, mcpi_node)) {
    if (*next >= c->options->max_nodes) {
      return fail_too_many(c, *next);
    }
    rc = compile_node(c, (*next)++);
    if (rc == 0) {
      rc = mcpi_compiler_check(c);
    }
  }
  return rc;
}

/* A dynamic reference may lead to a node that nothing else refers to, and that
 * node to further ones: so the two steps alternate until nothing is added. */
static int compile_all_nodes(mcpi_compiler *c) {
  uint32_t next = 0;
  int rc = compile_queue(c, &next);
  while (rc == 0) {
    rc = mcpi_compile_dynamic_nodes(c);
    if (rc != 0 || next == mcpi_count_of(&c->nodes, mcpi_node)) {
      break;
    }
    rc = compile_queue(c, &next);
  }
  if (rc == 0) {
    mcpi_compile_dynamics(c);
    rc = mcpi_compiler_check(c);
  }
  return rc;
}

static int compile_schema(mcpi_compiler *c, const mcp_json *schema) {
  uint32_t resource;
  const char *uri = c->options->base_uri;
  int rc =
      mcpi_library_load(&c->library, uri != NULL ? uri : "", schema, &resource);
  if (rc == 0) {
    mcpi_document *document = c->library.documents;
    mcpi_compiler_node(c, document, document->root);
    rc = mcpi_compiler_check(c);
  }
  if (rc == 0) {
    rc = compile_all_nodes(c);
  }
  if (rc == 0) {
    rc = mcpi_compile_check_circles(c);
  }
  if (rc == 0) {
    mcpi_compile_shorten(c);
    mcpi_compile_tags(c);
    rc = mcpi_compiler_check(c);
  }
  return rc;
}

/* The compiler is not on the stack, which is small on devices. */
int mcpi_program_compile(mcpi_program *out, mcpi_document **documents,
                         const mcp_json *schema,
                         const mcp_validator_options *options, mcp_error *err) {
  const mcp_allocator *allocator = options->allocator;
  mcpi_compiler *c = mcpi_alloc(allocator, sizeof(*c));
  *documents = NULL;
  if (c == NULL) {
    return mcpi_no_memory(err);
  }
  mcpi_compiler_init(c, options, err);
  int rc = compile_schema(c, schema);
  if (rc == 0) {
    rc = mcpi_compiler_make_program(c, out);
  }
  if (rc != 0) {
    mcpi_patterns_release(mcpi_entry_at(&c->patterns, mcpi_pattern, 0),
                          mcpi_count_of(&c->patterns, mcpi_pattern));
  }
  *documents = c->library.documents;
  mcpi_compiler_deinit(c);
  mcpi_free(allocator, c, sizeof(*c));
  return rc;
}
