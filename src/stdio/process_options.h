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

/* Returns the child's environment: strings borrowed from the options and from
 * this process's environment, NULL at the end. NULL when out of memory. */
char **mcpi_process_environment(const mcp_process_options *options,
                                const mcp_allocator *allocator, size_t *count);
/* `count` is what the other function has set. */
void mcpi_process_environment_free(char **environment, size_t count,
                                   const mcp_allocator *allocator);

#endif
