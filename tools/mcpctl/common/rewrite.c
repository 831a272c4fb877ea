/* SPDX-License-Identifier: MIT */
#include "common/rewrite.h"
#include "common/copy.h"

#include <string.h>

typedef struct rewriting {
  mcp_builder *out;
  const ctl_rewrite *changes;
  size_t count;
} rewriting;

/* The names that lead from the message to an object. */
typedef struct place {
  const char *names[CTL_REWRITE_DEPTH];
  int depth;
} place;

static int is_name(const char *path_name, const char *name, size_t len) {
  return path_name != NULL && strlen(path_name) == len &&
         memcmp(path_name, name, len) == 0;
}

/* Whether the change is in the object at the place, in this member or below. */
static int is_at(const ctl_rewrite *change, const place *at, const char *name,
                 size_t len) {
  for (int i = 0; i < at->depth; i++) {
    if (change->path[i] == NULL || strcmp(change->path[i], at->names[i]) != 0) {
      return 0;
    }
  }
  return change->json != NULL && is_name(change->path[at->depth], name, len);
}

static const ctl_rewrite *find_change(const rewriting *r, const place *at,
                                      const char *name, size_t len) {
  for (size_t i = 0; i < r->count; i++) {
    if (is_at(&r->changes[i], at, name, len)) {
      return &r->changes[i];
    }
  }
  return NULL;
}

/* Recursive as deep as the paths. */
static void put_object(const rewriting *r, const mcp_json *object, place at) {
  mcp_json_iter iter;
  const mcp_json *name = NULL;
  const mcp_json *member = NULL;
  mcp_builder_object(r->out, NULL);
  mcp_json_iter_init(&iter, object);
  while ((member = mcp_json_iter_next(&iter, &name)) != NULL) {
    size_t len = 0;
    const char *text = mcp_json_string_n(name, &len);
    const ctl_rewrite *change = find_change(r, &at, text, len);
    int next = at.depth + 1;
    mcp_builder_name_n(r->out, text, len);
    if (change == NULL) {
      mcp_builder_value(r->out, NULL, member);
    } else if (next == CTL_REWRITE_DEPTH || change->path[next] == NULL) {
      mcp_builder_json(r->out, NULL, change->json);
    } else if (mcp_json_type(member) == MCP_JSON_OBJECT) {
      place below = at;
      below.names[below.depth++] = change->path[at.depth];
      put_object(r, member, below);
    } else {
      mcp_builder_value(r->out, NULL, member);
    }
  }
  mcp_builder_end(r->out);
}

char *ctl_rewrite_text(const mcp_json *message, const ctl_rewrite *changes,
                       size_t count) {
  const rewriting r = {mcp_builder_new(NULL, NULL), changes, count};
  size_t len = 0;
  char *copy = NULL;
  if (r.out != NULL) {
    put_object(&r, message, (place){{NULL}, 0});
    const char *text = mcp_builder_text(r.out, &len);
    copy = text != NULL ? ctl_copy(text, len) : NULL;
  }
  mcp_builder_free(r.out);
  return copy;
}
