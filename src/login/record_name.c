/* SPDX-License-Identifier: MIT */
#include "login/record_name.h"

#include "base/error.h"

#include <stdio.h>
#include <uv.h>

/* --- names ---------------------------------------------------------------- */

static int is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.';
}

/* Characters that are not plain become "-". The name does not begin with a dot,
 * which would hide the file. Returns the length. */
static size_t put_shown(const char *key, char name[MCPI_RECORD_NAME_SIZE]) {
  const char *shown = strstr(key, "://");
  shown = shown != NULL ? shown + 3 : key;
  size_t len = 0;
  for (; len < MCPI_RECORD_SHOWN_LEN && shown[len] != '\0'; len++) {
    int is_hidden = len == 0 && shown[0] == '.';
    name[len] = '-';
    if (is_plain(shown[len]) && !is_hidden) {
      name[len] = shown[len];
    }
  }
  return len;
}

int mcpi_record_name(const mcp_loop *loop, const char *key,
                     char name[MCPI_RECORD_NAME_SIZE], mcp_error *err) {
  const mcp_platform *platform = &loop->platform;
  uint8_t hash[MCP_SHA256_SIZE];
  int rc = platform->crypto->sha256(platform->userdata, key, strlen(key), hash);
  if (rc != 0) {
    return mcp_error_set(err, rc, "a store of files needs SHA-256: %s",
                         mcp_error_text(rc));
  }
  size_t len = put_shown(key, name);
  name[len++] = '-';
  for (size_t i = 0; i < sizeof(hash); i++) {
    snprintf(name + len + 2 * i, 3, "%02x", hash[i]);
  }
  return 0;
}

char *mcpi_record_path(const mcp_allocator *allocator, const char *folder,
                       const char *name, const char *suffix) {
  mcpi_buf path;
  mcpi_buf_init(&path, allocator, SIZE_MAX);
  mcpi_buf_puts(&path, mcpi_str_z(folder));
  mcpi_buf_putc(&path, '/');
  mcpi_buf_puts(&path, mcpi_str_z(name));
  mcpi_buf_puts(&path, mcpi_str_z(suffix));
  return mcpi_buf_take_string(&path);
}

/* --- the default folder --------------------------------------------------- */

/* Appends the value of a variable of the environment that is an absolute path.
 * Returns 0; or -1: it is not set to one. */
static int put_variable(mcpi_buf *path, const char *name) {
  char value[4096];
  size_t size = sizeof(value);
  if (uv_os_getenv(name, value, &size) != 0 || value[0] != '/') {
    return -1;
  }
  mcpi_buf_put(path, value, size);
  return 0;
}

char *mcpi_record_default_folder(const mcp_allocator *allocator,
                                 mcp_error *err) {
  mcpi_buf path;
  mcpi_buf_init(&path, allocator, SIZE_MAX);
  if (put_variable(&path, "XDG_STATE_HOME") != 0) {
    char home[4096];
    size_t size = sizeof(home);
    if (uv_os_homedir(home, &size) != 0) {
      mcp_error_set(err, MCP_ERR_IO,
                    "there is no home folder for tokens: name a folder");
      mcpi_buf_deinit(&path);
      return NULL;
    }
    mcpi_buf_put(&path, home, size);
    mcpi_buf_lit(&path, "/.local/state");
  }
  mcpi_buf_lit(&path, "/mcp/auth");
  char *folder = mcpi_buf_take_string(&path);
  if (folder == NULL) {
    mcpi_no_memory(err);
  }
  return folder;
}
