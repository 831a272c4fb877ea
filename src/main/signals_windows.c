/* SPDX-License-Identifier: MIT */
/* Console events of a process that mcp_main runs: Ctrl-C and Ctrl-Break end it
 * as SIGINT does elsewhere, and the end of the console, of the session and of
 * the system as SIGTERM.
 *
 * Windows calls the handler on a thread of its own, and so it does the timer
 * that ends the process if the loop is stuck. */
#include "main/signals_system.h"

#include <signal.h>
#include <stdatomic.h>
#include <windows.h>

/* Signals belong to the process, and so does this. */
static struct {
  uint32_t grace_ms;
  HANDLE timers;
  HANDLE timer;
  SRWLOCK lock;     /* of the timers and of `wake` */
  uv_async_t *wake; /* NULL: the handler must not wake the loop */
  atomic_int first; /* the signal that requests the end; 0: none yet */
  int is_installed;
} handlers;

static void CALLBACK on_alarm(void *unused, BOOLEAN has_fired) {
  int first = atomic_load(&handlers.first);
  (void)unused;
  (void)has_fired;
  ExitProcess(first != 0 ? 128u + (unsigned)first : 1u);
}

/* Begins the time again. */
void mcpi_main_alarm_arm(void) {
  AcquireSRWLockExclusive(&handlers.lock);
  if (handlers.timer != NULL) {
    (void)!ChangeTimerQueueTimer(handlers.timers, handlers.timer,
                                 handlers.grace_ms, 0);
  } else if (handlers.timers != NULL) {
    (void)!CreateTimerQueueTimer(&handlers.timer, handlers.timers, on_alarm,
                                 NULL, handlers.grace_ms, 0, WT_EXECUTEDEFAULT);
  }
  ReleaseSRWLockExclusive(&handlers.lock);
}

static void stop_alarm(void) {
  AcquireSRWLockExclusive(&handlers.lock);
  if (handlers.timer != NULL) {
    (void)!DeleteTimerQueueTimer(handlers.timers, handlers.timer, NULL);
    handlers.timer = NULL;
  }
  ReleaseSRWLockExclusive(&handlers.lock);
}

/* Under the lock, so that no thread wakes a loop that is freed. */
static void wake_loop(void) {
  AcquireSRWLockExclusive(&handlers.lock);
  if (handlers.wake != NULL) {
    uv_async_send(handlers.wake);
  }
  ReleaseSRWLockExclusive(&handlers.lock);
}

static void set_wake(uv_async_t *wake) {
  AcquireSRWLockExclusive(&handlers.lock);
  handlers.wake = wake;
  ReleaseSRWLockExclusive(&handlers.lock);
}

/* After the console, the session or the system has ended, Windows ends the
 * process as soon as this function returns: it waits for the loop. */
static BOOL WINAPI on_event(DWORD event) {
  int signal =
      event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT ? SIGINT : SIGTERM;
  int none = 0;
  if (!atomic_compare_exchange_strong(&handlers.first, &none, signal)) {
    ExitProcess(128u + (unsigned)signal);
  }
  mcpi_main_alarm_arm();
  wake_loop();
  if (signal == SIGTERM) {
    Sleep(INFINITE);
  }
  return TRUE;
}

void mcpi_main_handlers_install(uv_async_t *wake, uint32_t grace_ms,
                                int takes_hangup) {
  (void)takes_hangup;
  handlers.grace_ms = grace_ms;
  atomic_store(&handlers.first, 0);
  set_wake(wake);
  handlers.timers = CreateTimerQueue();
  SetConsoleCtrlHandler(on_event, TRUE);
  handlers.is_installed = 1;
}

void mcpi_main_handlers_detach(void) {
  stop_alarm();
  set_wake(NULL);
}

/* The handler may still run on its thread: it finds no queue. */
static HANDLE take_timers(void) {
  AcquireSRWLockExclusive(&handlers.lock);
  HANDLE timers = handlers.timers;
  handlers.timers = NULL;
  handlers.timer = NULL; /* the queue deletes it */
  ReleaseSRWLockExclusive(&handlers.lock);
  return timers;
}

void mcpi_main_handlers_restore(void) {
  if (!handlers.is_installed) {
    return;
  }
  handlers.is_installed = 0;
  SetConsoleCtrlHandler(on_event, FALSE);
  HANDLE timers = take_timers();
  if (timers != NULL) {
    (void)!DeleteTimerQueueEx(timers, INVALID_HANDLE_VALUE);
  }
}

int mcpi_main_first_signal(void) {
  return atomic_load(&handlers.first);
}

int mcpi_main_take_hangup(void) {
  return 0; /* Windows has no SIGHUP */
}
