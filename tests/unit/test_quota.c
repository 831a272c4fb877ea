/* SPDX-License-Identifier: MIT */
/* A count with an end, and allocators that keep to it. */
#include "base/quota.h"
#include "support/cm.h"
#include "support/failing_alloc.h"

static failing_alloc alloc;
static mcpi_quota *quota;
static mcpi_share share;

static int begin(void **state) {
  (void)state;
  failing_alloc_init(&alloc);
  quota = mcpi_quota_new(&alloc.allocator, 100);
  assert_non_null(quota);
  mcpi_share_init(&share, quota);
  return 0;
}

static int end(void **state) {
  (void)state;
  mcpi_share_deinit(&share);
  mcpi_quota_unref(quota);
  assert_int_equal(alloc.live_blocks, 0);
  return 0;
}

/* One alone has half. */
static void no_more_is_given_than_is_left(void **state) {
  (void)state;
  const mcp_allocator *small = &share.allocator;
  assert_null(mcpi_alloc(small, 51));
  void *first = mcpi_alloc(small, 30);
  assert_non_null(first);
  assert_null(mcpi_alloc(small, 21));
  void *second = mcpi_alloc(small, 20);
  assert_non_null(second);
  assert_null(mcpi_alloc(small, 1));
  mcpi_free(small, first, 30);
  first = mcpi_alloc(small, 30);
  assert_non_null(first);
  mcpi_free(small, first, 30);
  mcpi_free(small, second, 20);
  assert_int_equal(quota->used, 0);
}

static void others_have_their_own(void **state) {
  (void)state;
  mcpi_share other;
  mcpi_share_init(&other, quota);
  void *greedy = mcpi_alloc(&share.allocator, 50);
  assert_null(mcpi_alloc(&other.allocator, 26));
  void *late = mcpi_alloc(&other.allocator, 25);
  assert_non_null(late);
  assert_int_equal(quota->used, 75);
  assert_null(mcpi_realloc(&share.allocator, greedy, 50, 51));
  greedy = mcpi_realloc(&share.allocator, greedy, 50, 40);
  assert_non_null(greedy); /* more than is left, but no more than before */
  mcpi_free(&share.allocator, greedy, 40);
  mcpi_free(&other.allocator, late, 25);
  mcpi_share_deinit(&other);
  assert_int_equal(quota->used, 0);
}

static void growing_counts_and_shrinking_gives_back(void **state) {
  (void)state;
  const mcp_allocator *small = &share.allocator;
  void *block = mcpi_alloc(small, 10);
  block = mcpi_realloc(small, block, 10, 50);
  assert_non_null(block);
  assert_null(mcpi_realloc(small, block, 50, 51));
  block = mcpi_realloc(small, block, 50, 30);
  assert_int_equal(quota->used, 30);
  assert_int_equal(share.used, 30);
  mcpi_free(small, block, 30);
}

static void a_failure_of_the_source_costs_nothing(void **state) {
  (void)state;
  const mcp_allocator *small = &share.allocator;
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
  const mcpi_quota *other = quota;
  mcpi_quota_unref(quota);
  void *block = mcpi_alloc(&share.allocator, 10);
  assert_non_null(block);
  mcpi_free(&share.allocator, block, 10);
  quota = NULL;
  assert_int_equal(other->refs, 1);
}

/* One alone has half; as many as there are leave as much again for the next. */
static void who_has_much_may_have_less_than_others(void **state) {
  (void)state;
  assert_false(mcpi_quota_count(quota, 0, 51));
  assert_true(mcpi_quota_count(quota, 0, 50));
  assert_false(mcpi_quota_count(quota, 50, 1));
  assert_false(mcpi_quota_count(quota, 0, 26));
  assert_true(mcpi_quota_count(quota, 0, 25));
  assert_null(mcpi_alloc(&share.allocator, 26));
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
      cmocka_unit_test_setup_teardown(no_more_is_given_than_is_left, begin,
                                      end),
      cmocka_unit_test_setup_teardown(others_have_their_own, begin, end),
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
