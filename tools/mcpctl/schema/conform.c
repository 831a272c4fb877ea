/* SPDX-License-Identifier: MIT */
#include "schema/conform.h"
#include "common/json.h"

#include <mcp/schema.h>
#include <string.h>

/* The first error of a list, as an error. */
static int take_first(mcp_builder *errors, mcp_error *err) {
  size_t len = 0;
  const char *text = mcp_builder_text(errors, &len);
  mcp_doc *doc =
      text != NULL ? mcp_doc_parse(text, len, NULL, NULL, err) : NULL;
  const mcp_json *first = mcp_json_at(mcp_doc_root(doc), 0);
  const char *message = ctl_json_member(first, "message");
  mcp_error_set(err, MCP_ERR_INVALID, "%s",
                message != NULL ? message : "out of memory");
  mcp_doc_free(doc);
  return MCP_ERR_INVALID;
}

int ctl_conform(const mcp_json *schema, const mcp_json *value, mcp_error *err) {
  const mcp_validate_options options = {.size = sizeof(mcp_validate_options),
                                        .max_errors = 1};
  mcp_validator *validator = mcp_validator_new(schema, NULL, err);
  mcp_builder *errors = validator != NULL ? mcp_builder_new(NULL, err) : NULL;
  int rc = errors != NULL
               ? mcp_validator_check(validator, value, &options, errors)
               : err->code;
  if (errors != NULL && rc != 0) {
    rc = take_first(errors, err);
  }
  mcp_builder_free(errors);
  mcp_validator_unref(validator);
  return rc;
}

int ctl_conform_to_text(const char *schema, const mcp_json *value,
                        mcp_error *err) {
  mcp_doc *doc = mcp_doc_parse(schema, strlen(schema), NULL, NULL, err);
  int rc = doc != NULL ? ctl_conform(mcp_doc_root(doc), value, err) : err->code;
  mcp_doc_free(doc);
  return rc;
}
