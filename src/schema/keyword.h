/* SPDX-License-Identifier: MIT */
/* The keywords of JSON Schema: which drafts and vocabularies have them, and
 * where their values hold further schemas. */
#ifndef MCPI_SCHEMA_KEYWORD_H
#define MCPI_SCHEMA_KEYWORD_H

#include "base/str.h"

/* Drafts, a bit each. */
enum { MCPI_DRAFT_2020_12 = 1, MCPI_DRAFT_07 = 2 };

/* Vocabularies of 2020-12, a bit each. Draft-07 counts as having all of them.
 */
enum {
  MCPI_VOCABULARY_CORE = 1 << 0,
  MCPI_VOCABULARY_APPLICATOR = 1 << 1,
  MCPI_VOCABULARY_UNEVALUATED = 1 << 2,
  MCPI_VOCABULARY_VALIDATION = 1 << 3,
  MCPI_VOCABULARY_META_DATA = 1 << 4,
  MCPI_VOCABULARY_FORMAT_ANNOTATION = 1 << 5,
  MCPI_VOCABULARY_FORMAT_ASSERTION = 1 << 6,
  MCPI_VOCABULARY_CONTENT = 1 << 7,
  MCPI_VOCABULARY_FORMAT =
      MCPI_VOCABULARY_FORMAT_ANNOTATION | MCPI_VOCABULARY_FORMAT_ASSERTION
};

/* What a keyword's value is. */
enum {
  MCPI_SHAPE_PLAIN = 0, /* no schema in it */
  MCPI_SHAPE_SCHEMA,
  MCPI_SHAPE_SCHEMAS, /* an array of them */
  MCPI_SHAPE_EITHER,  /* one, or an array of them */
  MCPI_SHAPE_MAP      /* an object whose members are schemas; members that are
                         not are passed over */
};

/* In the order in which a schema's keywords are compiled and checked. Keywords
 * that are cheap and tell the most come first, keywords that depend on others
 * last. */
enum {
  MCPI_KEYWORD_TYPE = 0,
  MCPI_KEYWORD_REF,
  MCPI_KEYWORD_DYNAMIC_REF,
  MCPI_KEYWORD_ENUM,
  MCPI_KEYWORD_CONST,
  MCPI_KEYWORD_MINIMUM,
  MCPI_KEYWORD_MAXIMUM,
  MCPI_KEYWORD_EXCLUSIVE_MINIMUM,
  MCPI_KEYWORD_EXCLUSIVE_MAXIMUM,
  MCPI_KEYWORD_MULTIPLE_OF,
  MCPI_KEYWORD_MIN_LENGTH,
  MCPI_KEYWORD_MAX_LENGTH,
  MCPI_KEYWORD_PATTERN,
  MCPI_KEYWORD_FORMAT,
  MCPI_KEYWORD_MIN_ITEMS,
  MCPI_KEYWORD_MAX_ITEMS,
  MCPI_KEYWORD_MIN_PROPERTIES,
  MCPI_KEYWORD_MAX_PROPERTIES,
  MCPI_KEYWORD_PROPERTIES, /* with the next three */
  MCPI_KEYWORD_REQUIRED,
  MCPI_KEYWORD_PATTERN_PROPERTIES,
  MCPI_KEYWORD_ADDITIONAL_PROPERTIES,
  MCPI_KEYWORD_PROPERTY_NAMES,
  MCPI_KEYWORD_DEPENDENT_REQUIRED,
  MCPI_KEYWORD_DEPENDENT_SCHEMAS,
  MCPI_KEYWORD_DEPENDENCIES,
  MCPI_KEYWORD_PREFIX_ITEMS, /* with the next two */
  MCPI_KEYWORD_ITEMS,
  MCPI_KEYWORD_ADDITIONAL_ITEMS,
  MCPI_KEYWORD_CONTAINS, /* with the next two */
  MCPI_KEYWORD_MIN_CONTAINS,
  MCPI_KEYWORD_MAX_CONTAINS,
  MCPI_KEYWORD_UNIQUE_ITEMS,
  MCPI_KEYWORD_ALL_OF,
  MCPI_KEYWORD_ANY_OF,
  MCPI_KEYWORD_ONE_OF,
  MCPI_KEYWORD_NOT,
  MCPI_KEYWORD_IF, /* with the next two */
  MCPI_KEYWORD_THEN,
  MCPI_KEYWORD_ELSE,
  MCPI_KEYWORD_UNEVALUATED_ITEMS,
  MCPI_KEYWORD_UNEVALUATED_PROPERTIES,
  MCPI_KEYWORD_DEFS,
  MCPI_KEYWORD_DEFINITIONS,
  MCPI_KEYWORD_CONTENT_SCHEMA,
  MCPI_KEYWORD_COUNT,
  MCPI_KEYWORD_NONE = MCPI_KEYWORD_COUNT
};

/* Returns the keyword of this name that one of the drafts has, in one of the
 * vocabularies, or MCPI_KEYWORD_NONE. */
int mcpi_keyword_find(mcpi_str name, uint32_t drafts, uint32_t vocabularies);
/* Returns MCPI_SHAPE_*. */
int mcpi_keyword_shape(int keyword);

/* Returns the vocabulary of this URI, or 0. */
uint32_t mcpi_vocabulary_find(mcpi_str uri);

/* Keywords that a build can leave out. A schema that has one of them then fails
 * to compile. */
typedef struct mcpi_keyword_group {
  int is_built;
  const char *option; /* of CMake */
} mcpi_keyword_group;

#endif
