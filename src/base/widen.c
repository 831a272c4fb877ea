/* SPDX-License-Identifier: MIT */
/* Copying a program's structure, whose layout may be older or newer. */
#include "base/widen.h"

#include <string.h>

int mcpi_widen(void *to, size_t to_size, const void *from, const char *name,
               mcp_error *err) {
  if (from == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "%s is NULL", name);
  }
  size_t size;
  memcpy(&size, from, sizeof(size));
  if (size < sizeof(size)) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "%s has no size: set its member size to sizeof(%s)",
                         name, name);
  }
  memset(to, 0, to_size);
  memcpy(to, from, size < to_size ? size : to_size);
  memcpy(to, &to_size, sizeof(to_size));
  return 0;
}
