/* SPDX-License-Identifier: MIT */
/* The table of llhttp. This file may call llhttp and the C library alone: it is
 * a library of its own that knows none of our symbols. */
#include "http1/grammar.h"

const mcpi_http1_grammar *mcpi_http1_llhttp(void) {
  static const mcpi_http1_grammar table = {
      .head = {sizeof(table), MCP_VERSION_STRING},
      .init = llhttp_init,
      .execute = llhttp_execute,
      .resume = llhttp_resume,
      .should_keep_alive = llhttp_should_keep_alive,
      .method_name = llhttp_method_name};
  return &table;
}
