/* SPDX-License-Identifier: MIT */
#include "common/text_diff.h"
#include "common/exit.h"
#include "common/report.h"
#include "common/term.h"
#include "platform/files.h"
#include "platform/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 512 };

/* Writes a text to a new file. Returns 0, or -1 with errno. */
static int write_draft(char path[PATH_SIZE], const char *text) {
  char folder[PATH_SIZE - 16];
  ctl_folder_temporary(folder, sizeof(folder));
  snprintf(path, PATH_SIZE, "%s/mcpctl.XXXXXX", folder);
  int fd = ctl_file_create_draft(path);
  FILE *out = fd >= 0 ? ctl_stream_of(fd) : NULL;
  if (out == NULL) {
    return -1;
  }
  fputs(text, out);
  return fclose(out);
}

/* Prints what diff says, but not its two lines with the names of the files. */
static void put_lines(FILE *in) {
  char line[4096];
  for (int number = 1; fgets(line, sizeof(line), in) != NULL; number++) {
    if (number > 2) {
      ctl_term_put(line, strlen(line));
    }
  }
}

static int run_diff(const char *before, const char *after) {
  char command[PATH_SIZE * 2 + 24];
  fflush(stdout);
  snprintf(command, sizeof(command), "diff -u \"%s\" \"%s\"", before, after);
  FILE *in = ctl_program_open(command);
  if (in == NULL) {
    return ctl_report(CTL_USAGE, "cannot run diff: %s", strerror(errno));
  }
  put_lines(in);
  ctl_program_close(in);
  return CTL_OK;
}

int ctl_text_diff_print(const char *name, const char *before,
                        const char *after) {
  char paths[2][PATH_SIZE] = {"", ""};
  int code = CTL_OK;
  ctl_term_put(name, strlen(name));
  fputs(":\n", stdout);
  if (write_draft(paths[0], before) != 0 || write_draft(paths[1], after) != 0) {
    code =
        ctl_report(CTL_USAGE, "cannot write %s: %s", paths[0], strerror(errno));
  } else {
    code = run_diff(paths[0], paths[1]);
  }
  ctl_file_remove(paths[0]);
  ctl_file_remove(paths[1]);
  return code;
}
