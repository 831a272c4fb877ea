/* SPDX-License-Identifier: MIT */
/* Two lines: a tool's inputSchema, and arguments whose values are looked up one
 * by one as well. */
#include "schema/http_params.h"

#include "codec/http_value.h"
#include "schema/validator.h"
#include <stdlib.h>

static void check(int condition) {
  if (!condition) {
    abort();
  }
}

static mcp_doc *parse(const char *text, size_t len) {
  return mcp_doc_parse(text, len, NULL, NULL, NULL);
}

static const mcp_json *look_up(const mcpi_http_param *param,
                               const mcp_json *value) {
  for (size_t i = 0; i < param->depth; i++) {
    value = mcp_json_get_n(value, param->path[i].ptr, param->path[i].len);
  }
  return mcp_json_type(value) != MCP_JSON_NULL ? value : NULL;
}

static void find(const mcpi_http_params *params, const mcp_json *arguments) {
  const mcp_json *values[MCPI_HTTP_PARAMS_MAX];
  size_t expected = 0;
  mcpi_buf scratch;
  mcpi_buf_init(&scratch, mcp_allocator_default(), SIZE_MAX);
  mcpi_http_params_find(params, arguments, values);
  for (size_t i = 0; i < mcpi_http_params_count(params); i++) {
    check(values[i] == look_up(mcpi_http_params_at(params, i), arguments));
    expected += values[i] != NULL;
  }
  int rc = mcpi_http_params_check(params, arguments, NULL, 0, &scratch, NULL);
  check(rc == (expected > 0 ? MCP_ERR_PROTOCOL : 0));
  mcpi_buf_deinit(&scratch);
}

static void look_at_table(const mcpi_http_params *params) {
  size_t count = mcpi_http_params_count(params);
  check(count <= MCPI_HTTP_PARAMS_MAX);
  for (size_t i = 0; i < count; i++) {
    const mcpi_http_param *param = mcpi_http_params_at(params, i);
    check(param->depth > 0 && mcpi_header_is_token(param->name));
    for (size_t j = 0; j < i; j++) {
      check(!mcpi_header_eq_nocase(param->name,
                                   mcpi_http_params_at(params, j)->name));
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
  const char *text = (const char *)data;
  const char *lf = len > 0 ? memchr(text, '\n', len) : NULL;
  size_t first = lf != NULL ? (size_t)(lf - text) : len;
  mcp_doc *schema = parse(text, first);
  mcp_doc *arguments = lf != NULL ? parse(lf + 1, len - first - 1) : NULL;
  const mcp_allocator *allocator = mcp_allocator_default();
  mcpi_http_params *params = NULL;
  mcp_validator *validator = NULL;
  mcp_error err;
  int rc = 0;
  mcpi_validator_new(&validator, mcp_doc_root(schema), allocator, NULL);
  mcp_doc_free(schema);
  if (validator != NULL) {
    rc = mcpi_http_params_new(&params, validator, allocator, &err);
  }
  mcp_validator_unref(validator); /* the table has its own reference */
  check(rc == 0 || ((rc == MCP_ERR_SCHEMA || rc == MCP_ERR_LIMIT) &&
                    err.message[0] != '\0' && params == NULL));
  look_at_table(params);
  find(params, mcp_doc_root(arguments));
  mcp_doc_free(arguments);
  mcpi_http_params_free(params);
  return 0;
}
