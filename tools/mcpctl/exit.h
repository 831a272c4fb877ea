/* SPDX-License-Identifier: MIT */
/* How mcpctl ends. Scripts rely on these: docs/MCPCTL.md lists them. */
#ifndef CTL_EXIT_H
#define CTL_EXIT_H

enum {
  CTL_OK = 0,
  /* The command line, or something of this side: a file, memory, the disk. */
  CTL_USAGE = 1,
  /* Kept for transports that have authorization. */
  CTL_AUTHORIZATION = 3,
  CTL_FAILED = 4,
  CTL_TOOL_ERROR = 5,
  CTL_UNANSWERED = 6,
  CTL_TIMEOUT = 124,
  CTL_INTERRUPTED = 130
};

#endif
