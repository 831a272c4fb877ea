/* SPDX-License-Identifier: MIT */
/* Alternatives that a member tells apart. */
#include "schema/compile_tags.h"

#include "schema/compile_object.h"
#include "json/json.h"

enum {
  /* Properties of the first alternative that are tried. */
  MAX_TRIES = 16,
  /* Properties that are copied for each alternative. */
  MAX_SHARED = 16,
  /* Properties of a merged table: each that is required has its bit. */
  MAX_MERGED = 64
};

static const mcpi_insn *node_insn(const mcpi_compiler *c, uint32_t node,
                                  int op) {
  const mcpi_node *n = mcpi_compiler_node_at(c, node);
  const mcpi_insn *insn = mcpi_compiler_insn_at(c, n->first);
  for (uint32_t i = 0; i < n->count; i++, insn++) {
    if (insn->op == op) {
      return insn;
    }
  }
  return NULL;
}

static const mcpi_object *node_object(const mcpi_compiler *c, uint32_t node) {
  const mcpi_insn *insn = node_insn(c, node, MCPI_OP_OBJECT);
  return insn != NULL ? mcpi_entry_at(&c->objects, mcpi_object, insn->first)
                      : NULL;
}

static uint32_t insn_child(const mcpi_compiler *c, const mcpi_insn *insn,
                           uint32_t index) {
  return *mcpi_compiler_child_at(c, insn->first + index);
}

static const mcpi_property *object_property_at(const mcpi_compiler *c,
                                               const mcpi_object *object,
                                               uint32_t index) {
  return mcpi_entry_at(&c->properties, mcpi_property, object->first + index);
}

/* Returns the only string that the alternative allows for the member, or an
 * empty one when there is no such string. */
static mcpi_str node_constant(const mcpi_compiler *c, uint32_t node,
                              mcpi_str name) {
  const mcpi_object *object = node_object(c, node);
  for (uint32_t i = 0; object != NULL && i < object->count; i++) {
    const mcpi_property *property = object_property_at(c, object, i);
    if (property->node != MCPI_NONE && mcpi_str_eq(property->name, name)) {
      const mcpi_insn *insn = node_insn(c, property->node, MCPI_OP_CONST);
      return insn != NULL ? mcpi_json_str(insn->source) : mcpi_str_n(NULL, 0);
    }
  }
  return mcpi_str_n(NULL, 0);
}

/* Whether the value is among the tag values from `first` on. Also 1 when the
 * steps are used up. */
static int tag_is_among(mcpi_compiler *c, uint32_t first, mcpi_str value) {
  for (uint32_t i = first; i < mcpi_count_of(&c->tag_values, mcpi_str); i++) {
    mcpi_str other = *mcpi_entry_at(&c->tag_values, mcpi_str, i);
    if (other.len == value.len &&
        (mcpi_compiler_spend(c, 1 + value.len / 64) != 0 ||
         mcpi_str_eq(other, value))) {
      return 1;
    }
  }
  return 0;
}

/* Adds each alternative's constant for the member. Returns 0 when an
 * alternative has none, or two have the same. */
static int tag_add_values(mcpi_compiler *c, const mcpi_insn *insn,
                          mcpi_str name) {
  uint32_t first = mcpi_count_of(&c->tag_values, mcpi_str);
  for (uint32_t i = 0; i < insn->count; i++) {
    mcpi_str value = node_constant(c, insn_child(c, insn, i), name);
    if (value.len == 0 || tag_is_among(c, first, value)) {
      return 0;
    }
    mcpi_buf_put(&c->tag_values, &value, sizeof(value));
  }
  return 1;
}

static void tag_find(mcpi_compiler *c, mcpi_insn *insn) {
  const mcpi_object *object = node_object(c, insn_child(c, insn, 0));
  uint32_t first = mcpi_count_of(&c->tag_values, mcpi_str);
  for (uint32_t i = 0; object != NULL && i < object->count && i < MAX_TRIES;
       i++) {
    const mcpi_tag tag = {object_property_at(c, object, i)->name, first,
                          MCPI_NONE};
    if (mcpi_compiler_spend(c, insn->count) != 0) {
      return;
    }
    if (tag_add_values(c, insn, tag.name)) {
      insn->others = mcpi_count_of(&c->tags, mcpi_tag);
      mcpi_buf_put(&c->tags, &tag, sizeof(tag));
      return;
    }
    mcpi_buf_rewind(&c->tag_values, first * sizeof(mcpi_str));
  }
}

/* --- the schema around them --------------------------------------------- */

/* Returns the alternatives of a node that has only properties and a choice by a
 * tag, or NULL. */
static const mcpi_insn *choice_beside_object(const mcpi_compiler *c,
                                             const mcpi_node *node) {
  const mcpi_insn *insn = mcpi_compiler_insn_at(c, node->first);
  return node->count == 2 && insn[0].op == MCPI_OP_OBJECT &&
                 (insn[1].op == MCPI_OP_ANY_OF ||
                  insn[1].op == MCPI_OP_ONE_OF) &&
                 insn[1].others != MCPI_NONE
             ? &insn[1]
             : NULL;
}

/* Whether the alternative has only properties, and not too many. */
static int is_mergeable(const mcpi_compiler *c, uint32_t alternative,
                        const mcpi_object *with) {
  const mcpi_node *node = mcpi_compiler_node_at(c, alternative);
  const mcpi_object *object = node_object(c, alternative);
  return node->count == 1 && (node->types & MCPI_TYPES_OBJECT) != 0 &&
         object->is_open && object->count + with->count <= MAX_MERGED;
}

static void node_merge(mcpi_compiler *c, uint32_t index) {
  const mcpi_insn *found =
      choice_beside_object(c, mcpi_compiler_node_at(c, index));
  const mcpi_object *object = node_object(c, index);
  if (found == NULL || !object->is_open || object->count > MAX_SHARED) {
    return;
  }
  const mcpi_insn choice = *found;
  for (uint32_t i = 0; i < choice.count; i++) {
    if (!is_mergeable(c, insn_child(c, &choice, i), object)) {
      return;
    }
  }
  const mcpi_object shared = *object;
  uint32_t first = mcpi_count_of(&c->objects, mcpi_object);
  for (uint32_t i = 0; i < choice.count; i++) {
    const mcpi_object *own = node_object(c, insn_child(c, &choice, i));
    if (mcpi_compile_merged(c, *own, shared) != 0) {
      return;
    }
  }
  mcpi_entry_at(&c->tags, mcpi_tag, choice.others)->merged = first;
  mcpi_compiler_node_at(c, index)->is_merged = 1;
}

void mcpi_compile_tags(mcpi_compiler *c) {
  for (uint32_t i = 0; i < mcpi_count_of(&c->insns, mcpi_insn); i++) {
    mcpi_insn *insn = mcpi_compiler_insn_at(c, i);
    if ((insn->op == MCPI_OP_ANY_OF || insn->op == MCPI_OP_ONE_OF) &&
        insn->count > 1) {
      tag_find(c, insn);
    }
  }
  /* Dynamic references depend on the resources on the way. */
  if (c->tags.error == 0 && c->dynamic_names.len == 0) {
    uint32_t nodes = mcpi_count_of(&c->nodes, mcpi_node);
    for (uint32_t i = 0; i < nodes; i++) {
      node_merge(c, i);
    }
  }
}
