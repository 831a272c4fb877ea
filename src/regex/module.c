/* SPDX-License-Identifier: MIT */
/* PCRE2's part is a library of its own. */
#include "regex/regex.h"

#include <stdatomic.h>

const mcpi_pcre2 *mcpi_pcre2_get(mcp_error *err) {
  static _Atomic(const mcpi_pcre2 *) found;
  const mcpi_pcre2 *pcre2 = atomic_load_explicit(&found, memory_order_acquire);
  if (pcre2 == NULL) {
    pcre2 = (const mcpi_pcre2 *)mcpi_module_open(
        MCPI_MODULE_FILE("regex"), "mcpi_pcre2_table", sizeof(*pcre2), err);
    atomic_store_explicit(&found, pcre2, memory_order_release);
  }
  return pcre2;
}
