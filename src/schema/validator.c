/* SPDX-License-Identifier: MIT */
/* Validating with a compiled schema, in the order of its nodes.
 *
 * Recursion goes only as deep as the schema is nested, which the JSON reader
 * limits; a schema cannot refer to itself here. */
#include "schema/validator.h"

#include "codec/json.h"
#include "schema/errors.h"
#include <stdatomic.h>

/* What one validation may cost, in values looked at and compared and in pieces
 * of long texts: some tenths of a second. Honest values need a few steps for
 * each of theirs; what grows with a product (enum times items, uniqueItems)
 * stays below it. */
enum { MAX_STEPS = 10000000 };

enum { DEFAULT_MAX_ERRORS = 8 };

struct mcp_validator {
  mcp_allocator allocator;
  atomic_uint refs;
  const mcp_json *schema; /* our copy */
  void *memory;           /* of the copy */
  size_t memory_len;
  mcpi_program program;
};

typedef struct run {
  const mcpi_program *program;
  mcpi_report *report; /* NULL: only the answer is wanted */
  size_t steps_left;
} run;

static int visit(run *r, uint32_t index, const mcp_json *value);

/* Whether a first failure is all that is asked for. */
static int is_done(const run *r) {
  return r->report == NULL || r->report->left == 0 || r->steps_left == 0;
}

/* --- numbers and counts ------------------------------------------------- */

/* Less than 0, 0, or more than 0. Integers are compared as such: a double does
 * not hold all of their digits. */
static int compare(const mcp_json *a, const mcp_json *b) {
  int64_t left;
  int64_t right;
  if (mcp_json_try_int(a, &left) == 0 && mcp_json_try_int(b, &right) == 0) {
    return (left > right) - (left < right);
  }
  double x = mcp_json_number(a);
  double y = mcp_json_number(b);
  return (x > y) - (x < y);
}

static int is_within(const mcpi_insn *insn, const mcp_json *value) {
  int order = compare(value, insn->source);
  switch (insn->op) {
  case MCPI_OP_MINIMUM:
    return order >= 0;
  case MCPI_OP_MAXIMUM:
    return order <= 0;
  case MCPI_OP_EXCLUSIVE_MINIMUM:
    return order > 0;
  default:
    return order < 0;
  }
}

static int check_bound(run *r, const mcpi_insn *insn, const mcp_json *value) {
  if (is_within(insn, value)) {
    return 1;
  }
  if (r->report != NULL) {
    mcpi_report_bound(r->report, insn, value);
  }
  return 0;
}

/* Code points: every byte but those that continue a character. */
static size_t string_length(mcpi_str string) {
  size_t length = 0;
  for (size_t i = 0; i < string.len; i++) {
    length += ((unsigned char)string.ptr[i] & 0xC0) != 0x80;
  }
  return length;
}

static int check_count(run *r, const mcpi_insn *insn, const mcp_json *value) {
  int is_string = insn->types == MCPI_TYPES_STRING;
  int is_minimum = insn->op == MCPI_OP_MIN_LENGTH ||
                   insn->op == MCPI_OP_MIN_ITEMS ||
                   insn->op == MCPI_OP_MIN_PROPERTIES;
  mcpi_str string = mcpi_json_str(value);
  if (!mcpi_json_spend(&r->steps_left, string.len / 64)) {
    return 0;
  }
  size_t count = is_string ? string_length(string) : mcp_json_size(value);
  if (is_minimum ? count >= insn->limit : count <= insn->limit) {
    return 1;
  }
  if (r->report != NULL) {
    mcpi_report_count(r->report, insn, value, count);
  }
  return 0;
}

/* --- enum and const ----------------------------------------------------- */

static int is_one_of(run *r, const mcp_json *values, const mcp_json *value) {
  mcp_json_iter iter;
  const mcp_json *other;
  mcp_json_iter_init(&iter, values);
  while ((other = mcp_json_iter_next(&iter, NULL)) != NULL &&
         r->steps_left > 0) {
    if (mcpi_json_equal(other, value, &r->steps_left)) {
      return 1;
    }
  }
  return 0;
}

static int check_equal(run *r, const mcpi_insn *insn, const mcp_json *value) {
  int is_fine = insn->op == MCPI_OP_CONST
                    ? mcpi_json_equal(insn->source, value, &r->steps_left)
                    : is_one_of(r, insn->source, value);
  if (!is_fine && r->report != NULL) {
    mcpi_report_choice(r->report, insn, value);
  }
  return is_fine;
}

/* --- objects ------------------------------------------------------------ */

/* The names found so far of those that are required. */
typedef struct required_set {
  uint64_t bits[MCPI_MAX_REQUIRED / 64];
  size_t missing;
} required_set;

static void required_init(required_set *set, const mcpi_insn *insn) {
  size_t words = (insn->required + 63u) / 64;
  memset(set->bits, 0, words * sizeof(set->bits[0]));
  set->missing = insn->required;
}

static int required_has(const required_set *set, uint32_t index) {
  return (set->bits[index / 64] >> (index % 64) & 1) != 0;
}

/* A name may come twice. */
static void required_mark(required_set *set, uint32_t index) {
  if (!required_has(set, index)) {
    set->bits[index / 64] |= UINT64_C(1) << (index % 64);
    set->missing--;
  }
}

/* The order of the compiler's table. */
static int compare_names(mcpi_str a, mcpi_str b) {
  if (a.len != b.len) {
    return a.len < b.len ? -1 : 1;
  }
  return a.len > 0 ? memcmp(a.ptr, b.ptr, a.len) : 0;
}

static const mcpi_property *find(const run *r, const mcpi_insn *insn,
                                 mcpi_str name) {
  const mcpi_property *list = r->program->properties + insn->first;
  size_t low = 0;
  size_t high = insn->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = compare_names(name, list[middle].name);
    if (order == 0) {
      return &list[middle];
    }
    if (order < 0) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return NULL;
}

/* A member of `object` that `properties` does not name. */
static int check_other(run *r, const mcpi_insn *insn, const mcp_json *object,
                       mcpi_str name, const mcp_json *value) {
  if (insn->others == MCPI_NONE) {
    return 1;
  }
  if (r->program->nodes[insn->others].types != 0) {
    return visit(r, insn->others, value);
  }
  /* `false`: the object is at fault, and can tell what is known. */
  if (r->report != NULL) {
    mcpi_report_unknown(r->report, insn, object, name);
  }
  return 0;
}

static int check_members(run *r, const mcpi_insn *insn, const mcp_json *object,
                         required_set *required) {
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *value;
  int is_fine = 1;
  mcp_json_iter_init(&iter, object);
  while ((value = mcp_json_iter_next(&iter, &name)) != NULL) {
    mcpi_str key = mcpi_json_str(name);
    const mcpi_property *property = find(r, insn, key);
    if (property != NULL && property->required != MCPI_NONE) {
      required_mark(required, property->required);
    }
    if (property != NULL && property->node != MCPI_NONE
            ? !visit(r, property->node, value)
            : !check_other(r, insn, object, key, value)) {
      is_fine = 0;
      if (is_done(r)) {
        break;
      }
    }
  }
  return is_fine;
}

/* Names what is missing in the order of `required`. */
static void report_missing(run *r, const mcpi_insn *insn,
                           const mcp_json *object, required_set *found) {
  mcp_json_iter iter;
  const mcp_json *name;
  mcp_json_iter_init(&iter, mcp_json_get(insn->source, "required"));
  while (!is_done(r) && (name = mcp_json_iter_next(&iter, NULL)) != NULL) {
    mcpi_str key = mcpi_json_str(name);
    const mcpi_property *property = find(r, insn, key);
    if (!required_has(found, property->required)) {
      required_mark(found, property->required);
      mcpi_report_missing(r->report, insn, object, key);
    }
  }
}

static int check_object(run *r, const mcpi_insn *insn, const mcp_json *object) {
  required_set required;
  required_init(&required, insn);
  int is_fine = check_members(r, insn, object, &required);
  if (required.missing == 0) {
    return is_fine;
  }
  report_missing(r, insn, object, &required);
  return 0;
}

/* --- arrays ------------------------------------------------------------- */

static int check_items(run *r, const mcpi_insn *insn, const mcp_json *array) {
  mcp_json_iter iter;
  const mcp_json *item;
  int is_fine = 1;
  mcp_json_iter_init(&iter, array);
  while ((item = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (!visit(r, insn->first, item)) {
      is_fine = 0;
      if (is_done(r)) {
        break;
      }
    }
  }
  return is_fine;
}

/* The place of the first item of `rest` that equals `item`, or SIZE_MAX. */
static size_t find_equal(run *r, const mcp_json *item, mcp_json_iter rest) {
  const mcp_json *other;
  for (size_t i = 0;
       r->steps_left > 0 && (other = mcp_json_iter_next(&rest, NULL)) != NULL;
       i++) {
    if (mcpi_json_equal(item, other, &r->steps_left)) {
      return i;
    }
  }
  return SIZE_MAX;
}

static int check_unique(run *r, const mcpi_insn *insn, const mcp_json *array) {
  mcp_json_iter iter;
  const mcp_json *item;
  mcp_json_iter_init(&iter, array);
  for (size_t i = 0; (item = mcp_json_iter_next(&iter, NULL)) != NULL; i++) {
    size_t distance = find_equal(r, item, iter);
    if (distance == SIZE_MAX) {
      continue;
    }
    if (r->report != NULL) {
      mcpi_report_equal_items(r->report, insn, array, i, i + 1 + distance);
    }
    return 0;
  }
  return 1;
}

/* --- allOf, anyOf, oneOf ------------------------------------------------ */

static int check_all(run *r, const mcpi_insn *insn, const mcp_json *value) {
  int is_fine = 1;
  for (uint32_t i = 0; i < insn->count; i++) {
    if (!visit(r, insn->first + i, value)) {
      is_fine = 0;
      if (is_done(r)) {
        break;
      }
    }
  }
  return is_fine;
}

/* How many alternatives accept the value, up to `enough`. */
static uint32_t count_fitting(run *r, const mcpi_insn *insn,
                              const mcp_json *value, uint32_t enough) {
  uint32_t fitting = 0;
  mcpi_report *report = r->report;
  r->report = NULL;
  for (uint32_t i = 0; i < insn->count && fitting < enough; i++) {
    fitting += (uint32_t)visit(r, insn->first + i, value);
  }
  r->report = report;
  return fitting;
}

/* The one alternative for values of that type, or MCPI_NONE. */
static uint32_t only_candidate(const run *r, const mcpi_insn *insn,
                               const mcp_json *value) {
  uint32_t types = UINT32_C(1) << mcp_json_type(value);
  uint32_t found = MCPI_NONE;
  if ((types & MCPI_TYPES_NUMBER) != 0) {
    types |= MCPI_TYPES_INTEGER;
  }
  for (uint32_t i = insn->first; i < insn->first + insn->count; i++) {
    if ((r->program->nodes[i].types & types) == 0) {
      continue;
    }
    if (found != MCPI_NONE) {
      return MCPI_NONE;
    }
    found = i;
  }
  return found;
}

/* "Fits none of 2" helps nobody. Where the type tells which alternative was
 * meant (an object or null, say), what is wrong by that one is said. */
static void report_no_fit(run *r, const mcpi_insn *insn,
                          const mcp_json *value) {
  uint32_t candidate = only_candidate(r, insn, value);
  if (candidate != MCPI_NONE) {
    visit(r, candidate, value);
  } else {
    mcpi_report_choice(r->report, insn, value);
  }
}

static int check_choice(run *r, const mcpi_insn *insn, const mcp_json *value) {
  uint32_t enough = insn->op == MCPI_OP_ONE_OF ? 2 : 1;
  uint32_t fitting = count_fitting(r, insn, value, enough);
  if (fitting == 1 || r->report == NULL) {
    return fitting == 1;
  }
  if (fitting == 0) {
    report_no_fit(r, insn, value);
  } else {
    mcpi_report_ambiguous(r->report, insn, value);
  }
  return 0;
}

/* --- nodes -------------------------------------------------------------- */

static int check_insn(run *r, const mcpi_insn *insn, const mcp_json *value) {
  switch (insn->op) {
  case MCPI_OP_ENUM:
  case MCPI_OP_CONST:
    return check_equal(r, insn, value);
  case MCPI_OP_MINIMUM:
  case MCPI_OP_MAXIMUM:
  case MCPI_OP_EXCLUSIVE_MINIMUM:
  case MCPI_OP_EXCLUSIVE_MAXIMUM:
    return check_bound(r, insn, value);
  case MCPI_OP_OBJECT:
    return check_object(r, insn, value);
  case MCPI_OP_ITEMS:
    return check_items(r, insn, value);
  case MCPI_OP_UNIQUE_ITEMS:
    return check_unique(r, insn, value);
  case MCPI_OP_ALL_OF:
    return check_all(r, insn, value);
  case MCPI_OP_ANY_OF:
  case MCPI_OP_ONE_OF:
    return check_choice(r, insn, value);
  default:
    return check_count(r, insn, value);
  }
}

static int admits(const mcpi_node *node, int type, const mcp_json *value) {
  if ((node->types >> type & 1) != 0) {
    return 1;
  }
  return type == MCP_JSON_NUMBER && (node->types & MCPI_TYPES_INTEGER) != 0 &&
         mcp_json_is_integer(value);
}

/* Whether the node accepts the value. */
static int visit(run *r, uint32_t index, const mcp_json *value) {
  const mcpi_node *node = &r->program->nodes[index];
  int type = mcp_json_type(value);
  if (!mcpi_json_spend(&r->steps_left, 1)) {
    return 0;
  }
  if (!admits(node, type, value)) {
    if (r->report != NULL) {
      mcpi_report_type(r->report, node, value);
    }
    return 0;
  }
  const mcpi_insn *insn = r->program->insns + node->first;
  int is_fine = 1;
  for (const mcpi_insn *end = insn + node->count; insn < end; insn++) {
    if ((insn->types >> type & 1) != 0 && !check_insn(r, insn, value)) {
      is_fine = 0;
      if (is_done(r)) {
        break;
      }
    }
  }
  return is_fine;
}

/* --- the public functions ----------------------------------------------- */

/* Copies a schema, by its text, into memory of the validator's. */
static int load_copy(mcp_validator *v, const mcpi_buf *text, mcp_error *err) {
  static const mcpi_json_limits limits = {SIZE_MAX, MCPI_JSON_MAX_DEPTH,
                                          MCPI_JSON_MAX_VALUES};
  if (text->error != 0) {
    return mcp_error_set(err, text->error, "%s", mcp_error_text(text->error));
  }
  int rc =
      mcpi_json_measure(text->data, text->len, &limits, &v->memory_len, err);
  if (rc != 0) {
    return rc;
  }
  v->memory = mcpi_alloc(&v->allocator, v->memory_len);
  if (v->memory == NULL) {
    return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  return mcpi_json_load(v->memory, v->memory_len, text->data, text->len,
                        &v->schema, err);
}

static int copy_schema(mcp_validator *v, const mcp_json *schema,
                       mcp_error *err) {
  mcpi_buf text;
  mcpi_buf_init(&text, &v->allocator, SIZE_MAX);
  mcpi_json_put_value(&text, schema);
  int rc = load_copy(v, &text, err);
  mcpi_buf_deinit(&text);
  return rc;
}

static int init(mcp_validator *v, const mcp_json *schema, mcp_error *err) {
  int rc = copy_schema(v, schema, err);
  if (rc != 0) {
    return rc;
  }
  rc = mcpi_program_compile(&v->program, v->schema, &v->allocator, err);
  return rc == MCP_ERR_NOMEM ? mcp_error_set(err, rc, "out of memory") : rc;
}

int mcp_validator_new(mcp_validator **out, const mcp_json *schema,
                      const mcp_allocator *allocator, mcp_error *err) {
  if (out == NULL || schema == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "out or the schema is NULL");
  }
  if (allocator == NULL) {
    allocator = mcp_allocator_default();
  }
  mcp_validator *v = mcpi_calloc(allocator, 1, sizeof(*v));
  if (v == NULL) {
    return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  v->allocator = *allocator;
  atomic_init(&v->refs, 1);
  int rc = init(v, schema, err);
  if (rc != 0) {
    mcp_validator_unref(v);
    return rc;
  }
  *out = v;
  return 0;
}

mcp_validator *mcp_validator_ref(mcp_validator *validator) {
  if (validator != NULL) {
    atomic_fetch_add_explicit(&validator->refs, 1, memory_order_relaxed);
  }
  return validator;
}

void mcp_validator_unref(mcp_validator *validator) {
  /* Release and acquire: other threads' last reads come before the freeing. */
  if (validator == NULL ||
      atomic_fetch_sub_explicit(&validator->refs, 1, memory_order_acq_rel) !=
          1) {
    return;
  }
  mcp_allocator allocator = validator->allocator;
  mcpi_free(&allocator, validator->program.memory, validator->program.size);
  mcpi_free(&allocator, validator->memory, validator->memory_len);
  mcpi_free(&allocator, validator, sizeof(*validator));
}

/* Giving up counts as refusing: what was not checked is not accepted. */
static int validate(run *r, const mcp_json *value) {
  int is_fine = visit(r, 0, value);
  if (r->steps_left == 0 && r->report != NULL) {
    mcpi_report_cost(r->report);
  }
  return is_fine && r->steps_left > 0;
}

int mcp_validator_accepts(const mcp_validator *validator,
                          const mcp_json *value) {
  if (validator == NULL) {
    return 0;
  }
  run r = {&validator->program, NULL, MAX_STEPS};
  return validate(&r, value);
}

/* The caller's structure may be of another version. */
static uint32_t max_errors(const mcp_validate_options *options) {
  const size_t end =
      offsetof(mcp_validate_options, max_errors) + sizeof(options->max_errors);
  if (options == NULL || options->size < end || options->max_errors == 0) {
    return DEFAULT_MAX_ERRORS;
  }
  return options->max_errors;
}

int mcp_validator_check(const mcp_validator *validator, const mcp_json *value,
                        const mcp_validate_options *options,
                        mcp_builder *errors) {
  if (validator == NULL) {
    return MCP_ERR_INVALID;
  }
  if (errors == NULL) {
    return mcp_validator_accepts(validator, value) ? 0 : MCP_ERR_SCHEMA;
  }
  mcpi_report report = {errors, validator->schema, value, max_errors(options)};
  run r = {&validator->program, &report, MAX_STEPS};
  mcp_builder_array(errors, NULL);
  int is_fine = validate(&r, value);
  int rc = mcp_builder_end(errors);
  if (rc != 0) {
    return rc;
  }
  return is_fine ? 0 : MCP_ERR_SCHEMA;
}
