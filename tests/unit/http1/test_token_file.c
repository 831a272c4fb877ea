/* SPDX-License-Identifier: MIT */
/* The file of fixed tokens: who may own it, and what an endpoint gets. */
#include "http1/token_file.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[] = "/tmp/mcp-tokens-XXXXXX";
static mcp_protect_options protect;
static mcp_http_options options;
static mcpi_token_file file;

static int begin(void **state) {
  strcpy(path, "/tmp/mcp-tokens-XXXXXX");
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  close(fd);
  protect = (mcp_protect_options)MCP_PROTECT_OPTIONS_INIT;
  options = (mcp_http_options)MCP_HTTP_OPTIONS_INIT;
  protect.token_file = path;
  options.protect = &protect;
  options.path = "/x";
  return 0;
}

static int end(void **state) {
  unlink(path);
  return 0;
}

#define FILE_TEST(name) TEST_WITH(name, begin, end)

static void write_file(const char *bytes, size_t len) {
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  assert_int_equal(fwrite(bytes, 1, len, out), len);
  fclose(out);
}

static int read_file(const mcp_http_options **http, mcp_error *err) {
  *http = &options;
  return mcpi_token_file_read(&file, http, mcp_allocator_default(), err);
}

static void refuses(int code, const char *why) {
  const mcp_http_options *http;
  mcp_error err;
  assert_int_equal(read_file(&http, &err), code);
  assert_int_equal(err.code, code);
  assert_non_null(strstr(err.message, why));
  assert_ptr_equal(http, &options);
  mcpi_token_file_deinit(&file);
}

FILE_TEST(an_endpoint_gets_the_text) {
  const mcp_http_options *http;
  write_file("0123456789abcdef anna\n", 22);
  assert_int_equal(read_file(&http, NULL), 0);
  assert_ptr_not_equal(http, &options);
  assert_string_equal(http->path, "/x");
  assert_null(http->protect->token_file);
  assert_string_equal(http->protect->tokens, "0123456789abcdef anna\n");
  mcpi_token_file_deinit(&file);
  assert_string_equal(protect.token_file, path);
}

FILE_TEST(options_without_a_file_stay) {
  const mcp_http_options *http;
  protect.token_file = NULL;
  assert_int_equal(read_file(&http, NULL), 0);
  assert_ptr_equal(http, &options);
  mcpi_token_file_deinit(&file);
  options.protect = NULL;
  assert_int_equal(read_file(&http, NULL), 0);
  assert_ptr_equal(http, &options);
  mcpi_token_file_deinit(&file);
  options.size = offsetof(mcp_http_options, protect);
  options.protect = &protect; /* behind the end of an older structure */
  assert_int_equal(read_file(&http, NULL), 0);
  assert_ptr_equal(http, &options);
  mcpi_token_file_deinit(&file);
  http = NULL;
  assert_int_equal(
      mcpi_token_file_read(&file, &http, mcp_allocator_default(), NULL), 0);
  assert_null(http);
  mcpi_token_file_deinit(&file);
}

FILE_TEST(other_users_must_not_have_it) {
  static const mode_t modes[] = {0640, 0604, 0620, 0602, 0610, 0601};
  const mcp_http_options *http;
  for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
    char mode[32];
    chmod(path, modes[i]);
    snprintf(mode, sizeof(mode), "(mode %o); set its mode to 600",
             (unsigned)modes[i]);
    refuses(MCP_ERR_INVALID, mode);
  }
  chmod(path, 0400);
  assert_int_equal(read_file(&http, NULL), 0);
  mcpi_token_file_deinit(&file);
}

FILE_TEST(a_file_that_is_not_there_is_named) {
  protect.token_file = "/nowhere/tokens";
  refuses(MCP_ERR_IO, "token_file: \"/nowhere/tokens\": no such file");
  protect.token_file = "/dev/null/x";
  refuses(MCP_ERR_IO, "token_file: \"/dev/null/x\": ");
}

FILE_TEST(a_folder_is_not_a_file) {
  unlink(path);
  assert_int_equal(mkdir(path, 0700), 0);
  refuses(MCP_ERR_INVALID, "is not a regular file");
  rmdir(path);
}

FILE_TEST(there_is_one_place_for_tokens) {
  protect.tokens = "0123456789abcdef";
  refuses(MCP_ERR_INVALID, "tokens is set too");
}

FILE_TEST(a_file_has_a_limit) {
  const size_t most = 1024 * 1024;
  const mcp_http_options *http;
  char *bytes = malloc(most + 8192);
  memset(bytes, '\n', most + 8192);
  write_file(bytes, most);
  assert_int_equal(read_file(&http, NULL), 0);
  assert_int_equal(strlen(http->protect->tokens), most);
  mcpi_token_file_deinit(&file);
  write_file(bytes, most + 1);
  refuses(MCP_ERR_INVALID, "is longer than 1048576 bytes");
  free(bytes);
}

FILE_TEST(a_nul_is_refused) {
  write_file("a\0b", 3);
  refuses(MCP_ERR_INVALID, "has a NUL in it");
}

FILE_TEST(members_of_newer_headers_are_refused) {
  struct {
    mcp_protect_options known;
    int more;
  } newer = {.known = protect, .more = 1};
  newer.known.size = sizeof(newer);
  options.protect = &newer.known;
  refuses(MCP_ERR_UNSUPPORTED, "mcp_protect_options");
}

static int scenario(const mcp_allocator *allocator, void *userdata) {
  const mcp_http_options *http = &options;
  int rc = mcpi_token_file_read(&file, &http, allocator, NULL);
  mcpi_token_file_deinit(&file);
  return rc;
}

FILE_TEST(a_lack_of_memory_is_reported) {
  write_file("0123456789abcdef anna\n", 22);
  failing_alloc_rerun_least(1, scenario, NULL);
}

FILE_TEST(a_pipe_is_refused_and_not_waited_for) {
  unlink(path);
  assert_int_equal(mkfifo(path, 0600), 0);
  refuses(MCP_ERR_INVALID, "is not a regular file");
}

/* Only root can give a file away. */
FILE_TEST(a_file_of_another_user_is_refused) {
  write_file("0123456789abcdef anna\n", 22);
  if (chown(path, 12345, (gid_t)-1) != 0) {
    skip();
  }
  refuses(MCP_ERR_INVALID, "belongs to another user (12345)");
}
