/* SPDX-License-Identifier: MIT */
/* Requests that `doctor` sends over HTTP without a client, since a client would
 * not send them. */
#ifndef CTL_DOCTOR_WEB_H
#define CTL_DOCTOR_WEB_H

#include "doctor/doctor.h"
#include "doctor/fetch.h"

/* A web page that no server knows. */
#define CTL_DOCTOR_FOREIGN "https://doctor.invalid"

/* The server, and what its requests have in common. */
typedef struct ctl_doctor_web {
  ctl_doctor *doctor;
  const char *url;
  const char *revision;
  int is_modern;
  int is_sse;    /* HTTP+SSE: a connection begins with a GET */
  char *bearer;  /* a header, owned; NULL: none */
  char *session; /* a header, owned; NULL: the server has no sessions */
} ctl_doctor_web;

/* What changes from request to request; NULL: left out. */
typedef struct ctl_doctor_variant {
  const char *method; /* of HTTP; NULL: POST */
  const char *body;
  const char *accept;  /* NULL: both types */
  const char *more[4]; /* headers; they come first */
  int is_plain;        /* without credentials and session */
  int wants_event;
} ctl_doctor_variant;

/* Sends a request and waits for the answer. The caller calls
 * ctl_doctor_answer_deinit. */
void ctl_doctor_send(ctl_doctor_answer *answer, const ctl_doctor_web *self,
                     const ctl_doctor_variant *what);
/* The same, and follows redirects as clients do. Sets self->url and
 * doctor->moved. */
void ctl_doctor_send_first(ctl_doctor_answer *answer, ctl_doctor_web *self,
                           const ctl_doctor_variant *what);
/* Sends a request, and returns the status of the answer. */
int ctl_doctor_status_of(const ctl_doctor_web *self,
                         const ctl_doctor_variant *what);

/* Whether a status refuses a request. */
int ctl_doctor_is_refusal(int status);
/* "got 403", for a report. Valid until the next call. */
const char *ctl_doctor_got(int status);
/* Whether another URL has the scheme, the host and the port of a URL. */
int ctl_doctor_is_origin_of(const char *url, const char *other);

/* The body of initialize. Owned. */
char *ctl_doctor_initialize_body(const char *revision);
/* The header that names the session of an answer. Owned; NULL: it has none. */
char *ctl_doctor_session_of(const ctl_doctor_answer *answer);
/* Ends a session, and returns the status. */
int ctl_doctor_end_session(const ctl_doctor_web *self, const char *session);

#endif
