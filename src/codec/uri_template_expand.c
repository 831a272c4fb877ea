/* SPDX-License-Identifier: MIT */
/* Expanding URI templates (RFC 6570, section 3). */
#include "codec/uri_template_parts.h"

/* The expansion of one variable. */
typedef struct expansion {
  mcpi_buf *out;
  mcp_error *err;
  const mcpi_uri_op *op;
  const mcpi_uri_spec *spec;
  mcpi_str name;
  int is_first; /* nothing of this expression has been written */
  int error;
} expansion;

/* --- text --------------------------------------------------------------- */

/* Returns how many bytes at p are copied as they are; 0 when the first must be
 * encoded. */
static size_t plain_len(const char *p, size_t left, int allows_reserved) {
  if (mcpi_uri_is_unreserved(*p)) {
    return 1;
  }
  if (!allows_reserved) {
    return 0;
  }
  return mcpi_uri_is_reserved(*p) ? 1 : mcpi_uri_is_encoded(p, left) ? 3 : 0;
}

static void put_encoded(mcpi_buf *out, mcpi_str text, int allows_reserved) {
  for (size_t i = 0; i < text.len;) {
    const char *p = text.ptr + i;
    size_t len = plain_len(p, text.len - i, allows_reserved);
    char encoded[3];
    if (len > 0) {
      mcpi_buf_put(out, p, len);
      i += len;
      continue;
    }
    mcpi_uri_encode(encoded, *p);
    mcpi_buf_put(out, encoded, sizeof(encoded));
    i++;
  }
}

/* Returns the first `max_chars` characters of a string, or all when it is 0. */
static mcpi_str cut_chars(mcpi_str text, size_t max_chars) {
  size_t chars = 0;
  for (size_t i = 0; max_chars > 0 && i < text.len; i++) {
    int is_lead = ((unsigned char)text.ptr[i] & 0xC0) != 0x80;
    if (is_lead && chars++ == max_chars) {
      return mcpi_str_n(text.ptr, i);
    }
  }
  return text;
}

/* --- single values ------------------------------------------------------ */

static int expansion_fail(expansion *x, const char *why) {
  x->error = mcp_error_set(x->err, MCP_ERR_INVALID, "variable %.*s: %s",
                           (int)x->name.len, x->name.ptr, why);
  return x->error;
}

static int is_single(const mcp_json *value) {
  int type = mcp_json_type(value);
  return type == MCP_JSON_STRING || type == MCP_JSON_NUMBER;
}

static int is_undefined(const mcp_json *value) {
  int type = mcp_json_type(value);
  return type == MCP_JSON_NONE || type == MCP_JSON_NULL;
}

static int is_empty_string(const mcp_json *value) {
  return mcp_json_type(value) == MCP_JSON_STRING &&
         mcpi_json_str(value).len == 0;
}

static void expansion_put_number(expansion *x, const mcp_json *value) {
  mcpi_buf digits;
  mcpi_buf_init(&digits, x->out->allocator, SIZE_MAX);
  mcpi_json_put_canonical(&digits, value);
  if (digits.error != 0) {
    x->error = mcp_error_set(x->err, digits.error, "out of memory");
  }
  mcpi_str text = mcpi_str_n(digits.data, digits.len);
  put_encoded(x->out, cut_chars(text, x->spec->max_chars),
              x->op->allows_reserved);
  mcpi_buf_deinit(&digits);
}

static void expansion_put_single(expansion *x, const mcp_json *value) {
  if (mcp_json_type(value) == MCP_JSON_NUMBER) {
    expansion_put_number(x, value);
    return;
  }
  put_encoded(x->out, cut_chars(mcpi_json_str(value), x->spec->max_chars),
              x->op->allows_reserved);
}

/* Writes what comes before a value that no comma joins to the one before. */
static void expansion_put_separator(expansion *x) {
  char c = x->is_first ? x->op->first : x->op->sep;
  x->is_first = 0;
  if (c != '\0') {
    mcpi_buf_putc(x->out, c);
  }
}

/* Writes the text between a name and its value. */
static void expansion_put_equals(expansion *x, int value_is_empty) {
  char c = value_is_empty ? x->op->if_empty : '=';
  if (c != '\0') {
    mcpi_buf_putc(x->out, c);
  }
}

static void expansion_put_name(expansion *x, int value_is_empty) {
  if (x->op->is_named) {
    put_encoded(x->out, x->name, 1);
    expansion_put_equals(x, value_is_empty);
  }
}

/* --- arrays and objects ------------------------------------------------- */

/* Writes a value of an exploded array, or a pair of an exploded object. A pair
 * has its own name before the equals sign, with any operator. */
static void expansion_put_exploded(expansion *x, const mcp_json *name,
                                   const mcp_json *value) {
  expansion_put_separator(x);
  if (name == NULL) {
    expansion_put_name(x, is_empty_string(value));
  } else {
    put_encoded(x->out, mcpi_json_str(name), x->op->allows_reserved);
    expansion_put_equals(x, x->op->is_named && is_empty_string(value));
  }
  expansion_put_single(x, value);
}

/* Writes a member that is defined; `index` counts these. */
static void expansion_put_member(expansion *x, const mcp_json *name,
                                 const mcp_json *value, size_t index) {
  if (x->spec->is_exploded) {
    expansion_put_exploded(x, name, value);
    return;
  }
  if (index == 0) {
    expansion_put_separator(x);
    expansion_put_name(x, 0);
  } else {
    mcpi_buf_putc(x->out, ',');
  }
  if (name != NULL) {
    put_encoded(x->out, mcpi_json_str(name), x->op->allows_reserved);
    mcpi_buf_putc(x->out, ',');
  }
  expansion_put_single(x, value);
}

/* Members that are null count as undefined. If all are, nothing is written. */
static int expansion_put_members(expansion *x, const mcp_json *value) {
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *member;
  size_t index = 0;
  mcp_json_iter_init(&iter, value);
  while ((member = mcp_json_iter_next(&iter, &name)) != NULL) {
    if (is_undefined(member)) {
      continue;
    }
    if (!is_single(member)) {
      return expansion_fail(x, "a member is neither a string nor a number");
    }
    expansion_put_member(x, name, member, index++);
  }
  return 0;
}

/* --- the whole ---------------------------------------------------------- */

static int expansion_put_variable(expansion *x, const mcp_json *value) {
  if (is_undefined(value)) {
    return 0;
  }
  if (is_single(value)) {
    expansion_put_separator(x);
    expansion_put_name(x, is_empty_string(value));
    expansion_put_single(x, value);
    return 0;
  }
  if (mcp_json_type(value) == MCP_JSON_BOOL) {
    return expansion_fail(x, "a boolean cannot be expanded");
  }
  if (x->spec->max_chars > 0) {
    return expansion_fail(x, "a length is only for strings");
  }
  return expansion_put_members(x, value);
}

static int template_put_part(const mcpi_uri_template *tpl,
                             const mcpi_uri_part *part, const mcp_json *values,
                             mcpi_buf *out, mcp_error *err) {
  if (part->op == NULL) {
    put_encoded(out, part->literal, 1);
    return 0;
  }
  expansion x = {.out = out, .err = err, .op = part->op, .is_first = 1};
  for (size_t i = 0; i < part->spec_count && x.error == 0; i++) {
    x.spec = &part->specs[i];
    x.name = tpl->names[x.spec->var];
    expansion_put_variable(&x, mcp_json_get_n(values, x.name.ptr, x.name.len));
  }
  return x.error;
}

int mcpi_uri_template_expand(const mcpi_uri_template *tpl,
                             const mcp_json *values, mcpi_buf *out,
                             mcp_error *err) {
  if (out->error != 0) {
    return out->error;
  }
  size_t from = out->len;
  int rc = 0;
  for (size_t i = 0; i < tpl->part_count && rc == 0; i++) {
    rc = template_put_part(tpl, &tpl->parts[i], values, out, err);
  }
  if (rc == 0 && out->error != 0) {
    rc = mcp_error_set(err, out->error, "%s", mcp_error_text(out->error));
  }
  if (rc != 0) {
    mcpi_buf_rewind(out, from);
  }
  return rc;
}
