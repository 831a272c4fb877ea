/* SPDX-License-Identifier: MIT */
/* The checks of `doctor` of what only HTTP has: statuses, headers, sessions. */
#ifndef CTL_DOCTOR_HTTP_H
#define CTL_DOCTOR_HTTP_H

#include "doctor/doctor.h"

/* What the first request found. */
typedef struct ctl_doctor_http_first {
  int status;     /* 0: no answer */
  int speaks_sse; /* the URL is one of HTTP+SSE (2024-11-05) */
} ctl_doctor_http_first;

/* Asks without credentials, and checks what the answer says of access and of
 * the clock. */
void ctl_doctor_http_begin(ctl_doctor *doctor, ctl_doctor_http_first *first);
/* Checks a server at a URL in a revision that it speaks. */
void ctl_doctor_check_http(ctl_doctor *doctor, const char *revision,
                           int is_modern);
/* Checks who may open the stream of HTTP+SSE. */
void ctl_doctor_check_sse(ctl_doctor *doctor);

#endif
