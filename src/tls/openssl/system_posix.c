/* SPDX-License-Identifier: MIT */
#include "tls/openssl/openssl.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/bio.h>
#include <unistd.h>

int mcpi_openssl_check_file(const char *path) {
  return access(path, R_OK) == 0 ? 0 : errno;
}

BIO *mcpi_openssl_open(const char *path) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  BIO *bio = fd >= 0 ? BIO_new_fd(fd, BIO_CLOSE) : NULL;
  if (bio == NULL && fd >= 0) {
    close(fd);
  }
  return bio;
}
