/* SPDX-License-Identifier: MIT */
/* The engine for regular expressions. It belongs to the process, because
 * schemas are compiled before there is a loop, a server or a thread; libmcp
 * sets it when it is loaded. It is the only such global in core. */
#include "schema/regex.h"

#include <mcp/error.h>
#include <stdatomic.h>
#include <stddef.h>

static _Atomic(const mcp_regex_engine *) engine;

int mcp_regex_provide(const mcp_regex_engine *provided) {
  /* An older program's table ends with `memory`. */
  if (provided == NULL || provided->size < offsetof(mcp_regex_engine, memory) +
                                               sizeof(provided->memory)) {
    return MCP_ERR_INVALID;
  }
  atomic_store_explicit(&engine, provided, memory_order_release);
  return 0;
}

const mcp_regex_engine *mcpi_regex_engine(void) {
  return atomic_load_explicit(&engine, memory_order_acquire);
}
