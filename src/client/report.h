/* SPDX-License-Identifier: MIT */
/* Reports of trouble that ended nothing (on_error): so many a second pass,
 * because a server can cause any number of them. */
#ifndef MCPI_CLIENT_REPORT_H
#define MCPI_CLIENT_REPORT_H

#include "client/client.h"

void mcpi_client_reports_init(mcp_client *client);
/* Reports something, within the limit. */
void mcpi_client_report(mcp_client *client, const mcp_error *err);
/* Nothing is reported any longer. */
void mcpi_client_reports_stop(mcp_client *client);

#endif
