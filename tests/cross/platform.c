/* SPDX-License-Identifier: MIT */
/* The room platform of mcpctl on Windows, where a run of mcpctl cannot show it.
 * The first argument is an empty folder. Prints each check that fails. */
#include "platform/clock.h"
#include "platform/environment.h"
#include "platform/files.h"
#include "platform/memory.h"
#include "platform/paths.h"
#include "platform/start.h"
#include "platform/system.h"
#include "platform/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define CHECK(condition) check(condition, #condition, __LINE__)

static void check(int is_right, const char *what, int line) {
  if (!is_right) {
    fprintf(stderr, "platform.c:%d: %s (errno %d)\n", line, what, errno);
    failures++;
  }
}

static const char *folder;

/* A path in the folder, in one of a few buffers. */
static const char *in(const char *name) {
  static char paths[4][512];
  static int at;
  char *path = paths[at++ % 4];
  snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
  return path;
}

static int has_text(const char *path, const char *expected) {
  char text[64] = "";
  FILE *file = ctl_stream_to_read(path);
  if (file == NULL) {
    return 0;
  }
  text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
  fclose(file);
  return strcmp(text, expected) == 0;
}

static void write_text(const char *path, const char *text) {
  FILE *file = ctl_stream_to_write(path);
  CHECK(file != NULL);
  if (file != NULL) {
    fputs(text, file);
    CHECK(fclose(file) == 0);
  }
}

static void check_files(void) {
  char draft[512];
  write_text(in("grün 中.txt"), "a\nb\r\n");
  CHECK(has_text(in("grün 中.txt"), "a\nb\r\n"));
  CHECK(ctl_path_is(in("grün 中.txt")) == CTL_PATH_FILE);
  CHECK(ctl_path_is(folder) == CTL_PATH_FOLDER);
  CHECK(ctl_path_is(in("none")) == CTL_PATH_NOTHING);
  CHECK(!ctl_path_can_be_read(in("none")) && errno == ENOENT);
  CHECK(ctl_stream_to_read(in("none")) == NULL && errno == ENOENT);
  CHECK(ctl_stream_to_write(folder) == NULL);
  CHECK(ctl_file_create_private(in("grün 中.txt"), CTL_FILE_OLD_FAILS) == -1 &&
        errno == EEXIST);
  int fd = ctl_file_create_private(in("grün 中.txt"), CTL_FILE_OLD_EMPTIED);
  CHECK(fd >= 0 && ctl_file_write(fd, "x\n", 2) == 0);
  CHECK(ctl_file_close(fd) == 0);
  CHECK(has_text(in("grün 中.txt"), "x\n"));
  snprintf(draft, sizeof(draft), "%s", in("draft.XXXXXX"));
  fd = ctl_file_create_draft(draft);
  CHECK(fd >= 0 && strstr(draft, "XXXXXX") == NULL);
  FILE *stream = ctl_stream_of(fd);
  CHECK(stream != NULL && ctl_file_open_to_others(fd) == 0);
  fputs("new", stream);
  CHECK(fclose(stream) == 0);
  CHECK(ctl_file_rename_new(draft, in("grün 中.txt")) == -1 && errno == EEXIST);
  CHECK(ctl_file_rename(draft, in("grün 中.txt")) == 0);
  CHECK(has_text(in("grün 中.txt"), "new"));
  CHECK(ctl_file_rename_new(in("grün 中.txt"), in("other")) == 0);
  CHECK(ctl_file_remove(in("other")) == 0 && !ctl_path_is_there(in("other")));
}

static void check_folders(void) {
  CHECK(ctl_folder_make_above(in("a\\b/c\\d.txt"), 0700) == 0);
  CHECK(ctl_path_is(in("a/b/c")) == CTL_PATH_FOLDER);
  CHECK(ctl_path_is(in("a/b/c/d.txt")) == CTL_PATH_NOTHING);
  CHECK(ctl_folder_make(in("a"), 0700) == -1 && errno == EEXIST);
  char *real = ctl_path_real(in("a\\.\\b\\..\\b"));
  CHECK(real != NULL && strchr(real, '\\') == NULL);
  CHECK(real != NULL && strcmp(real + strlen(real) - 4, "/a/b") == 0);
  CHECK(real != NULL && ctl_path_root_len(real) == 3);
  free(real);
  CHECK(ctl_path_real(in("none")) == NULL && errno == ENOENT);
  char *current = ctl_folder_current();
  CHECK(current != NULL && ctl_path_root_len(current) == 3);
  free(current);
}

static void check_tree(void) {
  ctl_tree tree;
  CHECK(ctl_tree_open(&tree, in("trees/new"), "skill", 0) == 0);
  CHECK(ctl_tree_write(&tree, "SKILL.md", "one\n", 4, 0666) == 0);
  CHECK(ctl_tree_write(&tree, "b/c/g.txt", "two", 3, 0666) == 0);
  CHECK(ctl_tree_write(&tree, "SKILL.md", "x", 1, 0666) == -1 &&
        errno == EEXIST);
  static const char *const refused[] = {"NUL",   "b/aux.txt", "a:b",
                                        "..\\x", "b\\c",      "end.",
                                        "CON/x", "x/LPT1",    "C:/x"};
  for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
    CHECK(ctl_tree_write(&tree, refused[i], "x", 1, 0666) == -1 &&
          errno == EINVAL);
  }
  ctl_tree_close(&tree);
  CHECK(has_text(in("trees/new/skill/SKILL.md"), "one\n"));
  CHECK(has_text(in("trees/new/skill/b/c/g.txt"), "two"));
  CHECK(ctl_tree_open(&tree, in("trees/new"), "skill", 0) == -1 &&
        errno == EEXIST);
  CHECK(ctl_tree_open(&tree, in("trees/new"), "skill", 1) == 0);
  CHECK(ctl_tree_write(&tree, "SKILL.md", "three", 5, 0666) == 0);
  CHECK(ctl_tree_write(&tree, "SKILL.md/x", "x", 1, 0666) == -1 &&
        errno == ENOTDIR);
  ctl_tree_close(&tree);
  CHECK(has_text(in("trees/new/skill/SKILL.md"), "three"));
  CHECK(ctl_tree_open(&tree, in("trees"), "NUL", 1) == -1 && errno == EINVAL);
}

static void check_memory(void) {
  char *text = NULL;
  size_t len = 0;
  FILE *out = ctl_memory_open(&text, &len);
  CHECK(out != NULL);
  for (int i = 0; out != NULL && i < 100000; i++) {
    fputs("line\n", out);
  }
  CHECK(ctl_memory_close(out, &text, &len) == 0);
  CHECK(len == 500000 && text != NULL && text[len] == '\0');
  CHECK(text != NULL && memchr(text, '\r', len) == NULL);
  free(text);
  out = ctl_memory_open(&text, &len);
  CHECK(ctl_memory_close(out, &text, &len) == 0 && len == 0);
  CHECK(text != NULL && text[0] == '\0');
  free(text);
}

static void check_environment(void) {
  CHECK(ctl_system() == CTL_SYSTEM_WINDOWS);
  CHECK(ctl_env("MCPCTL_NONE") == NULL);
  ctl_env_set("MCPCTL_X", "grün 中");
  const char *value = ctl_env("MCPCTL_X");
  CHECK(value != NULL && strcmp(value, "grün 中") == 0);
  CHECK(ctl_env("MCPCTL_X") == value);
  CHECK(ctl_env_home() != NULL && ctl_path_root_len(ctl_env_home()) == 3);
}

static void check_clock(void) {
  struct tm parts;
  time_t at = 784111777;
  CHECK(ctl_time_utc(at, &parts) == &parts);
  CHECK(parts.tm_year == 94 && parts.tm_hour == 8 && parts.tm_sec == 37);
  CHECK(ctl_time_of_utc(&parts) == at);
  CHECK(ctl_time_local(at, &parts) == &parts);
  int64_t before = ctl_now_ns();
  ctl_sleep_ms(10);
  CHECK(ctl_now_ns() > before);
}

int main(int argc, char **argv) {
  if (ctl_start(&argc, &argv) != 0 || argc != 2) {
    return 2;
  }
  folder = argv[1];
  check_files();
  check_folders();
  check_tree();
  check_memory();
  check_environment();
  check_clock();
  return failures > 0;
}
