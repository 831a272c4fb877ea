/* SPDX-License-Identifier: MIT */
#include "record/replay.h"
#include "common/exit.h"
#include "common/file.h"
#include "common/report.h"
#include "line/options.h"
#include "platform/interrupt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int read_recording(ctl_recording *recording, const char *path) {
  size_t len = 0;
  mcp_error err = {0};
  char *text = ctl_file_read(path, &len, &err);
  if (text == NULL) {
    return ctl_report(CTL_USAGE, "%s", err.message);
  }
  int rc = ctl_recording_parse(recording, text, len, &err);
  free(text);
  return rc == 0 ? CTL_OK
                 : ctl_report(CTL_USAGE, "%s: %s", ctl_file_name(path),
                              err.message);
}

static int replay_with_loop(const ctl_options *options,
                            ctl_recording *recording) {
  mcp_error err = {0};
  mcp_loop *loop = mcp_loop_new(NULL, &err);
  if (loop == NULL) {
    return ctl_report(CTL_USAGE, "cannot start: %s", err.message);
  }
  int has_server = options->url != NULL || options->command != NULL;
  int code = has_server ? ctl_replay_compare(loop, options, recording)
                        : ctl_replay_serve(loop, recording);
  mcp_loop_free(loop);
  return code;
}

int ctl_replay_run(const ctl_options *options) {
  ctl_recording recording = {0};
  if (ctl_interrupt_setup() != 0) {
    return ctl_report(CTL_USAGE, "cannot start: %s", strerror(errno));
  }
  int code = read_recording(&recording, options->args[0]);
  if (code == CTL_OK) {
    code = replay_with_loop(options, &recording);
  }
  ctl_recording_deinit(&recording);
  return code;
}
