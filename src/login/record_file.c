/* SPDX-License-Identifier: MIT */
#include "login/record_file.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

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
    if (mkdir(part, 0700) != 0 && errno != EEXIST && errno != EISDIR) {
      return record_error(err, errno, "make the folder", part);
    }
  }
  return 0;
}

int mcpi_record_folder(const char *path, mcp_error *err) {
  struct stat found;
  int rc = make_folders(path, err);
  if (rc != 0) {
    return rc;
  }
  if (stat(path, &found) != 0) {
    return record_error(err, errno, "use the folder", path);
  }
  if (!S_ISDIR(found.st_mode)) {
    return record_error(err, ENOTDIR, "use the folder", path);
  }
  if (found.st_uid != geteuid()) {
    return mcp_error_set(err, MCP_ERR_IO,
                         "the folder %s belongs to another user: name another "
                         "folder for tokens",
                         path);
  }
  if ((found.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
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
  struct stat found;
  if (fstat(fd, &found) != 0) {
    return record_error(err, errno, "read", path);
  }
  if (!S_ISREG(found.st_mode)) {
    return mcp_error_set(err, MCP_ERR_IO, "%s is not a file", path);
  }
  if (found.st_uid != geteuid()) {
    return mcp_error_set(err, MCP_ERR_IO, "%s belongs to another user", path);
  }
  if ((found.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
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
    ssize_t got = read(fd, to, 4096);
    if (got < 0 && errno == EINTR) {
      continue;
    }
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
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0 && errno == ENOENT) {
    return MCP_ERR_NOT_FOUND;
  }
  if (fd < 0) {
    return record_error(err, errno, "read", path);
  }
  int rc = record_check(fd, path, err);
  if (rc == 0) {
    rc = record_read_all(fd, path, out, err);
  }
  close(fd);
  return rc;
}

/* Returns 0 or an errno value. */
static int write_all(int fd, const char *bytes, size_t len) {
  while (len > 0) {
    ssize_t done = write(fd, bytes, len);
    if (done < 0 && errno != EINTR) {
      return errno;
    }
    if (done > 0) {
      bytes += done;
      len -= (size_t)done;
    }
  }
  return fsync(fd) == 0 ? 0 : errno;
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
  int fd = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
  if (fd >= 0) {
    fsync(fd);
    close(fd);
  }
}

int mcpi_record_write(const char *path, const char *scratch, const char *bytes,
                      size_t len, mcp_error *err) {
  unlink(scratch); /* a process may have died while it wrote */
  int fd =
      open(scratch, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) {
    return record_error(err, errno, "make", scratch);
  }
  int error = write_all(fd, bytes, len);
  if (close(fd) != 0 && error == 0) {
    error = errno;
  }
  if (error == 0 && rename(scratch, path) != 0) {
    error = errno;
  }
  if (error != 0) {
    unlink(scratch);
    return record_error(err, error, "write", path);
  }
  sync_folder_of(path);
  return 0;
}

int mcpi_record_remove(const char *path, mcp_error *err) {
  if (unlink(path) != 0 && errno != ENOENT) {
    return record_error(err, errno, "remove", path);
  }
  sync_folder_of(path);
  return 0;
}
