/* SPDX-License-Identifier: MIT */
/* kept | headers | texts | body */
#include "endpoint/kept.h"

#include "endpoint/endpoint.h"

/* --- sizes -------------------------------------------------------------- */

static size_t kept_text_size(const char *text) {
  return text != NULL ? strlen(text) + 1 : 0;
}

static size_t kept_size(const mcp_http_request *request, size_t body_len) {
  size_t size =
      sizeof(mcpi_endpoint_kept) + body_len + kept_text_size(request->method) +
      kept_text_size(request->target) + kept_text_size(request->peer) +
      kept_text_size(request->principal);
  for (size_t i = 0; i < request->header_count; i++) {
    const mcp_http_header *header = &request->headers[i];
    size += sizeof(*header) + kept_text_size(header->name) +
            kept_text_size(header->value);
  }
  return size;
}

/* --- copying ------------------------------------------------------------ */

static char *kept_put(char **to, const char *bytes, size_t len) {
  char *copy = *to;
  if (len > 0) {
    memcpy(copy, bytes, len);
  }
  *to += len;
  return copy;
}

static const char *kept_put_text(char **to, const char *text) {
  return text != NULL ? kept_put(to, text, strlen(text) + 1) : NULL;
}

static void kept_fill(mcpi_endpoint_kept *kept, const mcp_http_request *from,
                      const char *body, size_t len) {
  mcp_http_header *headers = (mcp_http_header *)(kept + 1);
  char *to = (char *)(headers + from->header_count);
  for (size_t i = 0; i < from->header_count; i++) {
    headers[i].name = kept_put_text(&to, from->headers[i].name);
    headers[i].value = kept_put_text(&to, from->headers[i].value);
  }
  kept->request =
      (mcp_http_request){.size = sizeof(mcp_http_request),
                         .method = kept_put_text(&to, from->method),
                         .target = kept_put_text(&to, from->target),
                         .headers = headers,
                         .header_count = from->header_count,
                         .peer = kept_put_text(&to, from->peer),
                         .principal = kept_put_text(&to, from->principal)};
  kept->body = kept_put(&to, body, len);
  kept->body_len = len;
}

/* The head refers to the copy from now on. */
static void kept_show(mcpi_endpoint_kept *kept, mcp_http_exchange *exchange) {
  exchange->request = &kept->request;
  mcpi_endpoint_read_head(&kept->request, &exchange->head,
                          &exchange->http->last_accept);
  exchange->pass->kept = kept;
}

/* --- life --------------------------------------------------------------- */

/* The token has not told its sender yet: the request counts for the address,
 * and for the client's certificate if there is one. */
int mcpi_endpoint_keep_request(mcp_http_exchange *exchange, const char *body,
                               size_t len) {
  const mcp_http *http = exchange->http;
  const mcp_http_request *request = exchange->request;
  const mcp_allocator *allocator = &http->server->allocator;
  size_t size = kept_size(request, len);
  mcpi_endpoint_kept *kept = mcpi_alloc(allocator, size);
  if (kept == NULL) {
    return MCP_ERR_NOMEM;
  }
  *kept = (mcpi_endpoint_kept){.allocator = *allocator, .size = size};
  int rc = mcpi_share_init(&kept->share, http->waiting, request->principal,
                           request->peer);
  if (rc == 0 && !mcpi_share_count(&kept->share, size)) {
    rc = MCP_ERR_LIMIT;
  }
  if (rc != 0) {
    mcpi_endpoint_kept_free(kept);
    return rc;
  }
  kept_fill(kept, request, body, len);
  kept_show(kept, exchange);
  return 0;
}

void mcpi_endpoint_kept_free(mcpi_endpoint_kept *kept) {
  if (kept != NULL) {
    mcp_allocator allocator = kept->allocator;
    mcpi_share_deinit(&kept->share);
    mcpi_free_wiped(&allocator, kept, kept->size); /* it has the token */
  }
}
