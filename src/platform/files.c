/* SPDX-License-Identifier: MIT */
/* What libuv does alike on each system. */
#include "platform/files.h"

#include "platform/errors.h"

#include <errno.h>
#include <limits.h>
#include <uv.h>

/* Returns what the request has returned: a count, or a negative errno value. */
static int64_t files_end(uv_fs_t *request, int rc) {
  int64_t result = rc < 0 ? -mcpi_error_from_uv(rc) : request->result;
  uv_fs_req_cleanup(request);
  return result;
}

/* Returns 0 or an errno value. */
static int files_error(uv_fs_t *request, int rc) {
  int64_t result = files_end(request, rc);
  return result < 0 ? (int)-result : 0;
}

int mcpi_file_open(const char *path, int flags, int mode) {
  uv_fs_t request;
  return (int)files_end(&request,
                        uv_fs_open(NULL, &request, path, flags, mode, NULL));
}

/* libuv repeats an interrupted write, but not a read. */
ssize_t mcpi_file_read(int fd, void *to, size_t size) {
  uv_fs_t request;
  uv_buf_t buf = uv_buf_init(to, size < INT_MAX ? (unsigned)size : INT_MAX);
  int64_t got;
  do {
    got =
        files_end(&request, uv_fs_read(NULL, &request, fd, &buf, 1, -1, NULL));
  } while (got == -EINTR);
  if (got < 0) {
    errno = (int)-got;
    return -1;
  }
  return (ssize_t)got;
}

int mcpi_file_write_all(int fd, const char *bytes, size_t len) {
  uv_fs_t request;
  while (len > 0) {
    uv_buf_t buf = uv_buf_init((char *)(uintptr_t)bytes,
                               len < INT_MAX ? (unsigned)len : INT_MAX);
    int64_t done =
        files_end(&request, uv_fs_write(NULL, &request, fd, &buf, 1, -1, NULL));
    if (done < 0) {
      return (int)-done;
    }
    bytes += done;
    len -= (size_t)done;
  }
  return files_error(&request, uv_fs_fsync(NULL, &request, fd, NULL));
}

int mcpi_file_close(int fd) {
  uv_fs_t request;
  return files_error(&request, uv_fs_close(NULL, &request, fd, NULL));
}

int mcpi_file_rename(const char *from, const char *to) {
  uv_fs_t request;
  return files_error(&request, uv_fs_rename(NULL, &request, from, to, NULL));
}

int mcpi_file_remove(const char *path) {
  uv_fs_t request;
  return files_error(&request, uv_fs_unlink(NULL, &request, path, NULL));
}

int mcpi_file_make_folder(const char *path, int mode) {
  uv_fs_t request;
  return files_error(&request, uv_fs_mkdir(NULL, &request, path, mode, NULL));
}
