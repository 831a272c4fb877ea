/* SPDX-License-Identifier: MIT */
/* Signals of a process that mcp_main runs, and its last resort: a process whose
 * end was asked for ends, even if its loop is stuck in a handler. */
#ifndef MCPI_MAIN_SIGNALS_H
#define MCPI_MAIN_SIGNALS_H

#include "platform/uv_loop.h"

/* What is told of signals, on the loop's thread. */
typedef struct mcpi_main_signal_events {
  /* The first SIGINT or SIGTERM. */
  void (*on_end)(int signal, void *userdata);
  /* SIGHUP; several that come at once may be told as one. NULL: it does what it
   * does without a handler. */
  void (*on_hangup)(void *userdata);
  void *userdata;
} mcpi_main_signal_events;

/* Installs handlers for SIGINT, SIGTERM, SIGPIPE and, where somebody wants to
 * know, SIGHUP. If from the first SIGINT or SIGTERM on the loop does not turn
 * for grace_ms, the process ends. At the second it ends at once, as it does by
 * the signal without a handler: 128 and its number. Once at a time in a
 * process. 0 or MCP_ERR_IO. */
int mcpi_main_signals_start(mcpi_uv *uv, uint32_t grace_ms,
                            const mcpi_main_signal_events *events);
/* On the loop's thread: the end was asked for in another way. The loop must
 * turn from now on too; the exit code is 1 if it does not. */
void mcpi_main_signals_watch(void);
/* The loop is through: nothing waits for it any more, and no event is told. A
 * signal still ends the process. */
void mcpi_main_signals_detach(void);
/* Handlers are as they were, and nothing ends the process; harmless when they
 * were not installed. */
void mcpi_main_signals_stop(void);

#endif
