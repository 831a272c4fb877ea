/* SPDX-License-Identifier: MIT */
#include "platform/group_spawn.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* libuv lets nothing of ours run between fork and exec, but fork itself does.
 * The kernel tells the death of the *thread* that forked: the main thread's is
 * that of the process, another's may come while the process goes on, and says
 * nothing. */
static _Thread_local pid_t parent_to_die_with; /* 0: none */

static void in_forked_child(void) {
  if (parent_to_die_with != 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 &&
      getppid() != parent_to_die_with) {
    _exit(127); /* the parent died in between */
  }
}

static void watch_forks(void) {
  pthread_atfork(NULL, NULL, in_forked_child);
}

int mcpi_spawn_dying_with_us(uv_loop_t *loop, uv_process_t *process,
                             const uv_process_options_t *options) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_forks);
  pid_t us = getpid();
  parent_to_die_with = (pid_t)syscall(SYS_gettid) == us ? us : 0;
  int rc = uv_spawn(loop, process, options);
  parent_to_die_with = 0;
  return rc;
}
