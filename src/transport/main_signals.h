/* SPDX-License-Identifier: MIT */
/* Signals of a process that mcp_main runs, and its last resort: a process whose
 * end was asked for ends, even if its loop is stuck in a handler. */
#ifndef MCPI_TRANSPORT_MAIN_SIGNALS_H
#define MCPI_TRANSPORT_MAIN_SIGNALS_H

#include "transport/uv_loop.h"

/* Installs handlers for SIGINT, SIGTERM and SIGPIPE. At the first SIGINT or
 * SIGTERM on_signal runs on the loop's thread; if from then on the loop does not
 * turn for grace_ms, the process ends. At the second it ends at once, as it
 * does by the signal without a handler: 128 and its number. Once at a time in a
 * process. 0 or MCP_ERR_IO. */
int mcpi_main_signals_start(mcpi_uv *uv, uint32_t grace_ms,
                            void (*on_signal)(int signal, void *userdata),
                            void *userdata);
/* On the loop's thread: the end was asked for in another way. The loop must
 * turn from now on too; the exit code is 1 if it does not. */
void mcpi_main_signals_watch(void);
/* The loop is through: nothing waits for it any more, and on_signal is not
 * called. A signal still ends the process. */
void mcpi_main_signals_detach(void);
/* Handlers are as they were, and nothing ends the process; harmless when they
 * were not installed. */
void mcpi_main_signals_stop(void);

#endif
