/* SPDX-License-Identifier: MIT */
/* Files below a folder, where a run of mcpctl cannot show it. */
#include "platform/tree.h"

#include "support/cm.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct place {
  char dir[40];
} place;

static int set_up(void **state) {
  place *p = calloc(1, sizeof(*p));
  snprintf(p->dir, sizeof(p->dir), "/tmp/mcpctl-tree-XXXXXX");
  *state = p;
  return mkdtemp(p->dir) == NULL;
}

static int tear_down(void **state) {
  place *p = *state;
  char line[60];
  snprintf(line, sizeof(line), "rm -r %s", p->dir);
  int rc = system(line);
  free(p);
  return rc;
}

#define TREE_TEST(name) TEST_WITH(name, set_up, tear_down)

static const char *path_in(const place *p, const char *path) {
  static char whole[200];
  snprintf(whole, sizeof(whole), "%s/%s", p->dir, path);
  return whole;
}

static void expect_file(const place *p, const char *path, const char *text) {
  char found[20] = "";
  FILE *file = fopen(path_in(p, path), "r");
  assert_non_null(file);
  assert_int_equal(fread(found, 1, sizeof(found), file), strlen(text));
  assert_string_equal(found, text);
  fclose(file);
}

TREE_TEST(files_are_written_with_their_folders) {
  const place *p = *state;
  ctl_tree tree;
  struct stat about;
  assert_int_equal(ctl_tree_open(&tree, path_in(p, "new"), "a", 0), 0);
  assert_int_equal(ctl_tree_write(&tree, "f", "one", 3, 0666), 0);
  assert_int_equal(ctl_tree_write(&tree, "b/c/f", "two", 3, 0666), 0);
  assert_int_equal(ctl_tree_write(&tree, "b/c/g", NULL, 0, 0666), 0);
  ctl_tree_close(&tree);
  expect_file(p, "new/a/f", "one");
  expect_file(p, "new/a/b/c/f", "two");
  expect_file(p, "new/a/b/c/g", "");
  assert_int_equal(stat(path_in(p, "new/a/f"), &about), 0);
  assert_int_equal(about.st_mode & 0111, 0);
}

TREE_TEST(missing_folders_above_are_made) {
  const place *p = *state;
  ctl_tree tree;
  assert_int_equal(mkdir(path_in(p, "old"), 0700), 0);
  assert_int_equal(symlink("old", path_in(p, "link")), 0);
  assert_int_equal(ctl_tree_open(&tree, path_in(p, "link/b//c/"), "a", 0), 0);
  assert_int_equal(ctl_tree_write(&tree, "f", "one", 3, 0666), 0);
  ctl_tree_close(&tree);
  expect_file(p, "old/b/c/a/f", "one");
}

TREE_TEST(what_is_there_is_kept) {
  const place *p = *state;
  ctl_tree tree;
  assert_int_equal(ctl_tree_open(&tree, p->dir, "a", 0), 0);
  assert_int_equal(ctl_tree_write(&tree, "f", "one", 3, 0666), 0);
  assert_int_equal(ctl_tree_write(&tree, "f", "two", 3, 0666), -1);
  assert_int_equal(errno, EEXIST);
  ctl_tree_close(&tree);
  expect_file(p, "a/f", "one");
  assert_int_equal(ctl_tree_open(&tree, p->dir, "a", 0), -1);
  assert_int_equal(errno, EEXIST);
}

TREE_TEST(a_folder_is_not_replaced) {
  const place *p = *state;
  ctl_tree tree;
  assert_int_equal(ctl_tree_open(&tree, p->dir, "a", 1), 0);
  assert_int_equal(ctl_tree_write(&tree, "b/f", "one", 3, 0666), 0);
  assert_int_equal(ctl_tree_write(&tree, "b/f", "two", 3, 0666), 0);
  assert_int_equal(ctl_tree_write(&tree, "b", "x", 1, 0666), -1);
  assert_int_equal(ctl_tree_write(&tree, "b/f/g", "x", 1, 0666), -1);
  assert_int_equal(errno, ENOTDIR);
  ctl_tree_close(&tree);
  expect_file(p, "a/b/f", "two");
}

/* Somebody may put one there while mcpctl writes. */
TREE_TEST(links_are_not_followed) {
  const place *p = *state;
  ctl_tree tree;
  assert_int_equal(mkdir(path_in(p, "outside"), 0700), 0);
  assert_int_equal(ctl_tree_open(&tree, p->dir, "a", 1), 0);
  assert_int_equal(symlink("../outside", path_in(p, "a/b")), 0);
  assert_int_equal(symlink("../outside/f", path_in(p, "a/f")), 0);
  assert_int_equal(ctl_tree_write(&tree, "b/f", "x", 1, 0666), -1);
  assert_int_equal(ctl_tree_write(&tree, "f", "one", 3, 0666), 0);
  ctl_tree_close(&tree);
  expect_file(p, "a/f", "one");
  assert_int_equal(rmdir(path_in(p, "outside")), 0);
  assert_int_equal(symlink("a", path_in(p, "link")), 0);
  assert_int_equal(ctl_tree_open(&tree, p->dir, "link", 1), -1);
}

TREE_TEST(a_folder_that_cannot_be_made_is_an_error) {
  const place *p = *state;
  ctl_tree tree;
  FILE *file = fopen(path_in(p, "file"), "w");
  assert_non_null(file);
  fclose(file);
  assert_int_equal(ctl_tree_open(&tree, path_in(p, "file/b/c"), "a", 0), -1);
  assert_int_equal(errno, ENOTDIR);
  assert_int_equal(ctl_tree_open(&tree, path_in(p, "file"), "a", 0), -1);
  assert_int_equal(errno, ENOTDIR);
  assert_int_equal(ctl_tree_open(&tree, "", "a", 0), -1);
  assert_int_equal(errno, ENOENT);
}
