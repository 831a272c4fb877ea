/* SPDX-License-Identifier: MIT */
#include "tls/openssl/openssl.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <openssl/bio.h>
#include <windows.h>

enum { PATH_SIZE = 4096 };

static int open_file(const char *path) {
  wchar_t wide[PATH_SIZE];
  if (MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, PATH_SIZE) <= 0) {
    errno = ENOENT;
    return -1;
  }
  return _wopen(wide, _O_RDONLY | _O_BINARY | _O_NOINHERIT);
}

int mcpi_openssl_check_file(const char *path) {
  int fd = open_file(path);
  if (fd < 0) {
    return errno;
  }
  _close(fd);
  return 0;
}

BIO *mcpi_openssl_open(const char *path) {
  int fd = open_file(path);
  BIO *bio = fd >= 0 ? BIO_new_fd(fd, BIO_CLOSE) : NULL;
  if (bio == NULL && fd >= 0) {
    _close(fd);
  }
  return bio;
}
