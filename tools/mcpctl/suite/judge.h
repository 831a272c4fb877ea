/* SPDX-License-Identifier: MIT */
/* Judges the answer to the request of a test. */
#ifndef CTL_SUITE_JUDGE_H
#define CTL_SUITE_JUDGE_H

#include "connection/session.h"
#include "suite/suite.h"

/* Compares the outcome of the session's last request with what the test
 * expects. If it is not so, sets the verdict's message and details, which were
 * empty. */
void ctl_suite_judge(ctl_session *session, const mcp_json *test,
                     ctl_verdict *verdict);

/* Lets the test fail for a reason. Returns 0. */
int ctl_suite_fail(ctl_verdict *verdict, const char *format, ...)
    MCP_PRINTF(2, 3);

#endif
