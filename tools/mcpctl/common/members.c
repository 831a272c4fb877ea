/* SPDX-License-Identifier: MIT */
#include "common/members.h"

#include <stdlib.h>
#include <string.h>

/* The next member of the one or the other object. */
static const mcp_json *next_key(ctl_members *walk) {
  const mcp_json *key = NULL;
  if (mcp_json_iter_next(&walk->iter, &key) == NULL && !walk->is_in_after) {
    walk->is_in_after = 1;
    mcp_json_iter_init(&walk->iter, walk->objects.after);
    mcp_json_iter_next(&walk->iter, &key);
  }
  return key;
}

static const mcp_json *object_or_null(const mcp_json *value) {
  return mcp_json_type(value) == MCP_JSON_OBJECT ? value : NULL;
}

void ctl_members_begin(ctl_members *walk, ctl_values objects) {
  *walk = (ctl_members){.objects = {object_or_null(objects.before),
                                    object_or_null(objects.after)}};
  mcp_json_iter_init(&walk->iter, walk->objects.before);
}

const char *ctl_members_next(ctl_members *walk, ctl_values *values) {
  const mcp_json *key;
  while ((key = next_key(walk)) != NULL) {
    size_t len = 0;
    const char *name = mcp_json_string_n(key, &len);
    values->before = mcp_json_get_n(walk->objects.before, name, len);
    values->after = mcp_json_get_n(walk->objects.after, name, len);
    if (!walk->is_in_after || values->before == NULL) {
      return name;
    }
  }
  return NULL;
}

/* RFC 6901 replaces two characters in a name. */
char *ctl_members_path(const char *path, const char *name) {
  size_t len = strlen(path);
  char *joined = malloc(len + 2 * strlen(name) + 2);
  if (joined == NULL) {
    return NULL;
  }
  memcpy(joined, path, len);
  joined[len++] = '/';
  for (; *name != '\0'; name++) {
    if (*name == '~' || *name == '/') {
      joined[len++] = '~';
      joined[len++] = *name == '~' ? '0' : '1';
    } else {
      joined[len++] = *name;
    }
  }
  joined[len] = '\0';
  return joined;
}
