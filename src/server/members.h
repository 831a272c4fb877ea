/* SPDX-License-Identifier: MIT */
/* Writes members of JSON objects. Each function first writes a comma, unless
 * the member is the first of its object. */
#ifndef MCPI_SERVER_MEMBERS_H
#define MCPI_SERVER_MEMBERS_H

#include "json/json.h"

/* Write a member's name in quotes and the colon. The caller gives a name that
 * needs no escapes. mcpi_put_name is inline, so that the compiler computes the
 * length of a literal. */
void mcpi_put_name_n(mcpi_buf *out, mcpi_str name);
static inline void mcpi_put_name(mcpi_buf *out, const char *name) {
  mcpi_put_name_n(out, mcpi_str_z(name));
}
/* Writes nothing if `string` is NULL. */
void mcpi_put_string_member(mcpi_buf *out, const char *name,
                            const char *string);
/* The value is JSON text. Writes nothing if `json` is NULL. */
void mcpi_put_text_member(mcpi_buf *out, const char *name, const char *json);
void mcpi_put_true_member(mcpi_buf *out, const char *name);
void mcpi_put_uint_member(mcpi_buf *out, const char *name, uint64_t number);
/* Writes the members of `object`, except the one whose name is `without`
 * (NULL: no exception). Writes nothing if `object` is NULL. */
void mcpi_put_members(mcpi_buf *out, const mcp_json *object,
                      const char *without);

/* Writes a comma, except directly after the opening brace. A value never ends
 * with an opening brace (a string ends with its quote), so the last byte tells
 * whether the object has a member already. */
static inline void mcpi_put_comma(mcpi_buf *out) {
  if (out->len > 0 && out->data[out->len - 1] != '{') {
    mcpi_buf_putc(out, ',');
  }
}

#endif
