/* SPDX-License-Identifier: MIT */
#include "login/record_file.h"

#include "base/error.h"
#include "platform/files.h"

#include <errno.h>
#include <stdio.h>
#include <uv.h>

static int record_error(mcp_error *err, int error, const char *what,
                        const char *path) {
  mcp_error_set(err, MCP_ERR_IO, "cannot %s %s: %s", what, path,
                strerror(error));
  if (err != NULL) {
    err->status = error;
  }
  return MCP_ERR_IO;
}

/* --- the folder ----------------------------------------------------------- */

static int is_folder(const char *path) {
  mcpi_file_about about;
  return mcpi_file_look_at(path, &about) == 0 && about.is_folder;
}

/* Makes each folder of the path that does not exist. */
static int make_folders(const char *path, mcp_error *err) {
  char part[4096];
  size_t len = strlen(path);
  if (len >= sizeof(part)) {
    return record_error(err, ENAMETOOLONG, "make", path);
  }
  for (size_t i = 1; i <= len; i++) {
    if (path[i] != '/' && path[i] != '\0') {
      continue;
    }
    memcpy(part, path, i);
    part[i] = '\0';
    int error = mcpi_file_make_folder(part, 0700);
    if (error != 0 && error != EEXIST && error != EISDIR &&
        !is_folder(part)) { /* Windows refuses to make the root of a disk */
      return record_error(err, error, "make the folder", part);
    }
  }
  return 0;
}

int mcpi_record_folder(const char *path, mcp_error *err) {
  mcpi_file_about found;
  int rc = make_folders(path, err);
  if (rc != 0) {
    return rc;
  }
  int error = mcpi_file_look_at(path, &found);
  if (error != 0) {
    return record_error(err, error, "use the folder", path);
  }
  if (!found.is_folder) {
    return record_error(err, ENOTDIR, "use the folder", path);
  }
  if (!found.is_mine) {
    return mcp_error_set(err, MCP_ERR_IO,
                         "the folder %s belongs to another user: name another "
                         "folder for tokens",
                         path);
  }
  if ((found.mode & 022) != 0) {
    return mcp_error_set(err, MCP_ERR_IO,
                         "other users may write to the folder %s: run chmod "
                         "700 on it",
                         path);
  }
  return 0;
}

/* --- files ---------------------------------------------------------------- */

/* Returns 0 or MCP_ERR_IO with err. */
static int record_check(int fd, const char *path, mcp_error *err) {
  mcpi_file_about found;
  int error = mcpi_file_look(fd, &found);
  if (error != 0) {
    return record_error(err, error, "read", path);
  }
  if (!found.is_regular) {
    return mcp_error_set(err, MCP_ERR_IO, "%s is not a file", path);
  }
  if (!found.is_mine) {
    return mcp_error_set(err, MCP_ERR_IO, "%s belongs to another user", path);
  }
  if ((found.mode & 077) != 0) {
    return mcp_error_set(err, MCP_ERR_IO,
                         "other users may use %s, which has tokens: run chmod "
                         "600 on it, or remove it and log in again",
                         path);
  }
  return 0;
}

static int record_read_all(int fd, const char *path, mcpi_buf *out,
                           mcp_error *err) {
  size_t begin = out->len;
  for (;;) {
    char *to = mcpi_buf_reserve(out, 4096);
    if (to == NULL) {
      return mcpi_no_memory(err);
    }
    ssize_t got = mcpi_file_read(fd, to, 4096);
    if (got < 0) {
      return record_error(err, errno, "read", path);
    }
    if (got == 0) {
      return 0;
    }
    mcpi_buf_commit(out, (size_t)got);
    if (out->len - begin > MCPI_RECORD_MAX) {
      return mcp_error_set(err, MCP_ERR_IO, "%s is longer than %d bytes", path,
                           MCPI_RECORD_MAX);
    }
  }
}

int mcpi_record_read(const char *path, mcpi_buf *out, mcp_error *err) {
  int fd = mcpi_file_open(
      path, UV_FS_O_RDONLY | UV_FS_O_NOFOLLOW | UV_FS_O_NONBLOCK, 0);
  if (fd == -ENOENT) {
    return MCP_ERR_NOT_FOUND;
  }
  if (fd < 0) {
    return record_error(err, -fd, "read", path);
  }
  int rc = record_check(fd, path, err);
  if (rc == 0) {
    rc = record_read_all(fd, path, out, err);
  }
  mcpi_file_close(fd);
  return rc;
}

/* So that the new name survives a loss of power. */
static void sync_folder_of(const char *path) {
  char folder[4096];
  const char *end = strrchr(path, '/');
  size_t len = end != NULL ? (size_t)(end - path) : 0;
  if (len == 0 || len >= sizeof(folder)) {
    return;
  }
  memcpy(folder, path, len);
  folder[len] = '\0';
  mcpi_file_sync_folder(folder);
}

int mcpi_record_write(const char *path, const char *scratch, const char *bytes,
                      size_t len, mcp_error *err) {
  mcpi_file_remove(scratch); /* a process may have died while it wrote */
  int fd = mcpi_file_open(
      scratch, UV_FS_O_WRONLY | UV_FS_O_CREAT | UV_FS_O_EXCL | UV_FS_O_NOFOLLOW,
      0600);
  if (fd < 0) {
    return record_error(err, -fd, "make", scratch);
  }
  int error = mcpi_file_write_all(fd, bytes, len);
  int closed = mcpi_file_close(fd);
  if (error == 0) {
    error = closed;
  }
  if (error == 0) {
    error = mcpi_file_rename(scratch, path);
  }
  if (error != 0) {
    mcpi_file_remove(scratch);
    return record_error(err, error, "write", path);
  }
  sync_folder_of(path);
  return 0;
}

int mcpi_record_remove(const char *path, mcp_error *err) {
  int error = mcpi_file_remove(path);
  if (error != 0 && error != ENOENT) {
    return record_error(err, error, "remove", path);
  }
  sync_folder_of(path);
  return 0;
}
