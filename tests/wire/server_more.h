/* SPDX-License-Identifier: MIT */
/* Parts of the transcripts' server that only some transcripts want: see
 * server_program.c. */
#ifndef TESTS_WIRE_SERVER_MORE_H
#define TESTS_WIRE_SERVER_MORE_H

#include <mcp/mcp.h>

/* Runs one command; session NULL: there is none. 1, or 0 when it knows no such
 * command. */
int server_more_command(mcp_server *server, mcp_session *session,
                        const char *verb, const char *rest);

#endif
