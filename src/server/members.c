/* SPDX-License-Identifier: MIT */
/* Members of JSON objects, as they are written. */
#include "server/members.h"

void mcpi_put_name_n(mcpi_buf *out, mcpi_str name) {
  mcpi_put_comma(out);
  char *to = mcpi_buf_reserve(out, name.len + 3);
  if (to != NULL) {
    to[0] = '"';
    memcpy(to + 1, name.ptr, name.len);
    to[1 + name.len] = '"';
    to[2 + name.len] = ':';
    mcpi_buf_commit(out, name.len + 3);
  }
}

void mcpi_put_string_member(mcpi_buf *out, const char *name,
                            const char *string) {
  if (string != NULL) {
    mcpi_put_name(out, name);
    mcpi_json_put_string(out, mcpi_str_z(string));
  }
}

void mcpi_put_text_member(mcpi_buf *out, const char *name, const char *json) {
  if (json != NULL) {
    mcpi_put_name(out, name);
    mcpi_buf_puts(out, mcpi_str_z(json));
  }
}

void mcpi_put_true_member(mcpi_buf *out, const char *name) {
  mcpi_put_text_member(out, name, "true");
}

void mcpi_put_uint_member(mcpi_buf *out, const char *name, uint64_t number) {
  mcpi_put_name(out, name);
  mcpi_json_put_uint(out, number);
}

void mcpi_put_members(mcpi_buf *out, const mcp_json *object,
                      const char *without) {
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *value;
  mcp_json_iter_init(&iter, object);
  while ((value = mcp_json_iter_next(&iter, &name)) != NULL) {
    if (without != NULL &&
        mcpi_str_eq(mcpi_json_str(name), mcpi_str_z(without))) {
      continue;
    }
    mcpi_put_comma(out);
    mcpi_json_put_value(out, name);
    mcpi_buf_putc(out, ':');
    mcpi_json_put_value(out, value);
  }
}
