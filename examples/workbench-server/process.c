/* SPDX-License-Identifier: MIT */
/* Running a program: see process.h. */
#define _GNU_SOURCE
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MS = 100, STILL_RUNNING = -1 };

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* --- starting ------------------------------------------------------------ */

enum { ENV_COUNT = 5, ENV_SIZE = 4096 };

typedef struct environment {
  char text[ENV_COUNT][ENV_SIZE];
  char *list[ENV_COUNT + 1];
} environment;

/* The program does not get the server's whole environment: hosts pass keys to
 * servers in it. */
static void make_environment(environment *env) {
  static const char *const names[ENV_COUNT] = {"PATH", "HOME", "LANG", "TZ",
                                               "TMPDIR"};
  size_t count = 0;
  for (size_t i = 0; i < ENV_COUNT; i++) {
    const char *value = getenv(names[i]);
    if (value != NULL && strlen(value) + 8 < ENV_SIZE) {
      snprintf(env->text[count], ENV_SIZE, "%s=%s", names[i], value);
      env->list[count] = env->text[count];
      count++;
    }
  }
  env->list[count] = NULL;
}

/* Gives the program an empty standard input and one pipe for its output.
 * Standard input is open and at its end, not closed: else the next file that
 * the program opens would become its input. */
static int set_files(posix_spawn_file_actions_t *files, int folder_fd,
                     int out_fd) {
  int rc = posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0);
  if (rc == 0) {
    rc = posix_spawn_file_actions_adddup2(files, out_fd, 1);
  }
  if (rc == 0) {
    rc = posix_spawn_file_actions_adddup2(files, out_fd, 2);
  }
  if (rc == 0) {
    rc = posix_spawn_file_actions_addfchdir_np(files, folder_fd);
  }
  return rc;
}

/* Puts the program into a group of its own, so that the processes that it
 * starts can be ended with it. Resets signals, for this thread blocks some and
 * the server ignores others. */
static int set_signals(posix_spawnattr_t *attributes) {
  sigset_t none;
  sigset_t defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigmask(attributes, &none);
  posix_spawnattr_setsigdefault(attributes, &defaults);
  posix_spawnattr_setpgroup(attributes, 0);
  return posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP |
                                                  POSIX_SPAWN_SETSIGMASK |
                                                  POSIX_SPAWN_SETSIGDEF);
}

static int spawn(const process *p, int out_fd, pid_t *pid) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  environment env;
  make_environment(&env);
  int rc = posix_spawn_file_actions_init(&files);
  if (rc != 0) {
    return -rc;
  }
  rc = posix_spawnattr_init(&attributes);
  if (rc == 0) {
    rc = set_files(&files, p->folder_fd, out_fd);
    if (rc == 0) {
      rc = set_signals(&attributes);
    }
    if (rc == 0) {
      rc = posix_spawnp(pid, p->argv[0], &files, &attributes,
                        (char *const *)p->argv, env.list);
    }
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&files);
  return -rc;
}

/* --- until its end ------------------------------------------------------- */

/* Returns 0 at the end of the output, 1 when there may be more. */
static int read_some(process *p, int fd) {
  size_t room = p->max_output - p->len;
  ssize_t got = read(fd, p->output + p->len, room);
  if (got > 0) {
    p->len += (size_t)got;
  }
  return got > 0 || (got < 0 && errno == EINTR);
}

static int why_stop(const process *p, int64_t deadline_ms) {
  if (p->len == p->max_output) {
    return PROCESS_TOO_LOUD;
  }
  if (p->should_stop(p->userdata)) {
    return PROCESS_STOPPED;
  }
  return now_ms() >= deadline_ms ? PROCESS_TIMEOUT : STILL_RUNNING;
}

static int read_output(process *p, int fd, int64_t deadline_ms) {
  int why = STILL_RUNNING;
  int has_more = 1;
  while (has_more && why == STILL_RUNNING) {
    struct pollfd wanted = {.fd = fd, .events = POLLIN};
    if (poll(&wanted, 1, TICK_MS) > 0) {
      has_more = read_some(p, fd);
    }
    why = why_stop(p, deadline_ms);
  }
  return has_more ? why : STILL_RUNNING;
}

static int has_ended(pid_t pid) {
  siginfo_t info = {0};
  int flags = WEXITED | WNOHANG | WNOWAIT;
  return waitid(P_PID, (id_t)pid, &info, flags) != 0 || info.si_pid == pid;
}

/* A program may close its output and go on. */
static int await_end(const process *p, pid_t pid, int64_t deadline_ms) {
  const struct timespec pause = {.tv_nsec = 5000000};
  int why = STILL_RUNNING;
  while (why == STILL_RUNNING && !has_ended(pid)) {
    why = why_stop(p, deadline_ms);
    nanosleep(&pause, NULL);
  }
  return why;
}

/* The group ends first: after waitpid, the system may give the child's number
 * to another process. */
static int end_group(pid_t pid) {
  int status = 0;
  kill(-pid, SIGKILL);
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

static void follow(process *p, pid_t pid, int fd) {
  int64_t deadline_ms = now_ms() + p->time_limit_ms;
  int why = read_output(p, fd, deadline_ms);
  if (why == STILL_RUNNING) {
    why = await_end(p, pid, deadline_ms);
  }
  int status = end_group(pid);
  p->output[p->len] = '\0';
  if (why != STILL_RUNNING) {
    p->ended = why;
  } else {
    p->ended = WIFEXITED(status) ? PROCESS_EXITED : PROCESS_KILLED;
    p->code = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
  }
}

static int start(process *p, int *fd, pid_t *pid) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return -errno;
  }
  int rc = spawn(p, ends[1], pid);
  close(ends[1]);
  if (rc != 0) {
    close(ends[0]);
    return rc;
  }
  *fd = ends[0];
  return 0;
}

int process_run(process *p) {
  pid_t pid = -1;
  int fd = -1;
  p->len = 0;
  p->output = malloc(p->max_output + 1);
  if (p->output == NULL) {
    return -ENOMEM;
  }
  int rc = start(p, &fd, &pid);
  if (rc != 0) {
    free(p->output);
    p->output = NULL;
    return rc;
  }
  follow(p, pid, fd);
  close(fd);
  return 0;
}
