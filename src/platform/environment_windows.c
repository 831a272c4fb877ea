/* SPDX-License-Identifier: MIT */
/* The C library's environment is in the code page of the user. libuv's is
 * UTF-8. */
#include "platform/environment.h"

#include <stdio.h>
#include <string.h>
#include <uv.h>

const char *const mcpi_environment_safe[] = {
    "APPDATA",     "COMSPEC",      "HOMEDRIVE",
    "HOMEPATH",    "LANG",         "LOCALAPPDATA",
    "PATH",        "PATHEXT",      "PROCESSOR_ARCHITECTURE",
    "PROGRAMDATA", "PROGRAMFILES", "SYSTEMDRIVE",
    "SYSTEMROOT",  "TEMP",         "TERM",
    "TMP",         "TZ",           "USERNAME",
    "USERPROFILE", "WINDIR",       NULL,
};

void mcpi_environment_free(char **environment, const mcp_allocator *allocator) {
  size_t count = 0;
  for (; environment[count] != NULL; count++) {
    mcpi_strfree(allocator, environment[count]);
  }
  mcpi_free(allocator, environment, (count + 1) * sizeof(*environment));
}

static char *join(const uv_env_item_t *item, const mcp_allocator *allocator) {
  size_t size = strlen(item->name) + strlen(item->value) + 2;
  char *text = mcpi_alloc(allocator, size);
  if (text != NULL) {
    snprintf(text, size, "%s=%s", item->name, item->value);
  }
  return text;
}

char **mcpi_environment_get(const mcp_allocator *allocator) {
  uv_env_item_t *items;
  int count;
  if (uv_os_environ(&items, &count) != 0) {
    return NULL;
  }
  char **out = mcpi_calloc(allocator, (size_t)count + 1, sizeof(*out));
  int used = 0;
  while (out != NULL && used < count &&
         (out[used] = join(&items[used], allocator)) != NULL) {
    used++;
  }
  uv_os_free_environ(items, count);
  if (out != NULL && used < count) {
    for (int i = 0; i < used; i++) {
      mcpi_strfree(allocator, out[i]);
    }
    mcpi_free(allocator, out, ((size_t)count + 1) * sizeof(*out));
    return NULL;
  }
  return out;
}

int mcpi_environment_compare(const char *a, const char *b, size_t len) {
  return _strnicmp(a, b, len);
}
