/* SPDX-License-Identifier: MIT */
/* The HTTP server of transcripts. There is one at a time. */
#ifndef TESTS_WIRE_HTTP_SIDE_H
#define TESTS_WIRE_HTTP_SIDE_H

#include "transcript.h"
#include <mcp/http.h>

int http_side_random(void *userdata, void *bytes, size_t len);
void http_side_start(mcp_server *server, mcp_loop *loop, char **options,
                     size_t option_count);
/* One line of a request; the request is handed over by http_side_send. */
void http_side_line(const char *line);
void http_side_send(void);
/* Opens a session: both are bodies of POSTs, and do not count as requests. */
void http_side_open(const char *initialize, const char *initialized);
/* "gone N": the client of the Nth exchange leaves; "queued N BYTES": so much
 * waits for it; "free_http". 0: no such command, or it has been answered. */
int http_side_command(const char *line);
/* Breaks off what is open. */
void http_side_stop(void);

#endif
