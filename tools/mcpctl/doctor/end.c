/* SPDX-License-Identifier: MIT */
#include "doctor/end.h"
#include "platform/children.h"
#include "platform/clock.h"

enum { MS = 1000000 };

/* Whether processes are left that the server has started: they are now children
 * of mcpctl (ctl_children_adopt). Those that are about to end get a second. */
static int has_left_any(void) {
  int64_t until_ns = ctl_now_ns() + INT64_C(1000) * MS;
  while (ctl_children_run()) {
    if (ctl_now_ns() > until_ns) {
      return 1;
    }
    ctl_sleep_ms(10);
  }
  return 0;
}

void ctl_doctor_check_end(const ctl_doctor_talk *talk, int64_t took_ns) {
  int64_t status = 0;
  int signal = 0;
  if (!ctl_wire_has_exited(talk->wire, &status, &signal)) {
    return;
  }
  int is_slow = took_ns >= INT64_C(2000) * MS;
  ctl_doctor_expect(talk->doctor, CTL_RULE_END_SLOW, !is_slow,
                    "2 s after the end of its input it had not ended");
  ctl_doctor_expect(talk->doctor, CTL_RULE_END_STATUS,
                    is_slow || (status == 0 && signal == 0),
                    signal != 0 ? "it ended by signal %d"
                                : "it exited with status %d",
                    signal != 0 ? signal : (int)status);
  ctl_doctor_expect(talk->doctor, CTL_RULE_END_LEFT, !has_left_any(),
                    "a process that it has started still runs");
}
