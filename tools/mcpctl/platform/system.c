/* SPDX-License-Identifier: MIT */
#include "platform/system.h"

ctl_system_kind ctl_system(void) {
#if defined(_WIN32)
  return CTL_SYSTEM_WINDOWS;
#elif defined(__APPLE__)
  return CTL_SYSTEM_MACOS;
#else
  return CTL_SYSTEM_POSIX;
#endif
}
