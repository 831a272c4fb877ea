/* SPDX-License-Identifier: MIT */
/* llhttp's part is a library of its own. */
#include "http1/grammar.h"

#include <stdatomic.h>

const mcpi_http1_grammar *mcpi_http1_grammar_get(mcp_error *err) {
  static _Atomic(const mcpi_http1_grammar *) found;
  const mcpi_http1_grammar *grammar =
      atomic_load_explicit(&found, memory_order_acquire);
  if (grammar == NULL) {
    grammar = (const mcpi_http1_grammar *)mcpi_module_open(
        MCPI_MODULE_FILE("http1"), "mcpi_http1_llhttp", sizeof(*grammar), err);
    atomic_store_explicit(&found, grammar, memory_order_release);
  }
  return grammar;
}
