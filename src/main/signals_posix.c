/* SPDX-License-Identifier: MIT */
/* Signals of a process that mcp_main runs.
 *
 * libuv's signal handles are not enough: they call back in the loop, which may
 * be stuck. So the signal handler itself arms the timer, and the timer's
 * handler ends the process. It uses SIGALRM; mcp_main owns the process. */
#include "main/signals.h"

#include "platform/fd_write.h"
#include "stdio/stdio.h"

#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

/* How often the loop shows that it still turns, after the end was requested. */
enum { PULSE_MS = 250 };

/* the last one only if it is wanted */
static const int caught[] = {SIGINT, SIGTERM, SIGALRM, SIGHUP};
enum { CAUGHT_MAX = sizeof(caught) / sizeof(caught[0]) };

/* Signals belong to the process, and so does this. */
static struct {
  struct itimerval grace;
  struct sigaction old[CAUGHT_MAX];
  int caught_count;
  uv_async_t async; /* wakes the loop */
  uv_timer_t pulse; /* the loop's timer */
  mcpi_uv *uv;
  mcpi_main_signal_events events;
  /* The signal that requests the end; 0: none yet. */
  volatile sig_atomic_t first;
  int is_first_told;
  volatile sig_atomic_t has_hung_up; /* a SIGHUP that was not reported yet */
  volatile sig_atomic_t is_attached;
  int is_installed;
} signals;

static void end_process(int code) {
  mcpi_stdio_restore_flags();
  _exit(code);
}

/* setitimer is not in POSIX's list of functions for signal handlers, but it is
 * a plain system call wherever it exists. */
static void arm_alarm(void) {
  setitimer(ITIMER_REAL, &signals.grace, NULL);
}

static void on_pulse(uv_timer_t *pulse) {
  (void)pulse;
  arm_alarm();
}

/* A peer that reads slowly may need longer than the grace time. */
void mcpi_main_signals_watch(void) {
  if (!uv_is_active((uv_handle_t *)&signals.pulse)) {
    arm_alarm();
    uv_timer_start(&signals.pulse, on_pulse, PULSE_MS, PULSE_MS);
    uv_unref((uv_handle_t *)&signals.pulse);
  }
}

static void on_end_signal(int signal) {
  int error = errno;
  if (signals.first != 0) {
    end_process(128 + signal);
  }
  signals.first = signal;
  arm_alarm();
  if (signals.is_attached) {
    uv_async_send(&signals.async);
  }
  errno = error;
}

static void on_hangup_signal(int signal) {
  int error = errno;
  (void)signal;
  signals.has_hung_up = 1;
  if (signals.is_attached) {
    uv_async_send(&signals.async);
  }
  errno = error;
}

static void on_alarm(int signal) {
  (void)signal;
  end_process(signals.first != 0 ? 128 + (int)signals.first : 1);
}

static void on_async(uv_async_t *async) {
  (void)async;
  mcpi_uv_enter(signals.uv);
  if (signals.has_hung_up) {
    signals.has_hung_up = 0;
    signals.events.on_hangup(signals.events.userdata);
  }
  if (signals.first != 0 && !signals.is_first_told) {
    signals.is_first_told = 1;
    mcpi_main_signals_watch();
    signals.events.on_end((int)signals.first, signals.events.userdata);
  }
  mcpi_uv_leave(signals.uv);
}

static void (*handler_of(int signal))(int signal) {
  switch (signal) {
  case SIGALRM:
    return on_alarm;
  case SIGHUP:
    return on_hangup_signal;
  default:
    return on_end_signal;
  }
}

static void install(void) {
  struct sigaction action = {.sa_flags = SA_RESTART};
  /* no signal interrupts another */
  sigfillset(&action.sa_mask);
  signals.caught_count =
      signals.events.on_hangup != NULL ? CAUGHT_MAX : CAUGHT_MAX - 1;
  for (int i = 0; i < signals.caught_count; i++) {
    action.sa_handler = handler_of(caught[i]);
    sigaction(caught[i], &action, &signals.old[i]);
  }
  mcpi_sigpipe_catch();
  signals.is_installed = 1;
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
  signals.first = 0;
  signals.is_first_told = 0;
  signals.has_hung_up = 0;
  signals.is_attached = 1;
  /* not 0, which would mean never */
  signals.grace.it_value.tv_sec = grace_ms / 1000;
  signals.grace.it_value.tv_usec = (suseconds_t)(grace_ms % 1000) * 1000 + 1;
  install();
  return 0;
}

static void stop_alarm(void) {
  const struct itimerval never = {0};
  setitimer(ITIMER_REAL, &never, NULL);
}

void mcpi_main_signals_detach(void) {
  stop_alarm();
  signals.is_attached = 0;
  uv_close((uv_handle_t *)&signals.async, NULL);
  uv_close((uv_handle_t *)&signals.pulse, NULL);
}

void mcpi_main_signals_stop(void) {
  if (!signals.is_installed) {
    return;
  }
  signals.is_installed = 0;
  stop_alarm();
  for (int i = 0; i < signals.caught_count; i++) {
    sigaction(caught[i], &signals.old[i], NULL);
  }
  mcpi_sigpipe_release();
}
