/* SPDX-License-Identifier: MIT */
/* What a test makes and need not free: the teardown frees it, also after a
 * failed assertion, so that a failure shows as one failure and no leak. */
#ifndef MCP_TESTS_SCRATCH_H
#define MCP_TESTS_SCRATCH_H

#include "base/buf.h"
#include "support/cm.h"
#include <mcp/mcp.h>

/* Frees a thing at the end of the test. Returns the thing. */
void *scratch_add(void *thing, void (*release)(void *thing));
int scratch_teardown(void **state);
#define SCRATCH_TEST(name) TEST_WITH(name, NULL, scratch_teardown)

/* In these texts ' stands for ", so that JSON can be read in a C string. */

/* The text with " for '. */
char *scratch_quoted(const char *text);
/* Parses a text; fails the test when it is not JSON. */
const mcp_json *scratch_json(const char *text);
/* Parses a text in which ' is a character like others. */
const mcp_json *scratch_plain_json(const char *json);
/* Compiles a schema; options may be NULL. Returns 0, or the code of
 * mcp_validator_new's error; then *out is NULL. */
int scratch_compile(mcp_validator **out, const char *schema,
                    const mcp_validator_options *options, mcp_error *err);
/* Compiles a schema that must be valid; options may be NULL. */
mcp_validator *scratch_validator(const char *schema,
                                 const mcp_validator_options *options);
mcp_builder *scratch_builder(void);
/* An empty buffer without limit. */
mcpi_buf *scratch_buf(void);
/* The contents of a buffer as a C string. */
const char *scratch_str(mcpi_buf *buf);
/* Three texts as one. */
char *scratch_join(const char *a, const char *b, const char *c);
/* A text of `count` times a piece, where a '@' becomes the number, between a
 * beginning and an end. */
char *scratch_repeat(const char *begin, const char *piece, size_t count,
                     const char *end);

#endif
