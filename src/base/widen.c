/* SPDX-License-Identifier: MIT */
/* Copying from and to a program's structure, whose layout may be older or
 * newer. */
#include "base/widen.h"

#include <mcp/version.h>
#include <string.h>

int mcpi_widen_check_rest(const void *from, size_t known_size, size_t size,
                          const char *name, mcp_error *err) {
  const unsigned char *bytes = from;
  for (size_t i = known_size; i < size; i++) {
    if (bytes[i] != 0) {
      return mcp_error_set(err, MCP_ERR_UNSUPPORTED,
                           "%s has members that this libmcp (%s) does not "
                           "know: use a newer libmcp, or leave them 0",
                           name, mcp_version());
    }
  }
  return 0;
}

/* Reads the size of a program's structure. */
static int read_size(size_t *size, const void *structure, const char *name,
                     mcp_error *err) {
  if (structure == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "%s is NULL", name);
  }
  memcpy(size, structure, sizeof(*size));
  if (*size < sizeof(*size)) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "%s has no size: set its member size to sizeof(%s)",
                         name, name);
  }
  if (*size > MCPI_WIDEN_MAX_SIZE) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "%s.size is %zu: set it to sizeof(%s)", name, *size,
                         name);
  }
  return 0;
}

int mcpi_widen(void *to, size_t to_size, const void *from, const char *name,
               mcp_error *err) {
  size_t size = 0;
  int rc = read_size(&size, from, name, err);
  if (rc != 0) {
    return rc;
  }
  rc = mcpi_widen_check_rest(from, to_size, size, name, err);
  if (rc != 0) {
    return rc;
  }
  memset(to, 0, to_size);
  memcpy(to, from, size < to_size ? size : to_size);
  memcpy(to, &to_size, sizeof(to_size));
  return 0;
}

int mcpi_narrow(void *to, const void *from, size_t from_size, const char *name,
                mcp_error *err) {
  size_t size = 0;
  int rc = read_size(&size, to, name, err);
  if (rc != 0) {
    return rc;
  }
  memset(to, 0, size);
  memcpy(to, from, size < from_size ? size : from_size);
  memcpy(to, &size, sizeof(size));
  return 0;
}

int mcpi_check_reserved(const char *member, uint32_t value, mcp_error *err) {
  if (value == 0) {
    return 0;
  }
  return mcp_error_set(err, MCP_ERR_INVALID,
                       "%s is %lu, but a reserved member must be 0", member,
                       (unsigned long)value);
}
