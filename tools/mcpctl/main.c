/* SPDX-License-Identifier: MIT */
/* mcpctl: look at, call and script MCP servers from a shell. */
#include "exit.h"
#include "progress.h"
#include "report.h"
#include "session.h"
#include "term.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* Where a standard stream is closed, the next descriptor that is opened would
 * take its place, and libuv ends the program when that is one of its own.
 * Opened the wrong way round, so that whoever uses the stream is still told. */
static int open_standard_streams(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
    int flags = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", flags) != fd) {
      return -1;
    }
  }
  return 0;
}

/* What could not be written has not been shown, whatever the server said. */
static int finish(int code) {
  ctl_progress_clear();
  if (fflush(stdout) != 0 || ferror(stdout)) {
    return ctl_report(CTL_USAGE, "cannot write to standard output");
  }
  return code;
}

int main(int argc, char **argv) {
  ctl_options options;
  if (open_standard_streams() != 0) {
    return CTL_USAGE;
  }
  /* Text is neutralised character by character; one write each is too many. */
  setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
  int code = ctl_options_parse(&options, argc, argv);
  if (code == CTL_GO_ON) {
    ctl_term_setup(options.color);
    code = options.verb->run != NULL ? options.verb->run(&options)
                                     : ctl_session_run(&options);
  }
  ctl_options_deinit(&options);
  return finish(code);
}
