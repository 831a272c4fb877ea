/* SPDX-License-Identifier: MIT */
/* Says why a request of HTTP+SSE failed. */
#include "http_client/redirect.h"
#include "http_client/sse.h"

void mcpi_sse_error(const mcpi_sse *sse, const mcpi_transfer *transfer,
                    mcp_error *err) {
  const mcpi_curl_options *options = sse->curl.options;
  const char *shown = options->shown;
  int is_stream = transfer == &sse->stream;
  char where[MCPI_REDIRECT_TEXT_SIZE];
  if (transfer->status < 300) {
    const char *why;
    int code = mcpi_transfer_failure(transfer, &why);
    mcp_error_set(err, code, "%s: %s", shown, why);
  } else {
    mcpi_redirect_explain_transfer(
        transfer, is_stream ? MCPI_REDIRECT_GET : MCPI_REDIRECT_NONE, options,
        &sse->curl.loop->allocator, where);
    mcp_error_set(err, mcpi_status_error(transfer->status),
                  "%s%s answered HTTP %ld%s%s%s", shown,
                  is_stream ? "" : ": its endpoint", transfer->status,
                  mcpi_authorization_hint(transfer->status, options),
                  where[0] != '\0' ? ": " : "", where);
  }
  err->status = (int32_t)transfer->status;
}
