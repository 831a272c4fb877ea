/* SPDX-License-Identifier: MIT */
/* mcpctl: look at, call and script MCP servers from a shell. */
#include "exit.h"
#include "progress.h"
#include "report.h"
#include "session.h"
#include "term.h"

#include <stdio.h>

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
  /* Text is neutralised character by character; one write each is too many. */
  setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
  int code = ctl_options_parse(&options, argc, argv);
  if (code == CTL_GO_ON) {
    ctl_term_setup(options.color);
    code = ctl_session_run(&options);
  }
  ctl_options_deinit(&options);
  return finish(code);
}
