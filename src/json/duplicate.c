/* SPDX-License-Identifier: MIT */
/* Finding a member that occurs twice in an object. */
#include "json/duplicate.h"

#include "base/apart.h"
#include "base/error.h"
#include "base/map.h"
#include "json/inline.h"
#include "json/place.h"

/* Up to this many, comparing each member with each is faster than hashing and
 * needs no memory. */
enum { FEW_MEMBERS = 32 };

static mcpi_str name_str(yyjson_val *name) {
  return mcpi_str_n(unsafe_yyjson_get_str(name), unsafe_yyjson_get_len(name));
}

static yyjson_val *next_name(yyjson_val *name) {
  return unsafe_yyjson_get_next(name + 1);
}

/* Returns one bit of 64; equal names have equal bits. Before the end of a name
 * is its last byte, or the quote at its beginning. */
static uint64_t bit_of(mcpi_str name) {
  const char *end = name.ptr + name.len;
  return UINT64_C(1) << ((name.len + 7 * (unsigned char)end[-1]) & 63);
}

/* Returns the first of the names up to `end` that equals this one, or NULL. */
MCPI_APART static yyjson_val *
find_name(yyjson_val *first, const yyjson_val *end, yyjson_val *name) {
  mcpi_str text = name_str(name);
  for (yyjson_val *other = first; other != end; other = next_name(other)) {
    if (unsafe_yyjson_get_len(other) == text.len &&
        mcpi_bytes_eq(unsafe_yyjson_get_str(other), text.ptr, text.len)) {
      return other;
    }
  }
  return NULL;
}

/* Compares a name only if an earlier name has the same bit. Most names need not
 * be compared. */
static inline yyjson_val *duplicate_of_few(yyjson_val *first, size_t count) {
  uint64_t seen = bit_of(name_str(first));
  yyjson_val *name = first;
  while (--count > 0) {
    name = next_name(name);
    uint64_t bit = bit_of(name_str(name));
    if ((seen & bit) != 0 && find_name(first, name, name) != NULL) {
      return name;
    }
    seen |= bit;
  }
  return NULL;
}

MCPI_APART static yyjson_val *duplicate_of_many(yyjson_val *first, size_t count,
                                                const mcp_allocator *allocator,
                                                const uint64_t seed[2],
                                                int *oom) {
  mcpi_map seen;
  int rc = 0;
  yyjson_val *name = first;
  mcpi_map_init(&seen, allocator, seed);
  for (; count > 0; count--, name = next_name(name)) {
    rc = mcpi_map_add(&seen, name_str(name), name);
    if (rc != 0) {
      break;
    }
  }
  mcpi_map_deinit(&seen);
  *oom |= rc != 0 && rc != MCP_ERR_EXISTS;
  return rc == MCP_ERR_EXISTS ? name : NULL;
}

/* Looks in an object of `count` members, at least one. */
static inline yyjson_val *duplicate_of(yyjson_val *val, size_t count,
                                       const mcp_allocator *allocator,
                                       const uint64_t seed[2], int *oom) {
  yyjson_val *first = unsafe_yyjson_get_first(val);
  return count <= FEW_MEMBERS
             ? duplicate_of_few(first, count)
             : duplicate_of_many(first, count, allocator, seed, oom);
}

const mcp_json *mcpi_json_duplicate(const mcp_json *object,
                                    const mcp_allocator *allocator,
                                    const uint64_t seed[2], int *oom) {
  yyjson_val *val = mcp_json_to_yyjson(object);
  size_t count = yyjson_obj_size(val);
  return count < 2 ? NULL
                   : mcp_json_from_yyjson(
                         duplicate_of(val, count, allocator, seed, oom));
}

/* yyjson stores a container's values after it, in the order of the text. */
static yyjson_val *end_of(yyjson_val *val) {
  return unsafe_yyjson_is_ctn(val) ? unsafe_yyjson_get_next(val) : val + 1;
}

const mcp_json *mcpi_json_duplicate_within(const mcp_json *value,
                                           const mcp_allocator *allocator,
                                           const uint64_t seed[2], int *oom) {
  yyjson_val *val = mcp_json_to_yyjson(value);
  const yyjson_val *end = val != NULL ? end_of(val) : NULL;
  for (; val < end; val++) {
    if (unsafe_yyjson_get_type(val) != YYJSON_TYPE_OBJ ||
        unsafe_yyjson_get_len(val) < 2) {
      continue;
    }
    yyjson_val *twice =
        duplicate_of(val, unsafe_yyjson_get_len(val), allocator, seed, oom);
    if (twice != NULL || *oom) {
      return mcp_json_from_yyjson(twice);
    }
  }
  return NULL;
}

/* The parser leaves a string where it was in the copy, so the place of the name
 * there is its place in the text. */
int mcpi_json_check_duplicates(const mcp_json *value, const void *copy,
                               mcpi_str text, const mcp_allocator *allocator,
                               const uint64_t seed[2], mcp_error *err) {
  enum { MAX_NAME = 40 };
  int oom = 0;
  const mcp_json *twice =
      mcpi_json_duplicate_within(value, allocator, seed, &oom);
  if (oom) {
    return mcpi_no_memory(err);
  }
  if (twice == NULL) {
    return 0;
  }
  char place[MCPI_JSON_PLACE_SIZE];
  mcpi_str name = mcpi_json_text(twice);
  size_t quote = (size_t)(name.ptr - (const char *)copy) - 1;
  size_t len = name.len < MAX_NAME ? name.len : MAX_NAME;
  mcpi_json_place(place, mcpi_str_n(text.ptr, quote), 0);
  mcp_error_set(err, MCP_ERR_INVALID, "%sthe member \"%.*s\" occurs twice",
                place, (int)len, name.ptr);
  if (err != NULL) {
    err->offset = quote;
  }
  return MCP_ERR_INVALID;
}
