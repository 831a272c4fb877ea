/* SPDX-License-Identifier: MIT */
/* Writes how tests have ended. */
#ifndef CTL_SUITE_REPORT_H
#define CTL_SUITE_REPORT_H

#include "suite/suite.h"

#include <stdio.h>

/* The Test Anything Protocol, version 14, on standard output. */
void ctl_tap_begin(size_t count);
void ctl_tap_put_file(const char *path);
/* Tests count from 1. */
void ctl_tap_put(size_t number, const ctl_verdict *verdict);
void ctl_tap_end(const ctl_suite *suites, size_t count);

/* The XML of JUnit, as servers of continuous integration read it: each file is
 * a test suite. */
void ctl_junit_write(FILE *out, const ctl_suite *suites, size_t count);

#endif
