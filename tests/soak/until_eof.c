/* SPDX-License-Identifier: MIT */
#include "until_eof.h"

#include <pthread.h>
#include <stdio.h>

static void stop(void *argument) {
  mcp_loop_stop(argument);
}

static void *wait_for_end(void *argument) {
  while (getchar() != EOF) {
  }
  mcp_loop_post(argument, stop, argument);
  return NULL;
}

int soak_run_until_eof(mcp_loop *loop) {
  pthread_t waiter;
  if (pthread_create(&waiter, NULL, wait_for_end, loop) != 0) {
    return -1;
  }
  mcp_loop_run(loop);
  pthread_join(waiter, NULL);
  return 0;
}
