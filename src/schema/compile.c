/* SPDX-License-Identifier: MIT */
/* From a JSON Schema (2020-12, the keywords of the table below) to a program.
 *
 * Nodes are compiled in the order in which they are found: compiling one adds
 * its children at the end, so the list of nodes is its own queue, children lie
 * side by side, and nothing recurses. */
#include "schema/validator.h"

#include "base/buf.h"
#include "codec/json.h"
#include "schema/errors.h"

typedef struct compiler {
  const mcp_json *root;
  /* Growing arrays. They move: keep indexes, not pointers. */
  mcpi_buf nodes;
  mcpi_buf insns;
  mcpi_buf properties;
  mcp_error *err;
} compiler;

static uint32_t count_of(const mcpi_buf *array, size_t size) {
  return (uint32_t)(array->len / size);
}

static mcpi_node *node_at(compiler *c, uint32_t index) {
  return (mcpi_node *)(void *)c->nodes.data + index;
}

static mcpi_property *property_at(compiler *c, uint32_t index) {
  return (mcpi_property *)(void *)c->properties.data + index;
}

static uint32_t add_node(compiler *c, const mcp_json *schema) {
  mcpi_node node = {.types = MCPI_TYPES_ANY, .schema = schema};
  uint32_t index = count_of(&c->nodes, sizeof(node));
  mcpi_buf_put(&c->nodes, &node, sizeof(node));
  return index;
}

static int add_insn(compiler *c, const mcpi_insn *insn) {
  mcpi_buf_put(&c->insns, insn, sizeof(*insn));
  return c->insns.error;
}

static int malformed(compiler *c, const mcp_json *value, const char *expected) {
  return mcpi_schema_error(c->err, c->root, value, expected);
}

/* --- type --------------------------------------------------------------- */

/* The type of that name as a bit, or 0. */
static uint32_t type_named(mcpi_str name) {
  for (int type = MCP_JSON_NULL; type <= MCP_JSON_OBJECT; type++) {
    if (mcpi_str_eq(name, mcpi_str_z(mcp_json_type_name(type)))) {
      return UINT32_C(1) << type;
    }
  }
  return mcpi_str_eq(name, MCPI_STR("integer")) ? MCPI_TYPES_INTEGER : 0;
}

static int read_type(compiler *c, const mcp_json *name, uint32_t *types) {
  uint32_t found = type_named(mcpi_json_str(name));
  *types |= found;
  return found != 0 ? 0 : malformed(c, name, "the name of a JSON type");
}

static int read_types(compiler *c, const mcp_json *value, uint32_t *types) {
  *types = 0;
  if (mcp_json_type(value) != MCP_JSON_ARRAY) {
    return read_type(c, value, types);
  }
  if (mcp_json_size(value) == 0) {
    return malformed(c, value, "at least one type");
  }
  mcp_json_iter iter;
  const mcp_json *name;
  int rc = 0;
  mcp_json_iter_init(&iter, value);
  while (rc == 0 && (name = mcp_json_iter_next(&iter, NULL)) != NULL) {
    rc = read_type(c, name, types);
  }
  return rc;
}

static int compile_type(compiler *c, uint32_t node, const mcp_json *schema) {
  uint32_t types = MCPI_TYPES_ANY;
  const mcp_json *value = mcp_json_get(schema, "type");
  int rc = value != NULL ? read_types(c, value, &types) : 0;
  node_at(c, node)->types = (uint16_t)types;
  return rc;
}

/* --- properties, required, additionalProperties ------------------------- */

static void add_property(compiler *c, const mcp_json *name, uint32_t node,
                         uint32_t required) {
  mcpi_property property = {mcpi_json_str(name), node, required};
  mcpi_buf_put(&c->properties, &property, sizeof(property));
}

static int add_properties(compiler *c, const mcp_json *schema) {
  const mcp_json *properties = mcp_json_get(schema, "properties");
  if (properties == NULL) {
    return 0;
  }
  if (mcp_json_type(properties) != MCP_JSON_OBJECT) {
    return malformed(c, properties, "an object");
  }
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *value;
  mcp_json_iter_init(&iter, properties);
  while ((value = mcp_json_iter_next(&iter, &name)) != NULL) {
    add_property(c, name, add_node(c, value), MCPI_NONE);
  }
  return 0;
}

static int add_required(compiler *c, const mcp_json *schema) {
  const mcp_json *required = mcp_json_get(schema, "required");
  if (required == NULL) {
    return 0;
  }
  if (mcp_json_type(required) != MCP_JSON_ARRAY) {
    return malformed(c, required, "an array of names");
  }
  mcp_json_iter iter;
  const mcp_json *name;
  mcp_json_iter_init(&iter, required);
  while ((name = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (mcp_json_type(name) != MCP_JSON_STRING) {
      return malformed(c, name, "a name");
    }
    add_property(c, name, MCPI_NONE, 0);
  }
  return 0;
}

/* By length first, which settles most comparisons without looking at a byte.
 * Equal names keep the order that they have in the schema. */
static int is_before(const mcpi_property *a, const mcpi_property *b) {
  if (a->name.len != b->name.len) {
    return a->name.len < b->name.len;
  }
  int order =
      a->name.len > 0 ? memcmp(a->name.ptr, b->name.ptr, a->name.len) : 0;
  return order != 0 ? order < 0 : a->name.ptr < b->name.ptr;
}

/* Lets the entry at `i` sink to where both its children come before it. */
static void sift_down(mcpi_property *list, size_t i, size_t count) {
  mcpi_property entry = list[i];
  for (size_t child = 2 * i + 1; child < count; child = 2 * i + 1) {
    if (child + 1 < count && is_before(&list[child], &list[child + 1])) {
      child++;
    }
    if (!is_before(&entry, &list[child])) {
      break;
    }
    list[i] = list[child];
    i = child;
  }
  list[i] = entry;
}

/* Heapsort: qsort may call malloc, and the schema may be a peer's. */
static void sort(mcpi_property *list, size_t count) {
  for (size_t i = count / 2; i > 0; i--) {
    sift_down(list, i - 1, count);
  }
  for (size_t i = count; i > 1; i--) {
    mcpi_property last = list[0];
    list[0] = list[i - 1];
    list[i - 1] = last;
    sift_down(list, 0, i - 1);
  }
}

/* Makes one entry of those with the same name: a name may be in both keywords.
 * Returns how many are left. */
static uint32_t merge(mcpi_property *list, uint32_t count) {
  uint32_t left = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (left == 0 || !mcpi_str_eq(list[left - 1].name, list[i].name)) {
      list[left++] = list[i];
      continue;
    }
    mcpi_property *kept = &list[left - 1];
    kept->node = kept->node != MCPI_NONE ? kept->node : list[i].node;
    if (kept->required == MCPI_NONE) {
      kept->required = list[i].required;
    }
  }
  return left;
}

static uint32_t number_required(mcpi_property *list, uint32_t count) {
  uint32_t required = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (list[i].required != MCPI_NONE) {
      list[i].required = required++;
    }
  }
  return required;
}

/* Turns the entries from insn->first on into a table that can be searched. */
static int finish_properties(compiler *c, mcpi_insn *insn) {
  uint32_t count = count_of(&c->properties, sizeof(mcpi_property));
  mcpi_property *list = property_at(c, insn->first);
  sort(list, count - insn->first);
  insn->count = merge(list, count - insn->first);
  mcpi_buf_rewind(&c->properties,
                  (insn->first + insn->count) * sizeof(mcpi_property));
  uint32_t required = number_required(list, insn->count);
  if (required > MCPI_MAX_REQUIRED) {
    return mcp_error_set(c->err, MCP_ERR_LIMIT,
                         "a schema requires %lu members, limit %d",
                         (unsigned long)required, MCPI_MAX_REQUIRED);
  }
  insn->required = (uint16_t)required;
  return 0;
}

static int compile_object(compiler *c, const mcp_json *schema) {
  const mcp_json *others = mcp_json_get(schema, "additionalProperties");
  mcpi_insn insn = {.op = MCPI_OP_OBJECT,
                    .types = MCPI_TYPES_OBJECT,
                    .first = count_of(&c->properties, sizeof(mcpi_property)),
                    .others = others != NULL ? add_node(c, others) : MCPI_NONE,
                    .source = schema};
  int rc = add_properties(c, schema);
  if (rc == 0) {
    rc = add_required(c, schema);
  }
  if (rc != 0 || c->properties.error != 0) {
    return rc != 0 ? rc : c->properties.error;
  }
  uint32_t end = count_of(&c->properties, sizeof(mcpi_property));
  if (end > insn.first) {
    rc = finish_properties(c, &insn);
  } else if (others == NULL) {
    return 0;
  }
  return rc != 0 ? rc : add_insn(c, &insn);
}

/* --- the other keywords ------------------------------------------------- */

static int compile_const(compiler *c, mcpi_insn *insn) {
  return add_insn(c, insn);
}

static int compile_enum(compiler *c, mcpi_insn *insn) {
  if (mcp_json_type(insn->source) != MCP_JSON_ARRAY) {
    return malformed(c, insn->source, "an array");
  }
  return add_insn(c, insn);
}

static int compile_bound(compiler *c, mcpi_insn *insn) {
  if (mcp_json_type(insn->source) != MCP_JSON_NUMBER) {
    return malformed(c, insn->source, "a number");
  }
  return add_insn(c, insn);
}

/* A number past any size is as good as the largest. */
static int compile_count(compiler *c, mcpi_insn *insn) {
  if (!mcp_json_is_integer(insn->source) || mcp_json_number(insn->source) < 0) {
    return malformed(c, insn->source, "a whole number, not negative");
  }
  uint64_t limit = (uint64_t)mcp_json_int(insn->source);
  insn->limit = limit > SIZE_MAX ? SIZE_MAX : (size_t)limit;
  return add_insn(c, insn);
}

static int compile_flag(compiler *c, mcpi_insn *insn) {
  if (mcp_json_type(insn->source) != MCP_JSON_BOOL) {
    return malformed(c, insn->source, "a boolean");
  }
  return mcp_json_bool(insn->source) ? add_insn(c, insn) : 0;
}

static int compile_child(compiler *c, mcpi_insn *insn) {
  insn->first = add_node(c, insn->source);
  insn->count = 1;
  return add_insn(c, insn);
}

static int compile_children(compiler *c, mcpi_insn *insn) {
  if (mcp_json_type(insn->source) != MCP_JSON_ARRAY ||
      mcp_json_size(insn->source) == 0) {
    return malformed(c, insn->source, "an array of schemas");
  }
  mcp_json_iter iter;
  const mcp_json *child;
  insn->first = count_of(&c->nodes, sizeof(mcpi_node));
  mcp_json_iter_init(&iter, insn->source);
  while ((child = mcp_json_iter_next(&iter, NULL)) != NULL) {
    add_node(c, child);
    insn->count++;
  }
  return add_insn(c, insn);
}

typedef struct keyword {
  const char *name;
  uint8_t types; /* of values that it concerns */
  int (*compile)(compiler *c, mcpi_insn *insn);
} keyword;

static const keyword keywords[MCPI_OP_COUNT] = {
    [MCPI_OP_ENUM] = {"enum", MCPI_TYPES_ANY, compile_enum},
    [MCPI_OP_CONST] = {"const", MCPI_TYPES_ANY, compile_const},
    [MCPI_OP_MINIMUM] = {"minimum", MCPI_TYPES_NUMBER, compile_bound},
    [MCPI_OP_MAXIMUM] = {"maximum", MCPI_TYPES_NUMBER, compile_bound},
    [MCPI_OP_EXCLUSIVE_MINIMUM] = {"exclusiveMinimum", MCPI_TYPES_NUMBER,
                                   compile_bound},
    [MCPI_OP_EXCLUSIVE_MAXIMUM] = {"exclusiveMaximum", MCPI_TYPES_NUMBER,
                                   compile_bound},
    [MCPI_OP_MIN_LENGTH] = {"minLength", MCPI_TYPES_STRING, compile_count},
    [MCPI_OP_MAX_LENGTH] = {"maxLength", MCPI_TYPES_STRING, compile_count},
    [MCPI_OP_MIN_ITEMS] = {"minItems", MCPI_TYPES_ARRAY, compile_count},
    [MCPI_OP_MAX_ITEMS] = {"maxItems", MCPI_TYPES_ARRAY, compile_count},
    [MCPI_OP_MIN_PROPERTIES] = {"minProperties", MCPI_TYPES_OBJECT,
                                compile_count},
    [MCPI_OP_MAX_PROPERTIES] = {"maxProperties", MCPI_TYPES_OBJECT,
                                compile_count},
    [MCPI_OP_OBJECT] = {NULL, 0, NULL}, /* several keywords: compile_object */
    [MCPI_OP_ITEMS] = {"items", MCPI_TYPES_ARRAY, compile_child},
    [MCPI_OP_UNIQUE_ITEMS] = {"uniqueItems", MCPI_TYPES_ARRAY, compile_flag},
    [MCPI_OP_ALL_OF] = {"allOf", MCPI_TYPES_ANY, compile_children},
    [MCPI_OP_ANY_OF] = {"anyOf", MCPI_TYPES_ANY, compile_children},
    [MCPI_OP_ONE_OF] = {"oneOf", MCPI_TYPES_ANY, compile_children},
};

static int compile_keyword(compiler *c, const mcp_json *schema, uint8_t op) {
  if (op == MCPI_OP_OBJECT) {
    return compile_object(c, schema);
  }
  mcpi_insn insn = {.op = op, .types = keywords[op].types};
  insn.source = mcp_json_get(schema, keywords[op].name);
  return insn.source != NULL ? keywords[op].compile(c, &insn) : 0;
}

/* --- the program -------------------------------------------------------- */

static int compile_keywords(compiler *c, uint32_t node,
                            const mcp_json *schema) {
  uint32_t first = count_of(&c->insns, sizeof(mcpi_insn));
  int rc = compile_type(c, node, schema);
  for (uint8_t op = 0; rc == 0 && op < MCPI_OP_COUNT; op++) {
    rc = compile_keyword(c, schema, op);
  }
  if (rc == 0 && c->nodes.error == 0) {
    uint32_t end = count_of(&c->insns, sizeof(mcpi_insn));
    node_at(c, node)->first = first;
    node_at(c, node)->count = (uint16_t)(end - first);
  }
  return rc != 0 ? rc : c->nodes.error;
}

static int compile_node(compiler *c, uint32_t node) {
  const mcp_json *schema = node_at(c, node)->schema;
  switch (mcp_json_type(schema)) {
  case MCP_JSON_BOOL:
    node_at(c, node)->types = mcp_json_bool(schema) ? MCPI_TYPES_ANY : 0;
    return 0;
  case MCP_JSON_OBJECT:
    return compile_keywords(c, node, schema);
  default:
    return malformed(c, schema, "a schema (an object or a boolean)");
  }
}

/* All three arrays in one piece, the one with the strictest alignment first;
 * each size is a multiple of the next one's alignment. */
static int make_program(const compiler *c, mcpi_program *out,
                        const mcp_allocator *allocator) {
  size_t size = c->insns.len + c->properties.len + c->nodes.len;
  char *memory = mcpi_alloc(allocator, size);
  if (memory == NULL) {
    return MCP_ERR_NOMEM;
  }
  char *properties = memory + c->insns.len;
  char *nodes = properties + c->properties.len;
  if (c->insns.len > 0) {
    memcpy(memory, c->insns.data, c->insns.len);
  }
  if (c->properties.len > 0) {
    memcpy(properties, c->properties.data, c->properties.len);
  }
  memcpy(nodes, c->nodes.data, c->nodes.len);
  *out = (mcpi_program){
      (const mcpi_node *)(void *)nodes, (const mcpi_insn *)(void *)memory,
      (const mcpi_property *)(void *)properties, memory, size};
  return 0;
}

static int compile_all(compiler *c) {
  add_node(c, c->root);
  int rc = c->nodes.error;
  for (uint32_t i = 0; rc == 0 && i < count_of(&c->nodes, sizeof(mcpi_node));
       i++) {
    rc = compile_node(c, i);
  }
  return rc;
}

int mcpi_program_compile(mcpi_program *out, const mcp_json *schema,
                         const mcp_allocator *allocator, mcp_error *err) {
  compiler c = {.root = schema, .err = err};
  mcpi_buf_init(&c.nodes, allocator, SIZE_MAX);
  mcpi_buf_init(&c.insns, allocator, SIZE_MAX);
  mcpi_buf_init(&c.properties, allocator, SIZE_MAX);
  int rc = compile_all(&c);
  if (rc == 0) {
    rc = make_program(&c, out, allocator);
  }
  mcpi_buf_deinit(&c.nodes);
  mcpi_buf_deinit(&c.insns);
  mcpi_buf_deinit(&c.properties);
  return rc;
}
