/* SPDX-License-Identifier: MIT */
/* Two lines: a schema, and a value that is validated with it, in both drafts.
 * The schema may refer to itself as a document, too. */
#include "support/plain_regex.h"
#include <mcp/mcp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void check(int condition) {
  if (!condition) {
    abort();
  }
}

static mcp_doc *parse(const char *text, size_t len) {
  return mcp_doc_parse(text, len, NULL, NULL, NULL);
}

/* Each error's place is in the value. A pointer of a C string ends at a zero.
 */
static void look_at_errors(const mcp_json *errors, const mcp_json *value) {
  mcp_json_iter iter;
  const mcp_json *error;
  mcp_json_iter_init(&iter, errors);
  while ((error = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const mcp_json *place = mcp_json_get(error, "instance");
    const char *pointer = mcp_json_string(place);
    const char *message = mcp_json_string(mcp_json_get(error, "message"));
    check(pointer != NULL && mcp_json_size(error) == 4);
    check(mcp_json_string(mcp_json_get(error, "schema")) != NULL);
    check(message != NULL && message[0] != '\0');
    check(mcp_json_size(place) == 0 || message[0] == '/');
    check(strlen(pointer) != mcp_json_size(place) ||
          mcp_json_pointer(value, pointer) != NULL);
  }
}

/* All ways of asking say the same; but looking for more errors behind the first
 * one may cost too much. */
static void validate(const mcp_validator *validator, const mcp_json *value) {
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  int rc = mcp_validator_check(validator, value, NULL, builder);
  size_t len;
  const char *text = mcp_builder_text(builder, &len);
  mcp_doc *errors = parse(text, len);
  check(rc == 0 || rc == MCP_ERR_SCHEMA || rc == MCP_ERR_LIMIT);
  check(mcp_validator_accepts(validator, value) == (rc == 0));
  int answer = mcp_validator_check(validator, value, NULL, NULL);
  check(answer == rc || (answer == MCP_ERR_SCHEMA && rc == MCP_ERR_LIMIT));
  check(errors != NULL);
  check((mcp_json_size(mcp_doc_root(errors)) == 0) == (rc == 0));
  look_at_errors(mcp_doc_root(errors), value);
  mcp_doc_free(errors);
  mcp_builder_free(builder);
}

/* A second pass of defaults adds nothing to the value of the first. */
static void fill_in(const mcp_validator *validator, const mcp_json *value) {
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  int rc = mcp_validator_apply_defaults(validator, value, NULL, builder);
  size_t len;
  const char *text = mcp_builder_text(builder, &len);
  check(rc == 0 || rc == MCP_ERR_LIMIT);
  check((rc == 0) == (text != NULL));
  mcp_doc *filled = rc == 0 ? parse(text, len) : NULL;
  mcp_builder *again = mcp_builder_new(NULL, NULL);
  if (filled != NULL &&
      mcp_validator_apply_defaults(validator, mcp_doc_root(filled), NULL,
                                   again) == 0) {
    check(strcmp(mcp_builder_text(again, NULL), text) == 0);
  }
  mcp_builder_free(again);
  mcp_doc_free(filled);
  mcp_builder_free(builder);
}

static void compile(const mcp_json *schema, const mcp_json *value,
                    const char *draft) {
  const mcp_schema_document document = {.uri = "http://x/document",
                                        .schema = schema};
  const mcp_validator_options options = {.size = sizeof(mcp_validator_options),
                                         .draft = draft,
                                         .base_uri = "http://x/schema",
                                         .documents = &document,
                                         .document_count = 1,
                                         .assert_formats = 1,
                                         .max_depth = 200,
                                         .max_steps = 200000};
  mcp_error err;
  mcp_validator *validator = mcp_validator_new(schema, &options, &err);
  check(validator != NULL ||
        ((err.code == MCP_ERR_SCHEMA || err.code == MCP_ERR_LIMIT ||
          err.code == MCP_ERR_NOMEM) &&
         err.message[0] != '\0'));
  if (validator != NULL) {
    validate(validator, value);
    fill_in(validator, value);
  }
  mcp_validator_unref(validator);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
  const char *text = (const char *)data;
  const char *lf = len > 0 ? memchr(text, '\n', len) : NULL;
  mcp_doc *schema = lf != NULL ? parse(text, (size_t)(lf - text)) : NULL;
  mcp_doc *value =
      schema != NULL ? parse(lf + 1, len - (size_t)(lf - text) - 1) : NULL;
  plain_regex_provide();
  if (value != NULL) {
    compile(mcp_doc_root(schema), mcp_doc_root(value), MCP_DRAFT_2020_12);
    compile(mcp_doc_root(schema), mcp_doc_root(value), MCP_DRAFT_07);
  }
  mcp_doc_free(value);
  mcp_doc_free(schema);
  return 0;
}
