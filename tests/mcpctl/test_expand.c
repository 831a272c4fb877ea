/* SPDX-License-Identifier: MIT */
#include "config/expand.h"
#include "config/hosts.h"

#include "support/cm.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const folder = "/home/ada/project";

static void expect(const char *text, unsigned references, const char *result) {
  const ctl_expand_rules rules = {references, folder};
  mcp_error err = {0};
  char *expanded = ctl_expand(text, &rules, &err);
  assert_non_null(expanded);
  assert_string_equal(expanded, result);
  free(expanded);
}

static void expect_error(const char *text, unsigned references, int code,
                         const char *part) {
  const ctl_expand_rules rules = {references, folder};
  mcp_error err = {0};
  assert_null(ctl_expand(text, &rules, &err));
  assert_int_equal(err.code, code);
  assert_non_null(strstr(err.message, part));
}

static int begin(void **state) {
  (void)state;
  setenv("HOME", "/home/ada", 1);
  setenv("TOKEN", "s3cret", 1);
  setenv("EMPTY", "", 1);
  unsetenv("MISSING");
  return 0;
}

TEST(a_text_without_references_stays) {
  expect("", CTL_REF_ALL, "");
  expect("npx -y server", CTL_REF_ALL, "npx -y server");
  expect("$TOKEN and $ and } and {TOKEN}", CTL_REF_ALL,
         "$TOKEN and $ and } and {TOKEN}");
  expect("${", CTL_REF_ALL, "${");
  expect("${TOKEN", CTL_REF_ALL, "${TOKEN");
  expect("${}", CTL_REF_ALL, "${}");
}

TEST(variables_of_a_shell_are_replaced) {
  expect("${TOKEN}", CTL_REF_SHELL, "s3cret");
  expect("Bearer ${TOKEN}!${TOKEN}", CTL_REF_SHELL, "Bearer s3cret!s3cret");
  expect("${MISSING:-there}", CTL_REF_SHELL, "there");
  expect("${MISSING:-}", CTL_REF_SHELL, "");
  expect("${EMPTY:-there}", CTL_REF_SHELL, "there");
  expect("${EMPTY}", CTL_REF_SHELL, "");
  expect("${TOKEN:-there}", CTL_REF_SHELL, "s3cret");
  expect("${MISSING:-https://a/b?c=d}/mcp", CTL_REF_SHELL,
         "https://a/b?c=d/mcp");
  expect_error("a ${MISSING} b", CTL_REF_SHELL, MCP_ERR_NOT_FOUND,
               "no variable MISSING");
}

TEST(a_value_is_not_expanded_again) {
  setenv("NESTED", "${TOKEN}", 1);
  expect("${NESTED}", CTL_REF_SHELL, "${TOKEN}");
  expect("${MISSING:-${TOKEN}}", CTL_REF_SHELL, "${TOKEN}");
}

TEST(each_host_replaces_only_its_own_references) {
  expect("${TOKEN} ${env:TOKEN}", CTL_REF_SHELL, "s3cret ${env:TOKEN}");
  expect("${TOKEN} ${env:TOKEN}", CTL_REF_ENV, "${TOKEN} s3cret");
  expect("${TOKEN} ${env:TOKEN} ${userHome}", 0,
         "${TOKEN} ${env:TOKEN} ${userHome}");
  expect("${command:x}", CTL_REF_ALL, "${command:x}");
  expect_error("${env:MISSING}", CTL_REF_ENV, MCP_ERR_NOT_FOUND,
               "no variable MISSING");
}

TEST(folders_are_replaced) {
  expect("${userHome}/.x", CTL_REF_FOLDERS, "/home/ada/.x");
  expect("${workspaceFolder}${/}server.js", CTL_REF_FOLDERS,
         "/home/ada/project/server.js");
  expect("${workspaceFolderBasename}${pathSeparator}", CTL_REF_FOLDERS,
         "project/");
}

TEST(a_file_gives_its_text) {
  char path[] = "/tmp/expand-XXXXXX";
  char text[64];
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  FILE *file = fdopen(fd, "w");
  fputs("from a file\n\r\n", file);
  fclose(file);
  snprintf(text, sizeof(text), "<${file:%s}>", path);
  expect(text, CTL_REF_FILE, "<from a file>");
  unlink(path);
  expect_error(text, CTL_REF_FILE, MCP_ERR_IO, path);
}

TEST(what_the_user_types_is_refused) {
  expect_error("${input:api-key}", CTL_REF_INPUT, MCP_ERR_NOT_FOUND,
               "${input:api-key} is a value that the user types");
}

int main(void) {
  return tests_run(begin, NULL);
}
