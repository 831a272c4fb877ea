/* SPDX-License-Identifier: MIT */
#include "platform/group.h"

#include "platform/group_spawn.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Gives the child its own group, by its own session: signals reach everything
 * that it starts, and signals of our terminal do not reach it. */
int mcpi_group_spawn(mcpi_group *group, uv_loop_t *loop, uv_process_t *process,
                     uv_process_options_t *options) {
  *group = (mcpi_group){.process = process};
  options->flags |= UV_PROCESS_DETACHED;
  return mcpi_spawn_dying_with_us(loop, process, options);
}

/* The group has the child's number. The number stays in use while the group has
 * members, and may belong to any process afterwards. */
int mcpi_group_is_empty(mcpi_group *group) {
  if (!group->is_gone) {
    group->is_gone = group->has_exited && kill(-group->process->pid, 0) != 0 &&
                     errno == ESRCH;
  }
  return group->is_gone;
}

static void signal_group(mcpi_group *group, int signal) {
  if (!mcpi_group_is_empty(group)) {
    kill(-group->process->pid, signal);
  }
}

int mcpi_group_ask(mcpi_group *group) {
  signal_group(group, SIGTERM);
  return 1;
}

void mcpi_group_kill(mcpi_group *group) {
  signal_group(group, SIGKILL);
}

void mcpi_group_kill_now(mcpi_group *group) {
  mcpi_group_kill(group);
  while (!group->has_exited && waitpid(group->process->pid, NULL, 0) < 0 &&
         errno == EINTR) {
  }
}

int mcpi_group_look(mcpi_group *group, int64_t *status, int *signal) {
  int how;
  if (group->has_exited ||
      waitpid(group->process->pid, &how, WNOHANG) != group->process->pid) {
    return 0;
  }
  *status = WIFSIGNALED(how) ? 0 : WEXITSTATUS(how);
  *signal = WIFSIGNALED(how) ? WTERMSIG(how) : 0;
  return 1;
}

void mcpi_group_close(mcpi_group *group) {
  (void)group;
}
