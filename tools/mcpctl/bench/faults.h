/* SPDX-License-Identifier: MIT */
/* Counts calls that failed, by their errors. */
#ifndef CTL_FAULTS_H
#define CTL_FAULTS_H

#include <mcp/error.h>
#include <stddef.h>
#include <stdint.h>

/* The number of kinds that are counted separately. Later kinds are counted with
 * the last one: a server chooses its error codes, so there may be any
 * number. */
enum { CTL_FAULTS_MAX = 16 };

typedef struct ctl_fault {
  int code;        /* MCP_ERR_*; 0: the tool reported an error */
  int32_t status;  /* as mcp_error.status */
  uint64_t count;  /* calls */
  mcp_error first; /* the error of the first such call */
} ctl_fault;

/* Zeroed at the start. */
typedef struct ctl_faults {
  ctl_fault list[CTL_FAULTS_MAX];
  size_t len;
  uint64_t count;
  uint64_t tool_count; /* those of the calls that tools reported as errors */
} ctl_faults;

/* Counts an error, which is copied. err->code 0: the tool reported the error
 * in the message. */
void ctl_faults_add(ctl_faults *faults, const mcp_error *err);

/* Whether the error is an HTTP status, such as 503. */
int ctl_fault_is_http(const mcp_error *err);

/* "timed out", "error -32602", "HTTP 503": a kind in words. */
enum { CTL_FAULT_KIND = 64 };
const char *ctl_fault_kind(char text[CTL_FAULT_KIND], const ctl_fault *fault);

#endif
