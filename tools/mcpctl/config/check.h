/* SPDX-License-Identifier: MIT */
/* Connects to many servers at once, to see which of them answer. */
#ifndef CTL_CHECK_H
#define CTL_CHECK_H

#include "config/config.h"
#include "line/options.h"

typedef struct ctl_check {
  const ctl_named *named;
  char *server; /* name and version that the server gives itself; owned; NULL:
                    * it has not answered */
  const char *revision; /* NULL: it has not answered */
  mcp_error error;      /* if it has not answered: why */
} ctl_check;

/* Connects to each server, waits for the answers, and closes. Sets the results,
 * one for each server, whose `named` is set. Returns CTL_OK, or an exit code
 * after a report. */
int ctl_check_all(ctl_check *checks, size_t count, const ctl_options *options);
void ctl_check_deinit(ctl_check *check);

#endif
