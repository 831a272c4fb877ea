/* SPDX-License-Identifier: MIT */
/* Checks of who may use a server at a URL. */
#ifndef CTL_DOCTOR_ACCESS_H
#define CTL_DOCTOR_ACCESS_H

#include "doctor/web.h"

/* What an answer with the status 401 says of where to log in. */
void ctl_doctor_check_challenge(const ctl_doctor_web *self,
                                const ctl_doctor_answer *answer);
/* Whether the server refuses foreign pages, and names that are not its own. */
void ctl_doctor_check_callers(const ctl_doctor_web *self);
/* Whether it lets a browser's foreign pages ask. */
void ctl_doctor_check_cors(const ctl_doctor_web *self);

#endif
