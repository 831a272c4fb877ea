/* SPDX-License-Identifier: MIT */
/* Compiling URI templates (RFC 6570, section 2). Departure: an apostrophe is
 * allowed in literals, as erratum 6937 says. */
#include "codec/uri_template_parts.h"

#include "base/ascii.h"
#include "base/error.h"

static int is_among(char c, const char *set) {
  return c != '\0' && strchr(set, c) != NULL;
}

/* --- the compiler ------------------------------------------------------- */

typedef struct compiler {
  mcpi_uri_template *tpl;
  mcpi_str text; /* the template's own copy */
  size_t at;
  mcp_error *err;
} compiler;

static int template_fail_at(mcp_error *err, size_t offset, const char *why) {
  mcp_error_set(err, MCP_ERR_PARSE, "%s at byte %zu", why, offset);
  if (err != NULL) {
    err->offset = offset;
  }
  return MCP_ERR_PARSE;
}

static int compiler_fail(const compiler *c, const char *why) {
  return template_fail_at(c->err, c->at, why);
}

/* Returns the next character, or NUL at the end. No rule accepts a NUL in the
 * text. */
static char compiler_peek(const compiler *c) {
  return c->at < c->text.len ? c->text.ptr[c->at] : '\0';
}

/* Steps over the character if it is the next one. */
static int compiler_take(compiler *c, char wanted) {
  int is_next = compiler_peek(c) == wanted;
  c->at += (size_t)is_next;
  return is_next;
}

static int compiler_is_at_encoded(const compiler *c) {
  return mcpi_uri_is_encoded(c->text.ptr + c->at, c->text.len - c->at);
}

static int compiler_is_at_literal(const compiler *c) {
  char here = compiler_peek(c);
  if (here == '%') {
    return compiler_is_at_encoded(c);
  }
  return (unsigned char)here > 0x20 && here != 0x7F &&
         !is_among(here, "\"<>\\^`{|}");
}

static mcpi_uri_part *template_add_part(compiler *c) {
  mcpi_uri_part *part = &c->tpl->parts[c->tpl->part_count++];
  *part = (mcpi_uri_part){NULL, {NULL, 0}, NULL, 0};
  return part;
}

static int read_literal(compiler *c) {
  size_t from = c->at;
  while (c->at < c->text.len && compiler_peek(c) != '{') {
    if (!compiler_is_at_literal(c)) {
      return compiler_fail(c,
                           "this character is not allowed in a URI template");
    }
    c->at++;
  }
  template_add_part(c)->literal = mcpi_str_n(c->text.ptr + from, c->at - from);
  return 0;
}

static const mcpi_uri_op *read_operator(compiler *c) {
  static const mcpi_uri_op ops[] = {
      {'+', '\0', ',', '\0', 0, 1}, {'#', '#', ',', '\0', 0, 1},
      {'.', '.', '.', '\0', 0, 0},  {'/', '/', '/', '\0', 0, 0},
      {';', ';', ';', '\0', 1, 0},  {'?', '?', '&', '=', 1, 0},
      {'&', '&', '&', '=', 1, 0},
  };
  static const mcpi_uri_op none = {'\0', '\0', ',', '\0', 0, 0};
  for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
    if (compiler_take(c, ops[i].symbol)) {
      return &ops[i];
    }
  }
  return &none;
}

/* Returns the bytes of one letter of a name, which may be a percent-encoded
 * byte. Returns 0 when there is no letter. */
static size_t letter_len(const compiler *c) {
  if (mcpi_is_alnum(compiler_peek(c)) || compiler_peek(c) == '_') {
    return 1;
  }
  return compiler_is_at_encoded(c) ? 3 : 0;
}

static int read_name(compiler *c, mcpi_str *name) {
  size_t from = c->at;
  do {
    size_t len = letter_len(c);
    if (len == 0) {
      return compiler_fail(c, "expected the name of a variable");
    }
    while (len > 0) {
      c->at += len;
      len = letter_len(c);
    }
  } while (compiler_take(c, '.'));
  *name = mcpi_str_n(c->text.ptr + from, c->at - from);
  return 0;
}

static uint32_t name_index(mcpi_uri_template *tpl, mcpi_str name) {
  size_t i = 0;
  while (i < tpl->name_count && !mcpi_str_eq(tpl->names[i], name)) {
    i++;
  }
  if (i == tpl->name_count) {
    tpl->names[tpl->name_count++] = name;
  }
  return (uint32_t)i;
}

/* Reads * or :N, from 1 to 9999, if there is one. */
static int read_modifier(compiler *c, mcpi_uri_spec *spec) {
  spec->is_exploded = compiler_take(c, '*');
  if (spec->is_exploded || !compiler_take(c, ':')) {
    return 0;
  }
  size_t from = c->at;
  while (mcpi_is_digit(compiler_peek(c)) && c->at - from < 4) {
    spec->max_chars = spec->max_chars * 10 + (uint32_t)(compiler_peek(c) - '0');
    c->at++;
  }
  if (c->at == from || c->text.ptr[from] == '0') {
    c->at = from;
    return compiler_fail(c, "expected a length from 1 to 9999");
  }
  return 0;
}

static int read_spec(compiler *c) {
  mcpi_uri_template *tpl = c->tpl;
  mcpi_str name = {NULL, 0};
  int rc = read_name(c, &name);
  if (rc != 0) {
    return rc;
  }
  if (tpl->spec_count == MCPI_URI_MAX_VARS) {
    return mcp_error_set(c->err, MCP_ERR_LIMIT,
                         "URI template of more than %d variables",
                         MCPI_URI_MAX_VARS);
  }
  mcpi_uri_spec *spec = &tpl->specs[tpl->spec_count++];
  *spec = (mcpi_uri_spec){name_index(tpl, name), 0, 0};
  return read_modifier(c, spec);
}

static int read_expression(compiler *c) {
  mcpi_uri_part *part = template_add_part(c);
  const mcpi_uri_spec *specs = c->tpl->specs + c->tpl->spec_count;
  c->at++; /* the brace */
  part->op = read_operator(c);
  part->specs = specs;
  do {
    int rc = read_spec(c);
    if (rc != 0) {
      return rc;
    }
    part->spec_count++;
  } while (compiler_take(c, ','));
  if (!compiler_take(c, '}')) {
    return compiler_fail(c, "expected a comma or a closing brace");
  }
  return 0;
}

static int template_compile(compiler *c) {
  while (c->at < c->text.len) {
    int rc = compiler_peek(c) == '{' ? read_expression(c) : read_literal(c);
    if (rc != 0) {
      return rc;
    }
  }
  return 0;
}

/* --- its memory --------------------------------------------------------- */

/* Counts the expressions and variables that there can be. A template that has
 * more than the limit is refused when it is read. */
static void template_count(mcpi_str text, size_t *expressions, size_t *specs) {
  *expressions = 0;
  *specs = 0;
  for (size_t i = 0; i < text.len; i++) {
    *expressions += text.ptr[i] == '{';
    *specs += text.ptr[i] == '{' || text.ptr[i] == ',';
  }
  if (*specs > MCPI_URI_MAX_VARS) {
    *specs = MCPI_URI_MAX_VARS;
  }
  if (*expressions > MCPI_URI_MAX_VARS + 1) {
    *expressions = MCPI_URI_MAX_VARS + 1;
  }
}

static mcpi_uri_template *template_new(mcpi_str *text,
                                       const mcp_allocator *allocator) {
  size_t expressions;
  size_t specs;
  template_count(*text, &expressions, &specs);
  size_t part_count = 2 * expressions + 1;
  size_t size = sizeof(mcpi_uri_template) + part_count * sizeof(mcpi_uri_part) +
                specs * sizeof(mcpi_str) + specs * sizeof(mcpi_uri_spec) +
                text->len;
  mcpi_uri_template *tpl = mcpi_calloc(allocator, 1, size);
  if (tpl == NULL) {
    return NULL;
  }
  tpl->allocator = *allocator;
  tpl->size = size;
  tpl->parts = (mcpi_uri_part *)(tpl + 1);
  tpl->names = (mcpi_str *)(tpl->parts + part_count);
  tpl->specs = (mcpi_uri_spec *)(tpl->names + specs);
  char *copy = (char *)(tpl->specs + specs);
  if (text->len > 0) {
    memcpy(copy, text->ptr, text->len);
  }
  text->ptr = copy;
  return tpl;
}

int mcpi_uri_template_new(mcpi_uri_template **out, mcpi_str text,
                          const mcp_allocator *allocator, mcp_error *err) {
  if (text.len > MCPI_URI_MAX_TEMPLATE) {
    return mcp_error_set(err, MCP_ERR_LIMIT,
                         "URI template of %zu bytes, limit %d", text.len,
                         MCPI_URI_MAX_TEMPLATE);
  }
  size_t valid = mcpi_utf8_valid_prefix(text.ptr, text.len);
  if (valid < text.len) {
    return template_fail_at(err, valid, "invalid UTF-8");
  }
  compiler c = {.text = text, .err = err};
  c.tpl = template_new(&c.text, allocator);
  if (c.tpl == NULL) {
    return mcpi_no_memory(err);
  }
  int rc = template_compile(&c);
  if (rc != 0) {
    mcpi_uri_template_free(c.tpl);
    return rc;
  }
  *out = c.tpl;
  return 0;
}

void mcpi_uri_template_free(mcpi_uri_template *tpl) {
  if (tpl != NULL) {
    mcp_allocator allocator = tpl->allocator;
    mcpi_free(&allocator, tpl, tpl->size);
  }
}

size_t mcpi_uri_template_var_count(const mcpi_uri_template *tpl) {
  return tpl->name_count;
}

mcpi_str mcpi_uri_template_var_name(const mcpi_uri_template *tpl,
                                    size_t index) {
  return tpl->names[index];
}
