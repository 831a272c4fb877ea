/* SPDX-License-Identifier: MIT */
#include "support/cm.h"

#include "skills/folder.h"
#include "support/failing_alloc.h"
#include "unit/skills/skills_bench.h"

#include <errno.h>
#include <fcntl.h>

static int read_path(const skills_bench *bench, const char *path, size_t max,
                     mcpi_buf *out) {
  mcpi_stamp stamp;
  mcp_error err;
  int folder = mcpi_folder_open(bench->dir, NULL);
  assert_true(folder >= 0);
  mcpi_buf_init(out, mcp_allocator_default(), SIZE_MAX);
  int rc = mcpi_folder_read(folder, path, max, out, &stamp, &err);
  close(folder);
  if (rc != 0) {
    assert_int_equal(err.code, rc);
    mcpi_buf_deinit(out);
  }
  return rc;
}

static void check_unreadable(const skills_bench *bench, const char *path) {
  mcpi_buf out;
  assert_int_equal(read_path(bench, path, 100, &out), MCP_ERR_NOT_FOUND);
}

BENCH_TEST(a_file_below_the_folder_is_read) {
  skills_bench *bench = *state;
  mcpi_buf out;
  bench_write(bench, "a/b/c.txt", "hello");
  assert_int_equal(read_path(bench, "a/b/c.txt", 5, &out), 0);
  assert_memory_equal(out.data, "hello", 5);
  mcpi_buf_deinit(&out);
}

BENCH_TEST(a_file_that_is_too_long_is_refused) {
  skills_bench *bench = *state;
  mcpi_buf out;
  bench_write(bench, "a/b", "hello");
  assert_int_equal(read_path(bench, "a/b", 4, &out), MCP_ERR_LIMIT);
}

BENCH_TEST(nothing_outside_the_folder_is_read) {
  skills_bench *bench = *state;
  bench_write(bench, "a/b", "x");
  check_unreadable(bench, "../a/b");
  check_unreadable(bench, "a/../a/b");
  check_unreadable(bench, "a/./b");
  check_unreadable(bench, "/etc/passwd");
  check_unreadable(bench, "a//b");
  check_unreadable(bench, "a/");
  check_unreadable(bench, "");
  check_unreadable(bench, "a/missing");
}

BENCH_TEST(no_part_of_a_path_may_be_a_link) {
  skills_bench *bench = *state;
  bench_write(bench, "a/b", "x");
  bench_link(bench, "b", "a/link");
  bench_link(bench, "/etc", "a/etc");
  bench_link(bench, "a", "z");
  check_unreadable(bench, "a/link");
  check_unreadable(bench, "a/etc/passwd");
  check_unreadable(bench, "z/b");
}

BENCH_TEST(a_file_that_became_a_link_is_not_read) {
  skills_bench *bench = *state;
  mcpi_buf out;
  bench_write(bench, "a/b", "x");
  assert_int_equal(read_path(bench, "a/b", 9, &out), 0);
  mcpi_buf_deinit(&out);
  bench_remove(bench, "a/b");
  bench_link(bench, "/etc/passwd", "a/b");
  check_unreadable(bench, "a/b");
}

BENCH_TEST(what_is_not_a_file_is_not_read) {
  skills_bench *bench = *state;
  char path[400];
  bench_write(bench, "a/b/c", "x");
  snprintf(path, sizeof(path), "%s/a/pipe", bench->dir);
  assert_int_equal(mkfifo(path, 0600), 0);
  check_unreadable(bench, "a/b");
  check_unreadable(bench, "a/pipe");
}

BENCH_TEST(a_folder_that_is_missing_is_an_error) {
  mcp_error err = {0};
  assert_int_equal(mcpi_folder_open("/nowhere/at/all", &err), -1);
  assert_int_equal(err.code, MCP_ERR_IO);
  assert_non_null(strstr(err.message, "/nowhere/at/all"));
}

/* --- walking -------------------------------------------------------------- */

static int walk(const skills_bench *bench, const char *name, mcpi_walk *out,
                mcp_error *err) {
  int folder = mcpi_folder_open(bench->dir, NULL);
  int rc = mcpi_folder_walk(out, folder, name, mcp_allocator_default(), err);
  close(folder);
  return rc;
}

BENCH_TEST(a_walk_finds_all_files_sorted_by_path) {
  skills_bench *bench = *state;
  mcpi_walk found;
  bench_write(bench, "a/z", "22");
  bench_write(bench, "a/b/c", "1");
  bench_write(bench, "a/b-d", "333");
  bench_write(bench, "a/.hidden", "x");
  bench_write(bench, "a/.git/config", "x");
  assert_int_equal(walk(bench, "a", &found, NULL), 0);
  assert_int_equal(found.count, 3);
  assert_string_equal(found.files[0].path, "b-d");
  assert_string_equal(found.files[1].path, "b/c");
  assert_string_equal(found.files[2].path, "z");
  assert_int_equal(found.files[2].stamp.size, 2);
  assert_int_equal(found.bytes, 6);
  assert_int_equal(found.other_count, 0);
  mcpi_walk_deinit(&found);
}

BENCH_TEST(a_walk_leaves_links_out_and_counts_them) {
  skills_bench *bench = *state;
  mcpi_walk found;
  bench_write(bench, "a/b", "1");
  bench_link(bench, "b", "a/c");
  bench_link(bench, "/etc", "a/d");
  assert_int_equal(walk(bench, "a", &found, NULL), 0);
  assert_int_equal(found.count, 1);
  assert_int_equal(found.other_count, 2);
  assert_string_equal(found.other, "c");
  mcpi_walk_deinit(&found);
}

BENCH_TEST(a_walk_of_a_link_finds_nothing) {
  skills_bench *bench = *state;
  mcpi_walk found;
  mcp_error err;
  bench_write(bench, "a/b", "1");
  bench_link(bench, "a", "l");
  assert_int_equal(walk(bench, "l", &found, &err), MCP_ERR_NOT_FOUND);
  assert_int_equal(walk(bench, "a/b", &found, &err), MCP_ERR_NOT_FOUND);
}

BENCH_TEST(a_walk_has_a_limit_of_files) {
  skills_bench *bench = *state;
  mcpi_walk found;
  mcp_error err;
  char path[64];
  for (int i = 0; i < MCPI_SKILL_MAX_FILES; i++) {
    snprintf(path, sizeof(path), "a/d%d/f%d", i % 7, i);
    bench_write(bench, path, "");
  }
  assert_int_equal(walk(bench, "a", &found, NULL), 0);
  assert_int_equal(found.count, MCPI_SKILL_MAX_FILES);
  mcpi_walk_deinit(&found);
  bench_write(bench, "a/one-more", "");
  assert_int_equal(walk(bench, "a", &found, &err), MCP_ERR_LIMIT);
}

/* A tree of empty folders has no files, but takes time. */
BENCH_TEST(a_walk_has_a_limit_of_entries) {
  skills_bench *bench = *state;
  mcpi_walk found;
  mcp_error err;
  char path[64];
  for (int i = 0; i < MCPI_SKILL_MAX_ENTRIES / 64; i++) {
    for (int j = 1; j < 64; j++) {
      snprintf(path, sizeof(path), "a/d%d/e%d/", i, j);
      bench_make_folder(bench, path);
    }
  }
  assert_int_equal(walk(bench, "a", &found, NULL), 0);
  assert_int_equal(found.entry_count, MCPI_SKILL_MAX_ENTRIES);
  mcpi_walk_deinit(&found);
  bench_make_folder(bench, "a/d1/one-more/");
  assert_int_equal(walk(bench, "a", &found, &err), MCP_ERR_LIMIT);
}

BENCH_TEST(a_walk_has_a_limit_of_bytes) {
  skills_bench *bench = *state;
  mcpi_walk found;
  mcp_error err;
  bench_write_sparse(bench, "a/b", MCPI_SKILL_MAX_BYTES);
  assert_int_equal(walk(bench, "a", &found, NULL), 0);
  mcpi_walk_deinit(&found);
  bench_write(bench, "a/c", "1");
  assert_int_equal(walk(bench, "a", &found, &err), MCP_ERR_LIMIT);
}

static int walk_deep(skills_bench *bench, int depth) {
  mcpi_walk found;
  mcp_error err;
  char path[128] = "deep";
  for (int i = 1; i < depth; i++) {
    strcat(path, "/d");
  }
  strcat(path, "/file");
  bench_write(bench, path, "x");
  int rc = walk(bench, "deep", &found, &err);
  if (rc == 0) {
    mcpi_walk_deinit(&found);
  }
  return rc;
}

BENCH_TEST(a_walk_has_a_limit_of_depth) {
  assert_int_equal(walk_deep(*state, MCPI_SKILL_MAX_DEPTH), 0);
  assert_int_equal(walk_deep(*state, MCPI_SKILL_MAX_DEPTH + 1), MCP_ERR_LIMIT);
}

BENCH_TEST(a_name_that_is_not_utf8_is_refused) {
  skills_bench *bench = *state;
  mcpi_walk found;
  mcp_error err;
  bench_write(bench, "a/\xff", "x");
  assert_int_equal(walk(bench, "a", &found, &err), MCP_ERR_INVALID);
}

BENCH_TEST(names_have_a_limit) {
  skills_bench *bench = *state;
  mcpi_names names;
  mcp_error err;
  bench_write(bench, "b", "");
  bench_write(bench, "a", "");
  bench_write(bench, ".c", "");
  int folder = mcpi_folder_open(bench->dir, NULL);
  assert_int_equal(
      mcpi_folder_names(&names, folder, 2, mcp_allocator_default(), NULL), 0);
  assert_int_equal(names.count, 2);
  assert_string_equal(names.names[0], "a");
  mcpi_names_deinit(&names);
  assert_int_equal(
      mcpi_folder_names(&names, folder, 1, mcp_allocator_default(), &err),
      MCP_ERR_LIMIT);
  close(folder);
}

static int walk_with(const mcp_allocator *allocator, void *userdata) {
  const skills_bench *bench = userdata;
  mcpi_walk found;
  int folder = mcpi_folder_open(bench->dir, NULL);
  int rc = mcpi_folder_walk(&found, folder, "a", allocator, NULL);
  close(folder);
  if (rc == 0) {
    mcpi_walk_deinit(&found);
  }
  return rc;
}

BENCH_TEST(a_lack_of_memory_is_an_error) {
  skills_bench *bench = *state;
  bench_write(bench, "a/b/c", "1");
  bench_write(bench, "a/d", "1");
  bench_link(bench, "d", "a/l");
  failing_alloc_rerun_least(5, walk_with, bench);
}
