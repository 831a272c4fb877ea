/* SPDX-License-Identifier: MIT */
/* Arguments that travel in headers as well (PROTOCOL 3.5, x-mcp-header).
 *
 * The compiler notes each annotation that it meets. Here their places are found
 * from their addresses, as pointers are: one counts where only `properties`
 * lead to it, and is an error anywhere else.
 *
 * The table keeps the order of the text, in which all properties of one object
 * follow one another. So the arguments can be gone through once, with the part
 * of the table that concerns an object. */
#include "schema/http_params.h"

#include "base/error.h"
#include "codec/http_value.h"
#include "schema/say.h"
#include "schema/validator.h"
#include "json/json.h"

struct mcpi_http_params {
  mcp_allocator allocator;
  size_t size;           /* of the block */
  mcp_validator *schema; /* that the texts are in */
  size_t count;
  mcpi_http_param *list;
};

/* --- annotations -------------------------------------------------------- */

typedef struct table {
  const mcp_json *root;
  mcpi_http_param list[MCPI_HTTP_PARAMS_MAX]; /* path: not set yet */
  size_t count;
  mcpi_buf names; /* all paths, one behind the other: an array of mcpi_str */
  mcp_error *err;
} table;

static int fail(const table *t, const mcp_json *value, const char *why) {
  mcpi_sentence sentence;
  mcpi_sentence_init(&sentence);
  mcpi_say_place(&sentence.buf, t->root, value);
  mcpi_buf_puts(&sentence.buf, mcpi_str_z(why));
  return mcp_error_set(t->err, MCP_ERR_SCHEMA, "%.*s", (int)sentence.buf.len,
                       sentence.space);
}

/* The member that the value is, or is in: the last one not behind it. */
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

/* Appends the names of the properties that lead to a schema, and tells their
 * number: 0 when something else leads there, or nothing. */
static size_t put_path(table *t, const mcp_json *schema) {
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

/* How many names both paths begin with. */
static size_t shared_len(const mcpi_str *a, size_t a_len, const mcpi_str *b,
                         size_t b_len) {
  size_t i = 0;
  while (i < a_len && i < b_len && mcpi_str_eq(a[i], b[i])) {
    i++;
  }
  return i;
}

static int is_taken(const table *t, mcpi_str name) {
  for (size_t i = 0; i < t->count; i++) {
    if (mcpi_http_eq_nocase(t->list[i].name, name)) {
      return 1;
    }
  }
  return 0;
}

static int has_type(const mcp_json *schema) {
  mcpi_str type = mcpi_json_member_str(schema, "type");
  return mcpi_str_eq(type, MCPI_STR("string")) ||
         mcpi_str_eq(type, MCPI_STR("integer")) ||
         mcpi_str_eq(type, MCPI_STR("boolean"));
}

/* Sets how much of the path is the one before, too. 0: all of both, since JSON
 * may have a member twice. */
static int compare_path(const table *t, mcpi_http_param *param) {
  size_t outer_len = t->count > 0 ? t->list[t->count - 1].depth : 0;
  const mcpi_str *path =
      (const mcpi_str *)(void *)(t->names.data + t->names.len) - param->depth;
  param->shared = shared_len(path - outer_len, outer_len, path, param->depth);
  return param->shared < param->depth || outer_len != param->depth;
}

static int read_header(table *t, const mcpi_header *header) {
  mcpi_http_param param = {.name = mcpi_json_str(header->value),
                           .depth = put_path(t, header->schema)};
  if (t->names.error != 0) {
    return mcpi_no_memory(t->err);
  }
  if (param.depth == 0) {
    return fail(t, header->value,
                "not at a property that only \"properties\" lead to");
  }
  if (!mcpi_http_is_token(param.name)) {
    return fail(t, header->value, "not a header's name (an RFC 9110 token)");
  }
  if (!has_type(header->schema)) {
    return fail(t, header->value,
                "the property's type is not string, integer or boolean");
  }
  if (!compare_path(t, &param)) {
    return fail(t, header->value, "the property has a header already");
  }
  if (is_taken(t, param.name)) {
    return fail(t, header->value, "another property has this header");
  }
  t->list[t->count++] = param;
  return 0;
}

/* The next one in the order of the text, or NULL. */
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

static int read_all(table *t, const mcp_validator *schema) {
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
    rc = read_header(t, header);
  }
  return rc;
}

/* --- the table ---------------------------------------------------------- */

/* [ head | list | paths ] */
static int make_table(mcpi_http_params **out, const table *t,
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
  int rc = read_all(&t, validator);
  if (rc == 0 && t.count > 0) {
    rc = make_table(&params, &t, validator, allocator);
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
