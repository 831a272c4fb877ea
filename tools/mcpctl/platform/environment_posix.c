/* SPDX-License-Identifier: MIT */
#include "platform/environment.h"

#include <stdlib.h>

const char *ctl_env(const char *name) {
  return getenv(name);
}

const char *ctl_env_home(void) {
  return getenv("HOME");
}
