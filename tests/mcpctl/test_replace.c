/* SPDX-License-Identifier: MIT */
#include "common/file.h"
#include "common/replace.h"

#include "support/cm.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/test_replace.XXXXXX";
static char path[64];

static void make_folder(void) {
  strcpy(strrchr(folder, '.'), ".XXXXXX");
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof(path), "%s/a.json", folder);
}

/* Expects the folder to have that many files, and removes it. */
static void remove_folder(int files) {
  char name[512];
  int count = 0;
  DIR *dir = opendir(folder);
  assert_non_null(dir);
  for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
    if (entry->d_name[0] != '.') {
      snprintf(name, sizeof(name), "%s/%s", folder, entry->d_name);
      unlink(name);
      count++;
    }
  }
  closedir(dir);
  rmdir(folder);
  assert_int_equal(count, files);
}

static void expect_file(const char *text) {
  size_t len = 0;
  mcp_error err = {0};
  char *found = ctl_file_read(path, &len, &err);
  assert_non_null(found);
  assert_int_equal(len, strlen(text));
  assert_memory_equal(found, text, len);
  free(found);
}

static unsigned mode_of_file(void) {
  struct stat found;
  assert_int_equal(stat(path, &found), 0);
  return found.st_mode & 0777;
}

TEST(a_new_file_is_readable_for_others) {
  make_folder();
  mode_t mask = umask(027);
  assert_int_equal(ctl_replace_json(path, "{\"a\":1}", 0), 0);
  umask(mask);
  expect_file("{\n  \"a\": 1\n}\n");
  assert_int_equal(mode_of_file(), 0640);
  remove_folder(1);
}

TEST(an_old_file_stays_unless_it_may_go) {
  make_folder();
  assert_int_equal(ctl_replace_json(path, "1", CTL_REPLACE_PRIVATE), 0);
  assert_int_equal(mode_of_file(), 0600);
  assert_int_equal(ctl_replace_json(path, "2", 0), -1);
  assert_int_equal(errno, EEXIST);
  expect_file("1\n");
  assert_int_equal(ctl_replace_json(path, "2", CTL_REPLACE_OLD), 0);
  expect_file("2\n");
  remove_folder(1);
}

TEST(a_link_stays_one) {
  char other[64];
  struct stat found;
  make_folder();
  snprintf(other, sizeof(other), "%s/b.json", folder);
  assert_int_equal(ctl_replace_json(other, "1", 0), 0);
  assert_int_equal(symlink("b.json", path), 0);
  assert_int_equal(ctl_replace_json(path, "2", CTL_REPLACE_OLD), 0);
  assert_int_equal(lstat(path, &found), 0);
  assert_true(S_ISLNK(found.st_mode));
  expect_file("2\n");
  remove_folder(2);
}

TEST(a_folder_that_is_missing) {
  assert_int_equal(ctl_replace_json("/nonexistent/a.json", "1", 0), -1);
  assert_int_equal(errno, ENOENT);
}
