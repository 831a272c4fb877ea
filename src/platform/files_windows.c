/* SPDX-License-Identifier: MIT */
#include "platform/files.h"

#include "platform/errors.h"

#include <sys/stat.h>
#include <uv.h>

static int files_describe(uv_fs_t *request, int rc, mcpi_file_about *about) {
  if (rc == 0) {
    uint64_t mode = request->statbuf.st_mode;
    *about = (mcpi_file_about){.is_regular = (mode & S_IFMT) == S_IFREG,
                               .is_folder = (mode & S_IFMT) == S_IFDIR,
                               .is_mine = 1,
                               .mode = 0700};
  }
  uv_fs_req_cleanup(request);
  return rc == 0 ? 0 : mcpi_error_from_uv(rc);
}

int mcpi_file_look(int fd, mcpi_file_about *about) {
  uv_fs_t request;
  return files_describe(&request, uv_fs_fstat(NULL, &request, fd, NULL), about);
}

int mcpi_file_look_at(const char *path, mcpi_file_about *about) {
  uv_fs_t request;
  return files_describe(&request, uv_fs_stat(NULL, &request, path, NULL),
                        about);
}

void mcpi_file_sync_folder(const char *path) {
  (void)path;
}

void mcpi_utc(time_t time, struct tm *out) {
  gmtime_s(out, &time);
}
