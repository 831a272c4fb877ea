/* SPDX-License-Identifier: MIT */
/* The verb `test`: asks a server what files of tests ask, and judges the
 * answers. */
#ifndef CTL_SUITE_H
#define CTL_SUITE_H

#include "line/options.h"

#include <mcp/json.h>

/* How a test has ended. Everything but `skip` is owned. */
typedef struct ctl_verdict {
  char *title;
  const char *skip; /* why it was not run; NULL: it was */
  int64_t took_ns;
  char *message;  /* why it has failed; NULL: it has not */
  char *pointer;  /* to the place in the result; NULL: none */
  char *expected; /* JSON text; NULL: none */
  char *got;      /* the same */
} ctl_verdict;

/* A file of tests. */
typedef struct ctl_suite {
  const char *path;
  mcp_doc *doc;          /* owned */
  const mcp_json *tests; /* borrowed from it */
  size_t count;
  ctl_verdict *verdicts; /* one for each test, owned */
} ctl_suite;

/* Returns an exit code. */
int ctl_suite_run(const ctl_options *options);

#endif
