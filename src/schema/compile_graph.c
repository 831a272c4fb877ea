/* SPDX-License-Identifier: MIT */
/* The compiled nodes as a graph: circles and detours. */
#include "schema/compile_graph.h"

/* --- circles ------------------------------------------------------------ */

/* Is called for each node that `by` needs for the same value. */
typedef void (*each_cb)(uint32_t node, uint32_t by, uint32_t *needed,
                        mcpi_buf *ready);

static void graph_each_child(const mcpi_compiler *c, const mcpi_insn *insn,
                             uint32_t count, uint32_t by, each_cb each,
                             uint32_t *needed, mcpi_buf *ready) {
  for (uint32_t i = 0; i < count; i++) {
    uint32_t node = *mcpi_compiler_child_at(c, insn->first + i);
    if (node != MCPI_NONE) {
      each(node, by, needed, ready);
    }
  }
}

/* Calls `each` for all nodes that `node` needs for the same value. Dynamic
 * references are followed to where they lead when nothing else is in scope. A
 * circle through another place is ended by the validation's limit. */
static void graph_each_needed(const mcpi_compiler *c, uint32_t node,
                              each_cb each, uint32_t *needed, mcpi_buf *ready) {
  const mcpi_node *n = mcpi_compiler_node_at(c, node);
  for (uint32_t i = n->first; i < n->first + n->count; i++) {
    const mcpi_insn *insn = mcpi_compiler_insn_at(c, i);
    switch (insn->op) {
    case MCPI_OP_REF:
    case MCPI_OP_NOT:
      each(insn->first, node, needed, ready);
      break;
    case MCPI_OP_DYNAMIC_REF:
      each(insn->others, node, needed, ready);
      break;
    case MCPI_OP_IF:
      graph_each_child(c, insn, 3, node, each, needed, ready);
      break;
    case MCPI_OP_ALL_OF:
    case MCPI_OP_ANY_OF:
    case MCPI_OP_ONE_OF:
    case MCPI_OP_DEPENDENT_SCHEMAS:
      graph_each_child(c, insn, insn->count, node, each, needed, ready);
      break;
    default:
      break;
    }
  }
}

static void graph_count_need(uint32_t node, uint32_t by, uint32_t *needed,
                             mcpi_buf *ready) {
  (void)by;
  (void)ready;
  needed[node]++;
}

static void graph_drop_need(uint32_t node, uint32_t by, uint32_t *needed,
                            mcpi_buf *ready) {
  (void)by;
  if (--needed[node] == 0) {
    mcpi_buf_put(ready, &node, sizeof(node));
  }
}

/* Removes nodes that no other node needs, until there are no such nodes. The
 * remaining nodes are in a circle, or a circle needs them. */
static int graph_remove_unneeded(const mcpi_compiler *c, uint32_t count,
                                 uint32_t *needed, mcpi_buf *ready) {
  for (uint32_t i = 0; i < count; i++) {
    graph_each_needed(c, i, graph_count_need, needed, ready);
  }
  for (uint32_t i = 0; i < count; i++) {
    if (needed[i] == 0) {
      mcpi_buf_put(ready, &i, sizeof(i));
    }
  }
  for (uint32_t i = 0; ready->error == 0 && i < mcpi_count_of(ready, uint32_t);
       i++) {
    graph_each_needed(c, *mcpi_entry_at(ready, uint32_t, i), graph_drop_need,
                      needed, ready);
  }
  return ready->error;
}

static void graph_note_needer(uint32_t node, uint32_t by, uint32_t *needer,
                              mcpi_buf *ready) {
  (void)ready;
  needer[node] = by + 1;
}

/* Another remaining node needs each remaining node. So the way from a node to
 * the node that needs it, and so on, enters a circle and stays in it. Returns a
 * node of the circle. Afterwards `needed` has the index + 1 of a node that
 * needs each node. */
static uint32_t graph_enter_circle(const mcpi_compiler *c, uint32_t count,
                                   uint32_t *needed) {
  uint32_t at = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (needed[i] > 0) {
      graph_each_needed(c, i, graph_note_needer, needed, NULL);
      at = i;
    }
  }
  for (uint32_t i = 0; i < count; i++) {
    at = needed[at] - 1;
  }
  return at;
}

/* Returns the node's reference to the other one, or NULL. */
static const mcpi_insn *graph_reference_to(const mcpi_compiler *c,
                                           uint32_t node, uint32_t to) {
  const mcpi_node *n = mcpi_compiler_node_at(c, node);
  for (uint32_t i = n->first; i < n->first + n->count; i++) {
    const mcpi_insn *insn = mcpi_compiler_insn_at(c, i);
    if ((insn->op == MCPI_OP_REF && insn->first == to) ||
        (insn->op == MCPI_OP_DYNAMIC_REF && insn->others == to)) {
      return insn;
    }
  }
  return NULL;
}

/* Names a reference in the circle. Each circle has one: other keywords only
 * lead to subschemas inside the schema. */
static int graph_refuse_circle(const mcpi_compiler *c, uint32_t count,
                               uint32_t *needed) {
  uint32_t at = graph_enter_circle(c, count, needed);
  const mcpi_insn *found = NULL;
  while (found == NULL) {
    uint32_t needer = needed[at] - 1;
    found = graph_reference_to(c, needer, at);
    at = needer;
  }
  return mcpi_document_fail_expected(
      c->err, mcpi_documents_find(c->library.documents, found->source),
      found->source,
      "a reference that does not lead back here for the same value");
}

int mcpi_compile_check_circles(mcpi_compiler *c) {
  uint32_t count = mcpi_count_of(&c->nodes, mcpi_node);
  uint32_t *needed = mcpi_calloc(c->allocator, count, sizeof(*needed));
  mcpi_buf ready;
  mcpi_buf_init(&ready, c->allocator, SIZE_MAX);
  int rc = needed != NULL ? graph_remove_unneeded(c, count, needed, &ready)
                          : MCP_ERR_NOMEM;
  if (rc == 0 && mcpi_count_of(&ready, uint32_t) < count) {
    rc = graph_refuse_circle(c, count, needed);
  }
  mcpi_buf_deinit(&ready);
  mcpi_free(c->allocator, needed, count * sizeof(*needed));
  return rc;
}

/* --- detours ------------------------------------------------------------ */

enum {
  /* References in a row that are followed here; validating follows the rest. */
  MAX_DETOUR = 16,
  /* Members beside a reference that are searched for a default. No schema in
   * use has more. */
  MAX_BESIDE = 64
};

/* Returns the node that a node leads to if it is only a reference, else the
 * node itself. Not used for schemas with dynamic references: these depend on
 * the resources on the way. */
static uint32_t graph_end_of(const mcpi_compiler *c, uint32_t index) {
  for (int i = 0; i < MAX_DETOUR && index != MCPI_NONE; i++) {
    const mcpi_node *node = mcpi_compiler_node_at(c, index);
    if (node->count != 1 || node->types != MCPI_TYPES_ANY ||
        mcpi_compiler_insn_at(c, node->first)->op != MCPI_OP_REF ||
        mcp_json_size(node->schema) > MAX_BESIDE ||
        mcp_json_get(node->schema, "default") != NULL) {
      break;
    }
    index = mcpi_compiler_insn_at(c, node->first)->first;
  }
  return index;
}

static void graph_shorten_insn(const mcpi_compiler *c, mcpi_insn *insn) {
  switch (insn->op) {
  case MCPI_OP_REF:
  case MCPI_OP_NOT:
  case MCPI_OP_PROPERTY_NAMES:
  case MCPI_OP_CONTAINS:
  case MCPI_OP_UNEVALUATED_ITEMS:
  case MCPI_OP_UNEVALUATED_PROPERTIES:
    insn->first = graph_end_of(c, insn->first);
    break;
  case MCPI_OP_ITEMS:
    insn->others = graph_end_of(c, insn->others);
    break;
  default:
    break;
  }
}

void mcpi_compile_shorten(mcpi_compiler *c) {
  if (c->dynamic_names.len > 0) {
    return;
  }
  for (uint32_t i = 0; i < mcpi_count_of(&c->insns, mcpi_insn); i++) {
    graph_shorten_insn(c, mcpi_compiler_insn_at(c, i));
  }
  for (uint32_t i = 0; i < mcpi_count_of(&c->children, uint32_t); i++) {
    *mcpi_compiler_child_at(c, i) =
        graph_end_of(c, *mcpi_compiler_child_at(c, i));
  }
  for (uint32_t i = 0; i < mcpi_count_of(&c->objects, mcpi_object); i++) {
    mcpi_object *object = mcpi_entry_at(&c->objects, mcpi_object, i);
    object->others = graph_end_of(c, object->others);
  }
  for (uint32_t i = 0; i < mcpi_count_of(&c->properties, mcpi_property); i++) {
    mcpi_property *p = mcpi_entry_at(&c->properties, mcpi_property, i);
    p->node = graph_end_of(c, p->node);
  }
  for (uint32_t i = 0; i < mcpi_count_of(&c->patterns, mcpi_pattern); i++) {
    mcpi_pattern *p = mcpi_entry_at(&c->patterns, mcpi_pattern, i);
    p->node = graph_end_of(c, p->node);
  }
}
