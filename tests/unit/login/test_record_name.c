/* SPDX-License-Identifier: MIT */
#include "login/record_name.h"

#include "support/cm.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static mcp_loop *loop;

static int set_up(void **state) {
  loop = mcp_loop_new(NULL, NULL);
  return loop == NULL;
}

static int tear_down(void **state) {
  mcp_loop_free(loop);
  return 0;
}

#define NAME_TEST(name) TEST_WITH(name, set_up, tear_down)

NAME_TEST(a_name_shows_the_server) {
  char name[MCPI_RECORD_NAME_SIZE];
  assert_int_equal(
      mcpi_record_name(loop, "https://example.com:81/mcp", name, NULL), 0);
  assert_string_equal(name, "example.com-81-mcp-"
                            "d2fe53f7a2d81907ac442ea59180d76f"
                            "1f90ce2d3acfad8d9f864b172e747ad4");
}

NAME_TEST(a_long_name_is_cut_and_differs_by_its_hash) {
  char a[MCPI_RECORD_NAME_SIZE];
  char b[MCPI_RECORD_NAME_SIZE];
  char key[200] = "https://";
  memset(key + 8, 'x', 150);
  assert_int_equal(mcpi_record_name(loop, key, a, NULL), 0);
  key[150] = 'y';
  assert_int_equal(mcpi_record_name(loop, key, b, NULL), 0);
  assert_int_equal(strlen(a), MCPI_RECORD_NAME_SIZE - 1);
  assert_memory_equal(a, b, MCPI_RECORD_SHOWN_LEN + 1);
  assert_string_not_equal(a, b);
}

NAME_TEST(a_name_is_neither_hidden_nor_a_path) {
  char name[MCPI_RECORD_NAME_SIZE];
  static const char *const keys[] = {"https://../../etc", ".x", "", "://"};
  for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
    assert_int_equal(mcpi_record_name(loop, keys[i], name, NULL), 0);
    assert_int_not_equal(name[0], '.');
    assert_null(strchr(name, '/'));
  }
}

NAME_TEST(a_path_has_three_parts) {
  char *path = mcpi_record_path(&loop->allocator, "/a", "b", ".c");
  assert_string_equal(path, "/a/b.c");
  mcpi_strfree(&loop->allocator, path);
}

static void check_folder(const char *wanted) {
  mcp_error err;
  char *found = mcpi_record_default_folder(&loop->allocator, &err);
  assert_string_equal(found, wanted);
  mcpi_strfree(&loop->allocator, found);
}

NAME_TEST(the_default_folder_is_in_the_users_state) {
  setenv("HOME", "/home/a", 1);
  unsetenv("XDG_STATE_HOME");
  check_folder("/home/a/.local/state/mcp/auth");
  setenv("XDG_STATE_HOME", "relative", 1);
  check_folder("/home/a/.local/state/mcp/auth");
  setenv("XDG_STATE_HOME", "/state", 1);
  check_folder("/state/mcp/auth");
}
