/* SPDX-License-Identifier: MIT */
/* libuv's functions without a loop: they wait, and know UTF-8 on Windows. */
#include "platform/files.h"
#include "platform/error.h"
#include "platform/paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <uv.h>

/* Ends a request. Returns its result, or -1 with errno. */
static int finish(uv_fs_t *request) {
  int result = ctl_error_take((int)request->result);
  int error = errno;
  uv_fs_req_cleanup(request);
  errno = error;
  return result;
}

/* ---- paths ------------------------------------------------------------- */

static ctl_path_kind kind_of(uint64_t mode) {
  switch (mode & S_IFMT) {
  case S_IFREG:
    return CTL_PATH_FILE;
  case S_IFDIR:
    return CTL_PATH_FOLDER;
  case S_IFLNK:
    return CTL_PATH_LINK;
  default:
    return CTL_PATH_OTHER;
  }
}

ctl_path_kind ctl_path_is(const char *path) {
  uv_fs_t request;
  ctl_path_kind kind = CTL_PATH_NOTHING;
  if (uv_fs_stat(NULL, &request, path, NULL) == 0) {
    kind = kind_of(request.statbuf.st_mode);
  }
  uv_fs_req_cleanup(&request);
  return kind;
}

int ctl_path_look(const char *path, ctl_path_state *state) {
  uv_fs_t request;
  uv_fs_lstat(NULL, &request, path, NULL);
  const uint64_t mode = request.statbuf.st_mode;
  *state = (ctl_path_state){.kind = kind_of(mode),
                            .len = request.statbuf.st_size,
                            .is_executable = (mode & 0100) != 0};
  return finish(&request);
}

static int may_access(const char *path, int mode) {
  uv_fs_t request;
  uv_fs_access(NULL, &request, path, mode, NULL);
  return finish(&request) == 0;
}

int ctl_path_is_there(const char *path) {
  return may_access(path, 0);
}

int ctl_path_can_be_read(const char *path) {
  enum { READ = 4 }; /* R_OK, which Windows lacks */
  return may_access(path, READ);
}

int ctl_path_can_be_run(const char *path) {
  enum { RUN = 1 }; /* X_OK */
  return may_access(path, RUN);
}

char *ctl_path_real(const char *path) {
  uv_fs_t request;
  char *real = NULL;
  int rc = uv_fs_realpath(NULL, &request, path, NULL);
  if (ctl_error_take(rc) == 0) {
    real = strdup(request.ptr);
  }
  int error = errno;
  uv_fs_req_cleanup(&request);
  errno = error;
  return real != NULL ? ctl_path_with_slashes(real) : NULL;
}

/* ---- folders ----------------------------------------------------------- */

char *ctl_folder_current(void) {
  char none[1];
  size_t size = sizeof(none);
  /* The first call says how long it is. */
  int rc = uv_cwd(none, &size);
  char *path = rc == UV_ENOBUFS ? malloc(size) : NULL;
  if (path == NULL || ctl_error_take(uv_cwd(path, &size)) != 0) {
    free(path);
    return NULL;
  }
  return ctl_path_with_slashes(path);
}

int ctl_folder_make(const char *path, int mode) {
  uv_fs_t request;
  uv_fs_mkdir(NULL, &request, path, mode, NULL);
  return finish(&request);
}

/* Makes the folder that ends at each slash of the path, which it restores. */
static int make_each(char *path, int mode) {
  int rc = 0;
  for (char *at = path + ctl_path_root_len(path); rc == 0 && *at != '\0';
       at++) {
    if (at > path && ctl_path_is_separator(*at)) {
      char separator = *at;
      *at = '\0';
      rc = ctl_folder_make(path, mode) == 0 || errno == EEXIST ? 0 : -1;
      *at = separator;
    }
  }
  return rc;
}

int ctl_folder_make_above(const char *path, int mode) {
  char *copy = strdup(path);
  if (copy == NULL) {
    return -1;
  }
  int rc = make_each(copy, mode);
  int error = errno;
  free(copy);
  errno = error;
  return rc;
}

char *ctl_folder_temporary(void) {
  char path[4096];
  size_t size = sizeof(path);
  return ctl_error_take(uv_os_tmpdir(path, &size)) == 0 ? ctl_path_real(path)
                                                        : NULL;
}

int ctl_folder_create_draft(char *path) {
  uv_fs_t request;
  int rc = ctl_error_take(uv_fs_mkdtemp(NULL, &request, path, NULL));
  if (rc == 0) {
    memcpy(path, request.path, strlen(path));
  }
  int error = errno;
  uv_fs_req_cleanup(&request);
  errno = error;
  return rc;
}

int ctl_folder_list(const char *path,
                    int (*each)(void *userdata, const char *name),
                    void *userdata) {
  uv_fs_t request;
  uv_dirent_t entry;
  int rc = ctl_error_take(uv_fs_scandir(NULL, &request, path, 0, NULL));
  rc = rc < 0 ? -1 : 0;
  while (rc == 0 && uv_fs_scandir_next(&request, &entry) == 0) {
    rc = each(userdata, entry.name);
  }
  int error = errno;
  uv_fs_req_cleanup(&request);
  errno = error;
  return rc;
}

/* ---- files ------------------------------------------------------------- */

static int file_open(const char *path, int flags, int mode) {
  uv_fs_t request;
  uv_fs_open(NULL, &request, path, flags, mode, NULL);
  return finish(&request);
}

static int set_mode(int fd, int mode) {
  uv_fs_t request;
  uv_fs_fchmod(NULL, &request, fd, mode, NULL);
  return finish(&request);
}

static int file_truncate(int fd) {
  uv_fs_t request;
  uv_fs_ftruncate(NULL, &request, fd, 0, NULL);
  return finish(&request);
}

/* A file that was there may be readable for others, and have an old text. A
 * device stays as it is. */
static int make_private(int fd) {
  uv_fs_t request;
  int rc = ctl_error_take(uv_fs_fstat(NULL, &request, fd, NULL));
  int is_file = rc == 0 && (request.statbuf.st_mode & S_IFMT) == S_IFREG;
  uv_fs_req_cleanup(&request);
  if (is_file) {
    rc = set_mode(fd, 0600);
    rc = rc == 0 ? file_truncate(fd) : rc;
  }
  return rc;
}

int ctl_file_create_private(const char *path, ctl_file_old old) {
  int flags = UV_FS_O_WRONLY | UV_FS_O_CREAT | UV_FS_O_NOCTTY;
  int fd = file_open(
      path, flags | (old == CTL_FILE_OLD_FAILS ? UV_FS_O_EXCL : 0), 0600);
  if (fd < 0 || make_private(fd) == 0) {
    return fd;
  }
  int error = errno;
  ctl_file_close(fd);
  errno = error;
  return -1;
}

int ctl_file_create_draft(char *path) {
  uv_fs_t request;
  int fd = ctl_error_take(uv_fs_mkstemp(NULL, &request, path, NULL));
  int error = errno;
  if (fd >= 0) {
    memcpy(path, request.path, strlen(path));
  }
  uv_fs_req_cleanup(&request);
  errno = error;
  return fd;
}

int ctl_file_open_to_others(int fd) {
  int mask = (int)umask(0);
  umask((mode_t)mask);
  return set_mode(fd, 0666 & ~mask);
}

int ctl_file_write(int fd, const void *bytes, size_t len) {
  const char *at = bytes;
  while (len > 0) {
    uv_fs_t request;
    unsigned part = len < 1u << 30 ? (unsigned)len : 1u << 30;
    uv_buf_t buffer = uv_buf_init((char *)at, part);
    uv_fs_write(NULL, &request, fd, &buffer, 1, -1, NULL);
    int written = finish(&request);
    if (written < 0 && errno != EINTR) {
      return -1;
    }
    if (written > 0) {
      at += written;
      len -= (size_t)written;
    }
  }
  return 0;
}

int ctl_file_close(int fd) {
  uv_fs_t request;
  uv_fs_close(NULL, &request, fd, NULL);
  return finish(&request);
}

int ctl_file_remove(const char *path) {
  uv_fs_t request;
  uv_fs_unlink(NULL, &request, path, NULL);
  return finish(&request);
}

int ctl_file_rename(const char *from, const char *to) {
  uv_fs_t request;
  uv_fs_rename(NULL, &request, from, to, NULL);
  return finish(&request);
}

/* A second name for the file cannot replace another one. Where the file system
 * has no second names, this looks first. */
int ctl_file_rename_new(const char *from, const char *to) {
  uv_fs_t request;
  uv_fs_link(NULL, &request, from, to, NULL);
  if (finish(&request) == 0) {
    return ctl_file_remove(from);
  }
  if (errno == EEXIST || ctl_path_is_there(to)) {
    errno = EEXIST;
    return -1;
  }
  return ctl_file_rename(from, to);
}

/* ---- streams ----------------------------------------------------------- */

static FILE *stream_of(int fd, const char *mode) {
  FILE *stream = fd >= 0 ? fdopen(fd, mode) : NULL;
  if (stream == NULL && fd >= 0) {
    int error = errno;
    ctl_file_close(fd);
    errno = error;
  }
  return stream;
}

FILE *ctl_stream_to_read(const char *path) {
  return stream_of(file_open(path, UV_FS_O_RDONLY, 0), "rb");
}

FILE *ctl_stream_to_write(const char *path) {
  return stream_of(
      file_open(path, UV_FS_O_WRONLY | UV_FS_O_CREAT | UV_FS_O_TRUNC, 0666),
      "wb");
}

FILE *ctl_stream_of(int fd) {
  return stream_of(fd, "wb");
}
