/* SPDX-License-Identifier: MIT */
/* From what a program states to JSON text.
 *
 * Fields are pasted together in a buffer of their own. Each field's schema is
 * parsed as soon as it is complete: this alone finds a `more` that is no list
 * of members, one that closes the object and goes on behind it, and members
 * that are there twice. */
#include "schema/build.h"

#include "json/json.h"

/* How deep structures may refer to structures: each level takes two of JSON's
 * levels. It ends a circle, too. */
enum { MAX_NESTING = MCPI_JSON_MAX_DEPTH / 2 };

typedef struct writer {
  mcpi_buf *buf;
  mcp_error *err;
  int nesting;
} writer;

static int write_schema(writer *w, const mcp_schema *schema);

static void put_string(mcpi_buf *buf, const char *string) {
  mcpi_json_put_string(buf, mcpi_str_z(string));
}

/* --- one field ---------------------------------------------------------- */

static const char *type_name(int32_t type) {
  static const char *const names[] = {NULL,      "string", "number", "integer",
                                      "boolean", "array",  "object"};
  return type > MCP_FIELD_NONE && type <= MCP_FIELD_OBJECT ? names[type] : NULL;
}

static int invalid(writer *w, const mcp_field *field, const char *why) {
  return mcp_error_set(w->err, MCP_ERR_INVALID, "field \"%s\": %s", field->name,
                       why);
}

static int check_field(writer *w, const mcp_field *field) {
  if (field->name == NULL) {
    return mcp_error_set(w->err, MCP_ERR_INVALID, "a field without a name");
  }
  if (type_name(field->type) == NULL) {
    return invalid(w, field, "its type is not a value of MCP_FIELD_*");
  }
  if (field->values != NULL && field->type != MCP_FIELD_STRING) {
    return invalid(w, field, "values are for strings");
  }
  if (field->values != NULL && field->values[0] == NULL) {
    return invalid(w, field, "the list of its values is empty");
  }
  if (field->schema != NULL && field->type != MCP_FIELD_ARRAY &&
      field->type != MCP_FIELD_OBJECT) {
    return invalid(w, field, "a schema is for arrays and structures");
  }
  return 0;
}

static void put_enum(mcpi_buf *buf, const char *const *values) {
  mcpi_buf_lit(buf, ",\"enum\":");
  for (size_t i = 0; values[i] != NULL; i++) {
    mcpi_buf_putc(buf, i == 0 ? '[' : ',');
    put_string(buf, values[i]);
  }
  mcpi_buf_putc(buf, ']');
}

/* A structure's schema is the field's schema, so that a text stays what it is;
 * it is left open for the members that follow. */
static int open_structure(writer *w, const mcp_field *field) {
  mcpi_buf *buf = w->buf;
  int rc = write_schema(w, field->schema);
  if (rc != 0) {
    return rc;
  }
  if (buf->data[buf->len - 1] != '}') {
    return invalid(w, field, "its schema is not an object");
  }
  mcpi_buf_rewind(buf, buf->len - 1);
  return 0;
}

static int open_field(writer *w, const mcp_field *field) {
  if (field->type == MCP_FIELD_OBJECT && field->schema != NULL) {
    return open_structure(w, field);
  }
  mcpi_buf_lit(w->buf, "{\"type\":");
  put_string(w->buf, type_name(field->type));
  return w->buf->error;
}

/* The comma before a further member, when there is one before it. */
static void put_comma(mcpi_buf *buf) {
  if (buf->error == 0 && buf->data[buf->len - 1] != '{') {
    mcpi_buf_putc(buf, ',');
  }
}

static int write_items(writer *w, const mcp_field *field) {
  if (field->type != MCP_FIELD_ARRAY || field->schema == NULL) {
    return 0;
  }
  mcpi_buf_lit(w->buf, ",\"items\":");
  return write_schema(w, field->schema);
}

static int write_members(writer *w, const mcp_field *field) {
  mcpi_buf *buf = w->buf;
  int rc = open_field(w, field);
  if (rc != 0) {
    return rc;
  }
  if (field->description != NULL) {
    put_comma(buf);
    mcpi_buf_lit(buf, "\"description\":");
    put_string(buf, field->description);
  }
  if (field->values != NULL) {
    put_enum(buf, field->values);
  }
  rc = write_items(w, field);
  if (rc != 0) {
    return rc;
  }
  if (field->more != NULL) {
    put_comma(buf);
    mcpi_buf_puts(buf, mcpi_str_z(field->more));
  }
  mcpi_buf_putc(buf, '}');
  return buf->error;
}

static int check_members(writer *w, const mcp_field *field,
                         const mcp_json *object) {
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *value;
  mcp_json_iter_init(&iter, object);
  while ((value = mcp_json_iter_next(&iter, &name)) != NULL) {
    mcpi_str key = mcpi_json_str(name);
    /* A look-up finds the first of that name. */
    if (mcp_json_get_n(object, key.ptr, key.len) != value) {
      return mcp_error_set(w->err, MCP_ERR_INVALID,
                           "field \"%s\": the member \"%s\" is there twice",
                           field->name, key.ptr);
    }
  }
  return 0;
}

/* Parses what was written since `from`. */
static int check_text(writer *w, const mcp_field *field, size_t from) {
  mcp_doc *doc;
  mcp_error cause;
  int rc = mcp_doc_parse(&doc, w->buf->data + from, w->buf->len - from, NULL,
                         w->buf->allocator, &cause);
  if (rc != 0) {
    return mcp_error_set(w->err, rc, "field \"%s\": %s", field->name,
                         cause.message);
  }
  rc = check_members(w, field, mcp_doc_root(doc));
  mcp_doc_free(doc);
  return rc;
}

static int write_field(writer *w, const mcp_field *field) {
  put_string(w->buf, field->name);
  mcpi_buf_putc(w->buf, ':');
  size_t from = w->buf->len;
  int rc = write_members(w, field);
  return rc != 0 ? rc : check_text(w, field, from);
}

/* --- an object of fields ------------------------------------------------ */

static int check_names(writer *w, const mcp_schema *schema, size_t index) {
  const mcp_field *field = &schema->fields[index];
  for (size_t i = 0; i < index; i++) {
    const mcp_field *other = &schema->fields[i];
    if (other->type != MCP_FIELD_NONE &&
        strcmp(other->name, field->name) == 0) {
      return invalid(w, field, "the name is there twice");
    }
  }
  return 0;
}

static int write_properties(writer *w, const mcp_schema *schema) {
  mcpi_buf_lit(w->buf, "{\"type\":\"object\",\"properties\":{");
  for (size_t i = 0; i < schema->field_count; i++) {
    const mcp_field *field = &schema->fields[i];
    if (field->type == MCP_FIELD_NONE) {
      continue;
    }
    int rc = check_field(w, field);
    if (rc == 0) {
      rc = check_names(w, schema, i);
    }
    if (rc == 0) {
      put_comma(w->buf);
      rc = write_field(w, field);
    }
    if (rc != 0) {
      return rc;
    }
  }
  mcpi_buf_putc(w->buf, '}');
  return w->buf->error;
}

static void put_required(mcpi_buf *buf, const mcp_schema *schema) {
  int is_first = 1;
  for (size_t i = 0; i < schema->field_count; i++) {
    const mcp_field *field = &schema->fields[i];
    if (field->type == MCP_FIELD_NONE || field->optional) {
      continue;
    }
    mcpi_buf_puts(buf, is_first ? MCPI_STR(",\"required\":[") : MCPI_STR(","));
    put_string(buf, field->name);
    is_first = 0;
  }
  if (!is_first) {
    mcpi_buf_putc(buf, ']');
  }
}

static int write_fields(writer *w, const mcp_schema *schema) {
  int rc = write_properties(w, schema);
  if (rc != 0) {
    return rc;
  }
  put_required(w->buf, schema);
  mcpi_buf_lit(w->buf, ",\"additionalProperties\":false}");
  return w->buf->error;
}

/* --- any schema --------------------------------------------------------- */

static int write_stated(writer *w, const mcp_schema *schema) {
  if (schema->text != NULL) {
    return mcpi_json_put_text(w->buf, mcpi_str_z(schema->text), w->err);
  }
  if (schema->value != NULL) {
    mcpi_json_put_value(w->buf, schema->value);
    return w->buf->error;
  }
  return write_fields(w, schema);
}

static int write_schema(writer *w, const mcp_schema *schema) {
  int ways = (schema->text != NULL) + (schema->value != NULL) +
             (schema->fields != NULL);
  if (ways != 1) {
    return mcp_error_set(w->err, MCP_ERR_INVALID,
                         "a schema is text, a value or fields: here are %d "
                         "of them",
                         ways);
  }
  if (w->nesting == MAX_NESTING) {
    return mcp_error_set(w->err, MCP_ERR_LIMIT,
                         "structures are nested more than %d deep",
                         MAX_NESTING);
  }
  w->nesting++;
  int rc = write_stated(w, schema);
  w->nesting--;
  return rc;
}

/* Composes the text in `scratch`, then checks it as a whole on its way to
 * `buf`: now all strings are known to be UTF-8, and line breaks go. */
static int put_checked(mcpi_buf *buf, mcpi_buf *scratch,
                       const mcp_schema *schema, mcp_error *err) {
  writer w = {scratch, err, 0};
  int rc = write_schema(&w, schema);
  if (rc != 0) {
    return rc;
  }
  return mcpi_json_put_text(buf, mcpi_str_n(scratch->data, scratch->len), err);
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
  size_t from = buf->len;
  int rc = put_checked(buf, &scratch, schema, err);
  /* Only here, where the failure of either buffer's memory is known. */
  if (rc == MCP_ERR_NOMEM) {
    mcp_error_set(err, rc, "out of memory");
  }
  if (rc != 0) {
    mcpi_buf_rewind(buf, from);
  }
  mcpi_buf_deinit(&scratch);
  return rc;
}

/* The text is made in memory of the default allocator: a builder does not tell
 * what its own is. */
int mcp_schema_build(const mcp_schema *schema, const char *name,
                     mcp_builder *builder, mcp_error *err) {
  mcpi_buf text;
  mcpi_buf_init(&text, mcp_allocator_default(), SIZE_MAX);
  int rc = mcpi_schema_put(&text, schema, err);
  if (rc == 0) {
    mcpi_buf_putc(&text, '\0');
    rc = text.error;
  }
  if (rc == 0) {
    rc = mcp_builder_json(builder, name, text.data);
    if (rc != 0) {
      mcp_error_set(err, rc, "the builder cannot take the schema here");
    }
  }
  mcpi_buf_deinit(&text);
  return rc;
}
