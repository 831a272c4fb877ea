/* SPDX-License-Identifier: MIT */
/* Loading documents, and finding what has a name in them. */
#include "schema/library.h"

#include "base/ascii.h"
#include "base/error.h"
#include "codec/uri.h"
#include "schema/dialect.h"
#include "schema/keyword.h"
#include "schema/meta.h"
#include "schema/say.h"
#include "json/json.h"

#include <mcp/sys/yyjson.h>

/* What all searches of one compilation may look at: some tenths of a second.
 */
enum { MAX_STEPS = 20000000 };

static uint32_t count_of(const mcpi_buf *array, size_t size) {
  return (uint32_t)(array->len / size);
}

static mcpi_resource *resource_at(const mcpi_library *library, uint32_t index) {
  return (mcpi_resource *)(void *)library->resources.data + index;
}

const mcpi_resource *mcpi_library_resource(const mcpi_library *library,
                                           uint32_t index) {
  return resource_at(library, index);
}

uint32_t mcpi_library_resource_count(const mcpi_library *library) {
  return count_of(&library->resources, sizeof(mcpi_resource));
}

const mcpi_anchor *mcpi_library_anchors(const mcpi_library *library,
                                        size_t *count) {
  *count = count_of(&library->anchors, sizeof(mcpi_anchor));
  return (const mcpi_anchor *)(void *)library->anchors.data;
}

int mcpi_library_spend(mcpi_library *library, size_t steps) {
  if (mcpi_json_spend(&library->steps_left, steps)) {
    return 0;
  }
  return mcp_error_set(library->err, MCP_ERR_LIMIT,
                       "the schema costs too much to compile");
}

static int malformed(const mcpi_library *library, const mcpi_document *document,
                     const mcp_json *value, const char *expected) {
  return mcpi_document_error(library->err, document, value, expected);
}

/* Behind the last value of this one's. */
static const mcp_json *end_of(const mcp_json *value) {
  return mcp_json_from_yyjson(
      unsafe_yyjson_get_next(mcp_json_to_yyjson(value)));
}

void mcpi_say_schema_place(mcpi_buf *buf, const mcpi_document *document,
                           const mcp_json *value) {
  if (document->next != NULL) {
    mcpi_say(buf, document->uri);
    mcpi_buf_putc(buf, '#');
  }
  mcpi_say_place(buf, document->root, value);
}

int mcpi_document_fail(mcp_error *err, int code, const mcpi_document *document,
                       const mcp_json *value, const char *format, ...) {
  mcpi_sentence place;
  mcp_error why;
  va_list args;
  va_start(args, format);
  mcpi_error_set_v(&why, code, format, args);
  va_end(args);
  mcpi_sentence_init(&place);
  mcpi_say_schema_place(&place.buf, document, value);
  return mcp_error_set(err, code, "%.*s%s", (int)place.buf.len, place.space,
                       why.message);
}

int mcpi_document_error(mcp_error *err, const mcpi_document *document,
                        const mcp_json *value, const char *expected) {
  mcpi_sentence text;
  mcpi_sentence_init(&text);
  mcpi_say_schema_place(&text.buf, document, value);
  return mcpi_say_unexpected(err, &text, value, expected);
}

/* --- its life ----------------------------------------------------------- */

void mcpi_library_init(mcpi_library *library, const mcp_allocator *allocator,
                       const mcp_validator_options *options, mcp_error *err) {
  *library = (mcpi_library){.allocator = allocator,
                            .options = options,
                            .bytes_left = options->max_bytes,
                            .steps_left = MAX_STEPS,
                            .err = err};
  mcpi_buf_init(&library->resources, allocator, SIZE_MAX);
  mcpi_buf_init(&library->anchors, allocator, SIZE_MAX);
}

void mcpi_library_deinit(mcpi_library *library) {
  for (mcpi_document *d = library->documents; d != NULL; d = d->next) {
    mcpi_free(library->allocator, d->nodes, d->value_count * sizeof(*d->nodes));
    d->nodes = NULL;
  }
  for (uint32_t i = 0; i < mcpi_library_resource_count(library); i++) {
    mcpi_strfree(library->allocator, resource_at(library, i)->uri);
  }
  mcpi_buf_deinit(&library->resources);
  mcpi_buf_deinit(&library->anchors);
}

void mcpi_documents_free(mcpi_document *documents,
                         const mcp_allocator *allocator) {
  while (documents != NULL) {
    mcpi_document *next = documents->next;
    mcpi_free(allocator, documents->memory, documents->memory_len);
    mcpi_strfree(allocator, documents->uri);
    mcpi_free(allocator, documents, sizeof(*documents));
    documents = next;
  }
}

size_t mcpi_documents_size(const mcpi_document *documents) {
  size_t bytes = 0;
  for (const mcpi_document *d = documents; d != NULL; d = d->next) {
    bytes += sizeof(*d) + d->memory_len + strlen(d->uri) + 1;
  }
  return bytes;
}

/* --- copying ------------------------------------------------------------ */

static int load_text(mcpi_library *library, mcpi_document *document,
                     mcpi_str text) {
  const mcpi_json_limits limits = {library->bytes_left, MCPI_JSON_MAX_DEPTH,
                                   MCPI_JSON_MAX_VALUES};
  int rc = mcpi_json_measure(text.ptr, text.len, &limits, &document->memory_len,
                             library->err);
  if (rc != 0) {
    return rc;
  }
  document->memory = mcpi_alloc(library->allocator, document->memory_len);
  if (document->memory == NULL) {
    return mcpi_no_memory(library->err);
  }
  library->bytes_left -= text.len;
  return mcpi_json_load(document->memory, document->memory_len, text.ptr,
                        text.len, &document->root, library->err);
}

static mcpi_document *document_new(mcpi_library *library, const char *uri) {
  mcpi_document *document =
      mcpi_calloc(library->allocator, 1, sizeof(*document));
  if (document == NULL) {
    return NULL;
  }
  document->uri = mcpi_strdup(library->allocator, uri);
  document->next = library->documents;
  library->documents = document;
  return document;
}

/* --- resources ---------------------------------------------------------- */

/* The URI of what an `$id` names; `id` may be NULL. */
static char *make_uri(mcpi_library *library, mcpi_str base,
                      const mcp_json *id) {
  mcpi_buf uri;
  mcpi_buf_init(&uri, library->allocator, SIZE_MAX);
  mcpi_uri_resolve(&uri, base, mcpi_json_str(id));
  mcpi_buf_putc(&uri, '\0');
  char *copy =
      uri.error == 0 ? mcpi_strdup(library->allocator, uri.data) : NULL;
  mcpi_buf_deinit(&uri);
  return copy;
}

static mcpi_str base_of(const mcpi_library *library,
                        const mcpi_document *document, uint32_t parent) {
  return mcpi_str_z(parent == MCPI_NO_RESOURCE
                        ? document->uri
                        : resource_at(library, parent)->uri);
}

static int add_resource(mcpi_library *library, mcpi_document *document,
                        const mcp_json *root, const mcp_json *id,
                        uint32_t parent, mcpi_dialect dialect) {
  mcpi_resource resource = {.document = document,
                            .root = root,
                            .end = end_of(root),
                            .parent = parent,
                            .dialect = dialect.dialect,
                            .vocabularies = dialect.vocabularies};
  /* Each has a URI of its own, which may be long by the one around it. */
  mcpi_str base = base_of(library, document, parent);
  int rc = mcpi_library_spend(library, 1 + base.len / 4);
  if (rc != 0) {
    return rc;
  }
  resource.uri = make_uri(library, base, id);
  if (resource.uri == NULL) {
    return mcpi_no_memory(library->err);
  }
  mcpi_buf_put(&library->resources, &resource, sizeof(resource));
  if (library->resources.error != 0) {
    mcpi_strfree(library->allocator, resource.uri);
    return mcpi_no_memory(library->err);
  }
  document->resource_count++;
  return 0;
}

/* What the meta-schema of 2020-12 says; draft-07 says nothing. */
static int is_anchor_name(mcpi_str name) {
  size_t i = 0;
  while (i < name.len &&
         (mcpi_is_letter(name.ptr[i]) || name.ptr[i] == '_' ||
          (i > 0 && (mcpi_is_digit(name.ptr[i]) || name.ptr[i] == '-' ||
                     name.ptr[i] == '.')))) {
    i++;
  }
  return i > 0 && i == name.len;
}

static int add_anchor(mcpi_library *library, uint32_t resource,
                      const mcp_json *schema, const mcp_json *name,
                      int is_dynamic) {
  const mcpi_resource *in = resource_at(library, resource);
  mcpi_anchor anchor = {resource, is_dynamic, mcpi_json_str(name), schema};
  if (name == NULL) {
    return 0;
  }
  if (!is_anchor_name(anchor.name)) {
    return malformed(library, in->document, name,
                     "the name of an anchor ([A-Za-z_][-A-Za-z0-9._]*)");
  }
  mcpi_buf_put(&library->anchors, &anchor, sizeof(anchor));
  return library->anchors.error == 0 ? 0 : mcpi_no_memory(library->err);
}

/* --- looking through a document ----------------------------------------- */

static int scan(mcpi_library *library, mcpi_document *document,
                const mcp_json *schema, uint32_t parent);

static int scan_all(mcpi_library *library, mcpi_document *document,
                    const mcp_json *schemas, uint32_t resource) {
  mcp_json_iter iter;
  const mcp_json *schema;
  int rc = 0;
  mcp_json_iter_init(&iter, schemas);
  while (rc == 0 && (schema = mcp_json_iter_next(&iter, NULL)) != NULL) {
    rc = scan(library, document, schema, resource);
  }
  return rc;
}

/* What is no schema there is the compiler's to refuse. */
static int scan_keyword(mcpi_library *library, mcpi_document *document,
                        int keyword, const mcp_json *value, uint32_t resource) {
  int type = mcp_json_type(value);
  switch (mcpi_keyword_shape(keyword)) {
  case MCPI_SHAPE_SCHEMA:
    return scan(library, document, value, resource);
  case MCPI_SHAPE_SCHEMAS:
    return type == MCP_JSON_ARRAY ? scan_all(library, document, value, resource)
                                  : 0;
  case MCPI_SHAPE_EITHER:
    return type == MCP_JSON_ARRAY ? scan_all(library, document, value, resource)
                                  : scan(library, document, value, resource);
  case MCPI_SHAPE_MAP:
    return type == MCP_JSON_OBJECT
               ? scan_all(library, document, value, resource)
               : 0;
  default:
    return 0;
  }
}

static int scan_keywords(mcpi_library *library, mcpi_document *document,
                         const mcp_json *schema, uint32_t resource) {
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *value;
  int rc = 0;
  mcp_json_iter_init(&iter, schema);
  while (rc == 0 && (value = mcp_json_iter_next(&iter, &name)) != NULL) {
    const mcpi_resource *in = resource_at(library, resource);
    int keyword =
        mcpi_keyword_find(mcpi_json_str(name), in->dialect, in->vocabularies);
    if (keyword != MCPI_KEYWORD_NONE) {
      rc = scan_keyword(library, document, keyword, value, resource);
    }
  }
  return rc;
}

/* The `$id` that makes a resource of the schema, or NULL. In draft-07 a `$ref`
 * hides it, and a fragment alone is an anchor. */
static const mcp_json *own_id(const mcp_json *schema, uint8_t dialect) {
  const mcp_json *id = mcp_json_get(schema, "$id");
  mcpi_str text = mcpi_json_str(id);
  if (dialect == MCPI_DIALECT_DRAFT_07 &&
      (mcp_json_get(schema, "$ref") != NULL ||
       (text.len > 0 && text.ptr[0] == '#'))) {
    return NULL;
  }
  return id;
}

static int check_id(const mcpi_library *library, const mcpi_document *document,
                    const mcp_json *id, uint8_t dialect) {
  mcpi_uri uri;
  if (id == NULL) {
    return 0;
  }
  if (mcp_json_type(id) != MCP_JSON_STRING) {
    return malformed(library, document, id, "a URI");
  }
  mcpi_uri_split(mcpi_json_str(id), &uri);
  if (uri.fragment.len > 0 && dialect != MCPI_DIALECT_DRAFT_07) {
    return malformed(library, document, id, "a URI without fragment");
  }
  return 0;
}

static int add_anchors(mcpi_library *library, uint32_t resource,
                       const mcp_json *schema) {
  uint8_t dialect = resource_at(library, resource)->dialect;
  if (dialect == MCPI_DIALECT_DRAFT_07) {
    mcpi_uri uri;
    mcpi_uri_split(mcpi_json_member_str(schema, "$id"), &uri);
    if (uri.fragment.len == 0 || mcp_json_get(schema, "$ref") != NULL) {
      return 0;
    }
    mcpi_anchor anchor = {resource, 0, uri.fragment, schema};
    mcpi_buf_put(&library->anchors, &anchor, sizeof(anchor));
    return library->anchors.error == 0 ? 0 : mcpi_no_memory(library->err);
  }
  int rc =
      add_anchor(library, resource, schema, mcp_json_get(schema, "$anchor"), 0);
  return rc != 0 ? rc
                 : add_anchor(library, resource, schema,
                              mcp_json_get(schema, "$dynamicAnchor"), 1);
}

/* A schema, and those in it. Recursion goes as deep as the text, which JSON's
 * reader limits. parent: the resource that it is in. */
static int scan(mcpi_library *library, mcpi_document *document,
                const mcp_json *schema, uint32_t parent) {
  if (mcp_json_type(schema) != MCP_JSON_OBJECT && parent != MCPI_NO_RESOURCE) {
    return 0;
  }
  mcpi_dialect dialect;
  int rc = mcpi_dialect_of(library, document, schema, parent, &dialect);
  if (rc != 0) {
    return rc;
  }
  uint32_t resource = parent;
  const mcp_json *id = own_id(schema, dialect.dialect);
  rc = check_id(library, document, id, dialect.dialect);
  if (rc == 0 && (parent == MCPI_NO_RESOURCE || id != NULL)) {
    resource = mcpi_library_resource_count(library);
    rc = add_resource(library, document, schema, id, parent, dialect);
  }
  if (rc == 0) {
    rc = add_anchors(library, resource, schema);
  }
  return rc != 0 ? rc : scan_keywords(library, document, schema, resource);
}

static int load(mcpi_library *library, const char *uri, mcpi_str text,
                uint32_t *resource) {
  mcpi_document *document = document_new(library, uri);
  if (document == NULL || document->uri == NULL) {
    return mcpi_no_memory(library->err);
  }
  int rc = load_text(library, document, text);
  if (rc != 0) {
    return rc;
  }
  document->value_count = (size_t)(mcp_json_to_yyjson(end_of(document->root)) -
                                   mcp_json_to_yyjson(document->root));
  document->nodes = mcpi_calloc(library->allocator, document->value_count,
                                sizeof(*document->nodes));
  if (document->nodes == NULL) {
    return mcpi_no_memory(library->err);
  }
  document->first_resource = mcpi_library_resource_count(library);
  *resource = document->first_resource;
  return scan(library, document, document->root, MCPI_NO_RESOURCE);
}

int mcpi_library_load(mcpi_library *library, const char *uri,
                      const mcp_json *schema, uint32_t *resource) {
  mcpi_buf text;
  mcpi_buf_init(&text, library->allocator, SIZE_MAX);
  mcpi_json_put_value(&text, schema);
  int rc = text.error == 0
               ? load(library, uri, mcpi_str_n(text.data, text.len), resource)
               : mcp_error_set(library->err, text.error, "%s",
                               mcp_error_text(text.error));
  mcpi_buf_deinit(&text);
  return rc;
}

/* --- finding ------------------------------------------------------------ */

uint32_t mcpi_library_resource_of(const mcpi_library *library,
                                  const mcpi_document *document,
                                  const mcp_json *value) {
  uint32_t low = document->first_resource;
  uint32_t high = low + document->resource_count;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (resource_at(library, middle)->root <= value) {
      low = middle;
    } else {
      high = middle;
    }
  }
  while (resource_at(library, low)->end <= value) {
    low = resource_at(library, low)->parent;
  }
  return low;
}

const mcpi_anchor *mcpi_library_anchor(mcpi_library *library, uint32_t resource,
                                       mcpi_str name) {
  size_t count;
  const mcpi_anchor *anchors = mcpi_library_anchors(library, &count);
  mcpi_json_spend(&library->steps_left, count);
  for (size_t i = 0; i < count; i++) {
    if (anchors[i].resource == resource && mcpi_str_eq(anchors[i].name, name)) {
      return &anchors[i];
    }
  }
  return NULL;
}

static int find_loaded(mcpi_library *library, mcpi_str uri,
                       uint32_t *resource) {
  for (uint32_t i = 0; i < mcpi_library_resource_count(library); i++) {
    mcpi_str other = mcpi_str_z(resource_at(library, i)->uri);
    mcpi_json_spend(&library->steps_left, 1 + other.len / 64);
    if (mcpi_str_eq(other, uri)) {
      *resource = i;
      return 1;
    }
  }
  for (const mcpi_document *d = library->documents; d != NULL; d = d->next) {
    if (d->resource_count > 0 && mcpi_str_eq(mcpi_str_z(d->uri), uri)) {
      *resource = d->first_resource;
      return 1;
    }
  }
  return 0;
}

int mcpi_library_find(mcpi_library *library, mcpi_str uri, uint32_t *resource) {
  if (find_loaded(library, uri, resource)) {
    return 0;
  }
  const mcp_schema_document *given = mcpi_dialect_given(library, uri);
  if (given != NULL) {
    return mcpi_library_load(library, given->uri, given->schema, resource);
  }
  const mcpi_meta_text *meta = mcpi_meta_find(uri);
  return meta != NULL ? load(library, meta->uri,
                             mcpi_str_n(meta->text, meta->len), resource)
                      : MCP_ERR_NOT_FOUND;
}

const mcpi_document *mcpi_document_of(const mcpi_document *documents,
                                      const mcp_json *value) {
  for (const mcpi_document *d = documents; d != NULL; d = d->next) {
    if (value >= d->root && value < end_of(d->root)) {
      return d;
    }
  }
  return NULL;
}
