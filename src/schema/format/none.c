/* SPDX-License-Identifier: MIT */
/* This libmcp was built without the formats of strings. */
#include "schema/format.h"

const mcpi_keyword_group mcpi_keyword_of_formats = {0, "MCP_SCHEMA_FORMATS"};

int mcpi_format_find(mcpi_str name) {
  (void)name;
  return -1;
}

int mcpi_format_accepts(int format, mcpi_str text) {
  (void)format;
  (void)text;
  return 0;
}
