/* SPDX-License-Identifier: MIT */
/* Arguments that travel in headers as well (PROTOCOL 3.5, x-mcp-header).
 *
 * The schema is walked as a tree, keyword by keyword: an annotation counts
 * where only `properties` lead to it, and is an error anywhere else. The
 * recursion is as deep as the JSON is, which the reader limits.
 *
 * The table keeps the order of the walk, in which all properties of one object
 * follow one another. So the arguments can be gone through once, with the part
 * of the table that concerns an object. */
#include "schema/http_params.h"

#include "codec/http_value.h"
#include "codec/json.h"
#include "schema/say.h"

#define KEYWORD "x-mcp-header"

struct mcpi_http_params {
  mcp_allocator allocator;
  size_t size; /* of the block, which the texts are in */
  size_t count;
  mcpi_http_param *list;
};

/* --- the walk over a schema --------------------------------------------- */

/* A property that is reached through `properties` alone, or the root. */
typedef struct place {
  const struct place *outer;
  mcpi_str name;
  size_t depth;
} place;

typedef struct compiler {
  const mcp_json *root;
  mcpi_http_param list[MCPI_HTTP_PARAMS_MAX]; /* path: not set yet */
  size_t count;
  mcpi_buf names; /* all paths, one behind the other: an array of mcpi_str */
  mcp_error *err;
} compiler;

static int fail(const compiler *c, const mcp_json *value, const char *why) {
  mcpi_sentence sentence;
  mcpi_sentence_init(&sentence);
  mcpi_say_place(&sentence.buf, c->root, value);
  mcpi_buf_puts(&sentence.buf, mcpi_str_z(why));
  return mcp_error_set(c->err, MCP_ERR_SCHEMA, "%.*s", (int)sentence.buf.len,
                       sentence.space);
}

static int fail_too_much(const compiler *c, const char *what) {
  return mcp_error_set(c->err, MCP_ERR_LIMIT, "%s: too many", what);
}

/* Appends the names from below the root down to the place. */
static void put_path(mcpi_buf *names, const place *at) {
  size_t len = at->depth * sizeof(mcpi_str);
  mcpi_str *path = (mcpi_str *)(void *)mcpi_buf_reserve(names, len);
  if (path == NULL) {
    return;
  }
  for (; at->outer != NULL; at = at->outer) {
    path[at->depth - 1] = at->name;
  }
  mcpi_buf_commit(names, len);
}

/* How many names both paths begin with. */
static size_t shared_len(const mcpi_str *a, size_t a_len, const mcpi_str *b,
                         size_t b_len) {
  size_t i = 0;
  while (i < a_len && i < b_len && mcpi_str_eq(a[i], b[i])) {
    i++;
  }
  return i;
}

static int add_param(compiler *c, mcpi_http_param param, const place *at) {
  size_t outer_len = c->count > 0 ? c->list[c->count - 1].depth : 0;
  param.depth = at->depth;
  put_path(&c->names, at);
  if (c->names.error != 0) {
    return mcp_error_set(c->err, MCP_ERR_NOMEM, "out of memory");
  }
  const mcpi_str *end =
      (const mcpi_str *)(void *)(c->names.data + c->names.len);
  const mcpi_str *path = end - param.depth;
  param.shared = shared_len(path - outer_len, outer_len, path, param.depth);
  c->list[c->count++] = param;
  return 0;
}

static int is_taken(const compiler *c, mcpi_str name) {
  for (size_t i = 0; i < c->count; i++) {
    if (mcpi_http_eq_nocase(c->list[i].name, name)) {
      return 1;
    }
  }
  return 0;
}

static int read_annotation(compiler *c, const mcp_json *schema,
                           const mcp_json *annotation, const place *at) {
  mcpi_http_param param = {.name = mcpi_json_str(annotation)};
  mcpi_str type = mcpi_json_member_str(schema, "type");
  param.is_integer = mcpi_str_eq(type, MCPI_STR("integer"));
  param.is_boolean = mcpi_str_eq(type, MCPI_STR("boolean"));
  if (at == NULL || at->depth == 0) {
    return fail(c, annotation,
                "not at a property that only \"properties\" "
                "lead to");
  }
  if (!mcpi_http_is_token(param.name)) {
    return fail(c, annotation, "not a header's name (an RFC 9110 token)");
  }
  if (!param.is_integer && !param.is_boolean &&
      !mcpi_str_eq(type, MCPI_STR("string"))) {
    return fail(c, annotation,
                "the property's type is not string, integer or "
                "boolean");
  }
  if (is_taken(c, param.name)) {
    return fail(c, annotation, "another property has this header");
  }
  if (c->count == MCPI_HTTP_PARAMS_MAX) {
    return fail_too_much(c, KEYWORD);
  }
  return add_param(c, param, at);
}

/* What a keyword's value is made of. */
enum { SCHEMAS, PROPERTIES, NAMED_SCHEMAS, DATA };

static int keyword_kind(mcpi_str name) {
  static const struct {
    const char *name;
    int kind;
  } kinds[] = {
      {"properties", PROPERTIES},
      {"patternProperties", NAMED_SCHEMAS},
      {"$defs", NAMED_SCHEMAS},
      {"definitions", NAMED_SCHEMAS},
      {"dependentSchemas", NAMED_SCHEMAS},
      {"dependencies", NAMED_SCHEMAS},
      {"const", DATA},
      {"enum", DATA},
      {"default", DATA},
      {"examples", DATA},
  };
  for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
    if (mcpi_str_eq(name, mcpi_str_z(kinds[i].name))) {
      return kinds[i].kind;
    }
  }
  return SCHEMAS; /* unknown ones too: a $ref may lead there */
}

static int walk_schema(compiler *c, const mcp_json *schema, const place *at,
                       size_t depth);

/* An object of schemas by names that are no keywords. `at` NULL: nothing in it
 * may be annotated. */
static int walk_named(compiler *c, const mcp_json *schemas, const place *at,
                      size_t depth) {
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *schema;
  int rc = 0;
  mcp_json_iter_init(&iter, schemas);
  while (rc == 0 && (schema = mcp_json_iter_next(&iter, &name)) != NULL) {
    place inner = {at, mcpi_json_str(name), at != NULL ? at->depth + 1 : 0};
    rc = walk_schema(c, schema, at != NULL && name != NULL ? &inner : NULL,
                     depth + 1);
  }
  return rc;
}

static int walk_keyword(compiler *c, mcpi_str name, const mcp_json *value,
                        const place *at, size_t depth) {
  switch (keyword_kind(name)) {
  case PROPERTIES:
    return walk_named(c, value, at, depth);
  case NAMED_SCHEMAS:
    return walk_named(c, value, NULL, depth);
  case SCHEMAS:
    return walk_schema(c, value, NULL, depth);
  default:
    return 0;
  }
}

static int walk_keywords(compiler *c, const mcp_json *schema, const place *at,
                         size_t depth) {
  const mcp_json *annotation = mcpi_json_get(schema, KEYWORD);
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *value;
  int rc = annotation != NULL ? read_annotation(c, schema, annotation, at) : 0;
  mcp_json_iter_init(&iter, schema);
  while (rc == 0 && (value = mcp_json_iter_next(&iter, &name)) != NULL) {
    if (!mcpi_str_eq(mcpi_json_str(name), MCPI_STR(KEYWORD))) {
      rc = walk_keyword(c, mcpi_json_str(name), value, at, depth + 1);
    } else if (value != annotation) {
      rc = fail(c, value, "the property has a header already");
    }
  }
  return rc;
}

static int walk_schema(compiler *c, const mcp_json *schema, const place *at,
                       size_t depth) {
  if (depth > MCPI_JSON_MAX_DEPTH) {
    return fail_too_much(c, "levels of a schema");
  }
  switch (mcp_json_type(schema)) {
  case MCP_JSON_OBJECT:
    return walk_keywords(c, schema, at, depth);
  case MCP_JSON_ARRAY:
    return walk_named(c, schema, NULL, depth);
  default:
    return 0;
  }
}

/* --- the table ---------------------------------------------------------- */

static size_t texts_len(const compiler *c) {
  const mcpi_str *names = (const mcpi_str *)(void *)c->names.data;
  size_t len = 0;
  for (size_t i = 0; i < c->names.len / sizeof(mcpi_str); i++) {
    len += names[i].len;
  }
  for (size_t i = 0; i < c->count; i++) {
    len += c->list[i].name.len;
  }
  return len;
}

/* Moves the text to *to, and *to behind it. */
static void move_text(mcpi_str *text, char **to) {
  if (text->len > 0) {
    memcpy(*to, text->ptr, text->len);
  }
  text->ptr = *to;
  *to += text->len;
}

static void fill(mcpi_http_params *params, const compiler *c) {
  size_t name_count = c->names.len / sizeof(mcpi_str);
  mcpi_str *names = (mcpi_str *)(void *)(params->list + c->count);
  char *texts = (char *)(names + name_count);
  memcpy(params->list, c->list, c->count * sizeof(mcpi_http_param));
  memcpy(names, c->names.data, c->names.len);
  for (size_t i = 0; i < name_count; i++) {
    move_text(&names[i], &texts);
  }
  for (size_t i = 0; i < c->count; i++) {
    move_text(&params->list[i].name, &texts);
    params->list[i].path = names;
    names += params->list[i].depth;
  }
}

/* [ head | list | paths | texts ] */
static int make_table(mcpi_http_params **out, const compiler *c,
                      const mcp_allocator *allocator) {
  size_t size = sizeof(mcpi_http_params) + c->count * sizeof(mcpi_http_param) +
                c->names.len + texts_len(c);
  mcpi_http_params *params = mcpi_alloc(allocator, size);
  if (params == NULL) {
    return mcp_error_set(c->err, MCP_ERR_NOMEM, "out of memory");
  }
  *params = (mcpi_http_params){*allocator, size, c->count,
                               (mcpi_http_param *)(params + 1)};
  fill(params, c);
  *out = params;
  return 0;
}

int mcpi_http_params_new(mcpi_http_params **out, const mcp_json *schema,
                         const mcp_allocator *allocator, mcp_error *err) {
  const place root = {NULL, {NULL, 0}, 0};
  mcpi_http_params *params = NULL;
  compiler c = {.root = schema, .err = err};
  mcpi_buf_init(&c.names, allocator, SIZE_MAX);
  int rc = walk_schema(&c, schema, &root, 0);
  if (rc == 0 && c.count > 0) {
    rc = make_table(&params, &c, allocator);
  }
  mcpi_buf_deinit(&c.names);
  if (rc == 0) {
    *out = params;
  }
  return rc;
}

void mcpi_http_params_free(mcpi_http_params *params) {
  if (params != NULL) {
    mcp_allocator allocator = params->allocator;
    mcpi_free(&allocator, params, params->size);
  }
}

size_t mcpi_http_params_count(const mcpi_http_params *params) {
  return params != NULL ? params->count : 0;
}

const mcpi_http_param *mcpi_http_params_at(const mcpi_http_params *params,
                                           size_t index) {
  return &params->list[index];
}

/* --- arguments ---------------------------------------------------------- */

/* The part of the table whose paths begin with the same `depth` names, those
 * of the object that is looked at. */
typedef struct part {
  const mcpi_http_param *list;
  size_t count;
  size_t depth;
} part;

/* The part of it that the entry at `first` begins and that has one more name
 * in common. */
static part next_part(part outer, size_t first) {
  part inner = {outer.list + first, 1, outer.depth + 1};
  while (first + inner.count < outer.count &&
         inner.list[inner.count].shared > outer.depth) {
    inner.count++;
  }
  return inner;
}

static void find_in(part all, const mcp_json *object, const mcp_json **values);

/* The value belongs to all entries of the part. */
static void take_value(part found, const mcp_json *value,
                       const mcp_json **values) {
  for (size_t i = 0; i < found.count; i++) {
    if (found.list[i].depth == found.depth &&
        mcp_json_type(value) != MCP_JSON_NULL) {
      values[i] = value;
    }
  }
  find_in(found, value, values);
}

/* One pass over the members. Of several with the same name the first counts,
 * as everywhere. */
static void find_in(part all, const mcp_json *object, const mcp_json **values) {
  uint64_t seen = 0;
  mcp_json_iter iter;
  const mcp_json *name = NULL;
  const mcp_json *value;
  if (all.count == 1 && all.list[0].depth == all.depth) {
    return; /* nothing is below: the usual case */
  }
  mcp_json_iter_init(&iter, object);
  while ((value = mcp_json_iter_next(&iter, &name)) != NULL && name != NULL) {
    for (size_t i = 0; i < all.count;) {
      part inner = next_part(all, i);
      uint64_t bit = UINT64_C(1) << i;
      if (all.list[i].depth > all.depth && (seen & bit) == 0 &&
          mcpi_str_eq(all.list[i].path[all.depth], mcpi_json_str(name))) {
        seen |= bit;
        take_value(inner, value, values + i);
      }
      i += inner.count;
    }
  }
}

void mcpi_http_params_find(const mcpi_http_params *params,
                           const mcp_json *arguments, const mcp_json **values) {
  size_t count = mcpi_http_params_count(params);
  for (size_t i = 0; i < count; i++) {
    values[i] = NULL;
  }
  if (count > 0) {
    find_in((part){params->list, count, 0}, arguments, values);
  }
}

/* --- headers ------------------------------------------------------------ */

static int is_header(mcpi_str line, mcpi_str name) {
  const mcpi_str prefix = MCPI_STR(MCPI_HTTP_PARAM_PREFIX);
  return line.len == prefix.len + name.len &&
         mcpi_http_eq_nocase(mcpi_str_n(line.ptr, prefix.len), prefix) &&
         mcpi_http_eq_nocase(mcpi_str_n(line.ptr + prefix.len, name.len), name);
}

static int mismatch(mcp_error *err, const mcpi_http_param *param,
                    const char *why) {
  enum { MAX_NAME = 100 }; /* bytes shown */
  size_t len = param->name.len < MAX_NAME ? param->name.len : MAX_NAME;
  return mcp_error_set(err, MCP_ERR_PROTOCOL,
                       "header " MCPI_HTTP_PARAM_PREFIX "%.*s %s", (int)len,
                       param->name.ptr, why);
}

static int check_value(const mcpi_http_param *param, const char *header,
                       const mcp_json *value, mcpi_buf *scratch,
                       mcp_error *err) {
  size_t from = scratch->len;
  int rc = mcpi_http_compare(scratch, mcpi_str_z(header), value);
  mcpi_buf_rewind(scratch, from);
  switch (rc) {
  case 0:
    return 0;
  case MCP_ERR_PROTOCOL:
    return mismatch(err, param, "is not what the arguments say");
  case MCP_ERR_PARSE:
    return mismatch(err, param, "has a malformed value");
  default:
    return mcp_error_set(err, rc, "%s", mcp_error_text(rc));
  }
}

static int check_param(const mcpi_http_param *param, const mcp_json *value,
                       const mcp_http_header *headers, size_t header_count,
                       mcpi_buf *scratch, mcp_error *err) {
  const char *found = NULL;
  for (size_t i = 0; i < header_count; i++) {
    if (is_header(mcpi_str_z(headers[i].name), param->name)) {
      if (found != NULL) {
        return mismatch(err, param, "was sent twice");
      }
      found = headers[i].value;
    }
  }
  if (found == NULL) {
    return value != NULL ? mismatch(err, param, "is missing") : 0;
  }
  if (value == NULL) {
    return mismatch(err, param, "is of no argument");
  }
  return check_value(param, found, value, scratch, err);
}

int mcpi_http_params_check(const mcpi_http_params *params,
                           const mcp_json *arguments,
                           const mcp_http_header *headers, size_t header_count,
                           mcpi_buf *scratch, mcp_error *err) {
  const mcp_json *values[MCPI_HTTP_PARAMS_MAX];
  int rc = 0;
  mcpi_http_params_find(params, arguments, values);
  for (size_t i = 0; rc == 0 && i < mcpi_http_params_count(params); i++) {
    rc = check_param(&params->list[i], values[i], headers, header_count,
                     scratch, err);
  }
  return rc;
}
