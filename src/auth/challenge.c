/* SPDX-License-Identifier: MIT */
#include "auth/challenge.h"

#include "codec/http_value.h"
#include <mcp/error.h>
#include <stddef.h>

enum { VALUE_MAX = 8 * 1024 };

/* --- reading --------------------------------------------------------------
 *
 *     challenges  = challenge *( "," challenge )
 *     challenge   = scheme [ 1*SP ( token68 / param *( "," param ) ) ]
 *     param       = token "=" ( token / quoted-string )
 *
 * A comma may be followed by a parameter of the same challenge, or by another
 * challenge: a token is the name of a parameter if "=" follows. Empty elements
 * of the list are allowed. */

typedef enum challenge_scheme {
  SCHEME_OTHER,
  SCHEME_BEARER,
  SCHEME_DPOP
} challenge_scheme;

static const struct {
  const char *name;
  size_t offset;
} demand_members[] = {
    {"resource_metadata", offsetof(mcpi_demand, resource_metadata)},
    {"scope", offsetof(mcpi_demand, scope)},
    {"error", offsetof(mcpi_demand, error)},
    {"error_description", offsetof(mcpi_demand, error_description)},
};

enum { DEMAND_MEMBERS = sizeof(demand_members) / sizeof(demand_members[0]) };

static char **demand_member(mcpi_demand *demand, size_t i) {
  return (char **)(void *)((char *)demand + demand_members[i].offset);
}

static void skip_blanks(mcpi_str *line) {
  while (mcpi_str_take_char(line, ' ') || mcpi_str_take_char(line, '\t')) {
  }
}

static mcpi_str take_token(mcpi_str *line) {
  size_t len = 0;
  while (len < line->len &&
         mcpi_header_is_token(mcpi_str_n(line->ptr + len, 1))) {
    len++;
  }
  return mcpi_str_take(line, len);
}

/* Appends the contents of a quoted string, whose first quote has been taken.
 * Returns 0 if there is no second quote. */
static int take_quoted(mcpi_str *line, mcpi_buf *value) {
  while (line->len > 0) {
    char c = mcpi_str_take(line, 1).ptr[0];
    if (c == '"') {
      return 1;
    }
    if (c == '\\' && line->len > 0) {
      c = mcpi_str_take(line, 1).ptr[0];
    }
    mcpi_buf_putc(value, c);
  }
  return 0;
}

/* RFC 6750, 3 allows only printable ASCII. */
static int challenge_is_plain(mcpi_str text) {
  for (size_t i = 0; i < text.len; i++) {
    if (text.ptr[i] < 0x20 || text.ptr[i] > 0x7e) {
      return 0;
    }
  }
  return 1;
}

/* A description is only shown, and some servers write it in their language. */
static void hide_other_bytes(mcpi_buf *text) {
  for (size_t i = 0; i < text->len; i++) {
    if ((unsigned char)text->data[i] >= 0x80) {
      text->data[i] = '?';
    }
  }
}

static char **demand_find(mcpi_demand *demand, mcpi_str name) {
  for (size_t i = 0; i < DEMAND_MEMBERS; i++) {
    if (mcpi_header_eq_nocase(name, mcpi_str_z(demand_members[i].name))) {
      return demand_member(demand, i);
    }
  }
  return NULL;
}

/* Returns 0 or MCP_ERR_NOMEM. */
static int demand_set(mcpi_demand *demand, mcpi_str name, mcpi_buf *value) {
  char **to = demand_find(demand, name);
  if (to == NULL || *to != NULL || value->len > VALUE_MAX ||
      value->error == MCP_ERR_LIMIT) {
    return 0;
  }
  if (to == &demand->error_description) {
    hide_other_bytes(value);
  }
  if (challenge_is_plain(mcpi_buf_str(value))) {
    *to = mcpi_strndup(value->allocator, value->len > 0 ? value->data : "",
                       value->len);
    return *to != NULL ? 0 : MCP_ERR_NOMEM;
  }
  return 0;
}

/* Takes the value of a parameter, whose "=" has been taken. Returns 1; 0: it is
 * not valid; or MCP_ERR_NOMEM. */
static int take_value(mcpi_str *line, mcpi_buf *value) {
  skip_blanks(line);
  mcpi_buf_clear(value);
  int is_fine = 1;
  if (mcpi_str_take_char(line, '"')) {
    is_fine = take_quoted(line, value);
  } else {
    mcpi_str token = take_token(line);
    mcpi_buf_puts(value, token);
    is_fine = token.len > 0;
  }
  return value->error == MCP_ERR_NOMEM ? MCP_ERR_NOMEM : is_fine;
}

static challenge_scheme scheme_of(mcpi_str token, mcpi_demand *demand) {
  if (mcpi_header_eq_nocase(token, MCPI_STR("Bearer"))) {
    demand->has_bearer = 1;
    return SCHEME_BEARER;
  }
  if (mcpi_header_eq_nocase(token, MCPI_STR("DPoP"))) {
    demand->has_dpop = 1;
    return SCHEME_DPOP;
  }
  return SCHEME_OTHER;
}

/* The end of a challenge's token68: "=" and what follows up to the comma. */
static int is_end_of_token68(mcpi_str rest) {
  while (mcpi_str_take_char(&rest, '=')) {
  }
  skip_blanks(&rest);
  return rest.len == 0 || rest.ptr[0] == ',';
}

/* Whether a token that has been taken is the name of a parameter. Then the "="
 * is taken too. */
static int takes_equals(mcpi_str *line) {
  mcpi_str rest = *line;
  skip_blanks(&rest);
  if (rest.len == 0 || rest.ptr[0] != '=' || is_end_of_token68(rest)) {
    return 0;
  }
  mcpi_str_take(&rest, 1);
  *line = rest;
  return 1;
}

/* Skips the token68 after a scheme; no scheme that we know has one. */
static void skip_token68(mcpi_str *line) {
  mcpi_str rest = *line;
  skip_blanks(&rest);
  mcpi_str token = take_token(&rest);
  if (token.len > 0 && takes_equals(&rest)) {
    return; /* a parameter follows */
  }
  while (line->len > 0 && line->ptr[0] != ',') {
    mcpi_str_take(line, 1);
  }
}

static void skip_separators(mcpi_str *line) {
  skip_blanks(line);
  while (mcpi_str_take_char(line, ',')) {
    skip_blanks(line);
  }
}

/* Takes a parameter, or a scheme. Returns 1; 0: the rest is not valid; or
 * MCP_ERR_NOMEM. */
static int take_element(mcpi_str *line, challenge_scheme *scheme,
                        mcpi_demand *demand, mcpi_buf *value) {
  mcpi_str token = take_token(line);
  if (token.len == 0) {
    return 0;
  }
  if (!takes_equals(line)) {
    *scheme = scheme_of(token, demand);
    skip_token68(line);
    return 1;
  }
  int rc = take_value(line, value);
  if (rc == 1 && *scheme != SCHEME_OTHER &&
      demand_set(demand, token, value) != 0) {
    return MCP_ERR_NOMEM;
  }
  return rc;
}

int mcpi_demand_read(mcpi_demand *demand, mcpi_str line,
                     const mcp_allocator *allocator) {
  challenge_scheme scheme = SCHEME_OTHER;
  mcpi_buf value;
  int rc = 1;
  mcpi_buf_init(&value, allocator, VALUE_MAX + 1);
  skip_separators(&line);
  while (rc == 1 && line.len > 0) {
    rc = take_element(&line, &scheme, demand, &value);
    skip_separators(&line);
  }
  mcpi_buf_deinit(&value);
  return rc < 0 ? rc : 0;
}

void mcpi_demand_deinit(mcpi_demand *demand, const mcp_allocator *allocator) {
  for (size_t i = 0; i < DEMAND_MEMBERS; i++) {
    mcpi_strfree(allocator, *demand_member(demand, i));
  }
  *demand = (mcpi_demand){0};
}

/* --- writing -------------------------------------------------------------- */

void mcpi_challenge_put(mcpi_buf *buf, size_t begin, const char *name,
                        mcpi_str value) {
  if (buf->error != 0) {
    return; /* there may be no memory at all */
  }
  int is_first = memchr(buf->data + begin, ' ', buf->len - begin) == NULL;
  mcpi_buf_puts(buf, is_first ? MCPI_STR(" ") : MCPI_STR(", "));
  mcpi_buf_puts(buf, mcpi_str_z(name));
  mcpi_buf_lit(buf, "=\"");
  for (size_t i = 0; i < value.len; i++) {
    char c = value.ptr[i];
    if (c == '"' || c == '\\') {
      mcpi_buf_putc(buf, '\\');
    }
    mcpi_buf_putc(buf, c < 0x20 || c > 0x7e ? '?' : c);
  }
  mcpi_buf_putc(buf, '"');
}
