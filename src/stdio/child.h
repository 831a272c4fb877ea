/* SPDX-License-Identifier: MIT */
/* One child process and its standard streams, from its start until nothing of
 * it is left:
 *
 *     RUNNING --its input closed--> ASKED --close_wait--> TERMINATED (SIGTERM)
 *                                              --term_wait--> KILLED (SIGKILL)
 *
 * It leaves RUNNING when we close it, when it closes its output, and when it
 * exits. It has ended when it is reaped, its output has ended or had time to
 * end, and its process group is empty: processes that it started must not
 * outlive it. */
#ifndef MCPI_STDIO_CHILD_H
#define MCPI_STDIO_CHILD_H

#include <mcp/transport.h>

typedef struct mcpi_child mcpi_child;

typedef struct mcpi_child_events {
  void (*on_line)(void *owner, const char *line, size_t len);
  void (*on_error)(void *owner, const mcp_error *err);
  /* Only when the options have an on_stderr. */
  void (*on_stderr)(void *owner, const char *bytes, size_t len);
  /* Its exit status, or the signal that ended it (else 0). */
  void (*on_exit)(void *owner, int64_t status, int signal);
  /* The last call; err tells how it ended. */
  void (*on_ended)(void *owner, const mcp_error *err);
} mcpi_child_events;

/* @param options with defaults filled in, and
 * @param events  borrowed until mcpi_child_free
 * @return NULL with err: MCP_ERR_IO, MCP_ERR_NOMEM */
mcpi_child *mcpi_child_start(mcp_loop *loop, const mcp_process_options *options,
                             const mcpi_child_events *events, void *owner,
                             mcp_error *err);
/* As mcp_transport.send and queued. */
int mcpi_child_send(mcpi_child *child, const char *message, size_t len);
size_t mcpi_child_queued(const mcpi_child *child);
/* Begins its end; lines and errors are no longer reported. */
void mcpi_child_close(mcpi_child *child);
/* Kills a child that has not ended, and reaps it here. NULL is accepted. */
void mcpi_child_free(mcpi_child *child);

#endif
