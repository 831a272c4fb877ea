/* SPDX-License-Identifier: MIT */
/* Checks of how a server ends that is a command. */
#ifndef CTL_DOCTOR_END_H
#define CTL_DOCTOR_END_H

#include "doctor/talk.h"

/* `took_ns` is the time from the end of its input until it was closed. */
void ctl_doctor_check_end(const ctl_doctor_talk *talk, int64_t took_ns);

#endif
