/* SPDX-License-Identifier: MIT */
/* Counts calls that failed, by their errors. */
#include "bench/faults.h"

#include <stdio.h>

static ctl_fault *find_fault(ctl_faults *faults, const mcp_error *err) {
  for (size_t i = 0; i < faults->len; i++) {
    ctl_fault *fault = &faults->list[i];
    if (fault->code == err->code && fault->status == err->status) {
      return fault;
    }
  }
  if (faults->len == CTL_FAULTS_MAX) {
    return &faults->list[CTL_FAULTS_MAX - 1];
  }
  ctl_fault *fault = &faults->list[faults->len++];
  *fault = (ctl_fault){err->code, err->status, 0, *err};
  return fault;
}

void ctl_faults_add(ctl_faults *faults, const mcp_error *err) {
  find_fault(faults, err)->count++;
  faults->count++;
  faults->tool_count += err->code == 0;
}

/* A status is the server's error code, the system's error number, or an HTTP
 * status. HTTP statuses below 300 are not errors, and system error numbers are
 * all below 300. */
enum { LEAST_HTTP_ERROR = 300 };

int ctl_fault_is_http(const mcp_error *err) {
  return err->code != MCP_ERR_REMOTE && err->status >= LEAST_HTTP_ERROR;
}

const char *ctl_fault_kind(char text[CTL_FAULT_KIND], const ctl_fault *fault) {
  if (fault->code == 0) {
    snprintf(text, CTL_FAULT_KIND, "tool error");
  } else if (fault->code == MCP_ERR_REMOTE) {
    snprintf(text, CTL_FAULT_KIND, "error %d", (int)fault->status);
  } else if (ctl_fault_is_http(&fault->first)) {
    snprintf(text, CTL_FAULT_KIND, "HTTP %d", (int)fault->status);
  } else {
    snprintf(text, CTL_FAULT_KIND, "%s", mcp_error_text(fault->code));
  }
  return text;
}
