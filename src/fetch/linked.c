/* SPDX-License-Identifier: MIT */
/* libcurl's part is linked into this library. */
#include "fetch/fetch.h"

const mcpi_fetch_engine *mcpi_fetch_engine_get(mcp_error *err) {
  (void)err;
  return mcpi_fetch_curl();
}

int mcpi_fetch_is_built(void) {
  return 1;
}
