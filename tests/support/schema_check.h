/* SPDX-License-Identifier: MIT */
/* Schemas and values as texts, for tables of tests. In all of these texts '
 * stands for ", as in scratch.h, whose teardown frees what these functions
 * make. */
#ifndef MCP_TESTS_SCHEMA_CHECK_H
#define MCP_TESTS_SCHEMA_CHECK_H

#include "support/scratch.h"

/* Validates in all three ways, which must agree. Returns what
 * mcp_validator_check does; *errors, if not NULL, is what it wrote, until the
 * end of the test. */
int schema_check(const mcp_validator *validator, const char *value,
                 const char **errors);

/* A schema, a value, and the message of the first error; NULL: it is valid. */
typedef struct schema_case {
  const char *schema;
  const char *value;
  const char *message;
} schema_case;

void schema_expect(const schema_case *cases, size_t count,
                   const mcp_validator_options *options);
#define SCHEMA_EXPECT(cases, options)                                          \
  schema_expect(cases, sizeof(cases) / sizeof((cases)[0]), options)

/* A schema that cannot be compiled, and why. */
typedef struct schema_fault {
  const char *schema;
  const char *message;
} schema_fault;

/* Each must fail with that code. */
void schema_expect_faults(const schema_fault *faults, size_t count, int code,
                          const mcp_validator_options *options);
#define SCHEMA_EXPECT_FAULTS(faults, code, options)                            \
  schema_expect_faults(faults, sizeof(faults) / sizeof((faults)[0]), code,     \
                       options)

/* What mcp_validator_apply_defaults returns; *out is the text, or NULL. */
int schema_fill(const char *schema, const char *value, const char **out);
void schema_expect_filled(const char *schema, const char *value,
                          const char *filled);

#endif
