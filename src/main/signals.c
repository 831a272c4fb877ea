/* SPDX-License-Identifier: MIT */
/* Signals of a process that mcp_main runs: what the loop does with them. The
 * system's part is in the files of signals_system.h. */
#include "main/signals.h"

#include "main/signals_system.h"

/* How often the loop shows that it still turns, after the end was requested. */
enum { PULSE_MS = 250 };

/* Signals belong to the process, and so does this. */
static struct {
  uv_async_t async; /* wakes the loop */
  uv_timer_t pulse; /* the loop's timer */
  mcpi_uv *uv;
  mcpi_main_signal_events events;
  int is_first_told;
} signals;

static void on_pulse(uv_timer_t *pulse) {
  (void)pulse;
  mcpi_main_alarm_arm();
}

/* A peer that reads slowly may need longer than the grace time. */
void mcpi_main_signals_watch(void) {
  if (!uv_is_active((uv_handle_t *)&signals.pulse)) {
    mcpi_main_alarm_arm();
    uv_timer_start(&signals.pulse, on_pulse, PULSE_MS, PULSE_MS);
    uv_unref((uv_handle_t *)&signals.pulse);
  }
}

static void on_async(uv_async_t *async) {
  (void)async;
  mcpi_uv_enter(signals.uv);
  if (mcpi_main_take_hangup()) {
    signals.events.on_hangup(signals.events.userdata);
  }
  int first = mcpi_main_first_signal();
  if (first != 0 && !signals.is_first_told) {
    signals.is_first_told = 1;
    mcpi_main_signals_watch();
    signals.events.on_end(first, signals.events.userdata);
  }
  mcpi_uv_leave(signals.uv);
}

int mcpi_main_signals_start(mcpi_uv *uv, uint32_t grace_ms,
                            const mcpi_main_signal_events *events) {
  if (uv_async_init(uv->uv, &signals.async, on_async) != 0) {
    return MCP_ERR_IO;
  }
  uv_unref((uv_handle_t *)&signals.async);
  uv_timer_init(uv->uv, &signals.pulse);
  signals.uv = uv;
  signals.events = *events;
  signals.is_first_told = 0;
  mcpi_main_handlers_install(&signals.async, grace_ms,
                             events->on_hangup != NULL);
  return 0;
}

void mcpi_main_signals_detach(void) {
  mcpi_main_handlers_detach();
  uv_close((uv_handle_t *)&signals.async, NULL);
  uv_close((uv_handle_t *)&signals.pulse, NULL);
}

void mcpi_main_signals_stop(void) {
  mcpi_main_handlers_restore();
}
