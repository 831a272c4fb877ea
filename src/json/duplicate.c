/* SPDX-License-Identifier: MIT */
/* Finding a member that occurs twice in an object. */
#include "json/duplicate.h"

#include "base/map.h"
#include "json/inline.h"

#include <mcp/error.h>

/* Up to FEW_MEMBERS, comparing each member with each is faster than hashing and
 * needs no memory. Up to FEWEST_MEMBERS, comparing at once is faster than
 * comparing only names whose bits are equal. */
enum { FEWEST_MEMBERS = 6, FEW_MEMBERS = 32 };

static mcpi_str name_str(yyjson_val *name) {
  return mcpi_str_n(unsafe_yyjson_get_str(name), unsafe_yyjson_get_len(name));
}

static yyjson_val *next_name(yyjson_val *name) {
  return unsafe_yyjson_get_next(name + 1);
}

/* Returns one bit of 64; equal names have equal bits. */
static uint64_t bit_of(mcpi_str name) {
  size_t mix = name.len;
  if (name.len > 0) {
    mix += 5 * (unsigned char)name.ptr[0] +
           13 * (unsigned char)name.ptr[name.len - 1] +
           29 * (unsigned char)name.ptr[name.len / 2];
  }
  return UINT64_C(1) << (mix & 63);
}

/* Returns the first of the names up to `end` that equals this one, or NULL. */
static inline yyjson_val *find_name(yyjson_val *first, const yyjson_val *end,
                                    yyjson_val *name) {
  mcpi_str text = name_str(name);
  for (yyjson_val *other = first; other != end; other = next_name(other)) {
    if (unsafe_yyjson_get_len(other) == text.len &&
        mcpi_bytes_eq(unsafe_yyjson_get_str(other), text.ptr, text.len)) {
      return other;
    }
  }
  return NULL;
}

/* So few names mostly differ in length. */
static yyjson_val *duplicate_of_fewest(yyjson_val *name, size_t count) {
  yyjson_val *before[FEWEST_MEMBERS];
  for (size_t i = 0; i < count; i++, name = next_name(name)) {
    mcpi_str text = name_str(name);
    for (size_t j = 0; j < i; j++) {
      if (mcpi_str_eq(name_str(before[j]), text)) {
        return name;
      }
    }
    before[i] = name;
  }
  return NULL;
}

/* Compares a name only if an earlier name has the same bit. Most names need not
 * be compared. */
static yyjson_val *duplicate_of_few(yyjson_val *first, size_t count) {
  uint64_t seen = 0;
  yyjson_val *name = first;
  for (; count > 0; count--, name = next_name(name)) {
    uint64_t bit = bit_of(name_str(name));
    if ((seen & bit) != 0 && find_name(first, name, name) != NULL) {
      return name;
    }
    seen |= bit;
  }
  return NULL;
}

static yyjson_val *duplicate_of_many(yyjson_val *name, size_t count,
                                     mcpi_map *seen, int *oom) {
  for (size_t i = 0; i < count; i++, name = next_name(name)) {
    int rc = mcpi_map_add(seen, name_str(name), name);
    if (rc == MCP_ERR_EXISTS) {
      return name;
    }
    if (rc != 0) {
      *oom = 1;
      return NULL;
    }
  }
  return NULL;
}

/* Looks in an object of `count` members, at least one. */
static yyjson_val *duplicate_of(yyjson_val *val, size_t count,
                                const mcp_allocator *allocator,
                                const uint64_t seed[2], int *oom) {
  yyjson_val *first = unsafe_yyjson_get_first(val);
  if (count <= FEWEST_MEMBERS) {
    return duplicate_of_fewest(first, count);
  }
  if (count <= FEW_MEMBERS) {
    return duplicate_of_few(first, count);
  }
  mcpi_map seen;
  mcpi_map_init(&seen, allocator, seed);
  yyjson_val *twice = duplicate_of_many(first, count, &seen, oom);
  mcpi_map_deinit(&seen);
  return twice;
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
