/* SPDX-License-Identifier: MIT */
/* The workbench's folder, where a run of the program cannot show it. */
#include "../../examples/workbench-server/files.h"

#include "support/cm.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 50 };

static void make_files(const char *where) {
  char path[100];
  for (int i = 0; i < FILES; i++) {
    snprintf(path, sizeof(path), "%s/%d", where, i);
    FILE *made = fopen(path, "w");
    assert_non_null(made);
    fclose(made);
  }
}

static int stop_after(void *userdata) {
  int *left = userdata;
  return (*left)-- == 0;
}

TEST(a_list_is_given_up_between_entries) {
  char path[] = "/tmp/mcp-test-files-XXXXXX";
  char inner[40];
  folder root = {.fd = -1};
  listing list;
  int left = 20;
  assert_non_null(mkdtemp(path));
  snprintf(inner, sizeof(inner), "%s/inner", path);
  assert_int_equal(mkdir(inner, 0700), 0);
  make_files(path);
  make_files(inner);
  assert_int_equal(folder_open(&root, path), 0);

  assert_int_equal(listing_load(&list, &root, "", stop_after, &left),
                   -ECANCELED);
  assert_int_equal(left, -1); /* not asked again, in any folder */
  assert_int_equal(list.count, 0);
  assert_int_equal(listing_load(&list, &root, "", NULL, NULL), 0);
  assert_int_equal(list.count, 2 * FILES + 1);
  listing_free(&list);

  folder_close(&root);
  snprintf(inner, sizeof(inner), "rm -r %s", path);
  assert_int_equal(system(inner), 0);
}
