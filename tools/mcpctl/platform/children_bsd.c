/* SPDX-License-Identifier: MIT */
/* Only Linux lets a process adopt the children of its children, so there are
 * none to find. */
#include "platform/children.h"

void ctl_children_adopt(void) {
}

int ctl_children_run(void) {
  return 0;
}
