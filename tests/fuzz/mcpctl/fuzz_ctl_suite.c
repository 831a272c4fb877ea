/* SPDX-License-Identifier: MIT */
/* The file of the verb `test`. */
#include "suite/file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mcp_error err;
  mcp_doc *doc = NULL;
  char *text = malloc(size + 1);
  if (text == NULL) {
    return 0;
  }
  memcpy(text, data, size);
  if (ctl_suite_parse(&doc, text, size, &err) == 0) {
    mcp_doc_free(doc);
  }
  free(text);
  return 0;
}
