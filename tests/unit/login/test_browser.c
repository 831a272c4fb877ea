/* SPDX-License-Identifier: MIT */
#include "login/browser.h"

#include "support/cm.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static mcp_loop *loop;
static mcpi_login_host *host;
static char folder[] = "/tmp/mcp-test-browser-XXXXXX";
static char marker[64];

static int set_up(void **state) {
  strcpy(folder + strlen(folder) - 6, "XXXXXX");
  loop = mcp_loop_new(NULL, NULL);
  host = mcpi_login_host_new(loop, NULL);
  snprintf(marker, sizeof(marker), "%s/page", mkdtemp(folder));
  return loop == NULL || host == NULL;
}

static int tear_down(void **state) {
  char opener[80];
  mcpi_login_host_table.release(host);
  mcp_loop_free(loop);
  snprintf(opener, sizeof(opener), "%s/xdg-open", folder);
  unlink(opener);
  unlink(marker);
  rmdir(folder);
  return 0;
}

#define BROWSER_TEST(name) TEST_WITH(name, set_up, tear_down)

/* Puts a program that writes its arguments into a file in front of all others,
 * or only that folder into the path. */
static void install_opener(int exists) {
  char opener[80];
  snprintf(opener, sizeof(opener), "%s/xdg-open", folder);
  if (exists) {
    FILE *file = fopen(opener, "w");
    fprintf(file,
            "#!/bin/sh\nprintf '%%s|%%s' \"$#\" \"$1\" >%s.new\n"
            "/bin/mv %s.new %s\n",
            marker, marker, marker);
    fclose(file);
    chmod(opener, 0700);
  }
  setenv("PATH", folder, 1);
}

static const char *read_marker(void) {
  static char text[300];
  for (int i = 0; i < 1000 && access(marker, R_OK) != 0; i++) {
    mcp_loop_wait(loop, 10);
  }
  FILE *file = fopen(marker, "r");
  assert_non_null(file);
  text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
  fclose(file);
  return text;
}

BROWSER_TEST(the_opener_gets_the_url_as_one_argument) {
  mcp_error err;
  install_opener(1);
  assert_int_equal(mcpi_browser_open(
                       host, "https://a.example/?x=$(touch y)&z='\"; ls", &err),
                   0);
  assert_string_equal(read_marker(),
                      "1|https://a.example/?x=$(touch y)&z='\"; ls");
}

BROWSER_TEST(only_web_pages_are_opened) {
  static const char *const urls[] = {"javascript:alert(1)",
                                     "file:///etc/passwd",
                                     "-h",
                                     "ftp://a",
                                     "HTTP//x",
                                     ""};
  mcp_error err;
  install_opener(1);
  for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
    assert_int_equal(mcpi_browser_open(host, urls[i], &err), MCP_ERR_INVALID);
  }
  assert_true(mcpi_list_is_empty(&host->browsers));
}

BROWSER_TEST(a_missing_opener_is_an_error) {
  mcp_error err;
  install_opener(0);
  assert_int_equal(mcpi_browser_open(host, "https://a.example/", &err),
                   MCP_ERR_IO);
  assert_non_null(strstr(err.message, "xdg-open"));
  assert_non_null(strstr(err.message, "open_browser"));
}

BROWSER_TEST(a_browser_that_has_ended_is_forgotten) {
  mcp_error err;
  install_opener(1);
  assert_int_equal(mcpi_browser_open(host, "http://127.0.0.1/", &err), 0);
  read_marker();
  for (int i = 0; i < 1000 && !mcpi_list_is_empty(&host->browsers); i++) {
    mcp_loop_wait(loop, 10);
  }
  assert_true(mcpi_list_is_empty(&host->browsers));
}
