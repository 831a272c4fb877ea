/* SPDX-License-Identifier: MIT */
#include "platform/environment.h"

#include <uv.h>

void ctl_env_set(const char *name, const char *value) {
  uv_os_setenv(name, value);
}
