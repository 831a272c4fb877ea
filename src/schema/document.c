/* SPDX-License-Identifier: MIT */
/* Documents of a compiled schema, and errors that name a place in one. */
#include "schema/document.h"

#include "base/error.h"
#include "schema/say.h"
#include "json/inline.h"

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

const mcpi_document *mcpi_documents_last(const mcpi_document *documents) {
  while (documents->next != NULL) {
    documents = documents->next;
  }
  return documents;
}

const mcpi_document *mcpi_documents_find(const mcpi_document *documents,
                                         const mcp_json *value) {
  const mcpi_document *d = documents;
  while (d != NULL && (value < d->root || value >= mcpi_json_behind(d->root))) {
    d = d->next;
  }
  return d;
}

void mcpi_document_say_place(mcpi_buf *buf, const mcpi_document *document,
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
  mcpi_document_say_place(&place.buf, document, value);
  return mcp_error_set(err, code, "%.*s%s", (int)place.buf.len, place.space,
                       why.message);
}

int mcpi_document_fail_expected(mcp_error *err, const mcpi_document *document,
                                const mcp_json *value, const char *expected) {
  mcpi_sentence text;
  mcpi_sentence_init(&text);
  mcpi_document_say_place(&text.buf, document, value);
  return mcpi_say_unexpected(err, &text, value, expected);
}
