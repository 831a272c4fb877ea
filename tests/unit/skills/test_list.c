/* SPDX-License-Identifier: MIT */
#include "support/cm.h"

#include "skills/list.h"
#include "support/failing_alloc.h"
#include "unit/skills/skills_bench.h"

static mcpi_skill_list *scan(const skills_bench *bench,
                             const mcpi_skill_list *before) {
  mcpi_skill_list *list;
  mcpi_skill_scan how = {
      .dir = bench->dir, .before = before, .quiet_since_ns = INT64_MAX};
  assert_int_equal(
      mcpi_skill_list_scan(&list, &how, mcp_allocator_default(), NULL), 0);
  return list;
}

BENCH_TEST(a_scan_finds_the_skills_sorted_by_name) {
  skills_bench *bench = *state;
  bench_skill(bench, "b");
  bench_skill(bench, "a-a");
  bench_skill(bench, "a");
  bench_write(bench, "README.md", "x");
  bench_write(bench, ".git/config", "x");
  mcpi_skill_list *list = scan(bench, NULL);
  assert_int_equal(list->count, 3);
  assert_string_equal(list->skills[0]->name, "a");
  assert_string_equal(list->skills[1]->name, "a-a");
  assert_string_equal(list->skills[2]->name, "b");
  mcpi_skill_list_unref(list);
}

BENCH_TEST(skills_are_found_by_name) {
  skills_bench *bench = *state;
  bench_skill(bench, "a");
  bench_skill(bench, "c");
  mcpi_skill_list *list = scan(bench, NULL);
  assert_ptr_equal(mcpi_skill_list_get(list, MCPI_STR("c")), list->skills[1]);
  assert_null(mcpi_skill_list_get(list, MCPI_STR("b")));
  assert_null(mcpi_skill_list_get(list, MCPI_STR("")));
  assert_int_equal(mcpi_skill_list_seek(list, MCPI_STR("")), 0);
  assert_int_equal(mcpi_skill_list_seek(list, MCPI_STR("b")), 1);
  assert_int_equal(mcpi_skill_list_seek(list, MCPI_STR("d")), 2);
  mcpi_skill_list_unref(list);
}

BENCH_TEST(a_skill_that_has_not_changed_is_the_same_object) {
  skills_bench *bench = *state;
  bench_skill(bench, "a");
  bench_write(bench, "bad/SKILL.md", "x");
  bench_link(bench, "a", "link");
  mcpi_skill_list *first = scan(bench, NULL);
  mcpi_skill_list *second = scan(bench, first);
  assert_true(mcpi_skill_list_eq(first, second));
  mcpi_skill_list_unref(second);
  bench_write(bench, "a/new", "x");
  second = scan(bench, first);
  assert_false(mcpi_skill_list_eq(first, second));
  assert_ptr_equal(first->skills[1], second->skills[1]);
  assert_ptr_not_equal(first->skills[0], second->skills[0]);
  mcpi_skill_list_unref(first);
  mcpi_skill_list_unref(second);
}

BENCH_TEST(a_stale_skill_is_read_again) {
  skills_bench *bench = *state;
  bench_skill(bench, "a");
  mcpi_skill_list *first = scan(bench, NULL);
  atomic_store(&first->skills[0]->is_stale, 1);
  mcpi_skill_list *second = scan(bench, first);
  assert_false(mcpi_skill_list_eq(first, second));
  mcpi_skill_list_unref(first);
  mcpi_skill_list_unref(second);
}

BENCH_TEST(a_link_to_a_skill_is_not_followed) {
  skills_bench *bench = *state;
  bench_link(bench, "/etc", "etc");
  mcpi_skill_list *list = scan(bench, NULL);
  assert_int_equal(list->count, 1);
  assert_non_null(strstr(list->skills[0]->fault, "link"));
  mcpi_skill_list_unref(list);
}

BENCH_TEST(a_skill_that_is_still_written_stays_as_it_was) {
  skills_bench *bench = *state;
  mcpi_skill_list *second;
  bench_skill(bench, "a");
  mcpi_skill_list *first = scan(bench, NULL);
  bench_write(bench, "a/new", "x");
  bench_skill(bench, "b");
  mcpi_skill_scan how = {
      .dir = bench->dir, .before = first, .quiet_since_ns = 0};
  assert_int_equal(
      mcpi_skill_list_scan(&second, &how, mcp_allocator_default(), NULL), 0);
  assert_int_equal(how.unquiet_count, 2);
  assert_true(mcpi_skill_list_eq(first, second));
  mcpi_skill_list_unref(first);
  mcpi_skill_list_unref(second);
}

TEST(a_missing_folder_is_an_error) {
  mcpi_skill_list *list;
  mcp_error err = {0};
  mcpi_skill_scan how = {.dir = "/nowhere", .quiet_since_ns = INT64_MAX};
  assert_int_equal(
      mcpi_skill_list_scan(&list, &how, mcp_allocator_default(), &err),
      MCP_ERR_IO);
  assert_non_null(strstr(err.message, "/nowhere"));
  mcpi_skill_list_unref(NULL);
}

static int scan_with(const mcp_allocator *allocator, void *userdata) {
  const skills_bench *bench = userdata;
  mcpi_skill_list *list;
  mcpi_skill_scan how = {.dir = bench->dir, .quiet_since_ns = INT64_MAX};
  int rc = mcpi_skill_list_scan(&list, &how, allocator, NULL);
  if (rc == 0) {
    mcpi_skill_list_unref(list);
  }
  return rc;
}

BENCH_TEST(a_lack_of_memory_is_an_error) {
  skills_bench *bench = *state;
  bench_skill(bench, "a");
  bench_link(bench, "a", "b");
  failing_alloc_rerun_least(10, scan_with, bench);
}
