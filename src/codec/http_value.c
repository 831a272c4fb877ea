/* SPDX-License-Identifier: MIT */
/* Values in the headers Mcp-Name and Mcp-Param-* (MCP 2026-07-28, Streamable
 * HTTP: Value Encoding). */
#include "codec/http_value.h"

#include "base/ascii.h"
#include "base/base64.h"
#include "json/json.h"

#include <mcp/error.h>

/* --- characters --------------------------------------------------------- */

static int is_http_blank(char c) {
  return c == ' ' || c == '\t';
}

mcpi_str mcpi_header_trim(mcpi_str value) {
  while (value.len > 0 && is_http_blank(value.ptr[value.len - 1])) {
    value.len--;
  }
  while (value.len > 0 && is_http_blank(value.ptr[0])) {
    value.ptr++;
    value.len--;
  }
  return value;
}

int mcpi_header_eq_nocase(mcpi_str a, mcpi_str b) {
  if (a.len != b.len) {
    return 0;
  }
  if (mcpi_bytes_eq(a.ptr, b.ptr, a.len)) {
    return 1; /* most clients write names as the specifications do */
  }
  for (size_t i = 0; i < a.len; i++) {
    if (mcpi_to_lower(a.ptr[i]) != mcpi_to_lower(b.ptr[i])) {
      return 0;
    }
  }
  return 1;
}

static int is_token_mark(char c) {
  switch (c) {
  case '!':
  case '#':
  case '$':
  case '%':
  case '&':
  case '\'':
  case '*':
  case '+':
  case '-':
  case '.':
  case '^':
  case '_':
  case '`':
  case '|':
  case '~':
    return 1;
  default:
    return 0;
  }
}

int mcpi_header_is_token(mcpi_str text) {
  for (size_t i = 0; i < text.len; i++) {
    if (!mcpi_is_alnum(text.ptr[i]) && !is_token_mark(text.ptr[i])) {
      return 0;
    }
  }
  return text.len > 0;
}

int mcpi_header_next(mcpi_str *list, mcpi_str *value) {
  if (list->len == 0) {
    return 0;
  }
  const char *comma = memchr(list->ptr, ',', list->len);
  size_t len = comma != NULL ? (size_t)(comma - list->ptr) : list->len;
  *value = mcpi_header_trim(mcpi_str_n(list->ptr, len));
  len += comma != NULL;
  *list = mcpi_str_n(list->ptr + len, list->len - len);
  return 1;
}

int mcpi_header_lists(mcpi_str list, mcpi_str value) {
  mcpi_str item;
  while (mcpi_header_next(&list, &item)) {
    if (mcpi_header_eq_nocase(item, value)) {
      return 1;
    }
  }
  return 0;
}

int mcpi_header_is_named(mcpi_str line, const char *name, mcpi_str *value) {
  size_t len = strlen(name);
  if (line.len <= len || line.ptr[len] != ':' ||
      !mcpi_header_eq_nocase(mcpi_str_n(line.ptr, len), mcpi_str_z(name))) {
    return 0;
  }
  *value = mcpi_header_trim(mcpi_str_n(line.ptr + len + 1, line.len - len - 1));
  return 1;
}

/* Whether all bytes are visible ASCII or blanks. */
static int value_is_plain(mcpi_str text) {
  for (size_t i = 0; i < text.len; i++) {
    if (text.ptr[i] < 0x20 || text.ptr[i] > 0x7E) {
      return 0;
    }
  }
  return 1;
}

/* --- the encoded form --------------------------------------------------- */

#define PREFIX "=?base64?"
#define SUFFIX "?="

static int value_is_prefixed(mcpi_str text) {
  return text.len >= sizeof(PREFIX) - 1 &&
         memcmp(text.ptr, PREFIX, sizeof(PREFIX) - 1) == 0;
}

static int value_is_suffixed(mcpi_str text) {
  return text.len >= sizeof(SUFFIX) - 1 &&
         memcmp(text.ptr + text.len - (sizeof(SUFFIX) - 1), SUFFIX,
                sizeof(SUFFIX) - 1) == 0;
}

/* "=?base64?=" is too short to be encoded: one question mark would belong to
 * both prefix and suffix. We read it as it is. Others may not, so we write it
 * encoded. */
static int value_is_encoded(mcpi_str text) {
  return text.len >= sizeof(PREFIX SUFFIX) - 1 && value_is_prefixed(text) &&
         value_is_suffixed(text);
}

static int value_needs_encoding(mcpi_str text) {
  return mcpi_header_trim(text).len < text.len || !value_is_plain(text) ||
         (value_is_prefixed(text) && value_is_suffixed(text));
}

void mcpi_header_put_text(mcpi_buf *buf, mcpi_str text) {
  if (!value_needs_encoding(text)) {
    mcpi_buf_puts(buf, text);
    return;
  }
  mcpi_buf_lit(buf, PREFIX);
  mcpi_base64_put(buf, text.ptr, text.len);
  mcpi_buf_lit(buf, SUFFIX);
}

static int value_decode(mcpi_buf *buf, mcpi_str encoded, mcpi_str *text) {
  size_t from = buf->len;
  int rc = mcpi_base64_decode(buf, encoded);
  if (rc != 0 || buf->error != 0) {
    return rc != 0 ? rc : buf->error;
  }
  size_t len = buf->len - from;
  const char *bytes = len > 0 ? buf->data + from : "";
  if (mcpi_utf8_valid_prefix(bytes, len) < len) {
    mcpi_buf_rewind(buf, from);
    return MCP_ERR_PARSE;
  }
  *text = mcpi_str_n(bytes, len);
  return 0;
}

int mcpi_header_decode(mcpi_buf *buf, mcpi_str value, mcpi_str *text) {
  value = mcpi_header_trim(value);
  if (!value_is_plain(value)) {
    return MCP_ERR_PARSE;
  }
  if (!value_is_encoded(value)) {
    *text = value.len > 0 ? value : MCPI_STR("");
    return 0;
  }
  size_t len = value.len - (sizeof(PREFIX SUFFIX) - 1);
  return value_decode(buf, mcpi_str_n(value.ptr + sizeof(PREFIX) - 1, len),
                      text);
}

/* --- JSON values -------------------------------------------------------- */

static mcpi_str value_bool_text(const mcp_json *value) {
  return mcp_json_bool(value) ? MCPI_STR("true") : MCPI_STR("false");
}

static int value_get_integer(const mcp_json *value, int64_t *number) {
  int64_t found = 0;
  int rc = mcp_json_try_int(value, &found);
  if (rc == 0 &&
      (found > MCPI_HEADER_INT_MAX || found < -MCPI_HEADER_INT_MAX)) {
    rc = MCP_ERR_LIMIT;
  }
  if (rc == 0) {
    *number = found;
  }
  return rc;
}

int mcpi_header_put_value(mcpi_buf *buf, const mcp_json *value) {
  int64_t number = 0;
  int rc = 0;
  switch (mcp_json_type(value)) {
  case MCP_JSON_STRING:
    mcpi_header_put_text(buf, mcpi_json_str(value));
    return 0;
  case MCP_JSON_BOOL:
    mcpi_buf_puts(buf, value_bool_text(value));
    return 0;
  case MCP_JSON_NUMBER:
    rc = value_get_integer(value, &number);
    if (rc == 0) {
      mcpi_json_put_int(buf, number);
    }
    return rc;
  default:
    return MCP_ERR_INVALID;
  }
}

/* Takes the digits that the text begins with. Returns -1 when there are none,
 * when there are leading zeros, or above MCPI_HEADER_INT_MAX. */
static int64_t take_digits(mcpi_str *text) {
  int64_t number = 0;
  size_t len = 0;
  while (len < text->len && mcpi_is_digit(text->ptr[len]) &&
         number <= MCPI_HEADER_INT_MAX) {
    number = number * 10 + (text->ptr[len] - '0');
    len++;
  }
  int is_bad = len == 0 || number > MCPI_HEADER_INT_MAX ||
               (len > 1 && text->ptr[0] == '0');
  text->ptr += len;
  text->len -= len;
  return is_bad ? -1 : number;
}

/* Whether the text is a point and zeros, as in "42.0". */
static int is_zero_fraction(mcpi_str text) {
  for (size_t i = 1; i < text.len; i++) {
    if (text.ptr[i] != '0') {
      return 0;
    }
  }
  return text.len >= 2 && text.ptr[0] == '.';
}

/* Reads an integer in JSON's form, without exponent. */
static int value_read_integer(mcpi_str text, int64_t *number) {
  int is_negative = text.len > 0 && text.ptr[0] == '-';
  text.ptr += is_negative;
  text.len -= (size_t)is_negative;
  int64_t found = take_digits(&text);
  if (found < 0 || (text.len > 0 && !is_zero_fraction(text))) {
    return 0;
  }
  *number = is_negative ? -found : found;
  return 1;
}

static int value_is_same_integer(mcpi_str text, const mcp_json *body) {
  int64_t theirs = 0;
  int64_t ours = 0;
  return value_get_integer(body, &ours) == 0 &&
         value_read_integer(text, &theirs) && ours == theirs;
}

static int value_is_same(mcpi_str text, const mcp_json *body) {
  switch (mcp_json_type(body)) {
  case MCP_JSON_STRING:
    return mcpi_str_eq(text, mcpi_json_str(body));
  case MCP_JSON_BOOL:
    return mcpi_str_eq(text, value_bool_text(body));
  case MCP_JSON_NUMBER:
    return value_is_same_integer(text, body);
  default:
    return 0;
  }
}

int mcpi_header_compare(mcpi_buf *buf, mcpi_str value, const mcp_json *body) {
  mcpi_str text = {NULL, 0};
  int rc = mcpi_header_decode(buf, value, &text);
  if (rc != 0) {
    return rc;
  }
  return value_is_same(text, body) ? 0 : MCP_ERR_PROTOCOL;
}
