/* SPDX-License-Identifier: MIT */
/* llhttp's part is in this library. */
#include "http1/grammar.h"

const mcpi_http1_grammar *mcpi_http1_grammar_get(mcp_error *err) {
  (void)err;
  return mcpi_http1_llhttp();
}
