/* SPDX-License-Identifier: MIT */
/* Checks settings: reads them as JSON from standard input. Prints them with the
 * defaults of their schema, or prints the errors.
 *
 *     echo '{"name":"x"}' | validate
 *     echo '{"name":"x","port":70000,"prot":1}' | validate
 */
#include <mcp/mcp.h>
#include <stdio.h>

/* Compiled once. Any thread may use it while the program runs. */
static mcp_validator *compile(mcp_error *err) {
  const mcp_schema *stated = MCP_OBJECT(
      MCP_STRING("name", "What others see"),
      MCP_INTEGER("port", "Where to listen", .optional = 1, .minimum = "1",
                  .maximum = "65535", .default_value = "8080"),
      MCP_ARRAY("hosts", "Who may come", .optional = 1,
                .schema = MCP_SCHEMA_JSON({"format": "hostname"})));
  const mcp_validator_options options = {.size = sizeof(mcp_validator_options),
                                         .assert_formats = 1};
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  mcp_validator *validator = NULL;
  mcp_doc *schema = NULL;
  size_t len = 0;
  if (mcp_schema_build(stated, NULL, builder, err) == 0) {
    const char *text = mcp_builder_text(builder, &len);
    schema = mcp_doc_parse(text, len, NULL, NULL, err);
  }
  if (schema != NULL) {
    validator = mcp_validator_new(mcp_doc_root(schema), &options, err);
  }
  mcp_doc_free(schema);
  mcp_builder_free(builder);
  return validator;
}

/* The fast check comes first: most values are valid. */
static int check(const mcp_validator *validator, const mcp_json *settings) {
  if (mcp_validator_accepts(validator, settings)) {
    return 0;
  }
  mcp_builder *errors = mcp_builder_new(NULL, NULL);
  int rc = mcp_validator_check(validator, settings, NULL, errors);
  size_t len = 0;
  const char *text = mcp_builder_text(errors, &len);
  if (text == NULL) {
    fprintf(stderr, "validate: %s\n", mcp_builder_error(errors)->message);
  }
  mcp_doc *doc = mcp_doc_parse(text, len, NULL, NULL, NULL);
  mcp_json_iter iter;
  const mcp_json *error;
  mcp_json_iter_init(&iter, mcp_doc_root(doc));
  while ((error = mcp_json_iter_next(&iter, NULL)) != NULL) {
    fprintf(stderr, "%s\n", mcp_json_string(mcp_json_get(error, "message")));
  }
  mcp_doc_free(doc);
  mcp_builder_free(errors);
  return rc;
}

static int print_filled_in(const mcp_validator *validator,
                           const mcp_json *settings) {
  mcp_builder *filled = mcp_builder_new(NULL, NULL);
  int rc = mcp_validator_apply_defaults(validator, settings, NULL, filled);
  const char *text = rc == 0 ? mcp_builder_text(filled, NULL) : NULL;
  if (text != NULL) {
    puts(text);
  }
  mcp_builder_free(filled);
  return rc;
}

int main(void) {
  char text[4096];
  mcp_doc *settings = NULL;
  mcp_error err;
  int rc = MCP_ERR_INVALID;
  size_t len = fread(text, 1, sizeof(text), stdin);
  mcp_validator *validator = compile(&err);
  if (validator != NULL) {
    settings = mcp_doc_parse(text, len, NULL, NULL, &err);
  }
  if (settings != NULL) {
    rc = check(validator, mcp_doc_root(settings));
  } else {
    fprintf(stderr, "validate: %s\n", err.message);
  }
  if (rc == 0) {
    rc = print_filled_in(validator, mcp_doc_root(settings));
  }
  mcp_doc_free(settings);
  mcp_validator_unref(validator);
  return rc == 0 ? 0 : 1;
}
