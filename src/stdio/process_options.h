/* SPDX-License-Identifier: MIT */
/* A copy of the program's options for a child, and the child's environment. */
#ifndef MCPI_STDIO_PROCESS_OPTIONS_H
#define MCPI_STDIO_PROCESS_OPTIONS_H

#include "base/alloc.h"
#include <mcp/transport.h>

/* The options, with defaults. The strings and lists are in one piece of memory:
 * [ pointers of argv | pointers of env | characters ]. */
typedef struct mcpi_process_options {
  mcp_process_options given;
  mcp_stream_options stream; /* which given.stream points to */
  void *memory;
  size_t memory_size;
} mcpi_process_options;

/* Returns 0; MCP_ERR_INVALID: no command; MCP_ERR_NOMEM. */
int mcpi_process_options_init(mcpi_process_options *options,
                              const mcp_process_options *given,
                              const mcp_allocator *allocator, mcp_error *err);
void mcpi_process_options_deinit(mcpi_process_options *options,
                                 const mcp_allocator *allocator);

/* The environment of a child. */
typedef struct mcpi_process_environment {
  char **list; /* owned; NULL at the end. Its strings are borrowed from the
                   options and from `ours` */
  size_t size; /* entries of the list's memory */
  char **ours; /* this process's environment (platform/environment.h) */
} mcpi_process_environment;

/* Returns 0 or MCP_ERR_NOMEM; then there is nothing to deinit. */
int mcpi_process_environment_init(mcpi_process_environment *environment,
                                  const mcp_process_options *options,
                                  const mcp_allocator *allocator);
void mcpi_process_environment_deinit(mcpi_process_environment *environment,
                                     const mcp_allocator *allocator);

#endif
