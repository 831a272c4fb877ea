/* SPDX-License-Identifier: MIT */
/* Signals of a process that mcp_main runs, and its last resort: after a request
 * to end, the process ends even if its loop is stuck in a handler. */
#ifndef MCPI_MAIN_SIGNALS_H
#define MCPI_MAIN_SIGNALS_H

#include "platform/uv_loop.h"

/* The callbacks for signals, on the loop's thread. */
typedef struct mcpi_main_signal_events {
  /* The first SIGINT or SIGTERM. */
  void (*on_end)(int signal, void *userdata);
  /* SIGHUP; several that come at once may be reported as one. NULL: the signal
   * has its default effect. */
  void (*on_hangup)(void *userdata);
  void *userdata;
} mcpi_main_signal_events;

/* Installs handlers for SIGINT, SIGTERM, SIGPIPE and, if there is a callback,
 * SIGHUP. If the loop does not turn for grace_ms after the first SIGINT or
 * SIGTERM, the process ends. At the second signal it ends at once, with the
 * exit code of the signal without a handler: 128 plus its number. Only once at
 * a time in a process. Returns 0 or MCP_ERR_IO. */
int mcpi_main_signals_start(mcpi_uv *uv, uint32_t grace_ms,
                            const mcpi_main_signal_events *events);
/* On the loop's thread: the end was requested in another way. The loop must
 * turn from now on too; the exit code is 1 if it does not. */
void mcpi_main_signals_watch(void);
/* The loop has finished: nothing waits for it any longer, and no callback runs.
 * A signal still ends the process. */
void mcpi_main_signals_detach(void);
/* Restores the handlers, and nothing ends the process any longer; does nothing
 * if they were not installed. */
void mcpi_main_signals_stop(void);

#endif
