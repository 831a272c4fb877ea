/* SPDX-License-Identifier: MIT */
#include "support/folder.h"

#include "support/cm.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/mcp-test-XXXXXX";

int folder_make(void **state) {
  strcpy(folder + strlen(folder) - 6, "XXXXXX");
  assert_non_null(mkdtemp(folder));
  return 0;
}

void folder_empty(void) {
  DIR *dir = opendir(folder);
  assert_non_null(dir);
  for (struct dirent *entry = readdir(dir); entry != NULL;
       entry = readdir(dir)) {
    remove(folder_path(entry->d_name));
  }
  closedir(dir);
}

int folder_remove(void **state) {
  folder_empty();
  return rmdir(folder);
}

const char *folder_path(const char *name) {
  static char paths[4][300];
  static unsigned next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof(paths[0]), "%s%s%s", folder, name[0] != '\0' ? "/" : "",
           name);
  return path;
}

void folder_write(const char *name, const char *text, unsigned mode) {
  FILE *file = fopen(folder_path(name), "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
  assert_int_equal(chmod(folder_path(name), (mode_t)mode), 0);
}
