/* SPDX-License-Identifier: MIT */
/* Exit codes. Scripts rely on them: docs/MCPCTL.md lists them. */
#ifndef CTL_EXIT_H
#define CTL_EXIT_H

enum {
  CTL_OK = 0,
  /* A wrong command line, or a local failure: a file, memory, the disk. */
  CTL_USAGE = 1,
  /* A server at a URL answered 401 or 403. */
  CTL_AUTHORIZATION = 3,
  CTL_FAILED = 4,
  CTL_TOOL_ERROR = 5,
  /* `test`: a test failed. */
  CTL_TEST_FAILED = CTL_TOOL_ERROR,
  /* `doctor`: the server has a fault. */
  CTL_FAULTY = CTL_TOOL_ERROR,
  CTL_UNANSWERED = 6,
  /* `diff` found differences; a greater code is worse. */
  CTL_COMPATIBLE = 10,
  CTL_WORDING = 11,
  CTL_BREAKING = 12,
  CTL_TIMEOUT = 124,
  CTL_INTERRUPTED = 130
};

#endif
