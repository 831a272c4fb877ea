/* SPDX-License-Identifier: MIT */
/* Windows, where no session can stay: it needs sockets that are files, and a
 * process that can be divided (fork). */
#include "common/exit.h"
#include "common/report.h"
#include "keep/client.h"
#include "keep/start.h"
#include "keep/status.h"

int ctl_keep_join(const ctl_options *options, int says) {
  (void)options;
  (void)says;
  return -1;
}

int ctl_keep_connect_client(ctl_session *session) {
  (void)session;
  return MCP_ERR_UNSUPPORTED;
}

void ctl_keep_take_failure(ctl_session *session, const mcp_json *error_data) {
  (void)session;
  (void)error_data;
}

int ctl_keep_take(ctl_session *session, const char *method,
                  const mcp_json *params) {
  (void)session;
  (void)method;
  (void)params;
  return 0;
}

static int refuse(const ctl_options *options) {
  return ctl_report(CTL_USAGE,
                    "%s: mcpctl cannot keep a server running on this system; "
                    "the verb shell uses one connection for many commands",
                    options->verb->name);
}

int ctl_keep_start(const ctl_options *given) {
  return refuse(given);
}

int ctl_keep_status(const ctl_options *options) {
  return refuse(options);
}

int ctl_keep_stop_run(const ctl_options *options) {
  return refuse(options);
}
