/* SPDX-License-Identifier: MIT */
#include "platform/files.h"

#include "support/cm.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct place {
  char folder[40];
  char path[80];
} place;

static int set_up(void **state) {
  place *p = calloc(1, sizeof(*p));
  snprintf(p->folder, sizeof(p->folder), "/tmp/mcpctl-files-XXXXXX");
  *state = p;
  return mkdtemp(p->folder) == NULL;
}

static int tear_down(void **state) {
  place *p = *state;
  char line[60];
  snprintf(line, sizeof(line), "rm -r %s", p->folder);
  int rc = system(line);
  free(p);
  return rc;
}

#define FILES_TEST(name) TEST_WITH(name, set_up, tear_down)

static const char *path_in(place *p, const char *name) {
  snprintf(p->path, sizeof(p->path), "%s/%s", p->folder, name);
  return p->path;
}

static void write_text(const char *path, const char *text) {
  FILE *out = ctl_stream_to_write(path);
  assert_non_null(out);
  fputs(text, out);
  assert_int_equal(fclose(out), 0);
}

static void expect_text(const char *path, const char *expected) {
  char text[64] = "";
  FILE *in = ctl_stream_to_read(path);
  assert_non_null(in);
  text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
  fclose(in);
  assert_string_equal(text, expected);
}

static mode_t mode_of(const char *path) {
  struct stat about;
  assert_int_equal(stat(path, &about), 0);
  return about.st_mode & 0777;
}

FILES_TEST(a_kind_is_that_of_what_a_link_leads_to) {
  place *p = *state;
  write_text(path_in(p, "file"), "text");
  assert_int_equal(symlink("file", path_in(p, "link")), 0);
  assert_int_equal(symlink("nowhere", path_in(p, "lost")), 0);
  assert_int_equal(ctl_path_is(p->folder), CTL_PATH_FOLDER);
  assert_int_equal(ctl_path_is(path_in(p, "file")), CTL_PATH_FILE);
  assert_int_equal(ctl_path_is(path_in(p, "link")), CTL_PATH_FILE);
  assert_int_equal(ctl_path_is(path_in(p, "lost")), CTL_PATH_NOTHING);
  assert_int_equal(ctl_path_is("/dev/null"), CTL_PATH_OTHER);
  assert_true(ctl_path_is_there(path_in(p, "link")));
  assert_false(ctl_path_is_there(path_in(p, "lost")));
  assert_false(ctl_path_can_be_read(path_in(p, "none")));
  assert_int_equal(errno, ENOENT);
}

FILES_TEST(errors_are_those_of_errno) {
  place *p = *state;
  write_text(path_in(p, "file"), "text");
  assert_null(ctl_stream_to_read(path_in(p, "none")));
  assert_int_equal(errno, ENOENT);
  assert_null(ctl_stream_to_write(p->folder));
  assert_int_equal(errno, EISDIR);
  assert_int_equal(ctl_folder_make(path_in(p, "file"), 0777), -1);
  assert_int_equal(errno, EEXIST);
  assert_int_equal(ctl_folder_make_above(path_in(p, "file/a/b"), 0777), -1);
  assert_int_equal(errno, ENOTDIR);
  assert_null(ctl_path_real(path_in(p, "none")));
  assert_int_equal(errno, ENOENT);
  assert_int_equal(ctl_file_close(-1), -1);
  assert_int_equal(errno, EBADF);
}

FILES_TEST(a_private_file_loses_its_text_and_its_readers) {
  place *p = *state;
  const char *path = path_in(p, "file");
  write_text(path, "an old text");
  assert_int_equal(chmod(path, 0644), 0);
  assert_int_equal(ctl_file_create_private(path, CTL_FILE_OLD_FAILS), -1);
  assert_int_equal(errno, EEXIST);
  expect_text(path, "an old text");
  int fd = ctl_file_create_private(path, CTL_FILE_OLD_EMPTIED);
  assert_true(fd >= 0);
  assert_int_equal(ctl_file_write(fd, "new", 3), 0);
  assert_int_equal(ctl_file_close(fd), 0);
  expect_text(path, "new");
  assert_int_equal(mode_of(path), 0600);
}

FILES_TEST(a_device_stays_as_it_is) {
  mode_t mode = mode_of("/dev/null");
  (void)state;
  int fd = ctl_file_create_private("/dev/null", CTL_FILE_OLD_EMPTIED);
  assert_true(fd >= 0);
  assert_int_equal(ctl_file_close(fd), 0);
  assert_int_equal(mode_of("/dev/null"), mode);
}

FILES_TEST(a_draft_gets_a_name_of_its_own) {
  place *p = *state;
  char draft[60];
  snprintf(draft, sizeof(draft), "%s/draft.XXXXXX", p->folder);
  int fd = ctl_file_create_draft(draft);
  assert_true(fd >= 0);
  assert_null(strstr(draft, "XXXXXX"));
  assert_int_equal(mode_of(draft), 0600);
  mode_t mask = umask(022);
  assert_int_equal(ctl_file_open_to_others(fd), 0);
  umask(mask);
  assert_int_equal(mode_of(draft), 0644);
  assert_int_equal(ctl_file_close(fd), 0);
}

FILES_TEST(a_new_name_replaces_no_file) {
  place *p = *state;
  char from[60];
  char to[60];
  snprintf(from, sizeof(from), "%s/from", p->folder);
  snprintf(to, sizeof(to), "%s/to", p->folder);
  write_text(from, "one");
  write_text(to, "two");
  assert_int_equal(ctl_file_rename_new(from, to), -1);
  assert_int_equal(errno, EEXIST);
  expect_text(to, "two");
  assert_int_equal(ctl_file_rename(from, to), 0);
  expect_text(to, "one");
  assert_int_equal(ctl_file_rename_new(to, from), 0);
  expect_text(from, "one");
  assert_false(ctl_path_is_there(to));
  assert_int_equal(ctl_file_remove(from), 0);
}

/* As a server could leave the folder of its bundle. */
FILES_TEST(a_folder_is_removed_with_all_that_is_in_it) {
  place *p = *state;
  char folder[60];
  snprintf(folder, sizeof(folder), "%s/folder", p->folder);
  assert_int_equal(ctl_folder_make(folder, 0700), 0);
  assert_int_equal(ctl_folder_make(path_in(p, "folder/a"), 0700), 0);
  assert_int_equal(ctl_folder_make(path_in(p, "folder/a/b"), 0700), 0);
  write_text(path_in(p, "folder/a/b/file"), "text");
  assert_int_equal(mkfifo(path_in(p, "folder/a/pipe"), 0600), 0);
  assert_int_equal(chmod(path_in(p, "folder/a/b"), 0), 0);
  assert_int_equal(chmod(path_in(p, "folder/a"), 0500), 0);
  assert_int_equal(ctl_folder_remove(folder), 0);
  assert_false(ctl_path_is_there(folder));
  assert_int_equal(ctl_folder_remove(folder), -1);
  assert_int_equal(errno, ENOENT);
}

FILES_TEST(what_links_lead_to_stays) {
  place *p = *state;
  char folder[60];
  snprintf(folder, sizeof(folder), "%s/folder", p->folder);
  assert_int_equal(ctl_folder_make(path_in(p, "kept"), 0750), 0);
  write_text(path_in(p, "kept/file"), "text");
  assert_int_equal(ctl_folder_make(folder, 0700), 0);
  assert_int_equal(symlink("../kept", path_in(p, "folder/link")), 0);
  assert_int_equal(ctl_folder_remove(folder), 0);
  expect_text(path_in(p, "kept/file"), "text");
  assert_int_equal(symlink("kept", folder), 0); /* in its own place */
  assert_int_equal(ctl_folder_remove(folder), 0);
  assert_false(ctl_path_is_there(folder));
  expect_text(path_in(p, "kept/file"), "text");
  assert_int_equal(mode_of(path_in(p, "kept")), 0750);
}

FILES_TEST(the_current_folder_has_a_path) {
  place *p = *state;
  char *before = ctl_folder_current();
  assert_non_null(before);
  assert_int_equal(chdir(p->folder), 0);
  char *folder = ctl_folder_current();
  assert_non_null(folder);
  assert_string_equal(strrchr(folder, '/'), strrchr(p->folder, '/'));
  assert_int_equal(chdir(before), 0);
  free(folder);
  free(before);
}

int main(void) {
  return tests_run(NULL, NULL);
}
