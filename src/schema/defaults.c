/* SPDX-License-Identifier: MIT */
/* Writing a value with the defaults of what it lacks. */
#include "schema/defaults.h"

#include "json/json.h"

/* The nodes that describe one value unconditionally: a node, the nodes that it
 * refers to, and those of its allOf. */
typedef struct node_set {
  uint32_t first; /* of `count` in the writer's nodes */
  uint32_t count;
} node_set;

typedef struct writer {
  mcpi_run *run;
  mcp_builder *builder;
  mcpi_buf nodes; /* of all sets: the innermost value's are the last */
} writer;

static uint32_t set_index_at(const writer *w, const node_set *set, uint32_t i) {
  return *((const uint32_t *)(const void *)w->nodes.data + set->first + i);
}

static const mcpi_node *set_node_at(const writer *w, uint32_t index) {
  return &w->run->program->nodes[index];
}

/* Begins the last set. Only the last set grows. */
static node_set set_begin(const writer *w) {
  return (node_set){(uint32_t)(w->nodes.len / sizeof(uint32_t)), 0};
}

static void set_end(writer *w, const node_set *set) {
  mcpi_buf_rewind(&w->nodes, set->first * sizeof(uint32_t));
}

static int set_add(writer *w, node_set *set, uint32_t node) {
  if (!mcpi_run_spend(w->run, 1 + set->count / 16)) {
    return MCP_ERR_LIMIT;
  }
  for (uint32_t i = 0; i < set->count; i++) {
    if (set_index_at(w, set, i) == node) {
      return 0;
    }
  }
  mcpi_buf_put(&w->nodes, &node, sizeof(node));
  set->count += w->nodes.error == 0;
  return w->nodes.error;
}

/* Adds all nodes that the set's nodes refer to, and so on. */
static int set_complete(writer *w, node_set *set) {
  const mcpi_program *program = w->run->program;
  int rc = 0;
  for (uint32_t i = 0; rc == 0 && i < set->count; i++) {
    const mcpi_node *node = set_node_at(w, set_index_at(w, set, i));
    const mcpi_insn *insn = program->insns + node->first;
    for (uint32_t k = 0; rc == 0 && k < node->count; k++, insn++) {
      if (insn->op == MCPI_OP_REF) {
        rc = set_add(w, set, insn->first);
      } else if (insn->op == MCPI_OP_DYNAMIC_REF) {
        rc = set_add(w, set, insn->others);
      } else if (insn->op == MCPI_OP_ALL_OF) {
        for (uint32_t j = 0; rc == 0 && j < insn->count; j++) {
          rc = set_add(w, set, program->children[insn->first + j]);
        }
      }
    }
  }
  return rc;
}

/* Returns a node's instruction of that kind, or NULL. */
static const mcpi_insn *set_insn(const writer *w, uint32_t node, int op) {
  const mcpi_node *n = set_node_at(w, node);
  const mcpi_insn *insn = w->run->program->insns + n->first;
  for (uint32_t i = 0; i < n->count; i++, insn++) {
    if (insn->op == op) {
      return insn;
    }
  }
  return NULL;
}

static const mcpi_object *set_object(const writer *w, uint32_t node) {
  const mcpi_insn *insn = set_insn(w, node, MCPI_OP_OBJECT);
  return insn != NULL ? &w->run->program->objects[insn->first] : NULL;
}

/* Returns the node that an object schema has for a member, or MCPI_NONE. */
static uint32_t object_member_node(const writer *w, const mcpi_object *object,
                                   mcpi_str name) {
  const mcpi_property *p = w->run->program->properties + object->first;
  for (uint32_t i = 0; i < object->count; i++, p++) {
    if (mcpi_str_eq(p->name, name)) {
      return p->node != MCPI_NONE ? p->node : object->others;
    }
  }
  return object->others;
}

static int defaults_write(writer *w, const mcp_json *value,
                          const node_set *set);

/* Makes the set of nodes that describe a member's value. */
static int set_describe_member(writer *w, const node_set *set, mcpi_str name,
                               node_set *out) {
  int rc = 0;
  *out = set_begin(w);
  for (uint32_t i = 0; rc == 0 && i < set->count; i++) {
    const mcpi_object *object = set_object(w, set_index_at(w, set, i));
    if (!mcpi_run_spend(w->run, object != NULL ? object->count : 1)) {
      return MCP_ERR_LIMIT;
    }
    uint32_t node =
        object != NULL ? object_member_node(w, object, name) : MCPI_NONE;
    rc = node != MCPI_NONE ? set_add(w, out, node) : 0;
  }
  return rc != 0 ? rc : set_complete(w, out);
}

static int defaults_write_member(writer *w, mcpi_str name,
                                 const mcp_json *value, const node_set *set) {
  int rc = mcp_builder_name_n(w->builder, name.ptr, name.len);
  return rc != 0 ? rc : defaults_write(w, value, set);
}

static int defaults_write_members(writer *w, const mcp_json *object,
                                  const node_set *set) {
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *value;
  node_set member;
  int rc = 0;
  mcp_json_iter_init(&iter, object);
  while (rc == 0 && (value = mcp_json_iter_next(&iter, &name)) != NULL) {
    rc = set_describe_member(w, set, mcpi_json_str(name), &member);
    if (rc == 0) {
      rc = defaults_write_member(w, mcpi_json_str(name), value, &member);
    }
    set_end(w, &member);
  }
  return rc;
}

/* Returns the first default in the set, or NULL. */
static const mcp_json *set_default(const writer *w, const node_set *set) {
  const mcp_json *found = NULL;
  for (uint32_t i = 0; found == NULL && i < set->count; i++) {
    const mcp_json *schema = set_node_at(w, set_index_at(w, set, i))->schema;
    if (!mcpi_run_spend(w->run, 1 + mcp_json_size(schema) / 8)) {
      return NULL;
    }
    found = mcp_json_get(schema, "default");
  }
  return found;
}

/* Whether one of the set's first `end` nodes has the property. */
static int set_knows_before(const writer *w, const node_set *set, uint32_t end,
                            mcpi_str name) {
  for (uint32_t i = 0; i < end; i++) {
    const mcpi_object *object = set_object(w, set_index_at(w, set, i));
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

static int defaults_write_missing(writer *w, const mcp_json *object,
                                  const node_set *set, mcpi_str name) {
  node_set member;
  if (!mcpi_run_spend(w->run, 1 + mcp_json_size(object)) ||
      mcp_json_get_n(object, name.ptr, name.len) != NULL) {
    return w->run->is_aborted ? MCP_ERR_LIMIT : 0;
  }
  int rc = set_describe_member(w, set, name, &member);
  const mcp_json *value = rc == 0 ? set_default(w, &member) : NULL;
  if (value != NULL) {
    rc = defaults_write_member(w, name, value, &member);
  }
  set_end(w, &member);
  return rc == 0 && w->run->is_aborted ? MCP_ERR_LIMIT : rc;
}

static int defaults_write_all_missing(writer *w, const mcp_json *object,
                                      const node_set *set) {
  int rc = 0;
  for (uint32_t i = 0; i < set->count; i++) {
    const mcpi_object *table = set_object(w, set_index_at(w, set, i));
    for (uint32_t k = 0; rc == 0 && table != NULL && k < table->count; k++) {
      const mcpi_property *p = w->run->program->properties + table->first + k;
      if (p->node != MCPI_NONE && !set_knows_before(w, set, i, p->name)) {
        rc = defaults_write_missing(w, object, set, p->name);
      }
    }
  }
  return rc;
}

static int defaults_write_object(writer *w, const mcp_json *object,
                                 const node_set *set) {
  int rc = mcp_builder_object(w->builder, NULL);
  if (rc == 0) {
    rc = defaults_write_members(w, object, set);
  }
  if (rc == 0) {
    rc = defaults_write_all_missing(w, object, set);
  }
  return rc != 0 ? rc : mcp_builder_end(w->builder);
}

static int set_describe_item(writer *w, const node_set *set, size_t index,
                             node_set *out) {
  int rc = 0;
  *out = set_begin(w);
  for (uint32_t i = 0; rc == 0 && i < set->count; i++) {
    const mcpi_insn *insn = set_insn(w, set_index_at(w, set, i), MCPI_OP_ITEMS);
    if (insn != NULL) {
      uint32_t node = index < insn->count
                          ? w->run->program->children[insn->first + index]
                          : insn->others;
      rc = node != MCPI_NONE ? set_add(w, out, node) : 0;
    }
  }
  return rc != 0 ? rc : set_complete(w, out);
}

static int defaults_write_array(writer *w, const mcp_json *array,
                                const node_set *set) {
  mcp_json_iter iter;
  const mcp_json *value;
  node_set item;
  int rc = mcp_builder_array(w->builder, NULL);
  mcp_json_iter_init(&iter, array);
  for (size_t i = 0;
       rc == 0 && (value = mcp_json_iter_next(&iter, NULL)) != NULL; i++) {
    rc = set_describe_item(w, set, i, &item);
    if (rc == 0) {
      rc = defaults_write(w, value, &item);
    }
    set_end(w, &item);
  }
  return rc != 0 ? rc : mcp_builder_end(w->builder);
}

/* Writes a whole value. It costs by its length, because one default may be
 * written for many members. */
static int defaults_copy(writer *w, const mcp_json *value) {
  size_t before = mcpi_builder_len(w->builder);
  int rc = mcp_builder_value(w->builder, NULL, value);
  size_t added = mcpi_builder_len(w->builder) - before;
  return rc == 0 && !mcpi_run_spend(w->run, added / 4) ? MCP_ERR_LIMIT : rc;
}

/* Recurses as deep as the value. The default of a member is written with the
 * defaults of its own members. */
static int defaults_write(writer *w, const mcp_json *value,
                          const node_set *set) {
  int type = mcp_json_type(value);
  if (!mcpi_run_spend(w->run, 1) || w->run->depth_left == 0) {
    return MCP_ERR_LIMIT;
  }
  if (set->count == 0 || (type != MCP_JSON_OBJECT && type != MCP_JSON_ARRAY)) {
    return defaults_copy(w, value);
  }
  w->run->depth_left--;
  int rc = type == MCP_JSON_OBJECT ? defaults_write_object(w, value, set)
                                   : defaults_write_array(w, value, set);
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
  node_set set = set_begin(&w);
  int rc = set_add(&w, &set, 0);
  if (rc == 0) {
    rc = set_complete(&w, &set);
  }
  if (rc == 0 && name != NULL) {
    rc = mcp_builder_name_n(builder, name, strlen(name));
  }
  if (rc == 0) {
    rc = defaults_write(&w, value, &set);
  }
  mcpi_buf_deinit(&w.nodes);
  return rc;
}
