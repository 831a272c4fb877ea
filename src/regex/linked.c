/* SPDX-License-Identifier: MIT */
/* PCRE2's part is in this library. */
#include "regex/regex.h"

const mcpi_pcre2 *mcpi_pcre2_get(mcp_error *err) {
  (void)err;
  return mcpi_pcre2_table();
}
