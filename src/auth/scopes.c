/* SPDX-License-Identifier: MIT */
#include "auth/scopes.h"

int mcpi_scopes_next(mcpi_str *scopes, mcpi_str *scope) {
  while (mcpi_str_take_char(scopes, ' ')) {
  }
  if (scopes->len == 0) {
    return 0;
  }
  const char *end = memchr(scopes->ptr, ' ', scopes->len);
  size_t len = end != NULL ? (size_t)(end - scopes->ptr) : scopes->len;
  *scope = mcpi_str_take(scopes, len);
  return 1;
}

int mcpi_scopes_has(mcpi_str scopes, mcpi_str scope) {
  mcpi_str each;
  while (mcpi_scopes_next(&scopes, &each)) {
    if (mcpi_str_eq(each, scope)) {
      return 1;
    }
  }
  return 0;
}

int mcpi_scopes_cover(mcpi_str held, mcpi_str wanted) {
  mcpi_str each;
  while (mcpi_scopes_next(&wanted, &each)) {
    if (!mcpi_scopes_has(held, each)) {
      return 0;
    }
  }
  return 1;
}

/* RFC 6749, 3.3. */
static int is_scope(mcpi_str text) {
  for (size_t i = 0; i < text.len; i++) {
    char c = text.ptr[i];
    if (c < 0x21 || c > 0x7e || c == '"' || c == '\\') {
      return 0;
    }
  }
  return text.len > 0;
}

int mcpi_scopes_is_set(mcpi_str text) {
  for (;;) {
    const char *end = text.len > 0 ? memchr(text.ptr, ' ', text.len) : NULL;
    size_t len = end != NULL ? (size_t)(end - text.ptr) : text.len;
    if (!is_scope(mcpi_str_take(&text, len))) {
      return 0;
    }
    if (!mcpi_str_take_char(&text, ' ')) {
      return 1;
    }
  }
}

void mcpi_scopes_add(mcpi_buf *to, mcpi_str scopes) {
  mcpi_str each;
  while (to->error == 0 && mcpi_scopes_next(&scopes, &each)) {
    if (!is_scope(each) || mcpi_scopes_has(mcpi_buf_str(to), each)) {
      continue;
    }
    if (to->len > 0) {
      mcpi_buf_putc(to, ' ');
    }
    mcpi_buf_puts(to, each);
  }
}

void mcpi_scopes_add_array(mcpi_buf *to, const mcp_json *array) {
  mcp_json_iter iter;
  const mcp_json *each;
  mcp_json_iter_init(&iter, array);
  while (mcp_json_type(array) == MCP_JSON_ARRAY && to->error == 0 &&
         (each = mcp_json_iter_next(&iter, NULL)) != NULL) {
    size_t len;
    const char *text = mcp_json_string_n(each, &len);
    mcpi_scopes_add(to, mcpi_str_n(text, len));
  }
}

int mcpi_scopes_array_has(const mcp_json *array, mcpi_str scope) {
  mcp_json_iter iter;
  const mcp_json *each;
  mcp_json_iter_init(&iter, array);
  while (mcp_json_type(array) == MCP_JSON_ARRAY &&
         (each = mcp_json_iter_next(&iter, NULL)) != NULL) {
    size_t len;
    const char *text = mcp_json_string_n(each, &len);
    if (text != NULL && mcpi_str_eq(mcpi_str_n(text, len), scope)) {
      return 1;
    }
  }
  return 0;
}
