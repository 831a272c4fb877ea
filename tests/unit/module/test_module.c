/* SPDX-License-Identifier: MIT */
#include "module/module.h"

#include "support/cm.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TEST(a_missing_library_is_named) {
  mcp_error err;
  assert_null(mcpi_module_open("libmcp-none.so", "table", 16, &err));
  assert_int_equal(err.code, MCP_ERR_PLATFORM);
  assert_non_null(strstr(err.message, "cannot load libmcp-none.so: "));
  assert_null(mcpi_module_open("libmcp-none.so", "table", 16, NULL));
}

TEST(a_library_without_the_function_is_refused) {
  mcp_error err;
  assert_null(mcpi_module_open("libc.so.6", "mcpi_none", 16, &err));
  assert_int_equal(err.code, MCP_ERR_PLATFORM);
  assert_string_equal(err.message,
                      "cannot use libc.so.6: it does not belong to "
                      "libmcp " MCP_VERSION_STRING);
}

/* A library that it needs may be missing, or it is damaged. */
TEST(a_library_that_is_there_says_why_it_cannot_be_loaded) {
  mcp_error err;
  char path[PATH_MAX + 40];
  ssize_t len = readlink("/proc/self/exe", path, PATH_MAX);
  assert_true(len > 0);
  path[len] = '\0';
  strcpy(strrchr(path, '/'), "/../lib/mcp");
  mkdir(path, 0755); /* a build without modules has no such folder */
  strcat(path, "/libmcp-damaged.so");
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("damaged", file);
  fclose(file);
  assert_null(mcpi_module_open("libmcp-damaged.so", "table", 16, &err));
  unlink(path);
  assert_non_null(strstr(err.message, "cannot load libmcp-damaged.so: "));
  assert_null(strstr(err.message, "No such file"));
}
