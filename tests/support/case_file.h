/* SPDX-License-Identifier: MIT */
/* Tests whose cases are the lines of a text file. A line that begins with # is
 * a comment, and `test NAME` begins a test; the test reads the other lines. */
#ifndef MCP_TESTS_CASE_FILE_H
#define MCP_TESTS_CASE_FILE_H

#include "support/cm.h"

/* Adds the tests of the files that match a pattern of paths to those of
 * tests_run. `run` and `tear_down` get the lines of a test, each with a
 * newline, as *state. `run` fails when no line checked anything. Ends the
 * program when a file cannot be read, or when a test has no line. */
void case_files_add(const char *pattern, CMUnitTestFunction run,
                    CMFixtureFunction tear_down);

/* What follows the word and a blank, or NULL when the line begins otherwise. */
char *case_after(char *line, const char *word);

#endif
