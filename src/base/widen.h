/* SPDX-License-Identifier: MIT */
/* A program's structures, which begin with their size and grow at the end. The
 * layout of the program's headers may be older, and so shorter, than ours. */
#ifndef MCPI_BASE_WIDEN_H
#define MCPI_BASE_WIDEN_H

#include <mcp/error.h>
#include <stddef.h>
#include <stdint.h>

/* The size of any structure of a later version is at most this. A larger size
 * is memory that was not initialised, and nothing may be read by it. */
enum { MCPI_WIDEN_MAX_SIZE = 4096 };

/* Refuses a structure of `size` bytes if it has a member after its first
 * known_size bytes that is not 0: only a newer library knows that member.
 * `name` is the name of its type. Returns 0 or MCP_ERR_UNSUPPORTED. */
int mcpi_widen_check_rest(const void *from, size_t known_size, size_t size,
                          const char *name, mcp_error *err);

/* Copies the structure at `from` into one of to_size bytes. Members that it
 * does not have become zero. `name` is the name of its type, for the error.
 * Returns 0; MCP_ERR_INVALID: `from` is NULL or its size is not set;
 * MCP_ERR_UNSUPPORTED: it has a member that is not 0 and that we do not know,
 * because the program's headers are newer than this library. */
MCP_API int mcpi_widen(void *to, size_t to_size, const void *from,
                       const char *name, mcp_error *err);

/* Fills in the program's structure at `to`, whose size is set, from ours of
 * from_size bytes. Members that ours does not have become zero, and those that
 * the program's headers do not know are left out. `name` is the name of the
 * type, for the error. Returns 0; MCP_ERR_INVALID: `to` is NULL or its size is
 * not set. */
MCP_API int mcpi_narrow(void *to, const void *from, size_t from_size,
                        const char *name, mcp_error *err);

/* Refuses a value other than 0 in a reserved member, whose name is `member`.
 * Returns 0 or MCP_ERR_INVALID. */
MCP_API int mcpi_check_reserved(const char *member, uint32_t value,
                                mcp_error *err);

/* Whether a program has set members that are room for later versions. */
static inline int mcpi_has_reserved(const void *const reserved[2]) {
  return reserved[0] != NULL || reserved[1] != NULL;
}

/* Zero means the default of a member. */
static inline void mcpi_default_u32(uint32_t *value, uint32_t otherwise) {
  if (*value == 0) {
    *value = otherwise;
  }
}

static inline void mcpi_default_u64(uint64_t *value, uint64_t otherwise) {
  if (*value == 0) {
    *value = otherwise;
  }
}

static inline void mcpi_default_size(size_t *value, size_t otherwise) {
  if (*value == 0) {
    *value = otherwise;
  }
}

#endif
