/* SPDX-License-Identifier: MIT */
#include "platform/errors.h"

#include <uv.h>

int mcpi_error_from_uv(int rc) {
  return -rc;
}

int mcpi_error_to_uv(int error) {
  return -error;
}

const char *mcpi_error_name(int error) {
  return uv_strerror(-error);
}
