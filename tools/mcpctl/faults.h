/* SPDX-License-Identifier: MIT */
/* Calls that failed, counted by what they failed of. */
#ifndef CTL_FAULTS_H
#define CTL_FAULTS_H

#include <mcp/error.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds that are told apart; what comes later is counted with the last. A
 * server chooses its error codes, so there may be any number of them. */
enum { CTL_FAULTS_MAX = 16 };

typedef struct ctl_fault {
  int code;        /* MCP_ERR_*; 0: the tool reported an error */
  int32_t status;  /* as mcp_error.status */
  uint64_t count;  /* calls */
  mcp_error first; /* what the first of them said */
} ctl_fault;

/* Zeroed at the start. */
typedef struct ctl_faults {
  ctl_fault list[CTL_FAULTS_MAX];
  size_t len;
  uint64_t count;
  uint64_t tool_count; /* of these, what tools reported */
} ctl_faults;

/* Copied. err->code 0: the tool reported what the message says. */
void ctl_faults_add(ctl_faults *faults, const mcp_error *err);

/* Whether that is an answer of HTTP's, such as 503. */
int ctl_fault_is_http(const mcp_error *err);

/* "timed out", "error -32602", "HTTP 503": a kind in words. */
enum { CTL_FAULT_KIND = 64 };
const char *ctl_fault_kind(char text[CTL_FAULT_KIND], const ctl_fault *fault);

#endif
