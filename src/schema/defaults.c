/* SPDX-License-Identifier: MIT */
/* Defaults: a value, and the schemas that describe it, written out together. */
#include "schema/defaults.h"

#include "json/json.h"

/* Schemas that describe one value for sure: a node, and what it refers to and
 * allOf has. */
typedef struct node_set {
  uint32_t first; /* of `count` in the writer's nodes */
  uint32_t count;
} node_set;

typedef struct writer {
  mcpi_run *run;
  mcp_builder *builder;
  mcpi_buf nodes; /* of the sets: those of the innermost value come last */
} writer;

static uint32_t index_at(const writer *w, const node_set *set, uint32_t i) {
  return *((const uint32_t *)(const void *)w->nodes.data + set->first + i);
}

static const mcpi_node *node_at(const writer *w, uint32_t index) {
  return &w->run->program->nodes[index];
}

/* The last set begins: it alone grows. */
static node_set begin_set(const writer *w) {
  return (node_set){(uint32_t)(w->nodes.len / sizeof(uint32_t)), 0};
}

static void end_set(writer *w, const node_set *set) {
  mcpi_buf_rewind(&w->nodes, set->first * sizeof(uint32_t));
}

static int add(writer *w, node_set *set, uint32_t node) {
  if (!mcpi_run_spend(w->run, 1 + set->count / 16)) {
    return MCP_ERR_LIMIT;
  }
  for (uint32_t i = 0; i < set->count; i++) {
    if (index_at(w, set, i) == node) {
      return 0;
    }
  }
  mcpi_buf_put(&w->nodes, &node, sizeof(node));
  set->count += w->nodes.error == 0;
  return w->nodes.error;
}

/* Adds what the set's own nodes refer to. Each is looked at. */
static int complete(writer *w, node_set *set) {
  const mcpi_program *program = w->run->program;
  int rc = 0;
  for (uint32_t i = 0; rc == 0 && i < set->count; i++) {
    const mcpi_node *node = node_at(w, index_at(w, set, i));
    const mcpi_insn *insn = program->insns + node->first;
    for (uint32_t k = 0; rc == 0 && k < node->count; k++, insn++) {
      if (insn->op == MCPI_OP_REF) {
        rc = add(w, set, insn->first);
      } else if (insn->op == MCPI_OP_DYNAMIC_REF) {
        rc = add(w, set, insn->others);
      } else if (insn->op == MCPI_OP_ALL_OF) {
        for (uint32_t j = 0; rc == 0 && j < insn->count; j++) {
          rc = add(w, set, program->children[insn->first + j]);
        }
      }
    }
  }
  return rc;
}

/* The instruction of that kind among a node's, or NULL. */
static const mcpi_insn *insn_of(const writer *w, uint32_t node, int op) {
  const mcpi_node *n = node_at(w, node);
  const mcpi_insn *insn = w->run->program->insns + n->first;
  for (uint32_t i = 0; i < n->count; i++, insn++) {
    if (insn->op == op) {
      return insn;
    }
  }
  return NULL;
}

static const mcpi_object *object_of(const writer *w, uint32_t node) {
  const mcpi_insn *insn = insn_of(w, node, MCPI_OP_OBJECT);
  return insn != NULL ? &w->run->program->objects[insn->first] : NULL;
}

/* The node of a member's value by that one object schema, or MCPI_NONE. */
static uint32_t member_node(const writer *w, const mcpi_object *object,
                            mcpi_str name) {
  const mcpi_property *p = w->run->program->properties + object->first;
  for (uint32_t i = 0; i < object->count; i++, p++) {
    if (mcpi_str_eq(p->name, name)) {
      return p->node != MCPI_NONE ? p->node : object->others;
    }
  }
  return object->others;
}

static int write(writer *w, const mcp_json *value, const node_set *set);

/* What describes a member's value. */
static int describe_member(writer *w, const node_set *set, mcpi_str name,
                           node_set *out) {
  int rc = 0;
  *out = begin_set(w);
  for (uint32_t i = 0; rc == 0 && i < set->count; i++) {
    const mcpi_object *object = object_of(w, index_at(w, set, i));
    if (!mcpi_run_spend(w->run, object != NULL ? object->count : 1)) {
      return MCP_ERR_LIMIT;
    }
    uint32_t node = object != NULL ? member_node(w, object, name) : MCPI_NONE;
    rc = node != MCPI_NONE ? add(w, out, node) : 0;
  }
  return rc != 0 ? rc : complete(w, out);
}

static int write_member(writer *w, mcpi_str name, const mcp_json *value,
                        const node_set *set) {
  int rc = mcp_builder_name_n(w->builder, name.ptr, name.len);
  return rc != 0 ? rc : write(w, value, set);
}

static int write_members(writer *w, const mcp_json *object,
                         const node_set *set) {
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *value;
  node_set member;
  int rc = 0;
  mcp_json_iter_init(&iter, object);
  while (rc == 0 && (value = mcp_json_iter_next(&iter, &name)) != NULL) {
    rc = describe_member(w, set, mcpi_json_str(name), &member);
    if (rc == 0) {
      rc = write_member(w, mcpi_json_str(name), value, &member);
    }
    end_set(w, &member);
  }
  return rc;
}

/* The first default among what describes a value, or NULL. */
static const mcp_json *default_of(const writer *w, const node_set *set) {
  const mcp_json *found = NULL;
  for (uint32_t i = 0; found == NULL && i < set->count; i++) {
    const mcp_json *schema = node_at(w, index_at(w, set, i))->schema;
    if (!mcpi_run_spend(w->run, 1 + mcp_json_size(schema) / 8)) {
      return NULL;
    }
    found = mcp_json_get(schema, "default");
  }
  return found;
}

/* Whether an object schema before this one in the set has the property. */
static int is_known_before(const writer *w, const node_set *set, uint32_t end,
                           mcpi_str name) {
  for (uint32_t i = 0; i < end; i++) {
    const mcpi_object *object = object_of(w, index_at(w, set, i));
    uint32_t count = object != NULL ? object->count : 0;
    if (!mcpi_run_spend(w->run, 1 + count)) {
      return 0;
    }
    for (uint32_t k = 0; k < count; k++) {
      const mcpi_property *p = w->run->program->properties + object->first + k;
      if (p->node != MCPI_NONE && mcpi_str_eq(p->name, name)) {
        return 1;
      }
    }
  }
  return 0;
}

static int write_missing(writer *w, const mcp_json *object, const node_set *set,
                         mcpi_str name) {
  node_set member;
  if (!mcpi_run_spend(w->run, 1 + mcp_json_size(object)) ||
      mcp_json_get_n(object, name.ptr, name.len) != NULL) {
    return w->run->is_aborted ? MCP_ERR_LIMIT : 0;
  }
  int rc = describe_member(w, set, name, &member);
  const mcp_json *value = rc == 0 ? default_of(w, &member) : NULL;
  if (value != NULL) {
    rc = write_member(w, name, value, &member);
  }
  end_set(w, &member);
  return rc == 0 && w->run->is_aborted ? MCP_ERR_LIMIT : rc;
}

static int write_defaults(writer *w, const mcp_json *object,
                          const node_set *set) {
  int rc = 0;
  for (uint32_t i = 0; i < set->count; i++) {
    const mcpi_object *table = object_of(w, index_at(w, set, i));
    for (uint32_t k = 0; rc == 0 && table != NULL && k < table->count; k++) {
      const mcpi_property *p = w->run->program->properties + table->first + k;
      if (p->node != MCPI_NONE && !is_known_before(w, set, i, p->name)) {
        rc = write_missing(w, object, set, p->name);
      }
    }
  }
  return rc;
}

static int write_object(writer *w, const mcp_json *object,
                        const node_set *set) {
  int rc = mcp_builder_object(w->builder, NULL);
  if (rc == 0) {
    rc = write_members(w, object, set);
  }
  if (rc == 0) {
    rc = write_defaults(w, object, set);
  }
  return rc != 0 ? rc : mcp_builder_end(w->builder);
}

static int describe_item(writer *w, const node_set *set, size_t index,
                         node_set *out) {
  int rc = 0;
  *out = begin_set(w);
  for (uint32_t i = 0; rc == 0 && i < set->count; i++) {
    const mcpi_insn *insn = insn_of(w, index_at(w, set, i), MCPI_OP_ITEMS);
    if (insn != NULL) {
      uint32_t node = index < insn->count
                          ? w->run->program->children[insn->first + index]
                          : insn->others;
      rc = node != MCPI_NONE ? add(w, out, node) : 0;
    }
  }
  return rc != 0 ? rc : complete(w, out);
}

static int write_array(writer *w, const mcp_json *array, const node_set *set) {
  mcp_json_iter iter;
  const mcp_json *value;
  node_set item;
  int rc = mcp_builder_array(w->builder, NULL);
  mcp_json_iter_init(&iter, array);
  for (size_t i = 0;
       rc == 0 && (value = mcp_json_iter_next(&iter, NULL)) != NULL; i++) {
    rc = describe_item(w, set, i, &item);
    if (rc == 0) {
      rc = write(w, value, &item);
    }
    end_set(w, &item);
  }
  return rc != 0 ? rc : mcp_builder_end(w->builder);
}

/* A whole value. It is paid for as it becomes long: one default may be that of
 * many members. */
static int copy(writer *w, const mcp_json *value) {
  size_t before = mcpi_builder_len(w->builder);
  int rc = mcp_builder_value(w->builder, NULL, value);
  size_t added = mcpi_builder_len(w->builder) - before;
  return rc == 0 && !mcpi_run_spend(w->run, added / 4) ? MCP_ERR_LIMIT : rc;
}

/* Recursion goes as deep as the value: a default is not asked for defaults of
 * its own kind, but for those of its members. */
static int write(writer *w, const mcp_json *value, const node_set *set) {
  int type = mcp_json_type(value);
  if (!mcpi_run_spend(w->run, 1) || w->run->depth_left == 0) {
    return MCP_ERR_LIMIT;
  }
  if (set->count == 0 || (type != MCP_JSON_OBJECT && type != MCP_JSON_ARRAY)) {
    return copy(w, value);
  }
  w->run->depth_left--;
  int rc = type == MCP_JSON_OBJECT ? write_object(w, value, set)
                                   : write_array(w, value, set);
  w->run->depth_left++;
  return rc;
}

int mcpi_apply_defaults(mcpi_run *run, const mcp_json *value, const char *name,
                        mcp_builder *builder) {
  if (builder == NULL) {
    return MCP_ERR_NOMEM;
  }
  writer w = {.run = run, .builder = builder};
  mcpi_buf_init(&w.nodes, mcpi_builder_allocator(builder), SIZE_MAX);
  node_set set = begin_set(&w);
  int rc = add(&w, &set, 0);
  if (rc == 0) {
    rc = complete(&w, &set);
  }
  if (rc == 0 && name != NULL) {
    rc = mcp_builder_name_n(builder, name, strlen(name));
  }
  if (rc == 0) {
    rc = write(&w, value, &set);
  }
  mcpi_buf_deinit(&w.nodes);
  return rc;
}
