/* SPDX-License-Identifier: MIT */
/* Three lines: a template, a URI to match, and JSON values to expand. */
#include "codec/uri_template.h"
#include <stdlib.h>

static void check(int condition) {
  if (!condition) {
    abort();
  }
}

/* Takes the text up to an LF or the end. */
static mcpi_str take_line(mcpi_str *rest) {
  const char *lf = rest->len > 0 ? memchr(rest->ptr, '\n', rest->len) : NULL;
  size_t len = lf != NULL ? (size_t)(lf - rest->ptr) : rest->len;
  mcpi_str line = mcpi_str_n(rest->ptr, len);
  rest->ptr += len + (lf != NULL);
  rest->len -= len + (lf != NULL);
  return line;
}

static void match(const mcpi_uri_template *tpl, mcpi_str uri) {
  mcpi_span spans[64];
  mcpi_buf values;
  mcpi_buf_init(&values, mcp_allocator_default(), SIZE_MAX);
  int matches = mcpi_uri_template_match(tpl, uri, &values, spans);
  check(values.error == 0);
  for (size_t i = 0; matches && i < mcpi_uri_template_var_count(tpl); i++) {
    if (spans[i].offset != SIZE_MAX) {
      const char *value = values.data + spans[i].offset;
      check(spans[i].offset + spans[i].len <= values.len);
      check(mcpi_utf8_valid_prefix(value, spans[i].len) == spans[i].len);
    }
  }
  mcpi_buf_deinit(&values);
}

static void expand(const mcpi_uri_template *tpl, mcpi_str json) {
  mcpi_buf out;
  mcp_doc *doc = mcp_doc_parse(json.ptr, json.len, NULL, NULL, NULL);
  if (doc == NULL) {
    return;
  }
  mcpi_buf_init(&out, mcp_allocator_default(), 1 << 20);
  int rc = mcpi_uri_template_expand(tpl, mcp_doc_root(doc), &out, NULL);
  check(rc == 0 || rc == MCP_ERR_INVALID || rc == MCP_ERR_LIMIT);
  for (size_t i = 0; i < out.len; i++) {
    check((unsigned char)out.data[i] > 0x20 &&
          (unsigned char)out.data[i] < 0x7F);
  }
  mcpi_buf_deinit(&out);
  mcp_doc_free(doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
  mcpi_str rest = mcpi_str_n((const char *)data, len);
  mcpi_str text = take_line(&rest);
  mcpi_uri_template *tpl = NULL;
  mcp_error err;
  int rc = mcpi_uri_template_new(&tpl, text, mcp_allocator_default(), &err);
  check(rc == 0 || rc == MCP_ERR_PARSE || rc == MCP_ERR_LIMIT);
  if (rc != 0) {
    check(err.offset <= text.len);
    return 0;
  }
  match(tpl, take_line(&rest));
  expand(tpl, rest);
  mcpi_uri_template_free(tpl);
  return 0;
}
