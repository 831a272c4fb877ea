/* SPDX-License-Identifier: MIT */
/* Single HTTP requests of `doctor`, as they are written: no redirects, no
 * session, no login. doctor/fetch.c, or doctor/fetch_none.c in a build without
 * libmcp-http. */
#ifndef CTL_DOCTOR_FETCH_H
#define CTL_DOCTOR_FETCH_H

#include "line/options.h"

typedef struct ctl_doctor_request {
  const char *method; /* "POST" */
  const char *url;
  const char **headers; /* "Name: value"; NULL at the end */
  const char *body;     /* NULL: none */
  int wants_event;      /* waits for the first event of a stream that a GET
                         * opens; else for its head only */
} ctl_doctor_request;

typedef struct ctl_doctor_answer {
  int status; /* 0: no answer, for the reason in `why`. A body that is too
               * long, or does not end in time, is cut */
  char why[256];
  char *head; /* lines, each with a NUL; an empty line ends it; owned */
  size_t head_len;
  char *body; /* with a NUL at the end; owned; NULL: empty */
  size_t body_len;
} ctl_doctor_answer;

/* Sends a request, and waits for the answer. Of an event stream it waits only
 * for the first response in it. The caller calls ctl_doctor_answer_deinit. */
void ctl_doctor_fetch(ctl_doctor_answer *answer, const ctl_options *options,
                      const ctl_doctor_request *request, uint32_t limit_ms);
void ctl_doctor_answer_deinit(ctl_doctor_answer *answer);

/* The value of a header; NULL: it is not there. */
const char *ctl_doctor_header(const ctl_doctor_answer *answer,
                              const char *name);
/* The same for the next header of that name, after a value. */
const char *ctl_doctor_next_header(const ctl_doctor_answer *answer,
                                   const char *name, const char *after);
/* Whether the body is an event stream. */
int ctl_doctor_is_stream(const ctl_doctor_answer *answer);

#endif
