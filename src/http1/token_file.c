/* SPDX-License-Identifier: MIT */
/* The file of fixed tokens. */
#include "http1/token_file.h"

#include "base/error.h"
#include "base/widen.h"
#include "platform/errors.h"
#include "platform/files.h"

#include <errno.h>
#include <stddef.h>
#include <uv.h>

enum {
  /* There are at most 1024 tokens: this is room for long ones with comments. */
  MAX_BYTES = 1024 * 1024,
  PIECE = 4096
};

static int token_file_fail(const char *path, int error, mcp_error *err) {
  return mcp_error_set(err, MCP_ERR_IO, "token_file: \"%s\": %s", path,
                       mcpi_error_name(error));
}

/* A user who can read the file can use its tokens, and one who can write to it
 * can add some. */
static int token_file_check(int fd, const char *path, mcp_error *err) {
  mcpi_file_about about;
  int error = mcpi_file_look(fd, &about);
  if (error != 0) {
    return token_file_fail(path, error, err);
  }
  if (!about.is_regular) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "token_file: \"%s\" is not a regular file", path);
  }
  if (!about.is_mine && !about.is_roots) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "token_file: \"%s\" belongs to another user (%ld)",
                         path, about.owner);
  }
  if ((about.mode & 077) != 0) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "token_file: \"%s\" is open to other users (mode %o); "
                         "set its mode to 600",
                         path, about.mode);
  }
  return 0;
}

/* Appends the next bytes. Returns how many, 0 at the end, or an MCP_ERR_* with
 * err. */
static int token_file_take(mcpi_buf *text, int fd, const char *path,
                           mcp_error *err) {
  char *to = mcpi_buf_reserve(text, PIECE);
  if (to == NULL && text->error == MCP_ERR_LIMIT) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "token_file: \"%s\" is longer than %d bytes", path,
                         MAX_BYTES);
  }
  if (to == NULL) {
    return mcpi_no_memory(err);
  }
  ssize_t got = mcpi_file_read(fd, to, PIECE);
  if (got < 0) {
    return token_file_fail(path, errno, err);
  }
  mcpi_buf_commit(text, (size_t)got);
  return (int)got;
}

static int token_file_take_all(mcpi_buf *text, const char *path,
                               mcp_error *err) {
  int fd = mcpi_file_open(
      path, UV_FS_O_RDONLY | UV_FS_O_NOCTTY | UV_FS_O_NONBLOCK, 0);
  if (fd < 0) {
    return token_file_fail(path, -fd, err);
  }
  int rc = token_file_check(fd, path, err);
  if (rc == 0) {
    do {
      rc = token_file_take(text, fd, path, err);
    } while (rc > 0);
  }
  mcpi_file_close(fd);
  if (rc == 0 && text->len > 0 && memchr(text->data, '\0', text->len) != NULL) {
    rc = mcp_error_set(err, MCP_ERR_INVALID,
                       "token_file: \"%s\" has a NUL in it", path);
  }
  if (rc == 0 && text->len > MAX_BYTES) {
    rc = mcp_error_set(err, MCP_ERR_INVALID,
                       "token_file: \"%s\" is longer than %d bytes", path,
                       MAX_BYTES);
  }
  mcpi_buf_putc(text, '\0');
  return rc == 0 && text->error != 0 ? mcpi_no_memory(err) : rc;
}

static const mcp_protect_options *protect_of(const mcp_http_options *http) {
  return http != NULL && http->size > offsetof(mcp_http_options, protect)
             ? http->protect
             : NULL;
}

int mcpi_token_file_read(mcpi_token_file *file, const mcp_http_options **http,
                         const mcp_allocator *allocator, mcp_error *err) {
  const mcp_protect_options *given = protect_of(*http);
  mcpi_buf_init_secret(&file->text, allocator, MAX_BYTES + PIECE);
  if (given == NULL) {
    return 0;
  }
  mcp_protect_options *protect = &file->protect;
  int rc =
      mcpi_widen(protect, sizeof(*protect), given, "mcp_protect_options", err);
  if (rc != 0 || protect->token_file == NULL) {
    return rc;
  }
  if (protect->tokens != NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "token_file: \"%s\": tokens is set too; put all of "
                         "them in the file",
                         protect->token_file);
  }
  rc = mcpi_widen(&file->http, sizeof(file->http), *http, "mcp_http_options",
                  err);
  if (rc == 0) {
    rc = token_file_take_all(&file->text, protect->token_file, err);
  }
  if (rc == 0) {
    protect->tokens = file->text.data;
    protect->token_file = NULL;
    file->http.protect = protect;
    *http = &file->http;
  }
  return rc;
}

void mcpi_token_file_deinit(mcpi_token_file *file) {
  mcpi_buf_deinit(&file->text);
}
