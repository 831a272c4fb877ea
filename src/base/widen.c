/* SPDX-License-Identifier: MIT */
/* Copying a program's structure, whose layout may be older or newer. */
#include "base/widen.h"

#include <string.h>

/* Names the macro that sets the size: the type's name in capitals and _INIT. */
static int widen_fail_size(const char *name, mcp_error *err) {
  char macro[64];
  size_t len = 0;
  for (; len < sizeof(macro) - 1 && name[len] != '\0'; len++) {
    char c = name[len];
    macro[len] = (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  }
  macro[len] = '\0';
  return mcp_error_set(err, MCP_ERR_INVALID,
                       "%s has no size: initialise it with %s_INIT", name,
                       macro);
}

int mcpi_widen(void *to, size_t to_size, const void *from, const char *name,
               mcp_error *err) {
  if (from == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "%s is NULL", name);
  }
  size_t size;
  memcpy(&size, from, sizeof(size));
  if (size < sizeof(size)) {
    return widen_fail_size(name, err);
  }
  memset(to, 0, to_size);
  memcpy(to, from, size < to_size ? size : to_size);
  memcpy(to, &to_size, sizeof(to_size));
  return 0;
}
