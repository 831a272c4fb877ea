/* SPDX-License-Identifier: MIT */
/* parcel | headers | texts | body */
#include "http1/parcel.h"

#include "base/alloc.h"

#include <string.h>

static size_t text_size(const char *text) {
  return text != NULL ? strlen(text) + 1 : 0;
}

static size_t head_size(const mcp_http_request *head) {
  size_t size = text_size(head->method) + text_size(head->target) +
                text_size(head->peer) + text_size(head->principal);
  for (size_t i = 0; i < head->header_count; i++) {
    size += sizeof(head->headers[i]) + text_size(head->headers[i].name) +
            text_size(head->headers[i].value);
  }
  return size;
}

static char *parcel_put(char **to, const char *bytes, size_t len) {
  char *copy = *to;
  memcpy(copy, bytes, len);
  *to += len;
  return copy;
}

static const char *parcel_put_text(char **to, const char *text) {
  return text != NULL ? parcel_put(to, text, text_size(text)) : NULL;
}

static char *parcel_put_head(mcpi_http1_parcel *parcel,
                             const mcp_http_request *head) {
  mcp_http_header *headers = (mcp_http_header *)(parcel + 1);
  char *to = (char *)(headers + head->header_count);
  for (size_t i = 0; i < head->header_count; i++) {
    headers[i].name = parcel_put_text(&to, head->headers[i].name);
    headers[i].value = parcel_put_text(&to, head->headers[i].value);
  }
  parcel->head =
      (mcp_http_request){.size = sizeof(mcp_http_request),
                         .method = parcel_put_text(&to, head->method),
                         .target = parcel_put_text(&to, head->target),
                         .headers = headers,
                         .header_count = head->header_count,
                         .peer = parcel_put_text(&to, head->peer),
                         .principal = parcel_put_text(&to, head->principal)};
  return to;
}

mcpi_http1_parcel *mcpi_http1_parcel_new(const mcp_allocator *allocator,
                                         const mcp_http_request *head,
                                         const char *body, size_t body_len) {
  static const mcp_http_request nothing = {.size = sizeof(mcp_http_request)};
  head = head != NULL ? head : &nothing;
  size_t size = sizeof(mcpi_http1_parcel) + head_size(head) + body_len;
  mcpi_http1_parcel *parcel = mcpi_alloc(allocator, size);
  if (parcel == NULL) {
    return NULL;
  }
  *parcel = (mcpi_http1_parcel){.allocator = allocator, .size = size};
  char *to = parcel_put_head(parcel, head);
  if (body != NULL) {
    parcel->body = parcel_put(&to, body, body_len);
    parcel->body_len = body_len;
  }
  return parcel;
}

/* The headers may have a token. Bodies, which may be long, have none. */
void mcpi_http1_parcel_free(mcpi_http1_parcel *parcel) {
  if (parcel != NULL) {
    const mcp_allocator *allocator = parcel->allocator;
    size_t size = parcel->size;
    mcpi_wipe(parcel, size - parcel->body_len);
    mcpi_free(allocator, parcel, size);
  }
}
