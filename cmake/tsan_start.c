/* SPDX-License-Identifier: MIT */
/* Linked to each program under the thread sanitizer.
 *
 * The runtimes of gcc 12 and clang 14 make a thread's record of signals at its
 * first call that may block. A signal that comes while they make it is lost:
 * it waits in a record that they then replace. So the main thread blocks once
 * before anything can send it a signal. */
#include <unistd.h>

__attribute__((constructor)) static void make_record_of_signals(void) {
  usleep(1);
}
