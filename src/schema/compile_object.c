/* SPDX-License-Identifier: MIT */
/* Compiling what concerns the members of objects: one table for `properties`
 * and `required`, in which a validation looks a member up by its name. */
#include "schema/compile_object.h"

#include "schema/compile_pattern.h"
#include "json/json.h"

/* Up to this many names are searched one by one. */
enum { FEW = 8 };

typedef struct table {
  mcpi_compiler *c;
  mcpi_subject *s; /* NULL: the table is merged of two others */
  mcpi_object object;
} table;

static mcpi_property *table_property_at(const table *t, uint32_t place) {
  return mcpi_entry_at(&t->c->properties, mcpi_property,
                       t->object.first + place);
}

/* --- slots -------------------------------------------------------------- */

/* Makes twice as many slots as names. */
static int table_open_slots(table *t, size_t count) {
  mcpi_buf *slots = &t->c->slots;
  const uint32_t none = 0;
  size_t size = 2 * FEW;
  if (count <= FEW) {
    return 0;
  }
  while (size < 2 * count) {
    size *= 2;
  }
  t->object.slots = mcpi_count_of(slots, uint32_t);
  t->object.slot_mask = (uint32_t)(size - 1);
  for (size_t i = 0; i < size; i++) {
    mcpi_buf_put(slots, &none, sizeof(none));
  }
  return slots->error;
}

/* Returns the place of a name, or MCPI_NONE; then *slot is the slot for it. */
static uint32_t table_find_slot(const table *t, mcpi_str name, uint32_t *slot,
                                size_t *steps) {
  uint32_t mask = t->object.slot_mask;
  uint32_t at = mcpi_name_hash(name) & mask;
  for (;; at = (at + 1) & mask) {
    uint32_t place =
        *mcpi_entry_at(&t->c->slots, uint32_t, t->object.slots + at);
    *steps += 1 + name.len / 64;
    if (place == 0 ||
        mcpi_str_eq(table_property_at(t, place - 1)->name, name)) {
      *slot = at;
      return place == 0 ? MCPI_NONE : place - 1;
    }
  }
}

static uint32_t table_find_few(const table *t, mcpi_str name) {
  for (uint32_t i = 0; i < t->object.count; i++) {
    if (mcpi_str_eq(table_property_at(t, i)->name, name)) {
      return i;
    }
  }
  return MCPI_NONE;
}

/* Finds the place of a name, and adds it if it is new. 0, MCP_ERR_LIMIT or
 * MCP_ERR_NOMEM. */
static int table_find_or_add(table *t, mcpi_str name, uint32_t *place) {
  mcpi_compiler *c = t->c;
  const mcpi_property made = {.name = name,
                              .word = mcpi_name_word(name),
                              .node = MCPI_NONE,
                              .required = MCPI_NONE};

  uint32_t slot = 0;
  size_t steps = 0;
  *place = t->object.slot_mask != 0 ? table_find_slot(t, name, &slot, &steps)
                                    : table_find_few(t, name);
  int rc = mcpi_compiler_spend(c, steps);
  if (rc != 0 || *place != MCPI_NONE) {
    return rc;
  }
  *place = t->object.count++;
  uint8_t *guess = &t->object.guesses[mcpi_name_guess(name)];
  if (*guess == 0) {
    *guess = t->object.count < 255 ? (uint8_t)t->object.count : 255;
  }
  mcpi_buf_put(&c->properties, &made, sizeof(made));
  if (t->object.slot_mask != 0) {
    *mcpi_entry_at(&c->slots, uint32_t, t->object.slots + slot) =
        t->object.count;
  }
  return c->properties.error;
}

/* --- keywords ----------------------------------------------------------- */

static int table_add_properties(table *t, const mcp_json *properties) {
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *schema;
  uint32_t place;
  int rc = 0;
  mcp_json_iter_init(&iter, properties);
  while (rc == 0 && (schema = mcp_json_iter_next(&iter, &name)) != NULL) {
    rc = table_find_or_add(t, mcpi_json_str(name), &place);
    if (rc == 0 && table_property_at(t, place)->node == MCPI_NONE) {
      uint32_t node = mcpi_subject_child(t->s, schema);
      table_property_at(t, place)->node = node;
    }
  }
  return rc;
}

static void table_require(table *t, mcpi_property *property) {
  property->required = t->object.required++;
  if (property->required < 64) {
    property->required_bit = UINT64_C(1) << property->required;
    t->object.required_bits |= property->required_bit;
  }
}

static int table_add_required(table *t, const mcp_json *required) {
  mcp_json_iter iter;
  const mcp_json *name;
  uint32_t place;
  int rc = 0;
  mcp_json_iter_init(&iter, required);
  while (rc == 0 && (name = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (mcp_json_type(name) != MCP_JSON_STRING) {
      return mcpi_subject_malformed(t->s, name, "a name");
    }
    rc = table_find_or_add(t, mcpi_json_str(name), &place);
    if (rc == 0 && table_property_at(t, place)->required != MCPI_NONE) {
      return mcpi_subject_malformed(t->s, name, "each name once");
    }
    if (rc == 0) {
      table_require(t, table_property_at(t, place));
    }
  }
  if (t->object.required > MCPI_MAX_REQUIRED) {
    return mcpi_subject_fail(t->s, MCP_ERR_LIMIT, required,
                             "a schema requires %lu members, limit %d",
                             (unsigned long)t->object.required,
                             MCPI_MAX_REQUIRED);
  }
  return rc;
}

static int table_add_patterns(table *t, const mcp_json *patterns) {
  mcpi_compiler *c = t->c;
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *schema;
  uint32_t unused;
  int rc = 0;
  t->object.patterns = mcpi_count_of(&c->patterns, mcpi_pattern);
  mcp_json_iter_init(&iter, patterns);
  while (rc == 0 && (schema = mcp_json_iter_next(&iter, &name)) != NULL) {
    uint32_t node = mcpi_subject_child(t->s, schema);
    rc = mcpi_compile_pattern(t->s, schema, mcpi_json_str(name), node, &unused);
    t->object.pattern_count++;
  }
  return rc;
}

static int object_check_shapes(const mcpi_subject *s) {
  static const int maps[] = {MCPI_KEYWORD_PROPERTIES,
                             MCPI_KEYWORD_PATTERN_PROPERTIES};
  const mcp_json *required = s->keywords[MCPI_KEYWORD_REQUIRED];
  for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
    const mcp_json *value = s->keywords[maps[i]];
    if (value != NULL && mcp_json_type(value) != MCP_JSON_OBJECT) {
      return mcpi_subject_malformed(s, value, "an object");
    }
  }
  if (required != NULL && mcp_json_type(required) != MCP_JSON_ARRAY) {
    return mcpi_subject_malformed(s, required, "an array of names");
  }
  return 0;
}

static int table_fill(table *t) {
  const mcp_json *properties = t->s->keywords[MCPI_KEYWORD_PROPERTIES];
  const mcp_json *required = t->s->keywords[MCPI_KEYWORD_REQUIRED];
  int rc =
      table_open_slots(t, mcp_json_size(properties) + mcp_json_size(required));
  if (rc == 0) {
    rc = table_add_properties(t, properties);
  }
  if (rc == 0) {
    rc = table_add_required(t, required);
  }
  if (rc == 0) {
    rc = table_add_patterns(t, t->s->keywords[MCPI_KEYWORD_PATTERN_PROPERTIES]);
  }
  return rc;
}

int mcpi_compile_object(mcpi_subject *s) {
  mcpi_compiler *c = s->c;
  const mcp_json *others = s->keywords[MCPI_KEYWORD_ADDITIONAL_PROPERTIES];
  table t = {.c = c,
             .s = s,
             .object = {.first = mcpi_count_of(&c->properties, mcpi_property),
                        .others = MCPI_NONE}};
  mcpi_insn insn = {.op = MCPI_OP_OBJECT,
                    .types = MCPI_TYPES_OBJECT,
                    .first = mcpi_count_of(&c->objects, mcpi_object),
                    .source = s->schema};
  if (s->has_object) {
    return 0;
  }
  s->has_object = 1;
  int rc = object_check_shapes(s);
  if (rc == 0) {
    rc = table_fill(&t);
  }
  if (rc != 0) {
    return rc;
  }
  if (others != NULL) {
    t.object.others = mcpi_subject_child(s, others);
  }
  t.object.is_open = t.object.pattern_count == 0 && others == NULL;
  mcpi_buf_put(&c->objects, &t.object, sizeof(t.object));
  return mcpi_subject_add(s, &insn);
}

/* --- two as one --------------------------------------------------------- */

/* Adds a node that requires two others. It is not a level of its own:
 * validating it goes as deep as validating the two, one after the other. */
static uint32_t add_node_of_two(mcpi_compiler *c, uint32_t a, uint32_t b) {
  const mcpi_insn insn = {.op = MCPI_OP_ALL_OF,
                          .types = MCPI_TYPES_ANY,
                          .first = mcpi_count_of(&c->children, uint32_t),
                          .count = 2};
  const mcpi_node node = {.types = MCPI_TYPES_ANY,
                          .first = mcpi_count_of(&c->insns, mcpi_insn),
                          .count = 1,
                          .is_leaf = 1};
  mcpi_buf_put(&c->children, &a, sizeof(a));
  mcpi_buf_put(&c->children, &b, sizeof(b));
  mcpi_buf_put(&c->insns, &insn, sizeof(insn));
  mcpi_buf_put(&c->nodes, &node, sizeof(node));
  return mcpi_count_of(&c->nodes, mcpi_node) - 1;
}

static int table_merge_property(table *t, const mcpi_property *from) {
  uint32_t place;
  int rc = table_find_or_add(t, from->name, &place);
  if (rc != 0) {
    return rc;
  }
  mcpi_property *property = table_property_at(t, place);
  if (property->node == MCPI_NONE) {
    property->node = from->node;
  } else if (from->node != MCPI_NONE) {
    property->node = add_node_of_two(t->c, property->node, from->node);
  }
  if (from->required != MCPI_NONE && property->required == MCPI_NONE) {
    table_require(t, property);
  }
  return 0;
}

static int table_merge_object(table *t, const mcpi_object *from) {
  int rc = mcpi_compiler_spend(t->c, from->count);
  for (uint32_t i = 0; rc == 0 && i < from->count; i++) {
    const mcpi_property property =
        *mcpi_entry_at(&t->c->properties, mcpi_property, from->first + i);
    rc = table_merge_property(t, &property);
  }
  return rc;
}

int mcpi_compile_merged(mcpi_compiler *c, mcpi_object a, mcpi_object b) {
  table t = {.c = c,
             .object = {.first = mcpi_count_of(&c->properties, mcpi_property),
                        .others = MCPI_NONE,
                        .is_open = 1}};
  int rc = table_open_slots(&t, a.count + b.count);
  if (rc == 0) {
    rc = table_merge_object(&t, &a);
  }
  if (rc == 0) {
    rc = table_merge_object(&t, &b);
  }
  if (rc == 0) {
    mcpi_buf_put(&c->objects, &t.object, sizeof(t.object));
  }
  return rc;
}
