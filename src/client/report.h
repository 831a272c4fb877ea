/* SPDX-License-Identifier: MIT */
/* What the program is told that ended nothing (on_error): so many reports a
 * second pass, because a server can cause any number of them. */
#ifndef MCPI_CLIENT_REPORT_H
#define MCPI_CLIENT_REPORT_H

#include "core/reports.h"
#include <mcp/client.h>

typedef struct mcpi_client_reports {
  mcpi_reports limit;
  mcp_error last; /* of those that did not pass */
} mcpi_client_reports;

void mcpi_client_reports_init(mcp_client *client);
/* Reports something, within the limit. */
void mcpi_client_report(mcp_client *client, const mcp_error *err);
/* Before on_closed: reports what did not pass, if anything. */
void mcpi_client_reports_flush(mcp_client *client);
/* Nothing is reported any more. */
void mcpi_client_reports_stop(mcp_client *client);

#endif
