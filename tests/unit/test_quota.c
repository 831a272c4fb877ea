/* SPDX-License-Identifier: MIT */
/* An allocator with an end. */
#include "base/quota.h"
#include "support/cm.h"
#include "support/failing_alloc.h"

static failing_alloc alloc;
static mcpi_quota *quota;

static int begin(void **state) {
  (void)state;
  failing_alloc_init(&alloc);
  quota = mcpi_quota_new(&alloc.allocator, 100);
  assert_non_null(quota);
  return 0;
}

static int end(void **state) {
  (void)state;
  mcpi_quota_unref(quota);
  assert_int_equal(alloc.live_blocks, 0);
  return 0;
}

static void no_more_is_given_than_it_has(void **state) {
  (void)state;
  const mcp_allocator *small = &quota->allocator;
  void *first = mcpi_alloc(small, 60);
  assert_non_null(first);
  assert_null(mcpi_alloc(small, 41));
  void *second = mcpi_alloc(small, 40);
  assert_non_null(second);
  assert_null(mcpi_alloc(small, 1));
  mcpi_free(small, first, 60);
  first = mcpi_alloc(small, 60);
  assert_non_null(first);
  mcpi_free(small, first, 60);
  mcpi_free(small, second, 40);
  assert_int_equal(quota->used, 0);
}

static void growing_counts_and_shrinking_gives_back(void **state) {
  (void)state;
  const mcp_allocator *small = &quota->allocator;
  void *block = mcpi_alloc(small, 10);
  block = mcpi_realloc(small, block, 10, 100);
  assert_non_null(block);
  assert_null(mcpi_realloc(small, block, 100, 101));
  block = mcpi_realloc(small, block, 100, 30);
  assert_int_equal(quota->used, 30);
  mcpi_free(small, block, 30);
}

static void a_failure_of_the_source_costs_nothing(void **state) {
  (void)state;
  const mcp_allocator *small = &quota->allocator;
  alloc.fail_at = alloc.calls + 1;
  assert_null(mcpi_alloc(small, 10));
  assert_int_equal(quota->used, 0);
  void *block = mcpi_alloc(small, 10);
  alloc.fail_at = alloc.calls + 1;
  assert_null(mcpi_realloc(small, block, 10, 20));
  assert_int_equal(quota->used, 10);
  mcpi_free(small, block, 10);
}

static void it_lives_as_long_as_somebody_uses_it(void **state) {
  (void)state;
  mcpi_quota *other = mcpi_quota_ref(quota);
  mcpi_quota_unref(quota);
  void *block = mcpi_alloc(&other->allocator, 10);
  assert_non_null(block);
  mcpi_free(&other->allocator, block, 10);
}

/* One alone has half; as many as there are leave as much again for the next. */
static void who_has_much_may_have_less_than_others(void **state) {
  (void)state;
  assert_false(mcpi_quota_count(quota, 0, 51));
  assert_true(mcpi_quota_count(quota, 0, 50));
  assert_false(mcpi_quota_count(quota, 50, 1));
  assert_false(mcpi_quota_count(quota, 0, 26));
  assert_true(mcpi_quota_count(quota, 0, 25));
  assert_null(mcpi_alloc(&quota->allocator, 26));
  assert_true(mcpi_quota_change(quota, 50, 10, 10)); /* it has them already */
  assert_true(mcpi_quota_change(quota, 50, 10, 9));
  assert_false(mcpi_quota_change(quota, 49, 9, 10));
  assert_int_equal(quota->used, 74);
  mcpi_quota_discount(quota, 74);
  assert_false(mcpi_quota_count(quota, 0, SIZE_MAX));
  assert_int_equal(quota->used, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(no_more_is_given_than_it_has, begin, end),
      cmocka_unit_test_setup_teardown(growing_counts_and_shrinking_gives_back,
                                      begin, end),
      cmocka_unit_test_setup_teardown(a_failure_of_the_source_costs_nothing,
                                      begin, end),
      cmocka_unit_test_setup_teardown(who_has_much_may_have_less_than_others,
                                      begin, end),
      cmocka_unit_test_setup_teardown(it_lives_as_long_as_somebody_uses_it,
                                      begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
