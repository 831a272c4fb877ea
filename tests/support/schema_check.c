/* SPDX-License-Identifier: MIT */
#include "support/schema_check.h"

#include "base/buf.h"
#include "support/cm.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *schema_quoted(const char *text) {
  char *copy = strdup(text);
  assert_non_null(copy);
  for (char *p = copy; *p != '\0'; p++) {
    *p = *p == '\'' ? '"' : *p;
  }
  return copy;
}

static void put_numbered(mcpi_buf *buf, const char *piece, size_t number) {
  for (const char *p = piece; *p != '\0'; p++) {
    char digits[24];
    if (*p != '@') {
      mcpi_buf_putc(buf, *p);
      continue;
    }
    snprintf(digits, sizeof(digits), "%zu", number);
    mcpi_buf_puts(buf, mcpi_str_z(digits));
  }
}

char *schema_repeat(const char *begin, const char *piece, size_t count,
                    const char *end) {
  mcpi_buf buf;
  mcpi_buf_init(&buf, mcp_allocator_default(), SIZE_MAX);
  mcpi_buf_puts(&buf, mcpi_str_z(begin));
  for (size_t i = 0; i < count; i++) {
    put_numbered(&buf, piece, i);
  }
  mcpi_buf_puts(&buf, mcpi_str_z(end));
  mcpi_buf_putc(&buf, '\0');
  assert_int_equal(buf.error, 0);
  char *text = strdup(buf.data);
  mcpi_buf_deinit(&buf);
  return text;
}

static mcp_doc *parse_json(const char *json) {
  mcp_doc *doc = NULL;
  mcp_error err;
  if (mcp_doc_parse(&doc, json, strlen(json), NULL, NULL, &err) != 0) {
    fail_msg("%.200s: %s", json, err.message);
  }
  return doc;
}

mcp_doc *schema_parse(const char *text) {
  char *json = schema_quoted(text);
  mcp_doc *doc = parse_json(json);
  free(json);
  return doc;
}

/* The document is freed at once: the validator has its own copy. */
int schema_compile(mcp_validator **out, const char *schema,
                   const mcp_validator_options *options, mcp_error *err) {
  mcp_doc *doc = schema_parse(schema);
  *out = NULL;
  int rc = mcp_validator_new(out, mcp_doc_root(doc), options, err);
  mcp_doc_free(doc);
  assert_int_equal(*out != NULL, rc == 0);
  return rc;
}

mcp_validator *schema_must_compile(const char *schema,
                                   const mcp_validator_options *options) {
  mcp_validator *validator;
  mcp_error err;
  if (schema_compile(&validator, schema, options, &err) != 0) {
    fail_msg("%.200s: %s", schema, err.message);
  }
  return validator;
}

int schema_check(const mcp_validator *validator, const char *value,
                 char **errors) {
  mcp_doc *doc = schema_parse(value);
  const mcp_json *root = mcp_doc_root(doc);
  mcp_builder *builder = mcp_builder_new(NULL);
  int rc = mcp_validator_check(validator, root, NULL, builder);
  assert_int_equal(mcp_validator_check(validator, root, NULL, NULL), rc);
  assert_int_equal(mcp_validator_accepts(validator, root), rc == 0);
  const char *text = mcp_builder_text(builder, NULL);
  assert_non_null(text);
  assert_int_equal(strcmp(text, "[]") == 0, rc == 0);
  if (errors != NULL) {
    *errors = strdup(text);
  }
  mcp_builder_free(builder);
  mcp_doc_free(doc);
  return rc;
}

/* --- tables -------------------------------------------------------------- */

/* The same, but for which quotes there are. */
static int says(const char *message, const char *wanted) {
  char *a = schema_quoted(message);
  char *b = schema_quoted(wanted);
  int is_same = strcmp(a, b) == 0;
  free(a);
  free(b);
  return is_same;
}

static void expect_message(const schema_case *c, const char *errors) {
  mcp_doc *doc = parse_json(errors);
  const char *message =
      mcp_json_string(mcp_json_pointer(mcp_doc_root(doc), "/0/message"));
  if (!says(message, c->message)) {
    fail_msg("%.500s for %.500s says\n%s, not\n%s", c->schema, c->value,
             message, c->message);
  }
  mcp_doc_free(doc);
}

void schema_expect(const schema_case *cases, size_t count,
                   const mcp_validator_options *options) {
  for (size_t i = 0; i < count; i++) {
    const schema_case *c = &cases[i];
    mcp_validator *validator = schema_must_compile(c->schema, options);
    char *errors;
    int rc = schema_check(validator, c->value, &errors);
    if ((rc == 0) != (c->message == NULL)) {
      fail_msg("%.500s for %.500s says %s", c->schema, c->value, errors);
    }
    if (c->message != NULL) {
      expect_message(c, errors);
    }
    free(errors);
    mcp_validator_unref(validator);
  }
}

void schema_expect_faults(const schema_fault *faults, size_t count, int code,
                          const mcp_validator_options *options) {
  for (size_t i = 0; i < count; i++) {
    mcp_validator *validator;
    mcp_error err;
    int rc = schema_compile(&validator, faults[i].schema, options, &err);
    mcp_validator_unref(validator);
    if (rc != code || !says(err.message, faults[i].message)) {
      fail_msg("%.500s gives %d: %s, not\n%s", faults[i].schema, rc,
               rc != 0 ? err.message : "", faults[i].message);
    }
    assert_int_equal(err.code, code);
  }
}
