/* SPDX-License-Identifier: MIT */
/* Loading documents, and finding the resources and anchors in them. */
#include "schema/library.h"

#include "base/ascii.h"
#include "base/error.h"
#include "codec/uri.h"
#include "schema/keyword.h"
#include "schema/meta.h"
#include "json/inline.h"
#include "json/json.h"

/* Steps that all searches of one compilation may take: some tenths of a
 * second. */
enum { MAX_STEPS = 20000000 };

static mcpi_resource *resource_at(const mcpi_library *library, uint32_t index) {
  return (mcpi_resource *)(void *)library->resources.data + index;
}

const mcpi_resource *mcpi_library_resource(const mcpi_library *library,
                                           uint32_t index) {
  return resource_at(library, index);
}

uint32_t mcpi_library_resource_count(const mcpi_library *library) {
  return (uint32_t)(library->resources.len / sizeof(mcpi_resource));
}

const mcpi_anchor *mcpi_library_anchors(const mcpi_library *library,
                                        size_t *count) {
  *count = library->anchors.len / sizeof(mcpi_anchor);
  return (const mcpi_anchor *)(void *)library->anchors.data;
}

int mcpi_library_spend(mcpi_library *library, size_t steps) {
  if (mcpi_json_spend(&library->steps_left, steps)) {
    return 0;
  }
  return mcp_error_set(library->err, MCP_ERR_LIMIT,
                       "the schema costs too much to compile");
}

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

/* --- resources ---------------------------------------------------------- */

/* Sets the draft of a schema inside the resource `parent`. `$schema` counts
 * only where a resource begins; elsewhere the draft is the parent's. */
static int find_draft(const mcpi_library *library,
                      const mcpi_document *document, const mcp_json *schema,
                      uint32_t parent, mcpi_draft *out) {
  int is_root = parent == MCPI_NO_RESOURCE;
  const mcp_json *named = NULL;
  if (is_root || mcp_json_get(schema, "$id") != NULL) {
    named = mcp_json_get(schema, "$schema");
  }
  if (named == NULL && !is_root) {
    *out = resource_at(library, parent)->draft;
    return 0;
  }
  if (named == NULL) {
    return mcpi_draft_find(library->options,
                           mcpi_str_z(library->options->draft), out,
                           library->err);
  }
  if (mcp_json_type(named) != MCP_JSON_STRING) {
    return mcpi_document_fail_expected(library->err, document, named,
                                       "the URI of a draft");
  }
  mcp_error why;
  int rc = mcpi_draft_find(library->options, mcpi_json_str(named), out, &why);
  if (rc != 0) {
    return mcpi_document_fail(library->err, rc, document, named, "%s",
                              why.message);
  }
  return 0;
}

/* Returns the `$id` that makes a resource of the schema, or NULL. In draft-07 a
 * `$ref` hides it, and a fragment alone is an anchor. */
static const mcp_json *own_id(const mcp_json *schema, mcpi_draft draft) {
  const mcp_json *id = mcp_json_get(schema, "$id");
  mcpi_str text = mcpi_json_str(id);
  if (draft.number == MCPI_DRAFT_07 && (mcp_json_get(schema, "$ref") != NULL ||
                                        (text.len > 0 && text.ptr[0] == '#'))) {
    return NULL;
  }
  return id;
}

static int check_own_id(const mcpi_library *library,
                        const mcpi_document *document, const mcp_json *id,
                        mcpi_draft draft) {
  mcpi_uri uri;
  if (id == NULL) {
    return 0;
  }
  if (mcp_json_type(id) != MCP_JSON_STRING) {
    return mcpi_document_fail_expected(library->err, document, id, "a URI");
  }
  mcpi_uri_split(mcpi_json_str(id), &uri);
  if (uri.fragment.len > 0 && draft.number != MCPI_DRAFT_07) {
    return mcpi_document_fail_expected(library->err, document, id,
                                       "a URI without fragment");
  }
  return 0;
}

/* Adds the resource that `root` is. `id` may be NULL: then the resource has the
 * URI of what is around it. */
static int add_resource(mcpi_library *library, mcpi_document *document,
                        const mcp_json *root, const mcp_json *id,
                        uint32_t parent, mcpi_draft draft) {
  mcpi_resource resource = {.document = document,
                            .root = root,
                            .end = mcpi_json_behind(root),
                            .parent = parent,
                            .draft = draft};
  mcpi_str base = mcpi_str_z(parent == MCPI_NO_RESOURCE
                                 ? document->uri
                                 : resource_at(library, parent)->uri);
  /* Each resource copies a URI, which may be long because of its base. */
  int rc = mcpi_library_spend(library, 1 + base.len / 4);
  if (rc != 0) {
    return rc;
  }
  mcpi_buf uri;
  mcpi_buf_init(&uri, library->allocator, SIZE_MAX);
  mcpi_uri_resolve(&uri, base, mcpi_json_str(id));
  mcpi_buf_putc(&uri, '\0');
  if (uri.error == 0) {
    resource.uri = mcpi_strdup(library->allocator, uri.data);
  }
  mcpi_buf_deinit(&uri);
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

/* --- anchors ------------------------------------------------------------ */

/* [A-Za-z_][-A-Za-z0-9._]*, by the meta-schema of 2020-12. */
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

static int add_anchor(mcpi_library *library, mcpi_anchor anchor) {
  mcpi_buf_put(&library->anchors, &anchor, sizeof(anchor));
  return library->anchors.error == 0 ? 0 : mcpi_no_memory(library->err);
}

/* Adds what $anchor or $dynamicAnchor names, if the schema has it. */
static int add_named_anchor(mcpi_library *library, uint32_t resource,
                            const mcp_json *schema, const char *keyword,
                            int is_dynamic) {
  const mcp_json *name = mcp_json_get(schema, keyword);
  if (name == NULL) {
    return 0;
  }
  if (!is_anchor_name(mcpi_json_str(name))) {
    return mcpi_document_fail_expected(
        library->err, resource_at(library, resource)->document, name,
        "the name of an anchor ([A-Za-z_][-A-Za-z0-9._]*)");
  }
  return add_anchor(library, (mcpi_anchor){resource, is_dynamic,
                                           mcpi_json_str(name), schema});
}

/* In draft-07 an anchor is the fragment of an `$id`, and may have any name. */
static int add_anchors(mcpi_library *library, uint32_t resource,
                       const mcp_json *schema) {
  if (resource_at(library, resource)->draft.number == MCPI_DRAFT_07) {
    mcpi_uri uri;
    mcpi_uri_split(mcpi_json_member_str(schema, "$id"), &uri);
    if (uri.fragment.len == 0 || mcp_json_get(schema, "$ref") != NULL) {
      return 0;
    }
    return add_anchor(library,
                      (mcpi_anchor){resource, 0, uri.fragment, schema});
  }
  int rc = add_named_anchor(library, resource, schema, "$anchor", 0);
  if (rc == 0) {
    rc = add_named_anchor(library, resource, schema, "$dynamicAnchor", 1);
  }
  return rc;
}

/* --- searching a document ----------------------------------------------- */

static int scan(mcpi_library *library, mcpi_document *document,
                const mcp_json *schema, uint32_t parent);

static int scan_each(mcpi_library *library, mcpi_document *document,
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

/* A value of another shape is passed over: the compiler refuses it. */
static int scan_keyword(mcpi_library *library, mcpi_document *document,
                        int keyword, const mcp_json *value, uint32_t resource) {
  int is_array = mcp_json_type(value) == MCP_JSON_ARRAY;
  int has_many;
  switch (mcpi_keyword_shape(keyword)) {
  case MCPI_SHAPE_SCHEMA:
    return scan(library, document, value, resource);
  case MCPI_SHAPE_EITHER:
    return is_array ? scan_each(library, document, value, resource)
                    : scan(library, document, value, resource);
  case MCPI_SHAPE_SCHEMAS:
    has_many = is_array;
    break;
  case MCPI_SHAPE_MAP:
    has_many = mcp_json_type(value) == MCP_JSON_OBJECT;
    break;
  default:
    has_many = 0;
    break;
  }
  return has_many ? scan_each(library, document, value, resource) : 0;
}

/* Adds the resources and anchors of a schema and of those in it. `parent` is
 * the resource that it is in. Recurses as deep as the text, whose depth JSON's
 * reader limits. */
static int scan(mcpi_library *library, mcpi_document *document,
                const mcp_json *schema, uint32_t parent) {
  if (mcp_json_type(schema) != MCP_JSON_OBJECT && parent != MCPI_NO_RESOURCE) {
    return 0;
  }
  mcpi_draft draft;
  int rc = find_draft(library, document, schema, parent, &draft);
  if (rc != 0) {
    return rc;
  }
  uint32_t resource = parent;
  const mcp_json *id = own_id(schema, draft);
  rc = check_own_id(library, document, id, draft);
  if (rc == 0 && (parent == MCPI_NO_RESOURCE || id != NULL)) {
    resource = mcpi_library_resource_count(library);
    rc = add_resource(library, document, schema, id, parent, draft);
  }
  if (rc == 0) {
    rc = add_anchors(library, resource, schema);
  }
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *value;
  mcp_json_iter_init(&iter, schema);
  while (rc == 0 && (value = mcp_json_iter_next(&iter, &name)) != NULL) {
    draft = resource_at(library, resource)->draft;
    int keyword = mcpi_keyword_find(mcpi_json_str(name), draft.number,
                                    draft.vocabularies);
    if (keyword != MCPI_KEYWORD_NONE) {
      rc = scan_keyword(library, document, keyword, value, resource);
    }
  }
  return rc;
}

/* --- loading ------------------------------------------------------------ */

static int load_copy(mcpi_library *library, mcpi_document *document,
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

static int load_text(mcpi_library *library, const char *uri, mcpi_str text,
                     uint32_t *resource) {
  mcpi_document *document =
      mcpi_calloc(library->allocator, 1, sizeof(*document));
  if (document == NULL) {
    return mcpi_no_memory(library->err);
  }
  document->next = library->documents;
  library->documents = document;
  document->uri = mcpi_strdup(library->allocator, uri);
  if (document->uri == NULL) {
    return mcpi_no_memory(library->err);
  }
  int rc = load_copy(library, document, text);
  if (rc != 0) {
    return rc;
  }
  document->value_count =
      (size_t)(mcp_json_to_yyjson(mcpi_json_behind(document->root)) -
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
  int rc = text.error;
  if (rc == 0) {
    rc = load_text(library, uri, mcpi_buf_str(&text), resource);
  } else {
    mcp_error_set(library->err, rc, "%s", mcp_error_text(rc));
  }
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

/* Looks among the resources, then among the URIs under which documents were
 * given: a document's root may name itself differently. */
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
  const mcp_schema_document *given = mcpi_draft_document(library->options, uri);
  if (given != NULL) {
    return mcpi_library_load(library, given->uri, given->schema, resource);
  }
  const mcpi_meta_text *meta = mcpi_meta_find(uri);
  if (meta != NULL) {
    return load_text(library, meta->uri, mcpi_str_n(meta->text, meta->len),
                     resource);
  }
  return MCP_ERR_NOT_FOUND;
}
