/* SPDX-License-Identifier: MIT */
#include "suite/expected.h"

#include <stdio.h>
#include <string.h>

/* A member or an item on the way to the values that are compared. */
typedef struct step {
  const struct step *outer; /* NULL: the first */
  const char *name;         /* NULL: an item */
  size_t len;
  size_t index;
} step;

/* ---- the pointer ------------------------------------------------------- */

/* Appends a step as JSON pointers write it (RFC 6901). Returns the new length,
 * or SIZE_MAX if there is no room. */
static size_t put_step(char *pointer, size_t size, size_t at, const step *one) {
  char digits[24];
  const char *name = one->name;
  size_t len = one->len;
  if (name == NULL) {
    len = (size_t)snprintf(digits, sizeof(digits), "%zu", one->index);
    name = digits;
  }
  if (2 * len + 2 > size - at) {
    return SIZE_MAX;
  }
  pointer[at++] = '/';
  for (size_t i = 0; i < len; i++) {
    int is_escaped = name[i] == '~' || name[i] == '/';
    pointer[at] = is_escaped ? '~' : name[i];
    if (is_escaped) {
      pointer[++at] = name[i] == '~' ? '0' : '1';
    }
    at++;
  }
  return at;
}

/* Recursive: the parser has bounded the depth. */
static size_t put_steps(char *pointer, size_t size, const step *last) {
  if (last == NULL) {
    return 0;
  }
  size_t at = put_steps(pointer, size, last->outer);
  size_t end = at != SIZE_MAX ? put_step(pointer, size, at, last) : SIZE_MAX;
  if (end != SIZE_MAX) {
    pointer[end] = '\0';
  }
  return end;
}

static int differ(const step *at, const mcp_json *expected, const mcp_json *got,
                  ctl_difference *out) {
  *out = (ctl_difference){.expected = expected, .got = got};
  put_steps(out->pointer, sizeof(out->pointer), at);
  return 0;
}

/* ---- values ------------------------------------------------------------ */

static int compare(const step *at, const mcp_json *expected,
                   const mcp_json *got, int is_whole, ctl_difference *out);

/* The first member that is not expected, if the objects must be equal. */
static int find_unexpected(const step *at, const mcp_json *expected,
                           const mcp_json *got, ctl_difference *out) {
  mcp_json_iter iter;
  const mcp_json *name = NULL;
  const mcp_json *value = NULL;
  mcp_json_iter_init(&iter, got);
  while ((value = mcp_json_iter_next(&iter, &name)) != NULL) {
    step inner = {.outer = at};
    inner.name = mcp_json_string_n(name, &inner.len);
    if (mcp_json_get_n(expected, inner.name, inner.len) == NULL) {
      return differ(&inner, NULL, value, out);
    }
  }
  return 1;
}

static int compare_objects(const step *at, const mcp_json *expected,
                           const mcp_json *got, int is_whole,
                           ctl_difference *out) {
  mcp_json_iter iter;
  const mcp_json *name = NULL;
  const mcp_json *value = NULL;
  int is_same = 1;
  mcp_json_iter_init(&iter, expected);
  while (is_same && (value = mcp_json_iter_next(&iter, &name)) != NULL) {
    step inner = {.outer = at};
    inner.name = mcp_json_string_n(name, &inner.len);
    is_same = compare(&inner, value, mcp_json_get_n(got, inner.name, inner.len),
                      is_whole, out);
  }
  return is_same && is_whole ? find_unexpected(at, expected, got, out)
                             : is_same;
}

/* Item by item. */
static int compare_items(const step *at, const mcp_json *expected,
                         const mcp_json *got, int is_whole,
                         ctl_difference *out) {
  mcp_json_iter expected_iter;
  mcp_json_iter got_iter;
  step inner = {.outer = at};
  int is_same = 1;
  mcp_json_iter_init(&expected_iter, expected);
  mcp_json_iter_init(&got_iter, got);
  for (; is_same; inner.index++) {
    const mcp_json *wanted = mcp_json_iter_next(&expected_iter, NULL);
    const mcp_json *item = mcp_json_iter_next(&got_iter, NULL);
    if (wanted == NULL && item == NULL) {
      break;
    }
    is_same = compare(&inner, wanted, item, is_whole, out);
  }
  return is_same;
}

/* Each expected item is looked for after the one before. The first that
 * contains it is the best choice: it leaves most for the next ones. */
static int find_items(const step *at, const mcp_json *expected,
                      const mcp_json *got, ctl_difference *out) {
  mcp_json_iter expected_iter;
  mcp_json_iter got_iter;
  step inner = {.outer = at};
  const mcp_json *wanted = NULL;
  mcp_json_iter_init(&expected_iter, expected);
  mcp_json_iter_init(&got_iter, got);
  for (; (wanted = mcp_json_iter_next(&expected_iter, NULL)) != NULL;
       inner.index++) {
    const mcp_json *item = NULL;
    ctl_difference unused;
    do {
      item = mcp_json_iter_next(&got_iter, NULL);
    } while (item != NULL && !compare(&inner, wanted, item, 0, &unused));
    if (item == NULL) {
      differ(&inner, wanted, NULL, out);
      out->items = mcp_json_size(got);
      return 0;
    }
  }
  return 1;
}

/* Recursive: the parser has bounded the depth. One of the values may be NULL.
 * Arrays with as many items are compared item by item, which is the same and
 * shows where an item differs. */
static int compare(const step *at, const mcp_json *expected,
                   const mcp_json *got, int is_whole, ctl_difference *out) {
  int type = mcp_json_type(expected);
  if (type == MCP_JSON_OBJECT && mcp_json_type(got) == type) {
    return compare_objects(at, expected, got, is_whole, out);
  }
  if (type == MCP_JSON_ARRAY && mcp_json_type(got) == type) {
    return is_whole || mcp_json_size(expected) == mcp_json_size(got)
               ? compare_items(at, expected, got, is_whole, out)
               : find_items(at, expected, got, out);
  }
  return (expected != NULL && got != NULL && mcp_json_equal(expected, got)) ||
         differ(at, expected, got, out);
}

int ctl_expected_equals(const mcp_json *expected, const mcp_json *got,
                        ctl_difference *out) {
  return compare(NULL, expected, got, 1, out);
}

int ctl_expected_is_contained(const mcp_json *expected, const mcp_json *got,
                              ctl_difference *out) {
  return compare(NULL, expected, got, 0, out);
}
