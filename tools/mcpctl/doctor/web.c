/* SPDX-License-Identifier: MIT */
#include "doctor/web.h"
#include "doctor/compose.h"
#include "platform/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NS_PER_MS INT64_C(1000000)
enum { MAX_HEADERS = 64, MAX_REDIRECTS = 3 };

/* ---- requests ---------------------------------------------------------- */

/* How long to wait for an answer. At the end of the run it is a little longer
 * than what is left, so that nobody takes the end for a fault of the server. 0:
 * the run must end. */
static uint32_t ms_left(const ctl_doctor *doctor) {
  int64_t left_ms = (doctor->end_ns - ctl_now_ns()) / NS_PER_MS + 1;
  if (ctl_doctor_must_end(doctor)) {
    return 0;
  }
  return left_ms < doctor->answer_ms ? (uint32_t)left_ms + 10
                                     : doctor->answer_ms;
}

/* `headers` has room for MAX_HEADERS, the last of them NULL. */
static void collect_headers(const char **headers, const ctl_doctor_web *self,
                            const ctl_doctor_variant *what) {
  size_t count = 0;
  const ctl_options *options = self->doctor->options;
  for (size_t i = 0; i < 4 && what->more[i] != NULL; i++) {
    headers[count++] = what->more[i];
  }
  headers[count++] = what->accept != NULL
                         ? what->accept
                         : "Accept: application/json, text/event-stream";
  headers[count++] = "Content-Type: application/json";
  for (size_t i = 0; !what->is_plain && options->headers[i] != NULL &&
                     count < MAX_HEADERS - 4;
       i++) {
    headers[count++] = options->headers[i];
  }
  if (!what->is_plain && self->bearer != NULL) {
    headers[count++] = self->bearer;
  }
  headers[count] = NULL;
}

void ctl_doctor_send(ctl_doctor_answer *answer, const ctl_doctor_web *self,
                     const ctl_doctor_variant *what) {
  const char *headers[MAX_HEADERS];
  uint32_t limit_ms = ms_left(self->doctor);
  if (limit_ms == 0) {
    *answer = (ctl_doctor_answer){.why = "the time is over"};
    return;
  }
  collect_headers(headers, self, what);
  const ctl_doctor_request request = {
      .method = what->method != NULL ? what->method : "POST",
      .url = self->url,
      .headers = headers,
      .body = what->body,
      .wants_event = what->wants_event};
  ctl_doctor_fetch(answer, self->doctor->options, &request, limit_ms);
}

int ctl_doctor_status_of(const ctl_doctor_web *self,
                         const ctl_doctor_variant *what) {
  ctl_doctor_answer answer;
  ctl_doctor_send(&answer, self, what);
  int status = answer.status;
  ctl_doctor_answer_deinit(&answer);
  return status;
}

const char *ctl_doctor_got(int status) {
  static char words[32];
  snprintf(words, sizeof(words), "got %d", status);
  return status != 0 ? words : "got no answer";
}

char *ctl_doctor_initialize_body(const char *revision) {
  char *params = ctl_doctor_initialize_params(revision);
  char *body = params != NULL
                   ? ctl_doctor_compose(NULL, "1", "initialize", params)
                   : NULL;
  free(params);
  return body;
}

char *ctl_doctor_session_of(const ctl_doctor_answer *answer) {
  const char *id = ctl_doctor_header(answer, "Mcp-Session-Id");
  char *text = NULL;
  return id != NULL && asprintf(&text, "Mcp-Session-Id: %s", id) >= 0 ? text
                                                                      : NULL;
}

int ctl_doctor_end_session(const ctl_doctor_web *self, const char *session) {
  const ctl_doctor_variant what = {.method = "DELETE", .more = {session}};
  return session != NULL ? ctl_doctor_status_of(self, &what) : 0;
}

int ctl_doctor_is_refusal(int status) {
  return status >= 400 && status < 500;
}

/* ---- redirects --------------------------------------------------------- */

/* The length of the scheme, the host and the port. */
static size_t origin_len(const char *url) {
  const char *host = strstr(url, "://");
  size_t len = host != NULL ? (size_t)(host - url) + 3 : 0;
  return len + strcspn(url + len, "/?#");
}

int ctl_doctor_is_origin_of(const char *url, const char *other) {
  size_t len = origin_len(url);
  return strncasecmp(url, other, len) == 0 &&
         (other[len] == '\0' || strchr("/?#", other[len]) != NULL);
}

/* Where an answer leads within the origin of the URL: clients follow no other
 * redirect. Owned; NULL: nowhere. */
static char *redirect_of(const char *url, const ctl_doctor_answer *answer) {
  const char *to = ctl_doctor_header(answer, "Location");
  char *text = NULL;
  if ((answer->status != 307 && answer->status != 308) || to == NULL) {
    return NULL;
  }
  if (ctl_doctor_is_origin_of(url, to)) {
    return strdup(to);
  }
  return to[0] == '/' && to[1] != '/' &&
                 asprintf(&text, "%.*s%s", (int)origin_len(url), url, to) >= 0
             ? text
             : NULL;
}

void ctl_doctor_send_first(ctl_doctor_answer *answer, ctl_doctor_web *self,
                           const ctl_doctor_variant *what) {
  ctl_doctor *doctor = self->doctor;
  char *to = NULL;
  ctl_doctor_send(answer, self, what);
  for (int i = 0; i < MAX_REDIRECTS; i++) {
    to = redirect_of(self->url, answer);
    if (to == NULL) {
      return;
    }
    free(doctor->moved);
    doctor->moved = to;
    self->url = to;
    ctl_doctor_answer_deinit(answer);
    ctl_doctor_send(answer, self, what);
  }
}
