/* SPDX-License-Identifier: MIT */
/* llhttp, which parses HTTP/1.1. It is behind a table of functions, because a
 * program that serves no HTTP need not load it: llhttp/ fills the table, and
 * the build chooses which file of this folder finds it:
 *
 *   module.c  llhttp/ is a library of its own, opened when it is first needed
 *   linked.c  llhttp/ is in the same library
 *   none.c    there is no HTTP server (MCP_HTTP=OFF) */
#ifndef MCPI_HTTP1_GRAMMAR_H
#define MCPI_HTTP1_GRAMMAR_H

#include "module/module.h"
#include <llhttp.h>

/* Functions of llhttp, by their names. */
typedef struct mcpi_http1_grammar {
  mcpi_module_head head;
  void (*init)(llhttp_t *parser, llhttp_type_t type,
               const llhttp_settings_t *settings);
  llhttp_errno_t (*execute)(llhttp_t *parser, const char *bytes, size_t len);
  void (*resume)(llhttp_t *parser);
  int (*should_keep_alive)(const llhttp_t *parser);
  const char *(*method_name)(llhttp_method_t method);
} mcpi_http1_grammar;

/* Returns the table, or NULL with err: MCP_ERR_PLATFORM. Any thread. */
const mcpi_http1_grammar *mcpi_http1_grammar_get(mcp_error *err);

/* llhttp/llhttp.c */
MCP_API const mcpi_http1_grammar *mcpi_http1_llhttp(void);

#endif
