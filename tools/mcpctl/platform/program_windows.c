/* SPDX-License-Identifier: MIT */
/* The shell is cmd.exe. */
#include "platform/program.h"

#include <stdlib.h>
#include <windows.h>

static wchar_t *to_wide(const char *text) {
  int size = MultiByteToWideChar(CP_UTF8, 0, text, -1, NULL, 0);
  wchar_t *wide = size > 0 ? calloc((size_t)size, sizeof(*wide)) : NULL;
  if (wide != NULL) {
    MultiByteToWideChar(CP_UTF8, 0, text, -1, wide, size);
  }
  return wide;
}

int ctl_program_run(const char *command) {
  wchar_t *wide = to_wide(command);
  int status = wide != NULL ? _wsystem(wide) : -1;
  free(wide);
  return status;
}
