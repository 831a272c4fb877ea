/* SPDX-License-Identifier: MIT */
/* One fixed spelling for each JSON value (after RFC 8785), with its members in
 * a fixed order.
 *
 * Departures: an integer that a double cannot hold keeps its digits, and reals
 * have yyjson's spelling of the exponent. */
#include "json/canonical.h"
#include "json/inline.h"
#include "json/value.h"
#include "json/write.h"

#include <mcp/sys/yyjson.h>

/* --- sorting ------------------------------------------------------------ */

/* RFC 8785 sorts by UTF-16 code units. That is the order of the UTF-8 bytes,
 * except that U+E000 to U+FFFF (lead bytes EE and EF) come after the characters
 * that are pairs of surrogates (F0 to F4). */
static int utf16_rank(unsigned char byte) {
  return byte == 0xEE || byte == 0xEF ? byte + 0x10 : byte;
}

static int compare_utf16(const char *a, const char *b, size_t len) {
  for (size_t i = 0; i < len; i++) {
    if (a[i] != b[i]) {
      return utf16_rank((unsigned char)a[i]) - utf16_rank((unsigned char)b[i]);
    }
  }
  return 0;
}

/* Equal names keep their order in memory, which is the object's. */
static int name_is_before(const mcp_json *a, const mcp_json *b) {
  mcpi_str left = mcpi_json_str(a);
  mcpi_str right = mcpi_json_str(b);
  size_t common = left.len < right.len ? left.len : right.len;
  int order = compare_utf16(left.ptr, right.ptr, common);
  if (order != 0) {
    return order < 0;
  }
  return left.len != right.len ? left.len < right.len : a < b;
}

/* Moves the entry at `i` down until both its children come before it. */
static void names_sift_down(const mcp_json **names, size_t i, size_t count) {
  const mcp_json *name = names[i];
  for (size_t child = 2 * i + 1; child < count; child = 2 * i + 1) {
    if (child + 1 < count && name_is_before(names[child], names[child + 1])) {
      child++;
    }
    if (!name_is_before(name, names[child])) {
      break;
    }
    names[i] = names[child];
    i = child;
  }
  names[i] = name;
}

/* Heapsort, because qsort may call malloc, and because a peer chooses the
 * names: the worst case must be fast too. */
static void names_sort(const mcp_json **names, size_t count) {
  for (size_t i = count / 2; i > 0; i--) {
    names_sift_down(names, i - 1, count);
  }
  for (size_t i = count; i > 1; i--) {
    const mcp_json *last = names[0];
    names[0] = names[i - 1];
    names[i - 1] = last;
    names_sift_down(names, 0, i - 1);
  }
}

void mcpi_json_sorted_names(const mcp_json *object, const mcp_json **names) {
  yyjson_obj_iter iter;
  yyjson_obj_iter_init(mcp_json_to_yyjson(object), &iter);
  size_t count = 0;
  yyjson_val *name;
  while ((name = yyjson_obj_iter_next(&iter)) != NULL) {
    names[count++] = mcp_json_from_yyjson(name);
  }
  names_sort(names, count);
}

/* --- writing ------------------------------------------------------------ */

static void canonical_put(mcpi_buf *buf, const mcp_json *value, size_t depth);

static void canonical_put_array(mcpi_buf *buf, const mcp_json *array,
                                size_t depth) {
  mcp_json_iter iter;
  const mcp_json *item;
  char before = '[';
  mcp_json_iter_init(&iter, array);
  while ((item = mcp_json_iter_next(&iter, NULL)) != NULL) {
    mcpi_buf_putc(buf, before);
    canonical_put(buf, item, depth);
    before = ',';
  }
  mcpi_buf_puts(buf, before == '[' ? MCPI_STR("[]") : MCPI_STR("]"));
}

static void canonical_put_members(mcpi_buf *buf, const mcp_json *const *names,
                                  size_t count, size_t depth) {
  for (size_t i = 0; i < count; i++) {
    mcpi_buf_putc(buf, i == 0 ? '{' : ',');
    mcpi_json_put_string(buf, mcpi_json_str(names[i]));
    mcpi_buf_putc(buf, ':');
    canonical_put(buf, mcpi_json_value_of(names[i]), depth);
  }
  mcpi_buf_putc(buf, '}');
}

static void canonical_put_object(mcpi_buf *buf, const mcp_json *object,
                                 size_t depth) {
  size_t count = mcp_json_size(object);
  if (count == 0) {
    mcpi_buf_lit(buf, "{}");
    return;
  }
  size_t size = count * sizeof(const mcp_json *);
  const mcp_json **names = mcpi_alloc(buf->allocator, size);
  if (names == NULL) {
    buf->error = buf->error != 0 ? buf->error : MCP_ERR_NOMEM;
    return;
  }
  mcpi_json_sorted_names(object, names);
  canonical_put_members(buf, names, count, depth);
  mcpi_free(buf->allocator, (void *)names, size);
}

static void canonical_put(mcpi_buf *buf, const mcp_json *value, size_t depth) {
  yyjson_val *val = mcp_json_to_yyjson(value);
  if (buf->error != 0) {
    return;
  }
  if (yyjson_is_ctn(val) && depth == MCPI_JSON_MAX_DEPTH) {
    buf->error = MCP_ERR_LIMIT;
  } else if (yyjson_is_obj(val)) {
    canonical_put_object(buf, value, depth + 1);
  } else if (yyjson_is_arr(val)) {
    canonical_put_array(buf, value, depth + 1);
  } else if (yyjson_is_real(val)) {
    mcpi_json_put_number(buf, unsafe_yyjson_get_real(val));
  } else {
    mcpi_json_put_value(buf, value);
  }
}

void mcpi_json_put_canonical(mcpi_buf *buf, const mcp_json *value) {
  canonical_put(buf, value, 0);
}
