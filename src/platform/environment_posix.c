/* SPDX-License-Identifier: MIT */
#include "platform/environment.h"

#include <string.h>
#include <unistd.h>

#ifndef __linux__ /* where _GNU_SOURCE declares it */
extern char **environ;
#endif

const char *const mcpi_environment_safe[] = {
    "HOME", "LOGNAME", "PATH", "SHELL",  "TERM",
    "USER", "LANG",    "TZ",   "TMPDIR", NULL,
};

/* Nothing is copied. A process may have set environ to NULL. */
char **mcpi_environment_get(const mcp_allocator *allocator) {
  static char *none[] = {NULL};
  (void)allocator;
  return environ != NULL ? environ : none;
}

void mcpi_environment_free(char **environment, const mcp_allocator *allocator) {
  (void)environment;
  (void)allocator;
}

int mcpi_environment_compare(const char *a, const char *b, size_t len) {
  return memcmp(a, b, len);
}
