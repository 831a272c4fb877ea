/* SPDX-License-Identifier: MIT */
/* Two listings, with a NUL between them. */
#include "diff/listing.h"
#include "diff/listing_diff.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void compare(const mcp_doc *before, const mcp_doc *after) {
  const ctl_values listings = {mcp_doc_root(before), mcp_doc_root(after)};
  ctl_changes changes = {0};
  ctl_listing_diff(&changes, listings);
  ctl_changes_worst(&changes);
  ctl_changes_deinit(&changes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *text = (const char *)data;
  const char *end = size > 0 ? memchr(text, '\0', size) : NULL;
  size_t len = end != NULL ? (size_t)(end - text) : size;
  mcp_doc *before = NULL;
  mcp_doc *after = NULL;
  mcp_error err;
  if (ctl_listing_parse(&before, text, len, &err) == 0) {
    compare(before, before);
  }
  if (before != NULL && end != NULL &&
      ctl_listing_parse(&after, end + 1, size - len - 1, &err) == 0) {
    compare(before, after);
    compare(after, before);
  }
  mcp_doc_free(before);
  mcp_doc_free(after);
  return 0;
}
