/* SPDX-License-Identifier: MIT */
/* The linker takes this main only where a test has none of its own. */
#include "support/cm.h"

int main(void) {
  return tests_run(NULL, NULL);
}
