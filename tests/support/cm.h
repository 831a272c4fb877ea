/* SPDX-License-Identifier: MIT */
/* cmocka, with the headers that it wants before it, and tests that register
 * themselves. */
#ifndef MCP_TESTS_CM_H
#define MCP_TESTS_CM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Callbacks and fixtures of tests are given more than most of them use. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* Defines a test, and adds it to those that tests_run runs:
 *
 *   TEST(the_sum_of_nothing_is_zero) {
 *     assert_int_equal(sum(NULL, 0), 0);
 *   }
 */
#define TEST(name) TEST_WITH(name, NULL, NULL)

/* The same, with a fixture: set_up runs before the test and tear_down after
 * it. Each is a CMFixtureFunction or NULL. The test may use `state`. */
#define TEST_WITH(name, set_up, tear_down)                                     \
  static void name(void **state);                                              \
  __attribute__((constructor)) static void add_##name(void) {                  \
    tests_add(                                                                 \
        &(const struct CMUnitTest){#name, name, set_up, tear_down, NULL});     \
  }                                                                            \
  static void name(void **state)

/* The name is not copied. */
void tests_add(const struct CMUnitTest *test);

/* Runs the tests in the order in which they are defined. A program that has no
 * main gets one that calls this without fixtures of the group.
 *
 * @return the number of tests that failed. */
int tests_run(CMFixtureFunction group_set_up,
              CMFixtureFunction group_tear_down);

#endif
