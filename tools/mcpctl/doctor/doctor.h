/* SPDX-License-Identifier: MIT */
/* The verb `doctor`: finds what is wrong with a server.
 *
 * doctor.c connects in each revision. On a connection talk.c asks with messages
 * of compose.c, and heard.c takes what comes; messages.c, lists.c, tools.c,
 * resources.c and end.c check. Over HTTP, web.c also sends single requests by
 * fetch.c, for the checks of http.c and access.c. judge.c judges single values,
 * rules.c has the rules, and report.c prints. */
#ifndef CTL_DOCTOR_H
#define CTL_DOCTOR_H

#include "connection/trace.h"
#include "doctor/report.h"
#include "line/options.h"

#include <mcp/loop.h>

typedef struct ctl_doctor {
  const ctl_options *options; /* with the URL of the wire that is tried */
  mcp_loop *loop;
  ctl_trace trace;
  struct ctl_redactor *redactor; /* for the trace; NULL: there is none */
  ctl_doctor_report report;
  char *moved;       /* where the server's URL leads by a redirect, owned; NULL:
                       * to itself */
  int has_named;     /* it is known which of the tools that the user named the
                       * server has */
  uint32_t first_ms; /* the longest wait for the first answer */
  uint32_t tool_ms;  /* the longest wait for a tool */
  uint32_t answer_ms; /* the longest wait for any other */
  int64_t end_ns;     /* no check begins after this time */
} ctl_doctor;

/* For ctl_verb. Returns an exit code. */
int ctl_doctor_run(const ctl_options *options);

/* Notes that a rule was looked at; if `holds` is 0, adds a finding with the
 * text. Does nothing once the run must end. Returns `holds`. */
int ctl_doctor_expect(ctl_doctor *doctor, int rule, int holds,
                      const char *format, ...) MCP_PRINTF(4, 5);

/* Whether the time is over, or the user has ended the run. */
int ctl_doctor_must_end(const ctl_doctor *doctor);

#endif
