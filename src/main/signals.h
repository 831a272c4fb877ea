/* SPDX-License-Identifier: MIT */
/* Signals of a process that mcp_main runs. After SIGINT, SIGTERM or the end of
 * the input, the process ends even if its loop is stuck in a handler. */
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

/* Installs handlers for SIGINT, SIGTERM, SIGPIPE, SIGALRM (for its own timer)
 * and, if there is a callback, SIGHUP.
 *
 * After the first SIGINT or SIGTERM, the process ends if the loop is stuck for
 * grace_ms. At the second one it ends at once. Both times the exit code is 128
 * plus the number of the signal.
 *
 * `events` is copied. Do not call it again before mcpi_main_signals_stop.
 * Returns 0 or MCP_ERR_IO. */
int mcpi_main_signals_start(mcpi_uv *uv, uint32_t grace_ms,
                            const mcpi_main_signal_events *events);
/* Call it on the loop's thread when the end is requested without a signal. From
 * then on the process ends with the exit code 1 if the loop is stuck for
 * grace_ms. */
void mcpi_main_signals_watch(void);
/* Call it when the loop has finished. The process no longer ends because of a
 * stuck loop, and no callback runs. SIGINT or SIGTERM still end the process:
 * the first one after grace_ms, the second one at once. */
void mcpi_main_signals_detach(void);
/* Stops the timer, and restores the handlers that the process had before. Does
 * nothing if no handlers are installed. */
void mcpi_main_signals_stop(void);

#endif
