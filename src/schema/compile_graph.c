/* SPDX-License-Identifier: MIT */
/* The nodes as a graph: circles that no value gets out of, and detours. */
#include "schema/compile_graph.h"

/* --- circles ------------------------------------------------------------ */

/* A node that another one, `by`, needs for the same value. */
typedef void (*each_cb)(uint32_t node, uint32_t by, uint32_t *needed,
                        mcpi_buf *ready);

static void each_child(const mcpi_compiler *c, const mcpi_insn *insn,
                       uint32_t count, uint32_t by, each_cb each,
                       uint32_t *needed, mcpi_buf *ready) {
  for (uint32_t i = 0; i < count; i++) {
    uint32_t node = *mcpi_compiler_child_at(c, insn->first + i);
    if (node != MCPI_NONE) {
      each(node, by, needed, ready);
    }
  }
}

/* Dynamic references are followed where they lead when nothing else is in
 * scope; a circle by another way is found by the validation's limit. */
static void each_needed(const mcpi_compiler *c, uint32_t node, each_cb each,
                        uint32_t *needed, mcpi_buf *ready) {
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
      each_child(c, insn, 3, node, each, needed, ready);
      break;
    case MCPI_OP_ALL_OF:
    case MCPI_OP_ANY_OF:
    case MCPI_OP_ONE_OF:
    case MCPI_OP_DEPENDENT_SCHEMAS:
      each_child(c, insn, insn->count, node, each, needed, ready);
      break;
    default:
      break;
    }
  }
}

static void count_need(uint32_t node, uint32_t by, uint32_t *needed,
                       mcpi_buf *ready) {
  (void)by;
  (void)ready;
  needed[node]++;
}

static void drop_need(uint32_t node, uint32_t by, uint32_t *needed,
                      mcpi_buf *ready) {
  (void)by;
  if (--needed[node] == 0) {
    mcpi_buf_put(ready, &node, sizeof(node));
  }
}

/* Takes away nodes that nobody needs, again and again. What stays is needed by
 * a circle. */
static int take_away(const mcpi_compiler *c, uint32_t count, uint32_t *needed,
                     mcpi_buf *ready) {
  for (uint32_t i = 0; i < count; i++) {
    each_needed(c, i, count_need, needed, ready);
  }
  for (uint32_t i = 0; i < count; i++) {
    if (needed[i] == 0) {
      mcpi_buf_put(ready, &i, sizeof(i));
    }
  }
  for (uint32_t i = 0; ready->error == 0 && i < mcpi_count_of(ready, uint32_t);
       i++) {
    each_needed(c, *mcpi_entry_at(ready, uint32_t, i), drop_need, needed,
                ready);
  }
  return ready->error;
}

static void note_needer(uint32_t node, uint32_t by, uint32_t *needer,
                        mcpi_buf *ready) {
  (void)ready;
  needer[node] = by + 1;
}

/* Each node that is left is needed by one that is left, too: going from one to
 * its needer leads into a circle, and round in it. Returns a node of it; from
 * then on `needed` has the needer + 1. */
static uint32_t enter_circle(const mcpi_compiler *c, uint32_t count,
                             uint32_t *needed) {
  uint32_t at = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (needed[i] > 0) {
      each_needed(c, i, note_needer, needed, NULL);
      at = i;
    }
  }
  for (uint32_t i = 0; i < count; i++) {
    at = needed[at] - 1;
  }
  return at;
}

/* The node's reference to that other one, or NULL. */
static const mcpi_insn *reference_to(const mcpi_compiler *c, uint32_t node,
                                     uint32_t to) {
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

/* Names a reference in the circle: nothing else leads back to what is around
 * it. */
static int refuse(const mcpi_compiler *c, uint32_t count, uint32_t *needed) {
  uint32_t at = enter_circle(c, count, needed);
  const mcpi_insn *found = NULL;
  while (found == NULL) {
    uint32_t needer = needed[at] - 1;
    found = reference_to(c, needer, at);
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
  int rc = needed != NULL ? take_away(c, count, needed, &ready) : MCP_ERR_NOMEM;
  if (rc == 0 && mcpi_count_of(&ready, uint32_t) < count) {
    rc = refuse(c, count, needed);
  }
  mcpi_buf_deinit(&ready);
  mcpi_free(c->allocator, needed, count * sizeof(*needed));
  return rc;
}

/* --- detours ------------------------------------------------------------ */

enum {
  /* So many references in a row are followed now; further ones, later. */
  MAX_DETOUR = 16,
  /* Nobody writes more beside a reference. Each way there looks through
   * them. */
  MAX_BESIDE = 64
};

/* A node that is nothing but a reference stands for where that leads. Not where
 * there are dynamic references: they look at what was come by. */
static uint32_t end_of(const mcpi_compiler *c, uint32_t index) {
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

static void shorten_insn(const mcpi_compiler *c, mcpi_insn *insn) {
  switch (insn->op) {
  case MCPI_OP_REF:
  case MCPI_OP_NOT:
  case MCPI_OP_PROPERTY_NAMES:
  case MCPI_OP_CONTAINS:
  case MCPI_OP_UNEVALUATED_ITEMS:
  case MCPI_OP_UNEVALUATED_PROPERTIES:
    insn->first = end_of(c, insn->first);
    break;
  case MCPI_OP_ITEMS:
    insn->others = end_of(c, insn->others);
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
    shorten_insn(c, mcpi_compiler_insn_at(c, i));
  }
  for (uint32_t i = 0; i < mcpi_count_of(&c->children, uint32_t); i++) {
    *mcpi_compiler_child_at(c, i) = end_of(c, *mcpi_compiler_child_at(c, i));
  }
  for (uint32_t i = 0; i < mcpi_count_of(&c->objects, mcpi_object); i++) {
    mcpi_object *object = mcpi_entry_at(&c->objects, mcpi_object, i);
    object->others = end_of(c, object->others);
  }
  for (uint32_t i = 0; i < mcpi_count_of(&c->properties, mcpi_property); i++) {
    mcpi_property *p = mcpi_entry_at(&c->properties, mcpi_property, i);
    p->node = end_of(c, p->node);
  }
  for (uint32_t i = 0; i < mcpi_count_of(&c->patterns, mcpi_pattern); i++) {
    mcpi_pattern *p = mcpi_entry_at(&c->patterns, mcpi_pattern, i);
    p->node = end_of(c, p->node);
  }
}
