/* SPDX-License-Identifier: MIT */
/* Runs one program to its end, without a shell. */
#ifndef WORKBENCH_PROCESS_H
#define WORKBENCH_PROCESS_H

#include <stddef.h>

/* How a process ended. */
enum {
  PROCESS_EXITED, /* `code` is its exit status */
  PROCESS_KILLED, /* `code` is the signal */
  PROCESS_TIMEOUT,
  PROCESS_STOPPED, /* should_stop returned 1 */
  PROCESS_TOO_LOUD /* it wrote more than the limit */
};

typedef struct process {
  /* The program, looked up in PATH unless it has a slash, and its arguments;
   * NULL at the end. */
  const char *const *argv;
  int folder_fd; /* where it runs */
  int time_limit_ms;
  size_t max_output;
  /* Called ten times a second; 1 ends the process. */
  int (*should_stop)(void *userdata);
  void *userdata;

  /* The result. `output` holds standard output and error in the order in which
   * they came, with a NUL at the end. Owned: end it with free. */
  char *output;
  size_t len;
  int ended; /* PROCESS_* */
  int code;
} process;

/* Runs the process. Returns 0, or a negative errno when it did not start. The
 * process and its group have ended when this returns. */
int process_run(process *p);

#endif
