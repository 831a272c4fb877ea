/* SPDX-License-Identifier: MIT */
#include "bench/rows.h"

#include "support/cm.h"

static ctl_histogram histogram;
static ctl_row rows[CTL_ROWS_MAX];

static int start(void **state) {
  histogram = (ctl_histogram){0};
  return 0;
}

static void add(uint64_t ns, int times) {
  for (int i = 0; i < times; i++) {
    ctl_histogram_add(&histogram, ns);
  }
}

static void expect_row(size_t row, uint64_t from_ns, uint64_t to_ns,
                       uint64_t count) {
  assert_int_equal(rows[row].from_ns, from_ns);
  assert_int_equal(rows[row].to_ns, to_ns);
  assert_int_equal(rows[row].count, count);
}

TEST_WITH(nothing_has_no_rows, start, NULL) {
  assert_int_equal(ctl_rows_make(&histogram, rows), 0);
  assert_int_equal(ctl_rows_highest(rows, 0), 0);
}

TEST_WITH(one_value_has_one, start, NULL) {
  add(1100, 3);
  assert_int_equal(ctl_rows_make(&histogram, rows), 1);
  expect_row(0, 1000, 1250, 3);
}

TEST_WITH(what_is_shorter_than_all_ends_is_in_the_first, start, NULL) {
  add(0, 1);
  add(999, 1);
  add(1000, 2);
  assert_int_equal(ctl_rows_make(&histogram, rows), 2);
  expect_row(0, 0, 1000, 2);
  expect_row(1, 1000, 1250, 2);
}

TEST_WITH(rows_between_are_empty, start, NULL) {
  add(1000000, 5);
  add(2000000, 1);
  assert_int_equal(ctl_rows_make(&histogram, rows), 4);
  expect_row(0, 1000000, 1250000, 5);
  expect_row(1, 1250000, 1600000, 0);
  expect_row(2, 1600000, 2000000, 0);
  expect_row(3, 2000000, 2500000, 1);
  assert_int_equal(ctl_rows_highest(rows, 4), 5);
}

TEST_WITH(many_decades_get_coarser_rows, start, NULL) {
  add(1000, 1);
  add(50000000, 1);
  assert_int_equal(ctl_rows_make(&histogram, rows), 15); /* 1, 2, 5 */
  expect_row(0, 1000, 2000, 1);
  expect_row(14, 50000000, 100000000, 1);
  add(UINT64_C(3600000000000), 1);
  assert_int_equal(ctl_rows_make(&histogram, rows), 10); /* 1 */
  expect_row(9, UINT64_C(1000000000000), UINT64_C(10000000000000), 1);
}

TEST_WITH(every_value_is_in_one, start, NULL) {
  uint64_t sum = 0;
  for (uint64_t ns = 1500; ns < 150000; ns += 7) {
    add(ns, 1);
  }
  size_t count = ctl_rows_make(&histogram, rows);
  assert_in_range(count, 2, CTL_ROWS_MAX);
  for (size_t i = 0; i < count; i++) {
    sum += rows[i].count;
    assert_true(i == 0 || rows[i].from_ns == rows[i - 1].to_ns);
  }
  assert_int_equal(sum, histogram.count);
}

TEST(times_have_three_digits) {
  static const struct {
    double ns;
    const char *text;
  } cases[] = {
      {0, "0.00 µs"},      {85, "0.09 µs"},       {9994, "9.99 µs"},
      {9996, "10.0 µs"},   {99960, "100 µs"},     {999400, "999 µs"},
      {999500, "1.00 ms"}, {12345678, "12.3 ms"}, {999600000, "1.00 s"},
      {123e9, "123 s"},    {1234e9, "1234 s"},
  };
  char text[CTL_TIME_TEXT];
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    assert_string_equal(ctl_time_text(text, cases[i].ns), cases[i].text);
  }
}
