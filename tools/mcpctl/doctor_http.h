/* SPDX-License-Identifier: MIT */
/* The checks of `doctor` of what only HTTP has: statuses, headers, sessions. */
#ifndef CTL_DOCTOR_HTTP_H
#define CTL_DOCTOR_HTTP_H

#include "doctor.h"

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

/* Whether the URL leads to this machine. */
int ctl_doctor_is_loopback(const char *url);
/* The value of resource_metadata in a challenge. Owned; NULL: it has none. */
char *ctl_doctor_metadata_url(const char *challenge);
/* Whether one of two ids of sessions helps to guess the other. */
int ctl_doctor_is_guessable(const char *one, const char *other);
/* The seconds between the time of a Date header and a time; INT64_MIN: it is
 * not a date. */
int64_t ctl_doctor_clock_gap(const char *date, int64_t now);

#endif
