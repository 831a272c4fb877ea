/* SPDX-License-Identifier: MIT */
/* The system's part of signals.h: handlers that wake the loop, and an alarm
 * that ends the process without the loop. */
#ifndef MCPI_MAIN_SIGNALS_SYSTEM_H
#define MCPI_MAIN_SIGNALS_SYSTEM_H

#include <stdint.h>
#include <uv.h>

/* Installs the handlers. Each one records its signal and then sends `wake`,
 * which must stay valid until mcpi_main_handlers_detach. `takes_hangup`: also
 * for SIGHUP, where the system has it. */
void mcpi_main_handlers_install(uv_async_t *wake, uint32_t grace_ms,
                                int takes_hangup);
/* Stops the alarm. The handlers stay, and no longer send `wake`. */
void mcpi_main_handlers_detach(void);
/* Stops the alarm, and restores the handlers that the process had before. Does
 * nothing if none are installed. */
void mcpi_main_handlers_restore(void);

/* Returns the first SIGINT or SIGTERM, 0 before it comes. */
int mcpi_main_first_signal(void);
/* Returns 1 if a SIGHUP has come since the last call, else 0. */
int mcpi_main_take_hangup(void);

/* The process ends in grace_ms, unless this function is called again before. */
void mcpi_main_alarm_arm(void);

#endif
