/* SPDX-License-Identifier: MIT */
#include "platform/error.h"

#include <errno.h>
#include <stddef.h>
#include <uv.h>

/* A POSIX system has -errno in UV_*; Windows has numbers of libuv's own. */
static const struct {
  int code;
  int error;
} errors[] = {
    {UV_EACCES, EACCES},       {UV_EBADF, EBADF},
    {UV_EBUSY, EBUSY},         {UV_EEXIST, EEXIST},
    {UV_EINVAL, EINVAL},       {UV_EIO, EIO},
    {UV_EISDIR, EISDIR},       {UV_ELOOP, ELOOP},
    {UV_EMFILE, EMFILE},       {UV_ENAMETOOLONG, ENAMETOOLONG},
    {UV_ENOENT, ENOENT},       {UV_ENOMEM, ENOMEM},
    {UV_ENOSPC, ENOSPC},       {UV_ENOTDIR, ENOTDIR},
    {UV_ENOTEMPTY, ENOTEMPTY}, {UV_ENOTSUP, ENOTSUP},
    {UV_ENXIO, ENXIO},         {UV_EPERM, EPERM},
    {UV_EPIPE, EPIPE},         {UV_EROFS, EROFS},
    {UV_ETXTBSY, ETXTBSY},     {UV_EXDEV, EXDEV},
};

int ctl_error_take(int code) {
  if (code >= 0) {
    return code;
  }
  errno = -code;
  for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
    if (errors[i].code == code) {
      errno = errors[i].error;
    }
  }
  return -1;
}
