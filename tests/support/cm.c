/* SPDX-License-Identifier: MIT */
#include "support/cm.h"

#include <errno.h>
#include <stdlib.h>

enum { MAX_TESTS = 128 };

static struct CMUnitTest tests[MAX_TESTS];
static size_t test_count;

void tests_add(const struct CMUnitTest *test) {
  if (test_count < MAX_TESTS) {
    tests[test_count] = *test;
  }
  test_count++;
}

int tests_run(CMFixtureFunction group_set_up,
              CMFixtureFunction group_tear_down) {
  if (test_count == 0 || test_count > MAX_TESTS) {
    print_error("%zu tests, but there may be 1 to %d\n", test_count, MAX_TESTS);
    return 1;
  }
  return _cmocka_run_group_tests(program_invocation_short_name, tests,
                                 test_count, group_set_up, group_tear_down);
}
