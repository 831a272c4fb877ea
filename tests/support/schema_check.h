/* SPDX-License-Identifier: MIT */
/* Schemas and values as texts, for tables of tests. In all of these texts ' is
 * written for ", so that JSON can be read in a C string. */
#ifndef MCP_TESTS_SCHEMA_CHECK_H
#define MCP_TESTS_SCHEMA_CHECK_H

#include <mcp/mcp.h>

/* The text with " for '. Freed by the caller. */
char *schema_quoted(const char *text);
/* A text of `count` times a piece, where a '@' becomes the number, between a
 * beginning and an end. Freed by the caller. */
char *schema_repeat(const char *begin, const char *piece, size_t count,
                    const char *end);
/* Fails the test when the text is not JSON. */
mcp_doc *schema_parse(const char *text);

/* Compiles a schema; options may be NULL. Returns what mcp_validator_new does,
 * and *out is NULL when that is not 0. */
int schema_compile(mcp_validator **out, const char *schema,
                   const mcp_validator_options *options, mcp_error *err);
/* The same where it must succeed. */
mcp_validator *schema_must_compile(const char *schema,
                                   const mcp_validator_options *options);
/* Validates in all three ways, which must agree. Returns what
 * mcp_validator_check does; *errors, if not NULL, is what it wrote, freed by
 * the caller. */
int schema_check(const mcp_validator *validator, const char *value,
                 char **errors);

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

#endif
