/* SPDX-License-Identifier: MIT */
/* Writes members of JSON objects. The functions put the comma in front, and
 * leave out a member without a value. */
#ifndef MCPI_SERVER_MEMBERS_H
#define MCPI_SERVER_MEMBERS_H

#include "json/json.h"

/* Writes ,"name": or, directly after the object's opening brace, "name": . The
 * name needs no escapes. The second is inline: the compiler knows the length of
 * a literal. */
void mcpi_put_name_n(mcpi_buf *out, mcpi_str name);
static inline void mcpi_put_name(mcpi_buf *out, const char *name) {
  mcpi_put_name_n(out, mcpi_str_z(name));
}
/* NULL: nothing is written. */
void mcpi_put_string_member(mcpi_buf *out, const char *name,
                            const char *string);
/* The value is JSON text; NULL: nothing is written. */
void mcpi_put_text_member(mcpi_buf *out, const char *name, const char *json);
void mcpi_put_true_member(mcpi_buf *out, const char *name);
void mcpi_put_uint_member(mcpi_buf *out, const char *name, uint64_t number);
/* Writes an object's members except the one with that name. NULL has no
 * members. */
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
