/* SPDX-License-Identifier: MIT */
/* What a server sends on a connection of `doctor`: it keeps the answer that is
 * waited for, and reports what is wrong with messages as such. */
#ifndef CTL_DOCTOR_HEARD_H
#define CTL_DOCTOR_HEARD_H

#include "doctor/talk.h"

/* What the wire of a connection is opened with. */
ctl_wire_events ctl_doctor_events(ctl_doctor_talk *talk);
/* Checks that the server may send a log message. `words` says which one. */
void ctl_doctor_check_log(const ctl_doctor_talk *talk, const char *words);
/* Writes a message to the trace, if there is one. */
void ctl_doctor_trace(const ctl_doctor_talk *talk, int is_sent,
                      const char *text, size_t len);

#endif
