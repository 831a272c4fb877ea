/* SPDX-License-Identifier: MIT */
/* The public document: a text and its values in one piece of memory. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/widen.h"
#include "json/parse.h"
#include "json/value.h"

/* The text and its values follow in the same memory. */
struct mcp_doc {
  _Alignas(max_align_t) mcp_allocator allocator;
  size_t size; /* of the whole piece */
  const mcp_json *root;
};

static int doc_read_limits(mcpi_json_limits *out, const mcp_json_limits *limits,
                           mcp_error *err) {
  mcp_json_limits all = {0};
  if (limits != NULL) {
    int rc = mcpi_widen(&all, sizeof(all), limits, "mcp_json_limits", err);
    if (rc == 0) {
      rc = mcpi_check_reserved("mcp_json_limits.reserved", all.reserved, err);
    }
    if (rc != 0) {
      return rc;
    }
  }
  if (all.max_depth > MCPI_JSON_MAX_DEPTH) {
    return mcp_error_set(err, MCP_ERR_INVALID, "max_depth %lu is above %d",
                         (unsigned long)all.max_depth, MCPI_JSON_MAX_DEPTH);
  }
  out->max_bytes = SIZE_MAX;
  out->max_depth = all.max_depth > 0 ? all.max_depth : MCPI_JSON_MAX_DEPTH;
  out->max_values = all.max_values > 0 ? all.max_values : MCPI_JSON_MAX_VALUES;
  return 0;
}

static int doc_parse(mcp_doc **out, const char *text, size_t len,
                     const mcpi_json_limits *limits,
                     const mcp_allocator *allocator, mcp_error *err) {
  size_t memory_len;
  int rc = mcpi_json_measure(text, len, limits, &memory_len, err);
  if (rc != 0) {
    return rc;
  }
  mcp_doc *doc = NULL;
  if (memory_len <= SIZE_MAX - sizeof(*doc)) {
    doc = mcpi_alloc(allocator, sizeof(*doc) + memory_len);
  }
  if (doc == NULL) {
    return mcpi_no_memory(err);
  }
  doc->allocator = *allocator;
  doc->size = sizeof(*doc) + memory_len;
  rc = mcpi_json_load(doc + 1, memory_len, text, len, &doc->root, err);
  if (rc != 0) {
    mcpi_json_quote_fault(text, len, err);
    mcp_doc_free(doc);
    return rc;
  }
  *out = doc;
  return 0;
}

int mcpi_doc_parse(mcp_doc **out, const char *text, size_t len,
                   const mcp_json_limits *limits,
                   const mcp_allocator *allocator, mcp_error *err) {
  if (text == NULL && len > 0) {
    return mcp_error_set(err, MCP_ERR_INVALID, "the text is NULL");
  }
  mcpi_json_limits internal;
  int rc = doc_read_limits(&internal, limits, err);
  if (rc != 0) {
    return rc;
  }
  if (allocator == NULL) {
    allocator = mcp_allocator_default();
  }
  return doc_parse(out, text, len, &internal, allocator, err);
}

mcp_doc *mcp_doc_parse(const char *text, size_t len,
                       const mcp_json_limits *limits,
                       const mcp_allocator *allocator, mcp_error *err) {
  mcp_doc *doc = NULL;
  mcpi_doc_parse(&doc, text, len, limits, allocator, err);
  return doc;
}

const mcp_json *mcp_doc_root(const mcp_doc *doc) {
  return doc != NULL ? doc->root : NULL;
}

void mcp_doc_free(mcp_doc *doc) {
  if (doc != NULL) {
    mcp_allocator allocator = doc->allocator; /* a copy: doc is freed */
    mcpi_free(&allocator, doc, doc->size);
  }
}
