/* SPDX-License-Identifier: MIT */
#include "record/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct comparison {
  const char *const *ignored;
  ctl_compare_cb *on_difference;
  void *userdata;
  char *pointer; /* to the values that are compared; owned */
  size_t len;
  size_t size;
} comparison;

/* ---- times ------------------------------------------------------------- */

int ctl_compare_is_time(const char *text, size_t len) {
  static const char form[] = "dddd-dd-ddTdd:dd";
  if (len < sizeof(form) - 1) {
    return 0;
  }
  for (size_t i = 0; i < sizeof(form) - 1; i++) {
    int is_digit = text[i] >= '0' && text[i] <= '9';
    if (form[i] == 'd'
            ? !is_digit
            : text[i] != form[i] && !(form[i] == 'T' && text[i] == ' ')) {
      return 0;
    }
  }
  return 1;
}

static int is_time(const mcp_json *value) {
  size_t len = 0;
  const char *text = mcp_json_string_n(value, &len);
  return text != NULL && ctl_compare_is_time(text, len);
}

/* ---- the pointer ------------------------------------------------------- */

static int pointer_put(comparison *self, char byte) {
  if (self->len + 2 > self->size) {
    size_t size = self->size * 2 + 64;
    char *pointer = realloc(self->pointer, size);
    if (pointer == NULL) {
      return MCP_ERR_NOMEM;
    }
    self->pointer = pointer;
    self->size = size;
  }
  self->pointer[self->len++] = byte;
  self->pointer[self->len] = '\0';
  return 0;
}

/* Appends a name as JSON pointers write it (RFC 6901). */
static int pointer_add(comparison *self, const char *name, size_t len) {
  int rc = pointer_put(self, '/');
  for (size_t i = 0; rc == 0 && i < len; i++) {
    if (name[i] == '~' || name[i] == '/') {
      rc = pointer_put(self, '~');
      rc = rc == 0 ? pointer_put(self, name[i] == '~' ? '0' : '1') : rc;
    } else {
      rc = pointer_put(self, name[i]);
    }
  }
  return rc;
}

static void pointer_cut(comparison *self, size_t len) {
  self->len = len;
  self->pointer[len] = '\0';
}

/* Whether a pattern leads to the pointer. Both begin with a slash or are
 * empty. */
static int pointer_matches(const char *pattern, const char *pointer) {
  while (*pattern == '/' && *pointer == '/') {
    size_t pattern_len = strcspn(++pattern, "/");
    size_t len = strcspn(++pointer, "/");
    int is_any = pattern_len == 1 && *pattern == '*';
    if (!is_any && (len != pattern_len || memcmp(pattern, pointer, len) != 0)) {
      return 0;
    }
    pattern += pattern_len;
    pointer += len;
  }
  return *pattern == '\0' && *pointer == '\0';
}

static int is_ignored(const comparison *self) {
  for (const char *const *one = self->ignored; *one != NULL; one++) {
    if (pointer_matches(*one, self->pointer)) {
      return 1;
    }
  }
  return 0;
}

/* ---- values ------------------------------------------------------------ */

static int compare_values(comparison *self, const mcp_json *was,
                          const mcp_json *is);

static int compare_at(comparison *self, const char *name, size_t len,
                      const mcp_json *was, const mcp_json *is) {
  size_t before = self->len;
  int rc = pointer_add(self, name, len);
  if (rc == 0) {
    rc = compare_values(self, was, is);
    pointer_cut(self, before);
  }
  return rc;
}

/* The members of one object, with those of the other of the same name; or, if
 * `only_new`, those that the other lacks. */
static int compare_members(comparison *self, const mcp_json *was,
                           const mcp_json *is, int only_new) {
  mcp_json_iter iter;
  const mcp_json *name = NULL;
  const mcp_json *value = NULL;
  int rc = 0;
  mcp_json_iter_init(&iter, only_new ? is : was);
  while (rc == 0 && (value = mcp_json_iter_next(&iter, &name)) != NULL) {
    size_t len = 0;
    const char *text = mcp_json_string_n(name, &len);
    const mcp_json *other = mcp_json_get_n(only_new ? was : is, text, len);
    if (!only_new) {
      rc = compare_at(self, text, len, value, other);
    } else if (other == NULL) {
      rc = compare_at(self, text, len, NULL, value);
    }
  }
  return rc;
}

static int compare_items(comparison *self, const mcp_json *was,
                         const mcp_json *is) {
  mcp_json_iter was_iter;
  mcp_json_iter is_iter;
  int rc = 0;
  mcp_json_iter_init(&was_iter, was);
  mcp_json_iter_init(&is_iter, is);
  for (size_t i = 0; rc == 0; i++) {
    char index[24];
    const mcp_json *was_item = mcp_json_iter_next(&was_iter, NULL);
    const mcp_json *is_item = mcp_json_iter_next(&is_iter, NULL);
    if (was_item == NULL && is_item == NULL) {
      break;
    }
    int len = snprintf(index, sizeof(index), "%zu", i);
    rc = compare_at(self, index, (size_t)len, was_item, is_item);
  }
  return rc;
}

/* Recursive: the parser has bounded the depth. */
static int compare_values(comparison *self, const mcp_json *was,
                          const mcp_json *is) {
  int type = mcp_json_type(was);
  int is_same_type = type == mcp_json_type(is);
  if (is_ignored(self)) {
    return 0;
  }
  if (is_same_type && type == MCP_JSON_OBJECT) {
    int rc = compare_members(self, was, is, 0);
    return rc == 0 ? compare_members(self, was, is, 1) : rc;
  }
  if (is_same_type && type == MCP_JSON_ARRAY) {
    return compare_items(self, was, is);
  }
  if (!mcp_json_equal(was, is) && !(is_time(was) && is_time(is))) {
    self->on_difference(self->pointer, was, is, self->userdata);
  }
  return 0;
}

int ctl_compare(const mcp_json *was, const mcp_json *is,
                const char *const *ignored, ctl_compare_cb *on_difference,
                void *userdata) {
  comparison self = {.ignored = ignored,
                     .on_difference = on_difference,
                     .userdata = userdata,
                     .pointer = strdup("")};
  int rc =
      self.pointer != NULL ? compare_values(&self, was, is) : MCP_ERR_NOMEM;
  free(self.pointer);
  return rc;
}
