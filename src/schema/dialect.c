/* SPDX-License-Identifier: MIT */
#include "schema/dialect.h"

#include "schema/keyword.h"
#include "schema/say.h"
#include "json/json.h"

enum {
  ALL_VOCABULARIES = UINT8_MAX & ~MCPI_VOCABULARY_FORMAT_ASSERTION,
  /* Meta-schemas of meta-schemas that are asked in turn. */
  MAX_META = 8
};

/* "http://json-schema.org/draft-07/schema#" has its fragment in most places,
 * and not in all. */
static mcpi_str without_fragment(mcpi_str uri) {
  if (uri.len > 0 && uri.ptr[uri.len - 1] == '#') {
    uri.len--;
  }
  return uri;
}

const mcp_schema_document *mcpi_dialect_given(const mcpi_library *library,
                                              mcpi_str uri) {
  const mcp_validator_options *options = library->options;
  for (size_t i = 0; i < options->document_count; i++) {
    mcpi_str other = without_fragment(mcpi_str_z(options->documents[i].uri));
    if (mcpi_str_eq(other, without_fragment(uri))) {
      return &options->documents[i];
    }
  }
  return NULL;
}

static int is_built_in(mcpi_str uri, mcpi_dialect *out) {
  mcpi_str name = without_fragment(uri);
  if (mcpi_str_eq(name, mcpi_str_z(MCP_DIALECT_2020_12))) {
    *out = (mcpi_dialect){MCPI_DIALECT_2020_12, ALL_VOCABULARIES};
    return 1;
  }
  if (mcpi_str_eq(name, mcpi_str_z(MCP_DIALECT_DRAFT_07))) {
    *out = (mcpi_dialect){MCPI_DIALECT_DRAFT_07, ALL_VOCABULARIES};
    return 1;
  }
  return 0;
}

static int unknown(const mcpi_library *library, const char *what, mcpi_str uri,
                   const char *hint) {
  mcpi_sentence name;
  mcpi_sentence_init(&name);
  mcpi_say_string(&name.buf, uri);
  return mcp_error_set(library->err, MCP_ERR_SCHEMA, "%s %.*s is not known%s",
                       what, (int)name.buf.len, name.space, hint);
}

static int unknown_dialect(const mcpi_library *library, mcpi_str uri) {
  return unknown(library, "the dialect", uri,
                 "; its meta-schema can be given as a document");
}

/* One that is not required need not be known. */
static int read_vocabularies(const mcpi_library *library, const mcp_json *list,
                             uint8_t *out) {
  uint32_t found = MCPI_VOCABULARY_CORE;
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *is_required;
  mcp_json_iter_init(&iter, list);
  while ((is_required = mcp_json_iter_next(&iter, &name)) != NULL) {
    uint32_t one = mcpi_vocabulary_find(mcpi_json_str(name));
    if (one == 0 && mcp_json_bool(is_required)) {
      return unknown(library, "the vocabulary", mcpi_json_str(name),
                     ", and the meta-schema requires it");
    }
    found |= one;
  }
  *out = (uint8_t)found;
  return 0;
}

/* A meta-schema without `$vocabulary` has those of its own. */
static int find_dialect(const mcpi_library *library, mcpi_str uri,
                        mcpi_dialect *out) {
  const mcp_json *vocabularies = NULL;
  mcpi_str name = uri;
  for (int i = 0; i < MAX_META && !is_built_in(name, out); i++) {
    const mcp_schema_document *given = mcpi_dialect_given(library, name);
    if (given == NULL) {
      return unknown_dialect(library, name);
    }
    if (vocabularies == NULL) {
      vocabularies = mcp_json_get(given->schema, "$vocabulary");
    }
    mcpi_str next = mcpi_json_member_str(given->schema, "$schema");
    name = next.ptr != NULL ? next : mcpi_str_z(MCP_DIALECT_2020_12);
  }
  if (out->dialect == 0) {
    return unknown_dialect(library, uri);
  }
  return vocabularies != NULL
             ? read_vocabularies(library, vocabularies, &out->vocabularies)
             : 0;
}

static int has_own(const mcp_json *schema, uint32_t parent) {
  return parent == MCPI_NO_RESOURCE || mcp_json_get(schema, "$id") != NULL;
}

int mcpi_dialect_of(const mcpi_library *library, const mcpi_document *document,
                    const mcp_json *schema, uint32_t parent,
                    mcpi_dialect *out) {
  mcpi_dialect found = {0, 0};
  const mcp_json *named =
      has_own(schema, parent) ? mcp_json_get(schema, "$schema") : NULL;
  if (named == NULL && parent != MCPI_NO_RESOURCE) {
    const mcpi_resource *in = mcpi_library_resource(library, parent);
    *out = (mcpi_dialect){in->dialect, in->vocabularies};
    return 0;
  }
  if (named != NULL && mcp_json_type(named) != MCP_JSON_STRING) {
    return mcpi_document_error(library->err, document, named,
                               "the URI of a dialect");
  }
  int rc = find_dialect(library,
                        named != NULL ? mcpi_json_str(named)
                                      : mcpi_str_z(library->options->dialect),
                        &found);
  if (rc == 0) {
    *out = found;
  } else if (named != NULL) {
    mcp_error *err = library->err;
    return mcpi_document_fail(err, rc, document, named, "%s",
                              err != NULL ? err->message : "");
  }
  return rc;
}
