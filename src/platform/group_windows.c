/* SPDX-License-Identifier: MIT */
/* A job that ends all its processes when its last handle is closed: at the
 * latest when this process ends, in whatever way. */
#include "platform/group.h"

#include <windows.h>

enum { KILLED_STATUS = 1 };

static HANDLE job_new(void) {
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {0};
  HANDLE job = CreateJobObjectW(NULL, NULL);
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  if (job != NULL &&
      !SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits,
                               sizeof(limits))) {
    CloseHandle(job);
    return NULL;
  }
  return job;
}

/* What the child starts in its first moment is not in the job, but such a child
 * has not yet run its main. Without a job only the child itself is killed. */
int mcpi_group_spawn(mcpi_group *group, uv_loop_t *loop, uv_process_t *process,
                     uv_process_options_t *options) {
  *group = (mcpi_group){.process = process};
  options->flags |= UV_PROCESS_WINDOWS_HIDE;
  int rc = uv_spawn(loop, process, options);
  if (rc != 0) {
    return rc;
  }
  group->job = job_new();
  if (group->job != NULL &&
      !AssignProcessToJobObject(group->job, process->process_handle)) {
    CloseHandle(group->job);
    group->job = NULL;
  }
  return 0;
}

/* Windows has no such request; the end of the child's input was one. */
int mcpi_group_ask(mcpi_group *group) {
  (void)group;
  return 0;
}

void mcpi_group_kill(mcpi_group *group) {
  if (group->job != NULL) {
    TerminateJobObject(group->job, KILLED_STATUS);
  } else if (!group->has_exited) {
    TerminateProcess(group->process->process_handle, KILLED_STATUS);
  }
}

void mcpi_group_kill_now(mcpi_group *group) {
  mcpi_group_kill(group);
  if (!group->has_exited) {
    WaitForSingleObject(group->process->process_handle, INFINITE);
  }
}

int mcpi_group_is_empty(mcpi_group *group) {
  JOBOBJECT_BASIC_ACCOUNTING_INFORMATION about = {0};
  if (!group->is_gone && group->has_exited) {
    group->is_gone = group->job == NULL ||
                     !QueryInformationJobObject(
                         group->job, JobObjectBasicAccountingInformation,
                         &about, sizeof(about), NULL) ||
                     about.ActiveProcesses == 0;
  }
  return group->is_gone;
}

/* libuv learns of each end. */
int mcpi_group_look(mcpi_group *group, int64_t *status, int *signal) {
  (void)group;
  (void)status;
  (void)signal;
  return 0;
}

void mcpi_group_close(mcpi_group *group) {
  if (group->job != NULL) {
    CloseHandle(group->job);
    group->job = NULL;
  }
}
