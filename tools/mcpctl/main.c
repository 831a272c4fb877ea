/* SPDX-License-Identifier: MIT */
/* mcpctl: lists, calls and measures what MCP servers offer, from a shell. */
#include "common/exit.h"
#include "common/progress.h"
#include "common/report.h"
#include "common/term.h"
#include "connection/error_json.h"
#include "connection/session.h"
#include "shell/complete_line.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Opens /dev/null for each standard stream that is closed. Otherwise the next
 * descriptor would get its number, and libuv aborts when that happens to one of
 * its own. The mode is the opposite of the stream's, so that reads and writes
 * still fail. */
static int open_standard_streams(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
    int flags = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", flags) != fd) {
      return -1;
    }
  }
  return 0;
}

/* Reports output that could not be written. */
static int finish_output(int code) {
  ctl_progress_clear();
  if (fflush(stdout) != 0 || ferror(stdout)) {
    return ctl_report(CTL_USAGE, "cannot write to standard output");
  }
  return code;
}

/* The command line may be wrong before or after the word. */
static int wants_json(int argc, char **argv) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    if (strcmp(argv[i], "--json") == 0) {
      return 1;
    }
  }
  return 0;
}

int main(int argc, char **argv) {
  ctl_options options;
  if (open_standard_streams() != 0) {
    return CTL_USAGE;
  }
  /* Text is printed character by character; without a buffer each would be a
   * write. */
  setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
  if (argc > 1 && strcmp(argv[1], "complete-line") == 0) {
    return finish_output(ctl_complete_line_run(argc, argv));
  }
  int code = ctl_options_parse(&options, argc, argv);
  if (code == CTL_GO_ON) {
    ctl_term_setup(options.color);
    code = options.verb->run != NULL ? options.verb->run(&options)
                                     : ctl_session_run(&options);
  }
  ctl_options_deinit(&options);
  if (wants_json(argc, argv)) {
    ctl_error_json_print(code);
  }
  return finish_output(code);
}
