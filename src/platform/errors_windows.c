/* SPDX-License-Identifier: MIT */
#include "platform/errors.h"
#include "platform/winerror.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <uv.h>

/* Those that libuv's functions return for what this library does. */
static const struct {
  int uv;
  int error;
} pairs[] = {
    {UV_E2BIG, E2BIG},
    {UV_EACCES, EACCES},
    {UV_EADDRINUSE, EADDRINUSE},
    {UV_EADDRNOTAVAIL, EADDRNOTAVAIL},
    {UV_EAFNOSUPPORT, EAFNOSUPPORT},
    {UV_EAGAIN, EAGAIN},
    {UV_EALREADY, EALREADY},
    {UV_EBADF, EBADF},
    {UV_EBUSY, EBUSY},
    {UV_ECANCELED, ECANCELED},
    {UV_ECONNABORTED, ECONNABORTED},
    {UV_ECONNREFUSED, ECONNREFUSED},
    {UV_ECONNRESET, ECONNRESET},
    {UV_EEXIST, EEXIST},
    {UV_EFAULT, EFAULT},
    {UV_EHOSTUNREACH, EHOSTUNREACH},
    {UV_EINTR, EINTR},
    {UV_EINVAL, EINVAL},
    {UV_EIO, EIO},
    {UV_EISCONN, EISCONN},
    {UV_EISDIR, EISDIR},
    {UV_ELOOP, ELOOP},
    {UV_EMFILE, EMFILE},
    {UV_ENAMETOOLONG, ENAMETOOLONG},
    {UV_ENETDOWN, ENETDOWN},
    {UV_ENETUNREACH, ENETUNREACH},
    {UV_ENFILE, ENFILE},
    {UV_ENOBUFS, ENOBUFS},
    {UV_ENOENT, ENOENT},
    {UV_ENOMEM, ENOMEM},
    {UV_ENOSPC, ENOSPC},
    {UV_ENOSYS, ENOSYS},
    {UV_ENOTCONN, ENOTCONN},
    {UV_ENOTDIR, ENOTDIR},
    {UV_ENOTEMPTY, ENOTEMPTY},
    {UV_ENOTSOCK, ENOTSOCK},
    {UV_ENOTSUP, ENOTSUP},
    {UV_EPERM, EPERM},
    {UV_EPIPE, EPIPE},
    {UV_EROFS, EROFS},
    {UV_ESRCH, ESRCH},
    {UV_ETIMEDOUT, ETIMEDOUT},
    {UV_EXDEV, EXDEV},
};

enum { PAIR_COUNT = sizeof(pairs) / sizeof(pairs[0]) };

int mcpi_error_from_uv(int rc) {
  for (size_t i = 0; i < PAIR_COUNT; i++) {
    if (pairs[i].uv == rc) {
      return pairs[i].error;
    }
  }
  return EIO;
}

int mcpi_error_to_uv(int error) {
  for (size_t i = 0; i < PAIR_COUNT; i++) {
    if (pairs[i].error == error) {
      return pairs[i].uv;
    }
  }
  return error == EWOULDBLOCK ? UV_EAGAIN : UV_UNKNOWN;
}

const char *mcpi_error_name(int error) {
  int rc = mcpi_error_to_uv(error);
  return rc != UV_UNKNOWN ? uv_strerror(rc) : strerror(error);
}

int mcpi_errno_of(int error) {
  return mcpi_error_from_uv(uv_translate_sys_error(error));
}
