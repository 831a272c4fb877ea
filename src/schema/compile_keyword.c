/* SPDX-License-Identifier: MIT */
/* Compiling each keyword: a table of functions at the end. */
#include "schema/compile_keyword.h"

#include "schema/compile_object.h"
#include "schema/compile_pattern.h"
#include "schema/compile_ref.h"
#include "schema/format.h"
#include "schema/validate_array.h"
#include "schema/validate_choice.h"
#include "json/decimal.h"
#include "json/inline.h"
#include "json/json.h"

#include <float.h>
#include <math.h>

static int fail_left_out(const mcpi_subject *s, const mcp_json *value,
                         const mcpi_keyword_group *group) {
  return mcpi_subject_fail(s, MCP_ERR_SCHEMA, value,
                           "this libmcp was built without this keyword (%s)",
                           group->option);
}

static uint32_t keyword_add_child(mcpi_compiler *c, uint32_t node) {
  uint32_t index = mcpi_count_of(&c->children, uint32_t);
  mcpi_buf_put(&c->children, &node, sizeof(node));
  return index;
}

/* --- type --------------------------------------------------------------- */

/* Adds the type of this name to the set. */
static int read_type(const mcpi_subject *s, const mcp_json *name,
                     uint32_t *types) {
  static const struct {
    const char *name;
    uint32_t types;
  } all[] = {
      {"null", MCPI_TYPES_NULL},     {"boolean", MCPI_TYPES_BOOL},
      {"number", MCPI_TYPES_NUMBER}, {"integer", MCPI_TYPES_INTEGER},
      {"string", MCPI_TYPES_STRING}, {"array", MCPI_TYPES_ARRAY},
      {"object", MCPI_TYPES_OBJECT},
  };
  for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
    if (mcpi_str_eq(mcpi_json_str(name), mcpi_str_z(all[i].name))) {
      *types |= all[i].types;
      return 0;
    }
  }
  return mcpi_subject_malformed(s, name, "the name of a JSON type");
}

/* Refuses a name that also occurs earlier in the list. */
static int check_first_occurrence(const mcpi_subject *s, const mcp_json *names,
                                  const mcp_json *name) {
  mcpi_str text = mcpi_json_str(name);
  mcp_json_iter iter;
  const mcp_json *other;
  mcp_json_iter_init(&iter, names);
  while ((other = mcp_json_iter_next(&iter, NULL)) != name) {
    int rc = mcpi_compiler_spend(s->c, 1 + text.len / 64);
    if (rc != 0) {
      return rc;
    }
    if (mcpi_str_eq(mcpi_json_str(other), text)) {
      return mcpi_subject_malformed(s, name, "each name once");
    }
  }
  return 0;
}

static int compile_type(mcpi_subject *s, const mcp_json *value,
                        mcpi_insn *insn) {
  uint32_t types = 0;
  int rc = 0;
  (void)insn;
  if (mcp_json_type(value) != MCP_JSON_ARRAY) {
    rc = read_type(s, value, &types);
  } else if (mcp_json_size(value) == 0) {
    rc = mcpi_subject_malformed(s, value, "at least one type");
  }
  mcp_json_iter iter;
  const mcp_json *name;
  mcp_json_iter_init(&iter, value);
  while (rc == 0 && (name = mcp_json_iter_next(&iter, NULL)) != NULL) {
    rc = read_type(s, name, &types);
    if (rc == 0) {
      rc = check_first_occurrence(s, value, name);
    }
  }
  mcpi_compiler_node_at(s->c, s->node)->types = types;
  return rc;
}

/* --- values ------------------------------------------------------------- */

static int compile_const(mcpi_subject *s, const mcp_json *value,
                         mcpi_insn *insn) {
  (void)value;
  return mcpi_subject_add(s, insn);
}

static int compile_enum(mcpi_subject *s, const mcp_json *value,
                        mcpi_insn *insn) {
  if (mcp_json_type(value) != MCP_JSON_ARRAY) {
    return mcpi_subject_malformed(s, value, "an array");
  }
  return mcpi_subject_add(s, insn);
}

/* Adds a limit that all values from `least` to `greatest` satisfy. It belongs
 * to the last LIMITS, or to a new one if that is for other types. */
static int keyword_add_limit(mcpi_subject *s, const mcpi_insn *insn,
                             double least, double greatest) {
  mcpi_compiler *c = s->c;
  if (s->limits == MCPI_NONE ||
      mcpi_compiler_insn_at(c, s->limits)->types != insn->types) {
    const mcpi_insn made = {.op = MCPI_OP_LIMITS,
                            .types = insn->types,
                            .least = -HUGE_VAL,
                            .greatest = HUGE_VAL};
    s->limits = mcpi_count_of(&c->insns, mcpi_insn);
    mcpi_subject_add(s, &made);
  }
  if (c->insns.error != 0) {
    return 0; /* the frame finds it */
  }
  mcpi_insn *limits = mcpi_compiler_insn_at(c, s->limits);
  limits->count++;
  limits->least = least > limits->least ? least : limits->least;
  limits->greatest = greatest < limits->greatest ? greatest : limits->greatest;
  return mcpi_subject_add(s, insn);
}

/* Returns a small distance past an exclusive bound. */
static double step_past(double bound) {
  return fabs(bound) * DBL_EPSILON + DBL_MIN;
}

static int compile_bound(mcpi_subject *s, const mcp_json *value,
                         mcpi_insn *insn) {
  if (mcp_json_type(value) != MCP_JSON_NUMBER) {
    return mcpi_subject_malformed(s, value, "a number");
  }
  double bound;
  if (!mcpi_json_exact_double(value, &bound)) {
    return keyword_add_limit(s, insn, HUGE_VAL, -HUGE_VAL);
  }
  switch (insn->op) {
  case MCPI_OP_MINIMUM:
    return keyword_add_limit(s, insn, bound, HUGE_VAL);
  case MCPI_OP_MAXIMUM:
    return keyword_add_limit(s, insn, -HUGE_VAL, bound);
  case MCPI_OP_EXCLUSIVE_MINIMUM:
    return keyword_add_limit(s, insn, bound + step_past(bound), HUGE_VAL);
  default:
    return keyword_add_limit(s, insn, -HUGE_VAL, bound - step_past(bound));
  }
}

static int compile_multiple(mcpi_subject *s, const mcp_json *value,
                            mcpi_insn *insn) {
  mcpi_decimal divisor = {.digits = {NULL, 0}};
  if (mcp_json_type(value) == MCP_JSON_NUMBER) {
    mcpi_decimal_read(&divisor, value);
  }
  if (divisor.digits.len == 0 || divisor.is_negative) {
    return mcpi_subject_malformed(s, value, "a number above 0");
  }
  if (mcpi_decimal_digit_count(&divisor) > MCPI_DECIMAL_DIVISOR_DIGITS) {
    return mcpi_subject_fail(s, MCP_ERR_LIMIT, value,
                             "multipleOf has more than %d digits",
                             MCPI_DECIMAL_DIVISOR_DIGITS);
  }
  return mcpi_subject_add(s, insn);
}

/* Reads a count. A number past any size counts as the largest. */
static int keyword_read_count(const mcpi_subject *s, const mcp_json *value,
                              size_t *count) {
  if (!mcp_json_is_integer(value) || mcp_json_number(value) < 0) {
    return mcpi_subject_malformed(s, value, "a whole number, not negative");
  }
  uint64_t number = (uint64_t)mcp_json_int(value);
  *count = number > SIZE_MAX ? SIZE_MAX : (size_t)number;
  return 0;
}

/* A character has one to four bytes. */
static int compile_count(mcpi_subject *s, const mcp_json *value,
                         mcpi_insn *insn) {
  int rc = keyword_read_count(s, value, &insn->limit);
  double limit = (double)insn->limit;
  if (rc != 0) {
    return rc;
  }
  switch (insn->op) {
  case MCPI_OP_MIN_LENGTH:
    return keyword_add_limit(s, insn, 4 * limit - 3, HUGE_VAL);
  case MCPI_OP_MIN_ITEMS:
  case MCPI_OP_MIN_PROPERTIES:
    return keyword_add_limit(s, insn, limit, HUGE_VAL);
  default:
    return keyword_add_limit(s, insn, -HUGE_VAL, limit);
  }
}

static int compile_flag(mcpi_subject *s, const mcp_json *value,
                        mcpi_insn *insn) {
  if (mcp_json_type(value) != MCP_JSON_BOOL) {
    return mcpi_subject_malformed(s, value, "a boolean");
  }
  return mcp_json_bool(value) ? mcpi_subject_add(s, insn) : 0;
}

/* --- strings ------------------------------------------------------------ */

static int compile_pattern(mcpi_subject *s, const mcp_json *value,
                           mcpi_insn *insn) {
  if (mcp_json_type(value) != MCP_JSON_STRING) {
    return mcpi_subject_malformed(s, value, "a regular expression");
  }
  int rc = mcpi_compile_pattern(s, value, mcpi_json_str(value), MCPI_NONE,
                                &insn->first);
  return rc != 0 ? rc : mcpi_subject_add(s, insn);
}

/* A format is checked if it is known, and if the program or the draft wants
 * that. */
static int compile_format(mcpi_subject *s, const mcp_json *value,
                          mcpi_insn *insn) {
  const mcpi_resource *in = mcpi_library_resource(&s->c->library, s->resource);
  int is_wanted =
      s->c->options->assert_formats ||
      (in->draft.vocabularies & MCPI_VOCABULARY_FORMAT_ASSERTION) != 0;
  if (mcp_json_type(value) != MCP_JSON_STRING) {
    return mcpi_subject_malformed(s, value, "the name of a format");
  }
  if (is_wanted && !mcpi_keyword_of_formats.is_built) {
    return fail_left_out(s, value, &mcpi_keyword_of_formats);
  }
  int format = mcpi_format_find(mcpi_json_str(value));
  if (!is_wanted || format < 0) {
    return 0;
  }
  insn->first = (uint32_t)format;
  return mcpi_subject_add(s, insn);
}

/* --- schemas ------------------------------------------------------------ */

static int compile_child(mcpi_subject *s, const mcp_json *value,
                         mcpi_insn *insn) {
  insn->first = mcpi_subject_child(s, value);
  return mcpi_subject_add(s, insn);
}

/* Adds the subschemas in an array; NULL has none. */
static void keyword_add_children(mcpi_subject *s, const mcp_json *value,
                                 mcpi_insn *insn) {
  mcp_json_iter iter;
  const mcp_json *child;
  insn->first = mcpi_count_of(&s->c->children, uint32_t);
  mcp_json_iter_init(&iter, value);
  while ((child = mcp_json_iter_next(&iter, NULL)) != NULL) {
    keyword_add_child(s->c, mcpi_subject_child(s, child));
    insn->count++;
  }
}

static int compile_children(mcpi_subject *s, const mcp_json *value,
                            mcpi_insn *insn) {
  if (mcp_json_type(value) != MCP_JSON_ARRAY || mcp_json_size(value) == 0) {
    return mcpi_subject_malformed(s, value, "an array of schemas");
  }
  keyword_add_children(s, value, insn);
  return mcpi_subject_add(s, insn);
}

static uint32_t keyword_optional_child(mcpi_subject *s, int keyword) {
  const mcp_json *value = s->keywords[keyword];
  return value != NULL ? mcpi_subject_child(s, value) : MCPI_NONE;
}

static int compile_if(mcpi_subject *s, const mcp_json *value, mcpi_insn *insn) {
  uint32_t condition = mcpi_subject_child(s, value);
  uint32_t then = keyword_optional_child(s, MCPI_KEYWORD_THEN);
  uint32_t otherwise = keyword_optional_child(s, MCPI_KEYWORD_ELSE);
  insn->first = keyword_add_child(s->c, condition);
  keyword_add_child(s->c, then);
  keyword_add_child(s->c, otherwise);
  return mcpi_subject_add(s, insn);
}

static int compile_unevaluated(mcpi_subject *s, const mcp_json *value,
                               mcpi_insn *insn) {
  mcpi_compiler_node_at(s->c, s->node)->collects |= insn->types;
  return compile_child(s, value, insn);
}

/* Definitions are compiled only in the schema itself, where the program wants
 * to know their errors. */
static int compile_definitions(mcpi_subject *s, const mcp_json *value,
                               mcpi_insn *insn) {
  (void)insn;
  if (mcp_json_type(value) != MCP_JSON_OBJECT) {
    return mcpi_subject_malformed(s, value, "an object");
  }
  if (s->document->next == NULL) {
    mcp_json_iter iter;
    const mcp_json *child;
    mcp_json_iter_init(&iter, value);
    while ((child = mcp_json_iter_next(&iter, NULL)) != NULL) {
      mcpi_subject_child(s, child);
    }
  }
  return 0;
}

/* --- arrays ------------------------------------------------------------- */

/* `items` is a schema for all items after `prefixItems`. In draft-07 it may be
 * what `prefixItems` is now; then `additionalItems` is for the rest. */
static int compile_items(mcpi_subject *s, const mcp_json *value,
                         mcpi_insn *insn) {
  const mcp_json *first = s->keywords[MCPI_KEYWORD_PREFIX_ITEMS];
  int rest = MCPI_KEYWORD_ITEMS;
  const mcp_json *items = s->keywords[MCPI_KEYWORD_ITEMS];
  mcpi_draft draft = mcpi_library_resource(&s->c->library, s->resource)->draft;
  (void)value;
  if (s->has_items) {
    return 0;
  }
  s->has_items = 1;
  if (draft.number == MCPI_DRAFT_07) {
    int is_list = mcp_json_type(items) == MCP_JSON_ARRAY;
    first = is_list ? items : NULL;
    rest = is_list ? MCPI_KEYWORD_ADDITIONAL_ITEMS : MCPI_KEYWORD_ITEMS;
  }
  if (first != NULL && mcp_json_type(first) != MCP_JSON_ARRAY) {
    return mcpi_subject_malformed(s, first, "an array of schemas");
  }
  keyword_add_children(s, first, insn);
  insn->others = keyword_optional_child(s, rest);
  insn->source = s->schema;
  return insn->count > 0 || insn->others != MCPI_NONE
             ? mcpi_subject_add(s, insn)
             : 0;
}

static int compile_contains(mcpi_subject *s, const mcp_json *value,
                            mcpi_insn *insn) {
  const mcp_json *least = s->keywords[MCPI_KEYWORD_MIN_CONTAINS];
  const mcp_json *most = s->keywords[MCPI_KEYWORD_MAX_CONTAINS];
  insn->limit = 1;
  insn->most = SIZE_MAX;
  int rc = least != NULL ? keyword_read_count(s, least, &insn->limit) : 0;
  if (rc == 0 && most != NULL) {
    rc = keyword_read_count(s, most, &insn->most);
  }
  return rc != 0 ? rc : compile_child(s, value, insn);
}

/* --- dependencies ------------------------------------------------------- */

static int check_name_list(const mcpi_subject *s, const mcp_json *names) {
  mcp_json_iter iter;
  const mcp_json *name;
  if (mcp_json_type(names) != MCP_JSON_ARRAY) {
    return mcpi_subject_malformed(s, names, "an array of names");
  }
  mcp_json_iter_init(&iter, names);
  while ((name = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (mcp_json_type(name) != MCP_JSON_STRING) {
      return mcpi_subject_malformed(s, name, "a name");
    }
    int rc = check_first_occurrence(s, names, name);
    if (rc != 0) {
      return rc;
    }
  }
  return 0;
}

/* Each member is a list of names (if `has_names`) or a schema (if
 * `has_schemas`); draft-07 allows both in one keyword. There is a child for
 * each member, which is MCPI_NONE for a list. */
static int compile_dependencies(mcpi_subject *s, const mcp_json *value,
                                int has_names, int has_schemas) {
  mcpi_insn names = {.op = MCPI_OP_DEPENDENT_REQUIRED,
                     .types = MCPI_TYPES_OBJECT,
                     .source = value};
  mcpi_insn schemas = {.op = MCPI_OP_DEPENDENT_SCHEMAS,
                       .types = MCPI_TYPES_OBJECT,
                       .first = mcpi_count_of(&s->c->children, uint32_t),
                       .source = value};
  mcp_json_iter iter;
  const mcp_json *member;
  int rc = 0;
  if (mcp_json_type(value) != MCP_JSON_OBJECT) {
    return mcpi_subject_malformed(s, value, "an object");
  }
  mcp_json_iter_init(&iter, value);
  while (rc == 0 && (member = mcp_json_iter_next(&iter, NULL)) != NULL) {
    int is_list =
        has_names && (!has_schemas || mcp_json_type(member) == MCP_JSON_ARRAY);
    keyword_add_child(s->c,
                      is_list ? MCPI_NONE : mcpi_subject_child(s, member));
    schemas.count++;
    rc = is_list ? check_name_list(s, member) : 0;
  }
  if (rc == 0 && has_names) {
    mcpi_subject_add(s, &names);
  }
  if (rc == 0 && has_schemas) {
    mcpi_subject_add(s, &schemas);
  }
  return rc;
}

static int compile_dependent_required(mcpi_subject *s, const mcp_json *value,
                                      mcpi_insn *insn) {
  (void)insn;
  return compile_dependencies(s, value, 1, 0);
}

static int compile_dependent_schemas(mcpi_subject *s, const mcp_json *value,
                                     mcpi_insn *insn) {
  (void)insn;
  return compile_dependencies(s, value, 0, 1);
}

static int compile_either(mcpi_subject *s, const mcp_json *value,
                          mcpi_insn *insn) {
  (void)insn;
  return compile_dependencies(s, value, 1, 1);
}

/* --- the table ---------------------------------------------------------- */

static int compile_object(mcpi_subject *s, const mcp_json *value,
                          mcpi_insn *insn) {
  (void)value;
  (void)insn;
  return mcpi_compile_object(s);
}

static int compile_ref(mcpi_subject *s, const mcp_json *value,
                       mcpi_insn *insn) {
  (void)insn;
  return mcpi_compile_ref(s, value);
}

static int compile_dynamic_ref(mcpi_subject *s, const mcp_json *value,
                               mcpi_insn *insn) {
  (void)insn;
  return mcpi_compile_dynamic_ref(s, value);
}

typedef struct row {
  int (*compile)(mcpi_subject *s, const mcp_json *value, mcpi_insn *insn);
  uint8_t op;
  uint32_t types;                  /* of values that it concerns */
  const mcpi_keyword_group *group; /* NULL: in every build */
} row;

enum {
  ANY = MCPI_TYPES_ANY,
  NUMBER = MCPI_TYPES_NUMBER,
  STRING = MCPI_TYPES_STRING,
  ARRAY = MCPI_TYPES_ARRAY,
  OBJECT = MCPI_TYPES_OBJECT
};

/* Keywords without a function are read by the functions of others. */
static const row rows[MCPI_KEYWORD_COUNT] = {
    [MCPI_KEYWORD_TYPE] = {.compile = compile_type},
    [MCPI_KEYWORD_REF] = {.compile = compile_ref,
                          .group = &mcpi_keywords_of_choices},
    [MCPI_KEYWORD_DYNAMIC_REF] = {.compile = compile_dynamic_ref,
                                  .group = &mcpi_keywords_of_choices},
    [MCPI_KEYWORD_ENUM] = {.compile = compile_enum,
                           .op = MCPI_OP_ENUM,
                           .types = ANY},
    [MCPI_KEYWORD_CONST] = {.compile = compile_const,
                            .op = MCPI_OP_CONST,
                            .types = ANY},
    [MCPI_KEYWORD_MINIMUM] = {.compile = compile_bound,
                              .op = MCPI_OP_MINIMUM,
                              .types = NUMBER},
    [MCPI_KEYWORD_MAXIMUM] = {.compile = compile_bound,
                              .op = MCPI_OP_MAXIMUM,
                              .types = NUMBER},
    [MCPI_KEYWORD_EXCLUSIVE_MINIMUM] = {.compile = compile_bound,
                                        .op = MCPI_OP_EXCLUSIVE_MINIMUM,
                                        .types = NUMBER},
    [MCPI_KEYWORD_EXCLUSIVE_MAXIMUM] = {.compile = compile_bound,
                                        .op = MCPI_OP_EXCLUSIVE_MAXIMUM,
                                        .types = NUMBER},
    [MCPI_KEYWORD_MULTIPLE_OF] = {.compile = compile_multiple,
                                  .op = MCPI_OP_MULTIPLE_OF,
                                  .types = NUMBER},
    [MCPI_KEYWORD_MIN_LENGTH] = {.compile = compile_count,
                                 .op = MCPI_OP_MIN_LENGTH,
                                 .types = STRING},
    [MCPI_KEYWORD_MAX_LENGTH] = {.compile = compile_count,
                                 .op = MCPI_OP_MAX_LENGTH,
                                 .types = STRING},
    [MCPI_KEYWORD_PATTERN] = {.compile = compile_pattern,
                              .op = MCPI_OP_PATTERN,
                              .types = STRING},
    [MCPI_KEYWORD_FORMAT] = {.compile = compile_format,
                             .op = MCPI_OP_FORMAT,
                             .types = STRING},
    [MCPI_KEYWORD_MIN_ITEMS] = {.compile = compile_count,
                                .op = MCPI_OP_MIN_ITEMS,
                                .types = ARRAY},
    [MCPI_KEYWORD_MAX_ITEMS] = {.compile = compile_count,
                                .op = MCPI_OP_MAX_ITEMS,
                                .types = ARRAY},
    [MCPI_KEYWORD_MIN_PROPERTIES] = {.compile = compile_count,
                                     .op = MCPI_OP_MIN_PROPERTIES,
                                     .types = OBJECT},
    [MCPI_KEYWORD_MAX_PROPERTIES] = {.compile = compile_count,
                                     .op = MCPI_OP_MAX_PROPERTIES,
                                     .types = OBJECT},
    [MCPI_KEYWORD_PROPERTIES] = {.compile = compile_object},
    [MCPI_KEYWORD_REQUIRED] = {.compile = compile_object},
    [MCPI_KEYWORD_PATTERN_PROPERTIES] = {.compile = compile_object},
    [MCPI_KEYWORD_ADDITIONAL_PROPERTIES] = {.compile = compile_object},
    [MCPI_KEYWORD_PROPERTY_NAMES] = {.compile = compile_child,
                                     .op = MCPI_OP_PROPERTY_NAMES,
                                     .types = OBJECT},
    [MCPI_KEYWORD_DEPENDENT_REQUIRED] = {.compile = compile_dependent_required},
    [MCPI_KEYWORD_DEPENDENT_SCHEMAS] = {.compile = compile_dependent_schemas},
    [MCPI_KEYWORD_DEPENDENCIES] = {.compile = compile_either},
    [MCPI_KEYWORD_PREFIX_ITEMS] = {.compile = compile_items,
                                   .op = MCPI_OP_ITEMS,
                                   .types = ARRAY,
                                   .group = &mcpi_keywords_of_arrays},
    [MCPI_KEYWORD_ITEMS] = {.compile = compile_items,
                            .op = MCPI_OP_ITEMS,
                            .types = ARRAY,
                            .group = &mcpi_keywords_of_arrays},
    [MCPI_KEYWORD_CONTAINS] = {.compile = compile_contains,
                               .op = MCPI_OP_CONTAINS,
                               .types = ARRAY,
                               .group = &mcpi_keywords_of_arrays},
    [MCPI_KEYWORD_UNIQUE_ITEMS] = {.compile = compile_flag,
                                   .op = MCPI_OP_UNIQUE_ITEMS,
                                   .types = ARRAY,
                                   .group = &mcpi_keywords_of_arrays},
    [MCPI_KEYWORD_ALL_OF] = {.compile = compile_children,
                             .op = MCPI_OP_ALL_OF,
                             .types = ANY,
                             .group = &mcpi_keywords_of_choices},
    [MCPI_KEYWORD_ANY_OF] = {.compile = compile_children,
                             .op = MCPI_OP_ANY_OF,
                             .types = ANY,
                             .group = &mcpi_keywords_of_choices},
    [MCPI_KEYWORD_ONE_OF] = {.compile = compile_children,
                             .op = MCPI_OP_ONE_OF,
                             .types = ANY,
                             .group = &mcpi_keywords_of_choices},
    [MCPI_KEYWORD_NOT] = {.compile = compile_child,
                          .op = MCPI_OP_NOT,
                          .types = ANY,
                          .group = &mcpi_keywords_of_choices},
    [MCPI_KEYWORD_IF] = {.compile = compile_if,
                         .op = MCPI_OP_IF,
                         .types = ANY,
                         .group = &mcpi_keywords_of_choices},
    [MCPI_KEYWORD_UNEVALUATED_ITEMS] = {.compile = compile_unevaluated,
                                        .op = MCPI_OP_UNEVALUATED_ITEMS,
                                        .types = ARRAY,
                                        .group = &mcpi_keywords_of_arrays},
    [MCPI_KEYWORD_UNEVALUATED_PROPERTIES] = {.compile = compile_unevaluated,
                                             .op =
                                                 MCPI_OP_UNEVALUATED_PROPERTIES,
                                             .types = OBJECT},
    [MCPI_KEYWORD_DEFS] = {.compile = compile_definitions},
    [MCPI_KEYWORD_DEFINITIONS] = {.compile = compile_definitions},
};

int mcpi_compile_keyword(mcpi_subject *s, int keyword) {
  const row *by = &rows[keyword];
  const mcp_json *value = s->keywords[keyword];
  if (by->group != NULL && !by->group->is_built) {
    return fail_left_out(s, value, by->group);
  }
  mcpi_insn insn = {
      .op = by->op, .types = by->types, .others = MCPI_NONE, .source = value};
  return by->compile != NULL ? by->compile(s, value, &insn) : 0;
}
