/* SPDX-License-Identifier: MIT */
#include "support/libmcp/recorder.h"

/* Not counted: other systems than Linux open some of their own in a process. */
size_t count_descriptors(void) {
  return 0;
}
