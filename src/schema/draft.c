/* SPDX-License-Identifier: MIT */
/* Drafts and their vocabularies, by the URIs of their meta-schemas. */
#include "schema/draft.h"

#include "schema/keyword.h"
#include "schema/say.h"
#include "json/json.h"

enum {
  ALL_VOCABULARIES = UINT8_MAX & ~MCPI_VOCABULARY_FORMAT_ASSERTION,
  /* A meta-schema has its own meta-schema: how many are followed. */
  MAX_META = 8
};

/* "http://json-schema.org/draft-07/schema#" is usually written with its empty
 * fragment, but not always. */
static mcpi_str without_fragment(mcpi_str uri) {
  if (uri.len > 0 && uri.ptr[uri.len - 1] == '#') {
    uri.len--;
  }
  return uri;
}

const mcp_schema_document *
mcpi_draft_document(const mcp_validator_options *options, mcpi_str uri) {
  for (size_t i = 0; i < options->document_count; i++) {
    mcpi_str other = without_fragment(mcpi_str_z(options->documents[i].uri));
    if (mcpi_str_eq(other, without_fragment(uri))) {
      return &options->documents[i];
    }
  }
  return NULL;
}

static int draft_is_built_in(mcpi_str uri, mcpi_draft *out) {
  mcpi_str name = without_fragment(uri);
  if (mcpi_str_eq(name, mcpi_str_z(MCP_DRAFT_2020_12))) {
    *out = (mcpi_draft){MCPI_DRAFT_2020_12, ALL_VOCABULARIES};
    return 1;
  }
  if (mcpi_str_eq(name, mcpi_str_z(MCP_DRAFT_07))) {
    *out = (mcpi_draft){MCPI_DRAFT_07, ALL_VOCABULARIES};
    return 1;
  }
  return 0;
}

static int draft_fail_unknown(mcp_error *err, const char *what, mcpi_str uri,
                              const char *hint) {
  mcpi_sentence name;
  mcpi_sentence_init(&name);
  mcpi_say_string(&name.buf, uri);
  return mcp_error_set(err, MCP_ERR_SCHEMA, "%s %.*s is not known%s", what,
                       (int)name.buf.len, name.space, hint);
}

/* A vocabulary that the meta-schema does not require may be unknown. */
static int draft_read_vocabularies(const mcp_json *list, uint8_t *out,
                                   mcp_error *err) {
  uint32_t found = MCPI_VOCABULARY_CORE;
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *is_required;
  mcp_json_iter_init(&iter, list);
  while ((is_required = mcp_json_iter_next(&iter, &name)) != NULL) {
    uint32_t one = mcpi_vocabulary_find(mcpi_json_str(name));
    if (one == 0 && mcp_json_bool(is_required)) {
      return draft_fail_unknown(err, "the vocabulary", mcpi_json_str(name),
                                ", and the meta-schema requires it");
    }
    found |= one;
  }
  *out = (uint8_t)found;
  return 0;
}

/* Goes from meta-schema to meta-schema until it meets a draft of ours. The
 * first `$vocabulary` on the way counts; without one the draft's own do. */
int mcpi_draft_find(const mcp_validator_options *options, mcpi_str uri,
                    mcpi_draft *out, mcp_error *err) {
  static const char hint[] = "; its meta-schema can be given as a document";
  mcpi_draft found = {0, 0};
  const mcp_json *vocabularies = NULL;
  mcpi_str name = uri;
  for (int i = 0; i < MAX_META && !draft_is_built_in(name, &found); i++) {
    const mcp_schema_document *given = mcpi_draft_document(options, name);
    if (given == NULL) {
      return draft_fail_unknown(err, "the draft", name, hint);
    }
    if (vocabularies == NULL) {
      vocabularies = mcp_json_get(given->schema, "$vocabulary");
    }
    mcpi_str next = mcpi_json_member_str(given->schema, "$schema");
    name = next.ptr != NULL ? next : mcpi_str_z(MCP_DRAFT_2020_12);
  }
  if (found.number == 0) {
    return draft_fail_unknown(err, "the draft", uri, hint);
  }
  int rc = 0;
  if (vocabularies != NULL) {
    rc = draft_read_vocabularies(vocabularies, &found.vocabularies, err);
  }
  if (rc == 0) {
    *out = found;
  }
  return rc;
}
