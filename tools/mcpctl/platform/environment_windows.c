/* SPDX-License-Identifier: MIT */
/* The C library has the variables in the system's old code page. libuv has them
 * as UTF-8, but copies them; so the copies are kept here. */
#include "platform/environment.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

typedef struct variable {
  struct variable *next;
  char *name;
  char *value;
} variable;

/* All that was asked for; they stay until the process ends. */
static variable *variables;

static variable *remember(const char *name) {
  for (variable *one = variables; one != NULL; one = one->next) {
    if (strcmp(one->name, name) == 0) {
      return one;
    }
  }
  variable *one = calloc(1, sizeof(*one));
  if (one != NULL && (one->name = strdup(name)) == NULL) {
    free(one);
    return NULL;
  }
  if (one != NULL) {
    one->next = variables;
    variables = one;
  }
  return one;
}

/* Owned; NULL: it is not set. */
static char *read_value(const char *name) {
  char none[1];
  size_t size = sizeof(none);
  int rc = uv_os_getenv(name, none, &size);
  if (rc == 0) {
    return strdup("");
  }
  char *value = rc == UV_ENOBUFS ? malloc(size) : NULL;
  if (value != NULL && uv_os_getenv(name, value, &size) != 0) {
    free(value);
    return NULL;
  }
  return value;
}

const char *ctl_env(const char *name) {
  variable *one = remember(name);
  if (one == NULL) {
    return NULL;
  }
  char *value = read_value(name);
  if (value != NULL && one->value != NULL && strcmp(value, one->value) == 0) {
    free(value); /* the caller may have the old pointer still */
    return one->value;
  }
  free(one->value);
  one->value = value;
  return value;
}

const char *ctl_env_home(void) {
  return ctl_env("USERPROFILE");
}
