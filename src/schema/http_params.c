/* SPDX-License-Identifier: MIT */
/* Arguments that are sent in headers as well (MCP 2026-07-28, Streamable HTTP:
 * Custom Headers from Tool Parameters).
 *
 * The compiler notes each annotation that it finds. Here their places are found
 * from their addresses, as pointers are. An annotation is valid where only
 * `properties` lead to it, and an error anywhere else.
 *
 * The table has the order of the text, in which all properties of one object
 * are together. So one pass over the arguments is enough, in which each object
 * goes with one section of the table. */
#include "schema/http_params.h"

#include "base/error.h"
#include "codec/http_value.h"
#include "schema/say.h"
#include "schema/validator.h"
#include "json/json.h"

struct mcpi_http_params {
  mcp_allocator allocator;
  size_t size;           /* of the block */
  mcp_validator *schema; /* its texts are pointed to */
  size_t count;
  mcpi_http_param *list;
};

/* --- annotations -------------------------------------------------------- */

typedef struct table {
  const mcp_json *root;
  mcpi_http_param list[MCPI_HTTP_PARAMS_MAX]; /* path: not set yet */
  size_t count;
  mcpi_buf names; /* all paths, one after another: an array of mcpi_str */
  mcp_error *err;
} table;

static int params_fail(const table *t, const mcp_json *value, const char *why) {
  mcpi_sentence sentence;
  mcpi_sentence_init(&sentence);
  mcpi_say_place(&sentence.buf, t->root, value);
  mcpi_buf_puts(&sentence.buf, mcpi_str_z(why));
  return mcp_error_set(t->err, MCP_ERR_SCHEMA, "%.*s", (int)sentence.buf.len,
                       sentence.space);
}

/* Returns the member that the value is, or is in: the last that does not begin
 * after it. */
static const mcp_json *member_toward(const mcp_json *object,
                                     const mcp_json *value, mcpi_str *name) {
  mcp_json_iter iter;
  const mcp_json *key;
  const mcp_json *member;
  const mcp_json *found = NULL;
  mcp_json_iter_init(&iter, object);
  while ((member = mcp_json_iter_next(&iter, &key)) != NULL &&
         member <= value) {
    found = member;
    *name = mcpi_json_str(key);
  }
  return found;
}

/* Appends the names of the properties that lead to a schema. Returns how many;
 * 0 when something else leads there, or it is the root. */
static size_t params_put_path(table *t, const mcp_json *schema) {
  const mcp_json *at = t->root;
  mcpi_str name = {NULL, 0};
  size_t depth = 0;
  for (; at != schema; depth++) {
    const mcp_json *properties = member_toward(at, schema, &name);
    if (!mcpi_str_eq(name, MCPI_STR("properties"))) {
      return 0;
    }
    at = member_toward(properties, schema, &name);
    if (at == NULL) {
      return 0;
    }
    mcpi_buf_put(&t->names, &name, sizeof(name));
  }
  return depth;
}

static int params_have_header(const table *t, mcpi_str name) {
  for (size_t i = 0; i < t->count; i++) {
    if (mcpi_header_eq_nocase(t->list[i].name, name)) {
      return 1;
    }
  }
  return 0;
}

static int has_header_type(const mcp_json *schema) {
  mcpi_str type = mcpi_json_member_str(schema, "type");
  return mcpi_str_eq(type, MCPI_STR("string")) ||
         mcpi_str_eq(type, MCPI_STR("integer")) ||
         mcpi_str_eq(type, MCPI_STR("boolean"));
}

/* Sets how many names the path shares with the path before. Returns 0 when the
 * paths are equal: JSON may have a member twice. */
static int params_compare_path(const table *t, mcpi_http_param *param) {
  size_t depth = param->depth;
  size_t before = t->count > 0 ? t->list[t->count - 1].depth : 0;
  const mcpi_str *path =
      (const mcpi_str *)(void *)(t->names.data + t->names.len) - depth;
  size_t shared = 0;
  while (shared < before && shared < depth &&
         mcpi_str_eq(path[shared], (path - before)[shared])) {
    shared++;
  }
  param->shared = shared;
  return shared < depth || before != depth;
}

static int params_read_header(table *t, const mcpi_header *header) {
  mcpi_http_param param = {.name = mcpi_json_str(header->value),
                           .depth = params_put_path(t, header->schema)};
  if (t->names.error != 0) {
    return mcpi_no_memory(t->err);
  }
  if (param.depth == 0) {
    return params_fail(t, header->value,
                       "not at a property that only \"properties\" lead to");
  }
  if (!mcpi_header_is_token(param.name)) {
    return params_fail(t, header->value,
                       "not a header's name (an RFC 9110 token)");
  }
  if (!has_header_type(header->schema)) {
    return params_fail(t, header->value,
                       "the property's type is not string, integer or boolean");
  }
  if (!params_compare_path(t, &param)) {
    return params_fail(t, header->value, "the property has a header already");
  }
  if (params_have_header(t, param.name)) {
    return params_fail(t, header->value, "another property has this header");
  }
  t->list[t->count++] = param;
  return 0;
}

/* Returns the next header in the order of the text, or NULL. */
static const mcpi_header *next_header(const mcpi_header *headers, size_t count,
                                      const mcpi_header *behind) {
  const mcpi_header *next = NULL;
  for (size_t i = 0; i < count; i++) {
    if ((behind == NULL || headers[i].value > behind->value) &&
        (next == NULL || headers[i].value < next->value)) {
      next = &headers[i];
    }
  }
  return next;
}

static int params_read(table *t, const mcp_validator *schema) {
  size_t count;
  const mcpi_header *headers = mcpi_validator_headers(schema, &count);
  const mcpi_header *header = NULL;
  int rc = 0;
  if (count > MCPI_HTTP_PARAMS_MAX) {
    return mcp_error_set(t->err, MCP_ERR_LIMIT,
                         "%zu properties with x-mcp-header, limit %d", count,
                         MCPI_HTTP_PARAMS_MAX);
  }
  while (rc == 0 && (header = next_header(headers, count, header)) != NULL) {
    rc = params_read_header(t, header);
  }
  return rc;
}

/* --- the table ---------------------------------------------------------- */

/* [ head | list | paths ] */
static int params_make(mcpi_http_params **out, const table *t,
                       mcp_validator *schema, const mcp_allocator *allocator) {
  size_t list_size = t->count * sizeof(mcpi_http_param);
  size_t size = sizeof(mcpi_http_params) + list_size + t->names.len;
  mcpi_http_params *params = mcpi_alloc(allocator, size);
  if (params == NULL) {
    return mcpi_no_memory(t->err);
  }
  *params = (mcpi_http_params){*allocator, size, mcp_validator_ref(schema),
                               t->count, (mcpi_http_param *)(params + 1)};
  memcpy(params->list, t->list, list_size);
  mcpi_str *names = (mcpi_str *)(void *)(params->list + t->count);
  memcpy(names, t->names.data, t->names.len);
  for (size_t i = 0; i < t->count; i++) {
    params->list[i].path = names;
    names += params->list[i].depth;
  }
  *out = params;
  return 0;
}

int mcpi_http_params_new(mcpi_http_params **out, mcp_validator *validator,
                         const mcp_allocator *allocator, mcp_error *err) {
  table t = {.root = mcpi_validator_schema(validator), .err = err};
  mcpi_http_params *params = NULL;
  mcpi_buf_init(&t.names, allocator, SIZE_MAX);
  int rc = params_read(&t, validator);
  if (rc == 0 && t.count > 0) {
    rc = params_make(&params, &t, validator, allocator);
  }
  mcpi_buf_deinit(&t.names);
  if (rc == 0) {
    *out = params;
  }
  return rc;
}

void mcpi_http_params_free(mcpi_http_params *params) {
  if (params != NULL) {
    mcp_allocator allocator = params->allocator;
    mcp_validator_unref(params->schema);
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

/* The section of the table whose paths begin with the same `depth` names: those
 * of the object that is searched. */
typedef struct section {
  const mcpi_http_param *list;
  size_t count;
  size_t depth;
} section;

/* Returns the section inside `outer` that begins with the entry at `first`, and
 * whose paths share one more name. */
static section section_next(section outer, size_t first) {
  section inner = {outer.list + first, 1, outer.depth + 1};
  while (first + inner.count < outer.count &&
         inner.list[inner.count].shared > outer.depth) {
    inner.count++;
  }
  return inner;
}

static void section_find(section all, const mcp_json *object,
                         const mcp_json **values);

/* Takes a value, which belongs to all entries of the section. */
static void section_take_value(section found, const mcp_json *value,
                               const mcp_json **values) {
  for (size_t i = 0; i < found.count; i++) {
    if (found.list[i].depth == found.depth &&
        mcp_json_type(value) != MCP_JSON_NULL) {
      values[i] = value;
    }
  }
  section_find(found, value, values);
}

/* Searches an object's members in one pass. Of members with the same name the
 * first counts, as everywhere. */
static void section_find(section all, const mcp_json *object,
                         const mcp_json **values) {
  uint64_t seen = 0;
  mcp_json_iter iter;
  const mcp_json *name = NULL;
  const mcp_json *value;
  if (all.count == 1 && all.list[0].depth == all.depth) {
    return; /* no entry is below: the usual case */
  }
  mcp_json_iter_init(&iter, object);
  while ((value = mcp_json_iter_next(&iter, &name)) != NULL && name != NULL) {
    for (size_t i = 0; i < all.count;) {
      section inner = section_next(all, i);
      uint64_t bit = UINT64_C(1) << i;
      if (all.list[i].depth > all.depth && (seen & bit) == 0 &&
          mcpi_str_eq(all.list[i].path[all.depth], mcpi_json_str(name))) {
        seen |= bit;
        section_take_value(inner, value, values + i);
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
    section_find((section){params->list, count, 0}, arguments, values);
  }
}

/* --- headers ------------------------------------------------------------ */

static int is_param_header(mcpi_str line, mcpi_str name) {
  const mcpi_str prefix = MCPI_STR(MCPI_HTTP_PARAM_PREFIX);
  return line.len == prefix.len + name.len &&
         mcpi_header_eq_nocase(mcpi_str_n(line.ptr, prefix.len), prefix) &&
         mcpi_header_eq_nocase(mcpi_str_n(line.ptr + prefix.len, name.len),
                               name);
}

static int param_mismatch(mcp_error *err, const mcpi_http_param *param,
                          const char *why) {
  enum { MAX_NAME = 100 }; /* bytes shown */
  size_t len = param->name.len < MAX_NAME ? param->name.len : MAX_NAME;
  return mcp_error_set(err, MCP_ERR_PROTOCOL,
                       "header " MCPI_HTTP_PARAM_PREFIX "%.*s %s", (int)len,
                       param->name.ptr, why);
}

static int param_check_value(const mcpi_http_param *param, const char *header,
                             const mcp_json *value, mcpi_buf *scratch,
                             mcp_error *err) {
  size_t from = scratch->len;
  int rc = mcpi_header_compare(scratch, mcpi_str_z(header), value);
  mcpi_buf_rewind(scratch, from);
  switch (rc) {
  case 0:
    return 0;
  case MCP_ERR_PROTOCOL:
    return param_mismatch(err, param, "is not what the arguments say");
  case MCP_ERR_PARSE:
    return param_mismatch(err, param, "has a malformed value");
  default:
    return mcp_error_set(err, rc, "%s", mcp_error_text(rc));
  }
}

static int param_check(const mcpi_http_param *param, const mcp_json *value,
                       const mcp_http_header *headers, size_t header_count,
                       mcpi_buf *scratch, mcp_error *err) {
  const char *found = NULL;
  for (size_t i = 0; i < header_count; i++) {
    if (is_param_header(mcpi_str_z(headers[i].name), param->name)) {
      if (found != NULL) {
        return param_mismatch(err, param, "was sent twice");
      }
      found = headers[i].value;
    }
  }
  if (found == NULL) {
    return value != NULL ? param_mismatch(err, param, "is missing") : 0;
  }
  if (value == NULL) {
    return param_mismatch(err, param, "has no argument");
  }
  return param_check_value(param, found, value, scratch, err);
}

int mcpi_http_params_check(const mcpi_http_params *params,
                           const mcp_json *arguments,
                           const mcp_http_header *headers, size_t header_count,
                           mcpi_buf *scratch, mcp_error *err) {
  const mcp_json *values[MCPI_HTTP_PARAMS_MAX];
  int rc = 0;
  mcpi_http_params_find(params, arguments, values);
  for (size_t i = 0; rc == 0 && i < mcpi_http_params_count(params); i++) {
    rc = param_check(&params->list[i], values[i], headers, header_count,
                     scratch, err);
  }
  return rc;
}
