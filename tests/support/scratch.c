/* SPDX-License-Identifier: MIT */
#include "support/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct kept {
  struct kept *next;
  void *thing;
  void (*release)(void *thing);
} kept;

static kept *all; /* the last one first, so it is freed first */

void *scratch_add(void *thing, void (*release)(void *thing)) {
  kept *one = malloc(sizeof(*one));
  assert_non_null(one);
  *one = (kept){all, thing, release};
  all = one;
  return thing;
}

int scratch_teardown(void **state) {
  while (all != NULL) {
    kept *one = all;
    all = one->next;
    one->release(one->thing);
    free(one);
  }
  return 0;
}

char *scratch_quoted(const char *text) {
  char *copy = strdup(text);
  assert_non_null(copy);
  scratch_add(copy, free);
  for (char *p = copy; *p != '\0'; p++) {
    *p = *p == '\'' ? '"' : *p;
  }
  return copy;
}

static void release_doc(void *doc) {
  mcp_doc_free(doc);
}

const mcp_json *scratch_plain_json(const char *json) {
  mcp_error err;
  mcp_doc *doc = mcp_doc_parse(json, strlen(json), NULL, NULL, &err);
  if (doc == NULL) {
    fail_msg("%.200s: %s", json, err.message);
  }
  scratch_add(doc, release_doc);
  return mcp_doc_root(doc);
}

const mcp_json *scratch_json(const char *text) {
  return scratch_plain_json(scratch_quoted(text));
}

static void release_validator(void *validator) {
  mcp_validator_unref(validator);
}

int scratch_compile(mcp_validator **out, const char *schema,
                    const mcp_validator_options *options, mcp_error *err) {
  mcp_error why;
  *out = mcp_validator_new(scratch_json(schema), options, &why);
  if (*out != NULL) {
    scratch_add(*out, release_validator);
    return 0;
  }
  if (err != NULL) {
    *err = why;
  }
  return why.code;
}

mcp_validator *scratch_validator(const char *schema,
                                 const mcp_validator_options *options) {
  mcp_validator *validator;
  mcp_error err;
  if (scratch_compile(&validator, schema, options, &err) != 0) {
    fail_msg("%.200s: %s", schema, err.message);
  }
  return validator;
}

static void release_builder(void *builder) {
  mcp_builder_free(builder);
}

mcp_builder *scratch_builder(void) {
  return scratch_add(mcp_builder_new(NULL, NULL), release_builder);
}

static void release_buf(void *buf) {
  mcpi_buf_deinit(buf);
  free(buf);
}

mcpi_buf *scratch_buf(void) {
  mcpi_buf *buf = malloc(sizeof(*buf));
  assert_non_null(buf);
  mcpi_buf_init(buf, mcp_allocator_default(), SIZE_MAX);
  return scratch_add(buf, release_buf);
}

const char *scratch_str(mcpi_buf *buf) {
  char *end = mcpi_buf_reserve(buf, 1);
  assert_non_null(end);
  *end = '\0';
  return buf->data;
}

char *scratch_join(const char *a, const char *b, const char *c) {
  mcpi_buf *buf = scratch_buf();
  mcpi_buf_puts(buf, mcpi_str_z(a));
  mcpi_buf_puts(buf, mcpi_str_z(b));
  mcpi_buf_puts(buf, mcpi_str_z(c));
  mcpi_buf_putc(buf, '\0');
  return buf->data;
}

char *scratch_repeat(const char *begin, const char *piece, size_t count,
                     const char *end) {
  mcpi_buf *buf = scratch_buf();
  mcpi_buf_puts(buf, mcpi_str_z(begin));
  for (size_t i = 0; i < count; i++) {
    char digits[24];
    snprintf(digits, sizeof(digits), "%zu", i);
    for (const char *p = piece; *p != '\0'; p++) {
      mcpi_buf_puts(buf, *p == '@' ? mcpi_str_z(digits) : mcpi_str_n(p, 1));
    }
  }
  mcpi_buf_puts(buf, mcpi_str_z(end));
  mcpi_buf_putc(buf, '\0');
  assert_int_equal(buf->error, 0);
  return buf->data;
}
