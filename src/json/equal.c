/* SPDX-License-Identifier: MIT */
/* Equality of values as JSON Schema defines it. */
#include "json/equal.h"
#include "base/alloc.h"
#include "json/canonical.h"
#include "json/inline.h"
#include "json/number.h"
#include "json/value.h"

#include <mcp/sys/yyjson.h>

/* Objects of up to this many members are compared by looking names up. In
 * larger objects names are sorted first: a peer can send two objects with
 * opposite orders, for which looking up takes quadratic time. */
enum { FEW_MEMBERS = 32 };

/* Returns what comparing a text costs, in steps of some nanoseconds. Strings
 * are compared in words, the digits of a number that is kept as its text one by
 * one. */
static size_t text_cost(const mcp_json *value) {
  yyjson_val *val = mcp_json_to_yyjson(value);
  if (yyjson_is_str(val)) {
    return unsafe_yyjson_get_len(val) / 512;
  }
  return yyjson_is_raw(val) ? unsafe_yyjson_get_len(val) / 4 : 0;
}

static int arrays_equal(const mcp_json *a, const mcp_json *b,
                        size_t *steps_left) {
  mcp_json_iter left;
  mcp_json_iter right;
  const mcp_json *item;
  mcp_json_iter_init(&left, a);
  mcp_json_iter_init(&right, b);
  while ((item = mcp_json_iter_next(&left, NULL)) != NULL) {
    if (!mcpi_json_equal(item, mcp_json_iter_next(&right, NULL), steps_left)) {
      return 0;
    }
  }
  return 1;
}

/* Returns the other object's member of that name. In most pairs of objects that
 * is the member at the same place; looking there first also makes an object
 * that has a name twice equal to its copy. Sets *in_order to 0 when the member
 * is at another place. */
static const mcp_json *find_other_member(const mcp_json *object,
                                         const mcp_json *name,
                                         mcp_json_iter *beside, int *in_order,
                                         size_t *steps_left) {
  const mcp_json *other_name;
  const mcp_json *other = mcp_json_iter_next(beside, &other_name);
  mcpi_str key = mcpi_json_str(name);
  if (mcpi_str_eq(mcpi_json_str(other_name), key)) {
    return other;
  }
  *in_order = 0;
  mcpi_json_spend(steps_left, mcp_json_size(object));
  return mcp_json_get_n(object, key.ptr, key.len);
}

/* Whether each member of `a` is one of `b` too. */
static int members_are_within(const mcp_json *a, const mcp_json *b,
                              int *in_order, size_t *steps_left) {
  mcp_json_iter iter;
  mcp_json_iter beside;
  const mcp_json *name;
  const mcp_json *value;
  mcp_json_iter_init(&iter, a);
  mcp_json_iter_init(&beside, b);
  while ((value = mcp_json_iter_next(&iter, &name)) != NULL) {
    mcpi_json_spend(steps_left, text_cost(name));
    const mcp_json *other =
        find_other_member(b, name, &beside, in_order, steps_left);
    if (other == NULL || !mcpi_json_equal(value, other, steps_left)) {
      return 0;
    }
  }
  return 1;
}

/* Compares both ways: two members of one object may have the same name, and
 * both be equal to the same member of the other. */
static int looked_up_objects_equal(const mcp_json *a, const mcp_json *b,
                                   size_t *steps_left) {
  int in_order = 1;
  return members_are_within(a, b, &in_order, steps_left) &&
         (in_order || members_are_within(b, a, &in_order, steps_left));
}

static int sorted_members_equal(const mcp_json *const *a,
                                const mcp_json *const *b, size_t count,
                                size_t *steps_left) {
  for (size_t i = 0; i < count; i++) {
    if (!mcpi_str_eq(mcpi_json_str(a[i]), mcpi_json_str(b[i])) ||
        !mcpi_json_equal(mcpi_json_value_of(a[i]), mcpi_json_value_of(b[i]),
                         steps_left)) {
      return 0;
    }
  }
  return 1;
}

/* Returns what sorting costs: each name is compared with several. */
static size_t sort_cost(const mcp_json *object) {
  mcp_json_iter iter;
  const mcp_json *name;
  size_t cost = 0;
  mcp_json_iter_init(&iter, object);
  while (mcp_json_iter_next(&iter, &name) != NULL) {
    cost += 8 + mcpi_json_str(name).len / 4;
  }
  return cost;
}

/* Sorts the names of large objects in memory of the default allocator, because
 * the public function has no other. Without memory, looking up gives the same
 * answer slowly. */
static int objects_equal(const mcp_json *a, const mcp_json *b,
                         size_t *steps_left) {
  const mcp_allocator *allocator = mcp_allocator_default();
  size_t count = mcp_json_size(a);
  if (count <= FEW_MEMBERS) {
    return looked_up_objects_equal(a, b, steps_left);
  }
  if (!mcpi_json_spend(steps_left, sort_cost(a) + sort_cost(b))) {
    return 0;
  }
  size_t size = 2 * count * sizeof(const mcp_json *);
  const mcp_json **names = mcpi_alloc(allocator, size);
  if (names == NULL) {
    return looked_up_objects_equal(a, b, steps_left);
  }
  mcpi_json_sorted_names(a, names);
  mcpi_json_sorted_names(b, names + count);
  int equal = sorted_members_equal(names, names + count, count, steps_left);
  mcpi_free(allocator, (void *)names, size);
  return equal;
}

int mcpi_json_equal(const mcp_json *a, const mcp_json *b, size_t *steps_left) {
  int type = mcp_json_type(a);
  if (!mcpi_json_spend(steps_left, 1) || type != mcp_json_type(b) ||
      mcp_json_size(a) != mcp_json_size(b) ||
      !mcpi_json_spend(steps_left, text_cost(a) + text_cost(b))) {
    return 0;
  }
  switch (type) {
  case MCP_JSON_BOOL:
    return mcp_json_bool(a) == mcp_json_bool(b);
  case MCP_JSON_NUMBER:
    return mcpi_json_number_equal(a, b);
  case MCP_JSON_STRING:
    return mcpi_str_eq(mcpi_json_str(a), mcpi_json_str(b));
  case MCP_JSON_ARRAY:
    return arrays_equal(a, b, steps_left);
  case MCP_JSON_OBJECT:
    return objects_equal(a, b, steps_left);
  default:
    return 1;
  }
}

int mcp_json_equal(const mcp_json *a, const mcp_json *b) {
  size_t steps_left = SIZE_MAX;
  return mcpi_json_equal(a, b, &steps_left);
}
