/* SPDX-License-Identifier: MIT */
#include "support/schema_check.h"

#include <string.h>

int schema_check(const mcp_validator *validator, const char *value,
                 const char **errors) {
  const mcp_json *root = scratch_json(value);
  mcp_builder *builder = scratch_builder();
  int rc = mcp_validator_check(validator, root, NULL, builder);
  assert_int_equal(mcp_validator_check(validator, root, NULL, NULL), rc);
  assert_int_equal(mcp_validator_accepts(validator, root), rc == 0);
  const char *text = mcp_builder_text(builder, NULL);
  assert_non_null(text);
  assert_int_equal(strcmp(text, "[]") == 0, rc == 0);
  if (errors != NULL) {
    *errors = text;
  }
  return rc;
}

/* --- tables -------------------------------------------------------------- */

/* Whether two texts differ at most in their quotes. */
static int is_same(const char *message, const char *wanted) {
  return strcmp(scratch_quoted(message), scratch_quoted(wanted)) == 0;
}

void schema_expect(const schema_case *cases, size_t count,
                   const mcp_validator_options *options) {
  for (size_t i = 0; i < count; i++) {
    const schema_case *c = &cases[i];
    const char *errors;
    int rc =
        schema_check(scratch_validator(c->schema, options), c->value, &errors);
    if ((rc == 0) != (c->message == NULL)) {
      fail_msg("%.500s for %.500s says %s", c->schema, c->value, errors);
    }
    if (c->message != NULL) {
      const char *message = mcp_json_string(
          mcp_json_pointer(scratch_plain_json(errors), "/0/message"));
      if (!is_same(message, c->message)) {
        fail_msg("%.500s for %.500s says\n%s, not\n%s", c->schema, c->value,
                 message, c->message);
      }
    }
  }
}

void schema_expect_faults(const schema_fault *faults, size_t count, int code,
                          const mcp_validator_options *options) {
  for (size_t i = 0; i < count; i++) {
    mcp_validator *validator;
    mcp_error err;
    int rc = scratch_compile(&validator, faults[i].schema, options, &err);
    if (rc != code || !is_same(err.message, faults[i].message)) {
      fail_msg("%.500s gives %d: %s, not\n%s", faults[i].schema, rc,
               rc != 0 ? err.message : "", faults[i].message);
    }
    assert_int_equal(err.code, code);
  }
}

int schema_fill(const char *schema, const char *value, const char **out) {
  mcp_builder *builder = scratch_builder();
  int rc = mcp_validator_apply_defaults(scratch_validator(schema, NULL),
                                        scratch_json(value), NULL, builder);
  *out = rc == 0 ? mcp_builder_text(builder, NULL) : NULL;
  return rc;
}

void schema_expect_filled(const char *schema, const char *value,
                          const char *filled) {
  const char *text;
  const char *wanted = scratch_quoted(filled);
  assert_int_equal(schema_fill(schema, value, &text), 0);
  if (text == NULL || strcmp(text, wanted) != 0) {
    fail_msg("%.500s for %.500s gives\n%s, not\n%s", schema, value,
             text != NULL ? text : "nothing", wanted);
  }
}
