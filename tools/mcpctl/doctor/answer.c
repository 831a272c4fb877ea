/* SPDX-License-Identifier: MIT */
/* An answer over HTTP. */
#include "doctor/fetch.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* From a byte of the head, which begins a line. */
static const char *find_header(const ctl_doctor_answer *answer,
                               const char *name, size_t at) {
  size_t name_len = strlen(name);
  while (at < answer->head_len) {
    const char *line = answer->head + at;
    if (strncasecmp(line, name, name_len) == 0 && line[name_len] == ':') {
      line += name_len + 1;
      return line + strspn(line, " \t");
    }
    at += strlen(line) + 1;
  }
  return NULL;
}

const char *ctl_doctor_header(const ctl_doctor_answer *answer,
                              const char *name) {
  return find_header(answer, name, 0);
}

const char *ctl_doctor_next_header(const ctl_doctor_answer *answer,
                                   const char *name, const char *after) {
  return find_header(answer, name,
                     (size_t)(after - answer->head) + strlen(after) + 1);
}

int ctl_doctor_is_stream(const ctl_doctor_answer *answer) {
  static const char stream[] = "text/event-stream";
  const char *type = ctl_doctor_header(answer, "Content-Type");
  return type != NULL && strncasecmp(type, stream, strlen(stream)) == 0;
}

void ctl_doctor_answer_deinit(ctl_doctor_answer *answer) {
  free(answer->head);
  free(answer->body);
  *answer = (ctl_doctor_answer){0};
}
