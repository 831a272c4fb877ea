/* SPDX-License-Identifier: MIT */
/* Writing a program's mcp_schema as JSON text.
 *
 * The functions write the fields one after another into a scratch buffer. They
 * parse each field's schema as soon as it is complete: only this finds members
 * that occur twice. When the whole schema is there, they compile it and check
 * each default in it. */
#include "schema/build.h"

#include "base/error.h"
#include "base/widen.h"
#include "schema/build_writer.h"
#include "schema/validator.h"
#include "json/json.h"

/* The depth to which an mcp_schema may refer to another. Each level takes two
 * levels of JSON. The limit also stops the writer if the structures refer to
 * each other in a circle. */
enum { MAX_NESTING = MCPI_JSON_MAX_DEPTH / 2 };

/* A field has at least a name, a description and a type. */
enum { MIN_FIELD_SIZE = offsetof(mcp_field, optional) };

typedef mcpi_schema_writer writer;

static int build_schema(writer *w, const mcp_schema *given);

static void build_put_string(mcpi_buf *buf, const char *string) {
  mcpi_json_put_string(buf, mcpi_str_z(string));
}

/* Writes a comma unless the member is the first. */
static void build_put_comma(mcpi_buf *buf) {
  if (buf->error == 0 && buf->data[buf->len - 1] != '{') {
    mcpi_buf_putc(buf, ',');
  }
}

/* Writes the comma and the name before a member's value. */
static void build_put_keyword(mcpi_buf *buf, const char *keyword) {
  build_put_comma(buf);
  build_put_string(buf, keyword);
  mcpi_buf_putc(buf, ':');
}

/* --- one field ---------------------------------------------------------- */

static const char *field_type_name(int32_t type) {
  static const char *const names[] = {NULL,      "string", "number", "integer",
                                      "boolean", "array",  "object"};
  return type > MCP_FIELD_NONE && type <= MCP_FIELD_OBJECT ? names[type] : NULL;
}

static int build_fail(writer *w, const mcp_field *field, const char *why) {
  return mcp_error_set(w->err, MCP_ERR_INVALID, "field \"%s\": %s", field->name,
                       why);
}

static int field_is_number(const mcp_field *field) {
  return field->type == MCP_FIELD_NUMBER || field->type == MCP_FIELD_INTEGER;
}

static int field_is_container(const mcp_field *field) {
  return field->type == MCP_FIELD_ARRAY || field->type == MCP_FIELD_OBJECT;
}

/* Refuses a member that is set although it is not for the field's type. */
static int build_check_member(writer *w, const mcp_field *field, int is_set,
                              int is_allowed, const char *member,
                              const char *types) {
  if (!is_set || is_allowed) {
    return 0;
  }
  return mcp_error_set(w->err, MCP_ERR_INVALID,
                       "field \"%s\": only %s field can have %s", field->name,
                       types, member);
}

static int build_check_types(writer *w, const mcp_field *field) {
  int is_string = field->type == MCP_FIELD_STRING;
  int is_number = field_is_number(field);
  int is_array = field->type == MCP_FIELD_ARRAY;
  const struct {
    int is_set;
    int is_allowed;
    const char *member;
    const char *types;
  } rules[] = {
      {field->values != NULL, is_string, "values", "a string"},
      {field->pattern != NULL, is_string, "a pattern", "a string"},
      {field->min_length != 0, is_string, "min_length", "a string"},
      {field->max_length != 0, is_string, "max_length", "a string"},
      {field->minimum != NULL, is_number, "a minimum", "a number or integer"},
      {field->maximum != NULL, is_number, "a maximum", "a number or integer"},
      {field->min_items != 0, is_array, "min_items", "an array"},
      {field->max_items != 0, is_array, "max_items", "an array"},
      {field->schema != NULL, field_is_container(field), "a schema",
       "an array or object"},
  };
  int rc = 0;
  for (size_t i = 0; rc == 0 && i < sizeof(rules) / sizeof(rules[0]); i++) {
    rc = build_check_member(w, field, rules[i].is_set, rules[i].is_allowed,
                            rules[i].member, rules[i].types);
  }
  return rc;
}

static int build_check_values(writer *w, const mcp_field *field) {
  const char *const *values = field->values;
  if (values == NULL) {
    return 0;
  }
  if (values[0] == NULL) {
    return build_fail(w, field, "the list of its values is empty");
  }
  for (size_t i = 1; values[i] != NULL; i++) {
    for (size_t j = 0; j < i; j++) {
      if (strcmp(values[i], values[j]) == 0) {
        return mcp_error_set(w->err, MCP_ERR_INVALID,
                             "field \"%s\": the value \"%.40s\" occurs twice",
                             field->name, values[i]);
      }
    }
  }
  return 0;
}

static int build_check_field(writer *w, const mcp_field *field) {
  if (field->name == NULL || field->name[0] == '\0') {
    return mcp_error_set(w->err, MCP_ERR_INVALID, "a field has no name");
  }
  if (field_type_name(field->type) == NULL) {
    return mcp_error_set(w->err, MCP_ERR_INVALID,
                         "field \"%s\": its type %ld is not a value of "
                         "MCP_FIELD_*",
                         field->name, (long)field->type);
  }
  int rc = build_check_values(w, field);
  if (rc == 0) {
    rc = build_check_types(w, field);
  }
  return rc;
}

/* --- its limits and its default ----------------------------------------- */

/* Whether a default can be of the field's type. If an object's schema is given
 * as text or as a value, any type is accepted here: the schema is checked
 * later. */
static int field_takes(const mcp_field *field, const mcp_json *value) {
  int type = mcp_json_type(value);
  switch (field->type) {
  case MCP_FIELD_STRING:
    return type == MCP_JSON_STRING;
  case MCP_FIELD_NUMBER:
    return type == MCP_JSON_NUMBER;
  case MCP_FIELD_INTEGER:
    return mcp_json_is_integer(value);
  case MCP_FIELD_BOOLEAN:
    return type == MCP_JSON_BOOL;
  case MCP_FIELD_ARRAY:
    return type == MCP_JSON_ARRAY;
  default:
    return type == MCP_JSON_OBJECT ||
           (field->schema != NULL && field->schema->fields == NULL);
  }
}

static int field_takes_limit(const mcp_field *field, const mcp_json *value) {
  (void)field;
  return mcp_json_type(value) == MCP_JSON_NUMBER;
}

/* Returns an example for an error message: how a program writes a value of the
 * type. */
static const char *field_example(int32_t type) {
  static const char *const examples[] = {NULL,
                                         "MCP_JSON(\"words\")",
                                         "\"1.5\"",
                                         "\"10\"",
                                         "\"true\"",
                                         "MCP_JSON([1, 2])",
                                         "MCP_JSON({\"a\": 1})"};
  return examples[type];
}

/* A member that is JSON as text. */
typedef struct json_member {
  const char *name;    /* in mcp_field */
  const char *keyword; /* in the schema */
  const char *text;    /* NULL: the program has not set it */
  int (*takes)(const mcp_field *field, const mcp_json *value);
  int32_t type; /* what it takes, for the error: MCP_FIELD_* */
} json_member;

static int build_fail_json(writer *w, const mcp_field *field,
                           const json_member *member, int code) {
  return mcp_error_set(w->err, code,
                       "field \"%s\": %s '%.40s' is not JSON of type %s: "
                       "write it as in %s",
                       field->name, member->name, member->text,
                       field_type_name(member->type),
                       field_example(member->type));
}

/* Each text is parsed by itself, because a text such as "1,\"a\":2" would add
 * another member. */
static int build_put_json(writer *w, const mcp_field *field,
                          const json_member *member) {
  mcp_doc *doc = NULL;
  mcp_error cause;
  if (member->text == NULL) {
    return 0;
  }
  int rc = mcpi_doc_parse(&doc, member->text, strlen(member->text), NULL,
                          w->buf->allocator, &cause);
  if (rc == MCP_ERR_PARSE) {
    return build_fail_json(w, field, member, rc);
  }
  if (rc != 0) {
    return mcp_error_set(w->err, rc, "field \"%s\": %s: %s", field->name,
                         member->name, cause.message);
  }
  if (member->takes(field, mcp_doc_root(doc))) {
    build_put_keyword(w->buf, member->keyword);
    mcpi_json_put_value(w->buf, mcp_doc_root(doc));
    rc = w->buf->error;
  } else {
    rc = build_fail_json(w, field, member, MCP_ERR_INVALID);
  }
  mcp_doc_free(doc);
  return rc;
}

static void build_put_count(mcpi_buf *buf, const char *keyword,
                            uint32_t count) {
  if (count != 0) {
    build_put_keyword(buf, keyword);
    mcpi_json_put_uint(buf, count);
  }
}

static int build_put_limits(writer *w, const mcp_field *field) {
  const json_member members[] = {
      {"minimum", "minimum", field->minimum, field_takes_limit,
       MCP_FIELD_NUMBER},
      {"maximum", "maximum", field->maximum, field_takes_limit,
       MCP_FIELD_NUMBER},
      {"default_value", "default", field->default_value, field_takes,
       field->type},
  };
  build_put_count(w->buf, "minLength", field->min_length);
  build_put_count(w->buf, "maxLength", field->max_length);
  build_put_count(w->buf, "minItems", field->min_items);
  build_put_count(w->buf, "maxItems", field->max_items);
  if (field->pattern != NULL) {
    build_put_keyword(w->buf, "pattern");
    build_put_string(w->buf, field->pattern);
  }
  w->has_default = w->has_default || field->default_value != NULL;
  int rc = w->buf->error;
  for (size_t i = 0; rc == 0 && i < sizeof(members) / sizeof(members[0]); i++) {
    rc = build_put_json(w, field, &members[i]);
  }
  return rc;
}

/* --- its schema --------------------------------------------------------- */

static void build_put_enum(mcpi_buf *buf, const char *const *values) {
  build_put_keyword(buf, "enum");
  for (size_t i = 0; values[i] != NULL; i++) {
    mcpi_buf_putc(buf, i == 0 ? '[' : ',');
    build_put_string(buf, values[i]);
  }
  mcpi_buf_putc(buf, ']');
}

/* Writes the beginning of a field's schema, to which members can be added. A
 * structure's schema is the field's schema, without its last brace. */
static int build_open_field(writer *w, const mcp_field *field) {
  mcpi_buf *buf = w->buf;
  if (field->type != MCP_FIELD_OBJECT || field->schema == NULL) {
    mcpi_buf_lit(buf, "{\"type\":");
    build_put_string(buf, field_type_name(field->type));
    return buf->error;
  }
  int rc = build_schema(w, field->schema);
  if (rc != 0) {
    return rc;
  }
  if (buf->data[buf->len - 1] != '}') {
    return build_fail(w, field, "its schema is not an object");
  }
  mcpi_buf_rewind(buf, buf->len - 1);
  return 0;
}

/* Parses the further members by themselves, because a text such as
 * "\"a\":1},\"b\":{" would close the field's schema. */
static int build_check_more(writer *w, const mcp_field *field) {
  mcp_doc *doc = NULL;
  mcpi_buf object;
  mcpi_buf_init(&object, w->buf->allocator, SIZE_MAX);
  mcpi_buf_putc(&object, '{');
  mcpi_buf_puts(&object, mcpi_str_z(field->more));
  mcpi_buf_putc(&object, '}');
  int rc = object.error;
  if (rc == 0) {
    rc = mcpi_doc_parse(&doc, object.data, object.len, NULL, w->buf->allocator,
                        w->err);
  }
  if (rc == MCP_ERR_PARSE ||
      (rc == 0 && mcp_json_size(mcp_doc_root(doc)) == 0)) {
    rc = mcp_error_set(w->err, MCP_ERR_PARSE,
                       "field \"%s\": more '%.60s' is not a list of JSON "
                       "members: write it without braces, as in "
                       "MCP_JSON(\"title\": \"Name\")",
                       field->name, field->more);
  }
  mcp_doc_free(doc);
  mcpi_buf_deinit(&object);
  return rc;
}

static int build_members(writer *w, const mcp_field *field) {
  mcpi_buf *buf = w->buf;
  int rc = build_open_field(w, field);
  if (rc != 0) {
    return rc;
  }
  if (field->description != NULL) {
    build_put_keyword(buf, "description");
    build_put_string(buf, field->description);
  }
  if (field->values != NULL) {
    build_put_enum(buf, field->values);
  }
  if (field->type == MCP_FIELD_ARRAY && field->schema != NULL) {
    build_put_keyword(buf, "items");
    rc = build_schema(w, field->schema);
    if (rc != 0) {
      return rc;
    }
  }
  rc = build_put_limits(w, field);
  if (rc != 0) {
    return rc;
  }
  if (field->more != NULL) {
    rc = build_check_more(w, field);
    if (rc != 0) {
      return rc;
    }
    build_put_comma(buf);
    mcpi_buf_puts(buf, mcpi_str_z(field->more));
  }
  mcpi_buf_putc(buf, '}');
  return buf->error;
}

static int build_check_members(writer *w, const mcp_field *field,
                               const mcp_json *object) {
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *value;
  mcp_json_iter_init(&iter, object);
  while ((value = mcp_json_iter_next(&iter, &name)) != NULL) {
    mcpi_str key = mcpi_json_str(name);
    /* Looking a name up finds the first member of that name. */
    if (mcp_json_get_n(object, key.ptr, key.len) != value) {
      return mcp_error_set(w->err, MCP_ERR_INVALID,
                           "field \"%s\": the member \"%s\" occurs twice",
                           field->name, key.ptr);
    }
  }
  return 0;
}

/* Refuses limits that no value satisfies. */
static int build_check_counts(writer *w, const mcp_field *field,
                              const char *type, uint32_t least, uint32_t most) {
  if (most == 0 || least <= most) {
    return 0;
  }
  return mcp_error_set(
      w->err, MCP_ERR_INVALID, "field \"%s\": min_%s %lu is above max_%s %lu",
      field->name, type, (unsigned long)least, type, (unsigned long)most);
}

static int build_check_limits(writer *w, const mcp_field *field,
                              const mcp_json *schema) {
  if (field->minimum != NULL && field->maximum != NULL &&
      mcpi_json_number_compare(mcp_json_get(schema, "minimum"),
                               mcp_json_get(schema, "maximum")) > 0) {
    return mcp_error_set(w->err, MCP_ERR_INVALID,
                         "field \"%s\": minimum %.40s is above maximum %.40s",
                         field->name, field->minimum, field->maximum);
  }
  int rc = build_check_counts(w, field, "length", field->min_length,
                              field->max_length);
  if (rc == 0) {
    rc = build_check_counts(w, field, "items", field->min_items,
                            field->max_items);
  }
  return rc;
}

/* Writes a field, and parses what it has written. */
static int build_field(writer *w, const mcp_field *field) {
  build_put_string(w->buf, field->name);
  mcpi_buf_putc(w->buf, ':');
  size_t from = w->buf->len;
  int rc = build_members(w, field);
  if (rc != 0) {
    return rc;
  }
  mcp_doc *doc;
  mcp_error cause;
  rc = mcpi_doc_parse(&doc, w->buf->data + from, w->buf->len - from, NULL,
                      w->buf->allocator, &cause);
  if (rc != 0) {
    return mcp_error_set(w->err, rc, "field \"%s\": %s", field->name,
                         cause.message);
  }
  rc = build_check_members(w, field, mcp_doc_root(doc));
  if (rc == 0) {
    rc = build_check_limits(w, field, mcp_doc_root(doc));
  }
  mcp_doc_free(doc);
  return rc;
}

int mcpi_build_property(writer *w, const mcp_field *field) {
  int rc = build_check_field(w, field);
  if (rc == 0) {
    build_put_comma(w->buf);
    rc = build_field(w, field);
  }
  return rc;
}

/* --- an object of fields ------------------------------------------------ */

/* Copies a field, which may have fewer or more members than ours. */
static mcp_field schema_field_at(const mcp_schema *schema, size_t index) {
  mcp_field field = {0};
  size_t size = schema->field_size;
  memcpy(&field, (const char *)schema->fields + index * size,
         size < sizeof(field) ? size : sizeof(field));
  return field;
}

static int build_check_name(writer *w, const mcp_schema *schema, size_t index) {
  mcp_field field = schema_field_at(schema, index);
  for (size_t i = 0; i < index; i++) {
    mcp_field other = schema_field_at(schema, i);
    if (other.type != MCP_FIELD_NONE && strcmp(other.name, field.name) == 0) {
      return build_fail(w, &field, "two fields have this name");
    }
  }
  return 0;
}

/* Refuses a field of a newer header that uses its new members. */
static int build_check_rest(writer *w, const mcp_schema *schema, size_t index) {
  const char *field = (const char *)schema->fields + index * schema->field_size;
  return mcpi_widen_check_rest(field, sizeof(mcp_field), schema->field_size,
                               "mcp_field", w->err);
}

static int build_properties(writer *w, const mcp_schema *schema) {
  mcpi_buf_lit(w->buf, "{\"type\":\"object\",\"properties\":{");
  for (size_t i = 0; i < schema->field_count; i++) {
    mcp_field field = schema_field_at(schema, i);
    if (field.type == MCP_FIELD_NONE) {
      continue;
    }
    /* First, because a newer type may come with the new members. */
    int rc = build_check_rest(w, schema, i);
    if (rc == 0) {
      rc = build_check_field(w, &field);
    }
    if (rc == 0) {
      rc = build_check_name(w, schema, i);
    }
    if (rc == 0) {
      build_put_comma(w->buf);
      rc = build_field(w, &field);
    }
    if (rc != 0) {
      return rc;
    }
  }
  mcpi_buf_putc(w->buf, '}');
  return w->buf->error;
}

static void build_put_required(mcpi_buf *buf, const mcp_schema *schema) {
  int is_first = 1;
  for (size_t i = 0; i < schema->field_count; i++) {
    mcp_field field = schema_field_at(schema, i);
    if (field.type == MCP_FIELD_NONE || field.optional) {
      continue;
    }
    mcpi_buf_puts(buf, is_first ? MCPI_STR(",\"required\":[") : MCPI_STR(","));
    build_put_string(buf, field.name);
    is_first = 0;
  }
  if (!is_first) {
    mcpi_buf_putc(buf, ']');
  }
}

static int build_fields(writer *w, const mcp_schema *schema) {
  int rc = build_properties(w, schema);
  if (rc != 0) {
    return rc;
  }
  build_put_required(w->buf, schema);
  mcpi_buf_lit(w->buf, ",\"additionalProperties\":false}");
  return w->buf->error;
}

/* --- any schema --------------------------------------------------------- */

/* By its functions, so that a program without such schemas does not link
 * them. */
static int build_struct(writer *w, const mcp_struct_type *type) {
  if (type == NULL || type->functions == NULL) {
    return mcp_error_set(w->err, MCP_ERR_INVALID,
                         "the structure has no valid mcp_struct_type: use "
                         "MCP_DEFINE_STRUCT");
  }
  return type->functions()->build(w, type);
}

static int build_check_schema(writer *w, const mcp_schema *schema) {
  int ways = (schema->text != NULL) + (schema->value != NULL) +
             (schema->fields != NULL) + (schema->struct_type != NULL);
  if (ways != 1) {
    return mcp_error_set(w->err, MCP_ERR_INVALID,
                         "a schema has either text, a value, fields or a "
                         "structure, not %d of them",
                         ways);
  }
  if (schema->fields != NULL && (schema->field_size < MIN_FIELD_SIZE ||
                                 schema->field_size > MCPI_WIDEN_MAX_SIZE)) {
    return mcp_error_set(w->err, MCP_ERR_INVALID,
                         "field_size of mcp_schema is %zu: set it to "
                         "sizeof(mcp_field)",
                         schema->field_size);
  }
  if (w->nesting == MAX_NESTING) {
    return mcp_error_set(w->err, MCP_ERR_LIMIT,
                         "structures are nested more than %d deep",
                         MAX_NESTING);
  }
  return 0;
}

static int build_schema(writer *w, const mcp_schema *given) {
  mcp_schema all;
  const mcp_schema *schema = &all;
  int rc = mcpi_widen(&all, sizeof(all), given, "mcp_schema", w->err);
  if (rc == 0) {
    rc = build_check_schema(w, schema);
  }
  if (rc != 0) {
    return rc;
  }
  if (schema->text != NULL) {
    return mcpi_json_put_text(w->buf, mcpi_str_z(schema->text), w->err);
  }
  if (schema->value != NULL) {
    mcpi_json_put_value(w->buf, schema->value);
    return w->buf->error;
  }
  w->nesting++;
  rc = schema->struct_type != NULL ? build_struct(w, schema->struct_type())
                                   : build_fields(w, schema);
  w->nesting--;
  return rc;
}

/* --- defaults, in the whole schema -------------------------------------- */

int mcpi_build_check_default(writer *w, const mcp_validator *validator,
                             const mcp_field *field, const mcp_json *place) {
  mcp_error why;
  if (field->default_value == NULL ||
      mcpi_validator_check_default(validator, place, &why) == 0) {
    return 0;
  }
  return mcp_error_set(w->err, MCP_ERR_INVALID,
                       "field \"%s\": default_value %.40s does not satisfy "
                       "the field: %s",
                       field->name, field->default_value, why.message);
}

/* `place` is the object's schema in the validator's copy. */
static int build_check_defaults(writer *w, const mcp_validator *validator,
                                const mcp_schema *given,
                                const mcp_json *place) {
  mcp_schema schema;
  const mcp_json *properties = mcp_json_get(place, "properties");
  int rc = mcpi_widen(&schema, sizeof(schema), given, "mcp_schema", w->err);
  size_t count = rc == 0 && schema.fields != NULL ? schema.field_count : 0;
  if (rc == 0 && schema.struct_type != NULL) {
    const mcp_struct_type *type = schema.struct_type();
    return type->functions()->check_defaults(w, validator, type, place);
  }
  for (size_t i = 0; rc == 0 && i < count; i++) {
    mcp_field field = schema_field_at(&schema, i);
    if (field.type == MCP_FIELD_NONE) {
      continue;
    }
    const mcp_json *at = mcp_json_get(properties, field.name);
    rc = mcpi_build_check_default(w, validator, &field, at);
    if (rc == 0 && field.schema != NULL) {
      int is_array = field.type == MCP_FIELD_ARRAY;
      rc = build_check_defaults(w, validator, field.schema,
                                is_array ? mcp_json_get(at, "items") : at);
    }
  }
  return rc;
}

/* A field may refer to any part of the schema, so defaults are checked when all
 * of it is there. No default of a schema that does not compile is checked: the
 * function that compiles the schema for its use reports the fault. */
static int build_check_whole(writer *w, const mcp_schema *schema) {
  mcp_doc *doc = NULL;
  mcp_validator *validator = NULL;
  mcp_error why;
  if (!w->has_default) {
    return 0;
  }
  int rc = mcpi_doc_parse(&doc, w->buf->data, w->buf->len, NULL,
                          w->buf->allocator, w->err);
  if (rc != 0) {
    return rc;
  }
  rc = mcpi_validator_new(&validator, mcp_doc_root(doc), w->buf->allocator,
                          &why);
  mcp_doc_free(doc);
  if (rc == 0) {
    rc = build_check_defaults(w, validator, schema,
                              mcpi_validator_schema(validator));
    mcp_validator_unref(validator);
  } else if (rc != MCP_ERR_NOMEM) {
    rc = 0;
  }
  return rc;
}

int mcpi_schema_put(mcpi_buf *buf, const mcp_schema *schema, mcp_error *err) {
  if (schema == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "the schema is NULL");
  }
  if (buf->error != 0) {
    return buf->error;
  }
  mcpi_buf scratch;
  mcpi_buf_init(&scratch, buf->allocator, SIZE_MAX);
  writer w = {.buf = &scratch, .err = err};
  size_t from = buf->len;
  int rc = build_schema(&w, schema);
  if (rc == 0) {
    /* Finds strings that are not UTF-8, and drops line breaks. */
    rc = mcpi_json_put_text(buf, mcpi_buf_str(&scratch), err);
  }
  if (rc == 0) {
    rc = build_check_whole(&w, schema);
  }
  /* Reported here, because either buffer may have run out of memory. */
  if (rc == MCP_ERR_NOMEM) {
    mcpi_no_memory(err);
  }
  if (rc != 0) {
    mcpi_buf_rewind(buf, from);
  }
  mcpi_buf_deinit(&scratch);
  return rc;
}

int mcp_schema_build(const mcp_schema *schema, const char *name,
                     mcp_builder *builder, mcp_error *err) {
  mcpi_buf text;
  mcpi_buf_init(&text,
                builder != NULL ? mcpi_builder_allocator(builder)
                                : mcp_allocator_default(),
                SIZE_MAX);
  int rc = mcpi_schema_put(&text, schema, err);
  if (rc == 0) {
    mcpi_buf_putc(&text, '\0');
    rc = text.error;
  }
  if (rc == 0) {
    rc = mcp_builder_json(builder, name, text.data);
    if (rc != 0) {
      mcp_error_set(err, rc, "the builder cannot take the schema: %s",
                    mcp_builder_error(builder)->message);
    }
  }
  mcpi_buf_deinit(&text);
  return rc;
}
