/* SPDX-License-Identifier: MIT */
/* Console events of a process that mcp_main runs: Ctrl-C and Ctrl-Break end it
 * as SIGINT does elsewhere, and the end of the console, of the session and of
 * the system as SIGTERM.
 *
 * Windows calls the handler on a thread of its own, and so it does the timer
 * that ends the process if the loop is stuck. */
#include "main/signals.h"

#include <signal.h>
#include <stdatomic.h>
#include <windows.h>

enum {
  /* How often the loop shows that it still turns, after the end was
   * requested. */
  PULSE_MS = 250
};

/* Signals belong to the process, and so does this. */
static struct {
  uint32_t grace_ms;
  HANDLE timers;
  HANDLE timer;
  SRWLOCK lock; /* of the timers and of is_attached */
  uv_async_t async;
  uv_timer_t pulse;
  mcpi_uv *uv;
  mcpi_main_signal_events events;
  atomic_int first; /* the signal that requests the end; 0: none yet */
  int is_first_told;
  int is_attached; /* 1: the handler may wake the loop */
  int is_installed;
} signals;

static void CALLBACK on_alarm(void *unused, BOOLEAN has_fired) {
  int first = atomic_load(&signals.first);
  (void)unused;
  (void)has_fired;
  ExitProcess(first != 0 ? 128u + (unsigned)first : 1u);
}

/* Begins the time again. */
static void arm_alarm(void) {
  AcquireSRWLockExclusive(&signals.lock);
  if (signals.timer != NULL) {
    (void)!ChangeTimerQueueTimer(signals.timers, signals.timer,
                                 signals.grace_ms, 0);
  } else if (signals.timers != NULL) {
    (void)!CreateTimerQueueTimer(&signals.timer, signals.timers, on_alarm, NULL,
                                 signals.grace_ms, 0, WT_EXECUTEDEFAULT);
  }
  ReleaseSRWLockExclusive(&signals.lock);
}

static void stop_alarm(void) {
  AcquireSRWLockExclusive(&signals.lock);
  if (signals.timer != NULL) {
    (void)!DeleteTimerQueueTimer(signals.timers, signals.timer, NULL);
    signals.timer = NULL;
  }
  ReleaseSRWLockExclusive(&signals.lock);
}

static void on_pulse(uv_timer_t *pulse) {
  (void)pulse;
  arm_alarm();
}

void mcpi_main_signals_watch(void) {
  if (!uv_is_active((uv_handle_t *)&signals.pulse)) {
    arm_alarm();
    uv_timer_start(&signals.pulse, on_pulse, PULSE_MS, PULSE_MS);
    uv_unref((uv_handle_t *)&signals.pulse);
  }
}

/* Under the lock, so that no thread wakes a loop that is freed. */
static void wake_loop(void) {
  AcquireSRWLockExclusive(&signals.lock);
  if (signals.is_attached) {
    uv_async_send(&signals.async);
  }
  ReleaseSRWLockExclusive(&signals.lock);
}

static void set_attached(int is_attached) {
  AcquireSRWLockExclusive(&signals.lock);
  signals.is_attached = is_attached;
  ReleaseSRWLockExclusive(&signals.lock);
}

/* After the console, the session or the system has ended, Windows ends the
 * process as soon as this function returns: it waits for the loop. */
static BOOL WINAPI on_event(DWORD event) {
  int signal =
      event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT ? SIGINT : SIGTERM;
  int none = 0;
  if (!atomic_compare_exchange_strong(&signals.first, &none, signal)) {
    ExitProcess(128u + (unsigned)signal);
  }
  arm_alarm();
  wake_loop();
  if (signal == SIGTERM) {
    Sleep(INFINITE);
  }
  return TRUE;
}

static void on_async(uv_async_t *async) {
  int first = atomic_load(&signals.first);
  (void)async;
  mcpi_uv_enter(signals.uv);
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
  signals.grace_ms = grace_ms;
  signals.is_first_told = 0;
  atomic_store(&signals.first, 0);
  set_attached(1);
  signals.timers = CreateTimerQueue();
  SetConsoleCtrlHandler(on_event, TRUE);
  signals.is_installed = 1;
  return 0;
}

void mcpi_main_signals_detach(void) {
  stop_alarm();
  set_attached(0);
  uv_close((uv_handle_t *)&signals.async, NULL);
  uv_close((uv_handle_t *)&signals.pulse, NULL);
}

/* The handler may still run on its thread: it finds no queue. */
static HANDLE take_timers(void) {
  AcquireSRWLockExclusive(&signals.lock);
  HANDLE timers = signals.timers;
  signals.timers = NULL;
  signals.timer = NULL; /* the queue deletes it */
  ReleaseSRWLockExclusive(&signals.lock);
  return timers;
}

void mcpi_main_signals_stop(void) {
  if (!signals.is_installed) {
    return;
  }
  signals.is_installed = 0;
  SetConsoleCtrlHandler(on_event, FALSE);
  HANDLE timers = take_timers();
  if (timers != NULL) {
    (void)!DeleteTimerQueueEx(timers, INVALID_HANDLE_VALUE);
  }
}
