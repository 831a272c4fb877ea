/* SPDX-License-Identifier: MIT */
#include "record/fresh.h"

#include <stdlib.h>
#include <string.h>

struct ctl_fresh_pair {
  struct ctl_fresh_pair *next;
  char *was;
  char *is;
};

void ctl_fresh_deinit(ctl_fresh *fresh) {
  while (fresh->pairs != NULL) {
    struct ctl_fresh_pair *pair = fresh->pairs;
    fresh->pairs = pair->next;
    free(pair->was);
    free(pair->is);
    free(pair);
  }
}

/* The members that have such values, in answers and in requests. */
static int is_fresh_name(const char *name, size_t len) {
  static const char *const names[] = {"requestState", "nextCursor", "cursor",
                                      "taskId"};
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
    if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0) {
      return 1;
    }
  }
  return 0;
}

/* ---- learning ---------------------------------------------------------- */

/* Without memory the pair is not learnt, and the server refuses the old
 * value. */
static void add_pair(ctl_fresh *fresh, const char *was, const char *is) {
  struct ctl_fresh_pair *pair = calloc(1, sizeof(*pair));
  if (pair == NULL) {
    return;
  }
  pair->was = strdup(was);
  pair->is = strdup(is);
  if (pair->was == NULL || pair->is == NULL) {
    free(pair->was);
    free(pair->is);
    free(pair);
    return;
  }
  pair->next = fresh->pairs;
  fresh->pairs = pair;
}

void ctl_fresh_learn(ctl_fresh *fresh, const mcp_json *was,
                     const mcp_json *is) {
  mcp_json_iter iter;
  mcp_json_iter items; /* if both are arrays */
  const mcp_json *name = NULL;
  const mcp_json *value = NULL;
  mcp_json_iter_init(&iter, was);
  mcp_json_iter_init(&items, mcp_json_type(is) == MCP_JSON_ARRAY ? is : NULL);
  while ((value = mcp_json_iter_next(&iter, &name)) != NULL) {
    size_t len = 0;
    const char *text = mcp_json_string_n(name, &len);
    const mcp_json *other = text != NULL ? mcp_json_get_n(is, text, len)
                                         : mcp_json_iter_next(&items, NULL);
    const char *old = mcp_json_string(value);
    const char *now = mcp_json_string(other);
    if (text != NULL && old != NULL && now != NULL &&
        is_fresh_name(text, len)) {
      add_pair(fresh, old, now);
    } else if (old == NULL) {
      ctl_fresh_learn(fresh, value, other);
    }
  }
}

/* ---- using ------------------------------------------------------------- */

static const char *find_new(const ctl_fresh *fresh, const char *was) {
  for (const struct ctl_fresh_pair *pair = fresh->pairs;
       was != NULL && pair != NULL; pair = pair->next) {
    if (strcmp(pair->was, was) == 0) {
      return pair->is;
    }
  }
  return NULL;
}

/* Recursive: the parser has bounded the depth. */
static void put_value(const ctl_fresh *fresh, mcp_builder *out,
                      const mcp_json *value) {
  mcp_json_iter iter;
  const mcp_json *name = NULL;
  const mcp_json *member = NULL;
  int type = mcp_json_type(value);
  if (type != MCP_JSON_OBJECT && type != MCP_JSON_ARRAY) {
    mcp_builder_value(out, NULL, value);
    return;
  }
  if (type == MCP_JSON_OBJECT) {
    mcp_builder_object(out, NULL);
  } else {
    mcp_builder_array(out, NULL);
  }
  mcp_json_iter_init(&iter, value);
  while ((member = mcp_json_iter_next(&iter, &name)) != NULL) {
    size_t len = 0;
    const char *text = mcp_json_string_n(name, &len);
    const char *now = text != NULL && is_fresh_name(text, len)
                          ? find_new(fresh, mcp_json_string(member))
                          : NULL;
    if (text != NULL) {
      mcp_builder_name_n(out, text, len);
    }
    if (now != NULL) {
      mcp_builder_string(out, NULL, now);
    } else {
      put_value(fresh, out, member);
    }
  }
  mcp_builder_end(out);
}

void ctl_fresh_put(const ctl_fresh *fresh, mcp_builder *out,
                   const mcp_json *message) {
  put_value(fresh, out, message);
}
