/* SPDX-License-Identifier: MIT */
/* The table of keywords, and the names of vocabularies. */
#include "schema/keyword.h"

#include <stddef.h>

enum {
  BOTH = MCPI_DRAFT_2020_12 | MCPI_DRAFT_07,
  NEW = MCPI_DRAFT_2020_12,
  OLD = MCPI_DRAFT_07,
  CORE = MCPI_VOCABULARY_CORE,
  APPLICATOR = MCPI_VOCABULARY_APPLICATOR,
  UNEVALUATED = MCPI_VOCABULARY_UNEVALUATED,
  VALIDATION = MCPI_VOCABULARY_VALIDATION,
  FORMAT = MCPI_VOCABULARY_FORMAT,
  CONTENT = MCPI_VOCABULARY_CONTENT,
  PLAIN = MCPI_SHAPE_PLAIN,
  SCHEMA = MCPI_SHAPE_SCHEMA,
  SCHEMAS = MCPI_SHAPE_SCHEMAS,
  EITHER = MCPI_SHAPE_EITHER,
  MAP = MCPI_SHAPE_MAP
};

typedef struct row {
  mcpi_str name;
  uint8_t drafts;
  uint8_t vocabularies; /* one of them is enough */
  uint8_t shape;
} row;

#define NAME(literal)                                                          \
  { literal, sizeof(literal) - 1 }

static const row keywords[MCPI_KEYWORD_COUNT] = {
    [MCPI_KEYWORD_TYPE] = {NAME("type"), BOTH, VALIDATION, PLAIN},
    [MCPI_KEYWORD_REF] = {NAME("$ref"), BOTH, CORE, PLAIN},
    [MCPI_KEYWORD_DYNAMIC_REF] = {NAME("$dynamicRef"), NEW, CORE, PLAIN},
    [MCPI_KEYWORD_ENUM] = {NAME("enum"), BOTH, VALIDATION, PLAIN},
    [MCPI_KEYWORD_CONST] = {NAME("const"), BOTH, VALIDATION, PLAIN},
    [MCPI_KEYWORD_MINIMUM] = {NAME("minimum"), BOTH, VALIDATION, PLAIN},
    [MCPI_KEYWORD_MAXIMUM] = {NAME("maximum"), BOTH, VALIDATION, PLAIN},
    [MCPI_KEYWORD_EXCLUSIVE_MINIMUM] = {NAME("exclusiveMinimum"), BOTH,
                                        VALIDATION, PLAIN},
    [MCPI_KEYWORD_EXCLUSIVE_MAXIMUM] = {NAME("exclusiveMaximum"), BOTH,
                                        VALIDATION, PLAIN},
    [MCPI_KEYWORD_MULTIPLE_OF] = {NAME("multipleOf"), BOTH, VALIDATION, PLAIN},
    [MCPI_KEYWORD_MIN_LENGTH] = {NAME("minLength"), BOTH, VALIDATION, PLAIN},
    [MCPI_KEYWORD_MAX_LENGTH] = {NAME("maxLength"), BOTH, VALIDATION, PLAIN},
    [MCPI_KEYWORD_PATTERN] = {NAME("pattern"), BOTH, VALIDATION, PLAIN},
    [MCPI_KEYWORD_FORMAT] = {NAME("format"), BOTH, FORMAT, PLAIN},
    [MCPI_KEYWORD_MIN_ITEMS] = {NAME("minItems"), BOTH, VALIDATION, PLAIN},
    [MCPI_KEYWORD_MAX_ITEMS] = {NAME("maxItems"), BOTH, VALIDATION, PLAIN},
    [MCPI_KEYWORD_MIN_PROPERTIES] = {NAME("minProperties"), BOTH, VALIDATION,
                                     PLAIN},
    [MCPI_KEYWORD_MAX_PROPERTIES] = {NAME("maxProperties"), BOTH, VALIDATION,
                                     PLAIN},
    [MCPI_KEYWORD_PROPERTIES] = {NAME("properties"), BOTH, APPLICATOR, MAP},
    [MCPI_KEYWORD_REQUIRED] = {NAME("required"), BOTH, VALIDATION, PLAIN},
    [MCPI_KEYWORD_PATTERN_PROPERTIES] = {NAME("patternProperties"), BOTH,
                                         APPLICATOR, MAP},
    [MCPI_KEYWORD_ADDITIONAL_PROPERTIES] = {NAME("additionalProperties"), BOTH,
                                            APPLICATOR, SCHEMA},
    [MCPI_KEYWORD_PROPERTY_NAMES] = {NAME("propertyNames"), BOTH, APPLICATOR,
                                     SCHEMA},
    [MCPI_KEYWORD_DEPENDENT_REQUIRED] = {NAME("dependentRequired"), NEW,
                                         VALIDATION, PLAIN},
    [MCPI_KEYWORD_DEPENDENT_SCHEMAS] = {NAME("dependentSchemas"), NEW,
                                        APPLICATOR, MAP},
    /* Not a keyword of 2020-12, but old schemas use it without `$schema`. */
    [MCPI_KEYWORD_DEPENDENCIES] = {NAME("dependencies"), BOTH, APPLICATOR, MAP},
    [MCPI_KEYWORD_PREFIX_ITEMS] = {NAME("prefixItems"), NEW, APPLICATOR,
                                   SCHEMAS},
    [MCPI_KEYWORD_ITEMS] = {NAME("items"), BOTH, APPLICATOR, EITHER},
    [MCPI_KEYWORD_ADDITIONAL_ITEMS] = {NAME("additionalItems"), OLD, APPLICATOR,
                                       SCHEMA},
    [MCPI_KEYWORD_CONTAINS] = {NAME("contains"), BOTH, APPLICATOR, SCHEMA},
    [MCPI_KEYWORD_MIN_CONTAINS] = {NAME("minContains"), NEW, VALIDATION, PLAIN},
    [MCPI_KEYWORD_MAX_CONTAINS] = {NAME("maxContains"), NEW, VALIDATION, PLAIN},
    [MCPI_KEYWORD_UNIQUE_ITEMS] = {NAME("uniqueItems"), BOTH, VALIDATION,
                                   PLAIN},
    [MCPI_KEYWORD_ALL_OF] = {NAME("allOf"), BOTH, APPLICATOR, SCHEMAS},
    [MCPI_KEYWORD_ANY_OF] = {NAME("anyOf"), BOTH, APPLICATOR, SCHEMAS},
    [MCPI_KEYWORD_ONE_OF] = {NAME("oneOf"), BOTH, APPLICATOR, SCHEMAS},
    [MCPI_KEYWORD_NOT] = {NAME("not"), BOTH, APPLICATOR, SCHEMA},
    [MCPI_KEYWORD_IF] = {NAME("if"), BOTH, APPLICATOR, SCHEMA},
    [MCPI_KEYWORD_THEN] = {NAME("then"), BOTH, APPLICATOR, SCHEMA},
    [MCPI_KEYWORD_ELSE] = {NAME("else"), BOTH, APPLICATOR, SCHEMA},
    [MCPI_KEYWORD_UNEVALUATED_ITEMS] = {NAME("unevaluatedItems"), NEW,
                                        UNEVALUATED, SCHEMA},
    [MCPI_KEYWORD_UNEVALUATED_PROPERTIES] = {NAME("unevaluatedProperties"), NEW,
                                             UNEVALUATED, SCHEMA},
    [MCPI_KEYWORD_DEFS] = {NAME("$defs"), NEW, CORE, MAP},
    /* 2020-12 no longer has it, but describes what it was. */
    [MCPI_KEYWORD_DEFINITIONS] = {NAME("definitions"), BOTH, CORE, MAP},
    [MCPI_KEYWORD_CONTENT_SCHEMA] = {NAME("contentSchema"), NEW, CONTENT,
                                     SCHEMA},
};

int mcpi_keyword_find(mcpi_str name, uint32_t drafts, uint32_t vocabularies) {
  for (int i = 0; i < MCPI_KEYWORD_COUNT; i++) {
    if (mcpi_str_eq(name, keywords[i].name)) {
      int is_known = (keywords[i].drafts & drafts) != 0 &&
                     (keywords[i].vocabularies & vocabularies) != 0;
      return is_known ? i : MCPI_KEYWORD_NONE;
    }
  }
  return MCPI_KEYWORD_NONE;
}

int mcpi_keyword_shape(int keyword) {
  return keywords[keyword].shape;
}

uint32_t mcpi_vocabulary_find(mcpi_str uri) {
  /* In the order of their bits. */
  static const char *const names[] = {
      "core",      "applicator",        "unevaluated",      "validation",
      "meta-data", "format-annotation", "format-assertion", "content"};
  const mcpi_str start =
      MCPI_STR("https://json-schema.org/draft/2020-12/vocab/");
  if (uri.len < start.len || memcmp(uri.ptr, start.ptr, start.len) != 0) {
    return 0;
  }
  mcpi_str name = mcpi_str_n(uri.ptr + start.len, uri.len - start.len);
  for (uint32_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    if (mcpi_str_eq(name, mcpi_str_z(names[i]))) {
      return UINT32_C(1) << i;
    }
  }
  return 0;
}
