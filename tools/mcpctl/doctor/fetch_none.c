/* SPDX-License-Identifier: MIT */
/* This build has no libmcp-http, so no URL of HTTP is ever a target. */
#include "doctor/fetch.h"

#include <stdio.h>

void ctl_doctor_fetch(ctl_doctor_answer *answer, const ctl_options *options,
                      const ctl_doctor_request *request, uint32_t limit_ms) {
  (void)options;
  (void)request;
  (void)limit_ms;
  *answer = (ctl_doctor_answer){0};
  snprintf(answer->why, sizeof(answer->why), "mcpctl was built without HTTP");
}
