/* SPDX-License-Identifier: MIT */
/* A folder of its own for each test, which is removed at the end. */
#ifndef TESTS_UNIT_SKILLS_SKILLS_BENCH_H
#define TESTS_UNIT_SKILLS_SKILLS_BENCH_H

#include "support/cm.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct skills_bench {
  char dir[64];
} skills_bench;

static void bench_path(const skills_bench *bench, const char *path,
                       char out[400]) {
  snprintf(out, 400, "%s/%s", bench->dir, path);
}

/* Makes the folders of a path. */
static void bench_make_folders(char *path) {
  for (char *at = path + 1; (at = strchr(at, '/')) != NULL; at++) {
    *at = '\0';
    mkdir(path, 0700);
    *at = '/';
  }
}

/* Makes the folder of a path that ends with a slash. */
static inline void bench_make_folder(const skills_bench *bench,
                                     const char *path) {
  char whole[400];
  bench_path(bench, path, whole);
  bench_make_folders(whole);
}

static inline void bench_write(const skills_bench *bench, const char *path,
                               const char *text) {
  char whole[400];
  bench_path(bench, path, whole);
  bench_make_folders(whole);
  FILE *file = fopen(whole, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

/* Writes a file of zeros that takes no room on the disk. */
static inline void bench_write_sparse(const skills_bench *bench,
                                      const char *path, off_t size) {
  char whole[400];
  bench_write(bench, path, "");
  bench_path(bench, path, whole);
  assert_int_equal(truncate(whole, size), 0);
}

static inline void bench_link(const skills_bench *bench, const char *to,
                              const char *path) {
  char whole[400];
  bench_path(bench, path, whole);
  bench_make_folders(whole);
  assert_int_equal(symlink(to, whole), 0);
}

static inline void bench_remove(const skills_bench *bench, const char *path) {
  char whole[400];
  bench_path(bench, path, whole);
  assert_int_equal(remove(whole), 0);
}

/* Writes a SKILL.md with a head that is valid. */
static inline void bench_skill(const skills_bench *bench, const char *name) {
  char path[100];
  char text[200];
  snprintf(path, sizeof(path), "%s/SKILL.md", name);
  snprintf(text, sizeof(text), "---\nname: %s\ndescription: About %s\n---\n# T",
           name, name);
  bench_write(bench, path, text);
}

static inline int bench_set_up(void **state) {
  skills_bench *bench = calloc(1, sizeof(*bench));
  snprintf(bench->dir, sizeof(bench->dir), "/tmp/mcp-skills-XXXXXX");
  *state = bench;
  return mkdtemp(bench->dir) != NULL ? 0 : -1;
}

static inline int bench_tear_down(void **state) {
  skills_bench *bench = *state;
  char command[100];
  snprintf(command, sizeof(command), "rm -rf '%s'", bench->dir);
  int rc = system(command);
  free(bench);
  return rc;
}

#define BENCH_TEST(name) TEST_WITH(name, bench_set_up, bench_tear_down)

#endif
