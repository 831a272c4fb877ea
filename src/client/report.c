/* SPDX-License-Identifier: MIT */
#include "client/report.h"

#include "client/request.h"

#include <inttypes.h>

static void report_show(mcp_client *client, const mcp_error *err) {
  if (client->options.on_error != NULL) {
    client->options.on_error(client, err, client->options.userdata);
  }
}

static void on_held(mcpi_reports *reports, uint64_t held) {
  mcp_client *client = MCPI_CONTAINER(reports, mcp_client, reports.limit);
  mcp_error err = client->reports.last;
  mcp_error_set(&err, client->reports.last.code,
                "%.150s (%" PRIu64 " reports were left out within a second: "
                "this is the last)",
                client->reports.last.message, held);
  mcpi_client_enter(client);
  report_show(client, &err);
  mcpi_client_leave(client);
}

void mcpi_client_reports_init(mcp_client *client) {
  mcpi_reports_init(&client->reports.limit, client->loop,
                    client->options.max_reports, on_held);
}

/* MCP_ERR_CLOSED is not limited: it says that a connection has ended, and the
 * next one begins after a pause. Programs must learn of each one. */
void mcpi_client_report(mcp_client *client, const mcp_error *err) {
  mcpi_client_reports *reports = &client->reports;
  if (client->is_freed) {
    return;
  }
  reports->limit.max = client->options.max_reports;
  if (err->code == MCP_ERR_CLOSED || mcpi_reports_admit(&reports->limit)) {
    report_show(client, err);
  } else {
    reports->last = *err;
  }
}

void mcpi_client_reports_stop(mcp_client *client) {
  mcpi_loop_stop_timer(client->loop, &client->reports.limit.timer);
}
