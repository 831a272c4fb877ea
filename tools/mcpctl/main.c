/* SPDX-License-Identifier: MIT */
/* mcpctl: lists, calls and measures what MCP servers offer, from a shell. */
#include "common/exit.h"
#include "common/progress.h"
#include "common/report.h"
#include "common/term.h"
#include "connection/error_json.h"
#include "connection/session.h"
#include "platform/interrupt.h"
#include "platform/start.h"
#include "shell/complete_line.h"

#include <stdio.h>
#include <string.h>

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
  if (ctl_start(&argc, &argv) != 0) {
    return CTL_USAGE;
  }
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
  code = finish_output(code);
  ctl_interrupt_end();
  return code;
}
