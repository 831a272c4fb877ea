/* SPDX-License-Identifier: MIT */
#include "schema/format.h"

int mcpi_format_find(mcpi_str name) {
  (void)name;
  return -1;
}

int mcpi_format_accepts(int format, mcpi_str text) {
  (void)format;
  (void)text;
  return 1;
}
