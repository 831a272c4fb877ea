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
  PROCESS_STOPPED, /* should_stop said so */
  PROCESS_TOO_LOUD /* more output than is kept */
};

typedef struct process {
  /* The program, sought in PATH unless it has a slash, and its arguments; NULL
   * at the end. */
  const char *const *argv;
  int folder_fd; /* where it runs */
  int time_limit_ms;
  size_t max_output;
  /* Asked ten times a second. */
  int (*should_stop)(void *userdata);
  void *userdata;

  /* The result. Standard output and error as they came, with a NUL behind
   * them; owned: end it with free. */
  char *output;
  size_t len;
  int ended; /* PROCESS_* */
  int code;
} process;

/* 0, or a negative errno: it was not started. The process and all that it
 * started in its group are gone when this returns. */
int process_run(process *p);

#endif
