/* SPDX-License-Identifier: MIT */
#include "platform/width.h"

#include <wchar.h>

int ctl_width(uint32_t code) {
  return wcwidth((wchar_t)code);
}
