/* SPDX-License-Identifier: MIT */
/* Signals of a process that mcp_main runs.
 *
 * libuv's signal handles are not enough: they call back in the loop, which may
 * be stuck. So the signal handler itself arms the timer, and the timer's
 * handler ends the process. It uses SIGALRM; mcp_main owns the process. */
#include "main/signals_system.h"

#include "platform/fd_write.h"
#include "stdio/stdio.h"

#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

/* the last one only if it is wanted */
static const int caught[] = {SIGINT, SIGTERM, SIGALRM, SIGHUP};
enum { CAUGHT_MAX = sizeof(caught) / sizeof(caught[0]) };

/* Signals belong to the process, and so does this. */
static struct {
  struct itimerval grace;
  struct sigaction old[CAUGHT_MAX];
  int caught_count;
  uv_async_t *wake;
  /* The signal that requests the end; 0: none yet. */
  volatile sig_atomic_t first;
  volatile sig_atomic_t has_hung_up; /* a SIGHUP that was not reported yet */
  volatile sig_atomic_t is_attached;
  int is_installed;
} handlers;

static void end_process(int code) {
  mcpi_stdio_restore_flags();
  _exit(code);
}

/* setitimer is not in POSIX's list of functions for signal handlers, but it is
 * a plain system call wherever it exists. */
void mcpi_main_alarm_arm(void) {
  setitimer(ITIMER_REAL, &handlers.grace, NULL);
}

static void stop_alarm(void) {
  const struct itimerval never = {0};
  setitimer(ITIMER_REAL, &never, NULL);
}

static void on_end_signal(int signal) {
  int error = errno;
  if (handlers.first != 0) {
    end_process(128 + signal);
  }
  handlers.first = signal;
  mcpi_main_alarm_arm();
  if (handlers.is_attached) {
    uv_async_send(handlers.wake);
  }
  errno = error;
}

static void on_hangup_signal(int signal) {
  int error = errno;
  (void)signal;
  handlers.has_hung_up = 1;
  if (handlers.is_attached) {
    uv_async_send(handlers.wake);
  }
  errno = error;
}

static void on_alarm(int signal) {
  (void)signal;
  end_process(handlers.first != 0 ? 128 + (int)handlers.first : 1);
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
  for (int i = 0; i < handlers.caught_count; i++) {
    action.sa_handler = handler_of(caught[i]);
    sigaction(caught[i], &action, &handlers.old[i]);
  }
  mcpi_sigpipe_catch();
  handlers.is_installed = 1;
}

void mcpi_main_handlers_install(uv_async_t *wake, uint32_t grace_ms,
                                int takes_hangup) {
  handlers.wake = wake;
  handlers.first = 0;
  handlers.has_hung_up = 0;
  handlers.is_attached = 1;
  /* not 0, which would mean never */
  handlers.grace.it_value.tv_sec = grace_ms / 1000;
  handlers.grace.it_value.tv_usec = (suseconds_t)(grace_ms % 1000) * 1000 + 1;
  handlers.caught_count = takes_hangup ? CAUGHT_MAX : CAUGHT_MAX - 1;
  install();
}

void mcpi_main_handlers_detach(void) {
  stop_alarm();
  handlers.is_attached = 0;
}

void mcpi_main_handlers_restore(void) {
  if (!handlers.is_installed) {
    return;
  }
  handlers.is_installed = 0;
  stop_alarm();
  for (int i = 0; i < handlers.caught_count; i++) {
    sigaction(caught[i], &handlers.old[i], NULL);
  }
  mcpi_sigpipe_release();
}

int mcpi_main_first_signal(void) {
  return (int)handlers.first;
}

int mcpi_main_take_hangup(void) {
  if (!handlers.has_hung_up) {
    return 0;
  }
  handlers.has_hung_up = 0;
  return 1;
}
