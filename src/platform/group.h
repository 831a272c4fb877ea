/* SPDX-License-Identifier: MIT */
/* A child process and all that it starts, which end together: a process group
 * on POSIX, a job on Windows. */
#ifndef MCPI_PLATFORM_GROUP_H
#define MCPI_PLATFORM_GROUP_H

#include <stdint.h>
#include <uv.h>

typedef struct mcpi_group {
  uv_process_t *process; /* borrowed until mcpi_group_close */
  int has_exited;        /* set by the owner: the child is reaped */
  int is_gone;           /* was found empty after the exit */
  void *job;             /* on Windows; NULL: there is none */
} mcpi_group;

/* Starts the child in a group of its own. The child dies with this process, as
 * far as the system can do that: signals of our terminal do not reach it.
 * Returns 0 or UV_*; the process must be closed in both cases. */
int mcpi_group_spawn(mcpi_group *group, uv_loop_t *loop, uv_process_t *process,
                     uv_process_options_t *options);
/* Asks all of them to end. Returns 0 where nobody can be asked. */
int mcpi_group_ask(mcpi_group *group);
void mcpi_group_kill(mcpi_group *group);
/* Kills them, and waits until the child is reaped. */
void mcpi_group_kill_now(mcpi_group *group);
int mcpi_group_is_empty(mcpi_group *group);
/* If a program handles SIGCHLD itself, libuv does not learn of the end. Returns
 * whether the child has exited, and how; once. */
int mcpi_group_look(mcpi_group *group, int64_t *status, int *signal);
void mcpi_group_close(mcpi_group *group);

#endif
