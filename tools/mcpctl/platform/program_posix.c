/* SPDX-License-Identifier: MIT */
#include "platform/program.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* system() would ignore an interrupt that comes meanwhile. */
int ctl_program_run(const char *command) {
  static char shell[] = "sh";
  static char option[] = "-c";
  char *copied = strdup(command);
  char *const argv[] = {shell, option, copied, NULL};
  pid_t pid = -1;
  int status = -1;
  if (copied != NULL) {
    errno = posix_spawnp(&pid, shell, NULL, NULL, argv, environ);
  }
  if (pid > 0) {
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
  }
  free(copied);
  if (status == -1) {
    return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}
