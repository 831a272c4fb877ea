/* SPDX-License-Identifier: MIT */
#include "support/cm.h"

#include "skills/skill.h"
#include "support/failing_alloc.h"
#include "unit/skills/skills_bench.h"

#include <mcp/json.h>

/* Walks and reads. Returns 0 with *out, or an error. */
static int read_skill(const skills_bench *bench, const char *name,
                      mcpi_skill **out, const mcp_allocator *allocator) {
  mcpi_walk found;
  int folder = mcpi_folder_open(bench->dir, NULL);
  int rc = mcpi_folder_walk(&found, folder, name, allocator, NULL);
  if (rc == 0) {
    rc = mcpi_skill_read(out, folder, name, &found, allocator, NULL);
    mcpi_walk_deinit(&found);
  }
  close(folder);
  return rc;
}

static mcpi_skill *must_read(const skills_bench *bench, const char *name) {
  mcpi_skill *skill;
  assert_int_equal(read_skill(bench, name, &skill, mcp_allocator_default()), 0);
  return skill;
}

static void check_fault(const skills_bench *bench, const char *part) {
  mcpi_skill *skill = must_read(bench, "a");
  assert_false(mcpi_skill_is_valid(skill));
  assert_true(skill->fault_code < 0);
  if (strstr(skill->fault, part) == NULL) {
    fail_msg("\"%s\" lacks \"%s\"", skill->fault, part);
  }
  mcpi_skill_unref(skill);
}

BENCH_TEST(an_entry_has_head_files_digests_and_sizes) {
  skills_bench *bench = *state;
  bench_write(bench, "a/SKILL.md", "---\nname: a\ndescription: b\nx: 1\n---\n");
  bench_write(bench, "a/f", "abc");
  mcpi_skill *skill = must_read(bench, "a");
  assert_null(skill->fault);
  assert_string_equal(skill->description, "b");
  assert_string_equal(
      skill->entry.data,
      "{\"uri\":\"skill://a/SKILL.md\",\"frontmatter\":{\"name\":\"a\","
      "\"description\":\"b\",\"x\":1},\"resources\":["
      "{\"uri\":\"skill://a/SKILL.md\",\"digest\":\"sha256:"
      "19111f26b51a6104ec7bee6eca7371cbdcef6c4ccff8b10f9dc233e0452b0984\","
      "\"size\":36},{\"uri\":\"skill://a/f\",\"digest\":\"sha256:"
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\","
      "\"size\":3}]}");
  mcpi_skill_unref(skill);
}

BENCH_TEST(uris_have_only_characters_of_uris) {
  skills_bench *bench = *state;
  bench_skill(bench, "a");
  bench_write(bench, "a/b c/\xC3\xA4%.txt", "x");
  mcpi_skill *skill = must_read(bench, "a");
  const mcpi_skill_file *file =
      mcpi_skill_find(skill, MCPI_STR("skill://a/b%20c/%C3%A4%25.txt"));
  assert_non_null(file);
  assert_string_equal(file->path, "b c/\xC3\xA4%.txt");
  assert_false(mcpi_skill_file_is_main(file));
  assert_null(mcpi_skill_find(skill, MCPI_STR("skill://a/b c")));
  mcpi_skill_unref(skill);
}

BENCH_TEST(bytes_decide_between_text_and_data) {
  skills_bench *bench = *state;
  bench_skill(bench, "a");
  bench_write(bench, "a/x.txt", "\xff");
  bench_write(bench, "a/y.txt", "");
  mcpi_skill *skill = must_read(bench, "a");
  assert_string_equal(
      mcpi_skill_find(skill, MCPI_STR("skill://a/x.txt"))->mime_type,
      "application/octet-stream");
  assert_string_equal(
      mcpi_skill_find(skill, MCPI_STR("skill://a/y.txt"))->mime_type,
      "text/plain");
  assert_string_equal(
      mcpi_skill_find(skill, MCPI_STR("skill://a/SKILL.md"))->mime_type,
      "text/markdown");
  mcpi_skill_unref(skill);
}

BENCH_TEST(a_skill_without_its_main_file_is_not_valid) {
  skills_bench *bench = *state;
  bench_write(bench, "a/README.md", "x");
  check_fault(bench, "no file SKILL.md");
}

BENCH_TEST(a_main_file_below_is_not_enough) {
  skills_bench *bench = *state;
  bench_write(bench, "a/b/SKILL.md", "---\nname: a\ndescription: b\n---\n");
  check_fault(bench, "no file SKILL.md");
}

BENCH_TEST(a_head_that_is_not_valid_makes_the_skill_so) {
  skills_bench *bench = *state;
  bench_write(bench, "a/SKILL.md", "---\nname: a\n---\n");
  check_fault(bench, "no description");
}

BENCH_TEST(the_name_must_be_that_of_the_folder) {
  skills_bench *bench = *state;
  bench_write(bench, "a/SKILL.md", "---\nname: b\ndescription: c\n---\n");
  check_fault(bench, "\"b\"");
}

BENCH_TEST(a_main_file_that_is_not_text_is_not_valid) {
  skills_bench *bench = *state;
  bench_write(bench, "a/SKILL.md", "---\nname: a\ndescription: b\n---\n\xff");
  check_fault(bench, "UTF-8");
}

BENCH_TEST(a_skill_matches_what_it_was_made_of) {
  skills_bench *bench = *state;
  mcpi_walk found;
  bench_skill(bench, "a");
  bench_write(bench, "a/f", "1");
  mcpi_skill *skill = must_read(bench, "a");
  int folder = mcpi_folder_open(bench->dir, NULL);
  mcpi_folder_walk(&found, folder, "a", mcp_allocator_default(), NULL);
  assert_true(mcpi_skill_matches(skill, &found));
  found.files[1].stamp.modified_ns++;
  assert_false(mcpi_skill_matches(skill, &found));
  found.files[1].stamp.modified_ns--;
  atomic_store(&skill->is_stale, 1);
  assert_false(mcpi_skill_matches(skill, &found));
  mcpi_walk_deinit(&found);
  close(folder);
  mcpi_skill_unref(skill);
}

BENCH_TEST(a_skill_that_is_not_valid_keeps_its_stamps) {
  skills_bench *bench = *state;
  mcpi_walk found;
  bench_write(bench, "a/SKILL.md", "no head");
  bench_write(bench, "a/zz", "1");
  mcpi_skill *skill = must_read(bench, "a");
  int folder = mcpi_folder_open(bench->dir, NULL);
  mcpi_folder_walk(&found, folder, "a", mcp_allocator_default(), NULL);
  assert_true(mcpi_skill_matches(skill, &found));
  mcpi_walk_deinit(&found);
  close(folder);
  mcpi_skill_unref(skill);
}

BENCH_TEST(a_link_is_named) {
  skills_bench *bench = *state;
  bench_skill(bench, "a");
  bench_link(bench, "/etc/passwd", "a/secrets");
  mcpi_skill *skill = must_read(bench, "a");
  assert_true(mcpi_skill_is_valid(skill));
  assert_int_equal(skill->count, 1);
  assert_string_equal(skill->other, "secrets");
  mcpi_skill_unref(skill);
}

TEST(a_faulty_skill_says_why) {
  mcp_error why = {.code = MCP_ERR_LIMIT, .message = "too much"};
  mcpi_skill *skill = mcpi_skill_faulty("a", &why, mcp_allocator_default());
  assert_string_equal(skill->fault, "too much");
  assert_int_equal(skill->fault_code, MCP_ERR_LIMIT);
  mcpi_skill_unref(skill);
  mcpi_skill_unref(NULL);
}

static int read_with(const mcp_allocator *allocator, void *userdata) {
  mcpi_skill *skill;
  int rc = read_skill(userdata, "a", &skill, allocator);
  if (rc == 0) {
    assert_null(skill->fault);
    mcpi_skill_unref(skill);
  }
  return rc;
}

static int read_faulty_with(const mcp_allocator *allocator, void *userdata) {
  mcpi_skill *skill;
  int rc = read_skill(userdata, "b", &skill, allocator);
  if (rc == 0) {
    assert_non_null(skill->fault);
    mcpi_skill_unref(skill);
  }
  return rc;
}

BENCH_TEST(a_lack_of_memory_is_an_error) {
  skills_bench *bench = *state;
  bench_skill(bench, "a");
  bench_write(bench, "a/b/c", "1");
  bench_link(bench, "c", "a/l");
  bench_write(bench, "b/SKILL.md", "no head");
  bench_write(bench, "b/z", "1");
  failing_alloc_rerun_least(10, read_with, bench);
  failing_alloc_rerun_least(5, read_faulty_with, bench);
}
