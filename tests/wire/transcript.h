/* SPDX-License-Identifier: MIT */
/* Wire transcripts: what goes over the wire, byte for byte, in files that read
 * like a conversation.
 *
 *     # a comment
 *     revision 2025-11-25
 *     side server                  (or: side client)
 *     option page_count=2          (of the program under test)
 *     C {"jsonrpc":"2.0",...}      client to server
 *     S {"jsonrpc":"2.0",...}      server to client
 *     ! remove_tool add            a command to the program under test
 *     = list_tools 0 ...           what the program under test has seen
 *     @ 5000                       milliseconds pass
 *
 * With `side server` the C lines are sent and the S lines are what the server
 * must answer, all of it and in this order; with `side client` the other way
 * round.
 *
 * With `side http` the server is behind an endpoint, and requests and answers
 * go over HTTP:
 *
 *     > POST /mcp                  a request: its line, its headers; the first
 *     > Host: localhost            line that is no header begins the body
 *     > {"jsonrpc":"2.0",...}
 *     < 1 200                      the answer to the first request: the status,
 *     < 1 Content-Type: ...        headers, a blank line, the body
 *     < 1
 *     < 1 {"jsonrpc":"2.0",...}
 *     < 2 end                      the end of an answer in pieces
 *     ! gone 2                     a client leaves
 *
 * {session N} stands for the Nth session's id, both ways.
 *
 * `wire --update FILE` rewrites the expected lines by what came: read
 * the difference before you keep it. */
#ifndef TESTS_WIRE_TRANSCRIPT_H
#define TESTS_WIRE_TRANSCRIPT_H

#include <mcp/mcp.h>

/* The side under test. */
typedef struct program {
  /* Starts it on a loop and one end of a memory pair; options are
   * "name=value" texts. */
  void *(*start)(mcp_loop *loop, mcp_transport *end, const char *revision,
                 char **options, size_t option_count);
  /* Runs one command line. 1, or 0 when it knows no such command. */
  int (*command)(void *self, char *line);
  void (*stop)(void *self);
} program;

extern const program server_program;
extern const program client_program;

/* Runs the transcript, which it changes. Returns the number of differences,
 * which it prints under that name. With rewritten, which is then owned (or
 * NULL), what came takes the place of what was expected, and nothing
 * differs. */
int transcript_run(const char *path, char *content, char **rewritten);

/* Runs any text as a transcript, and expects nothing but what must hold for
 * each: both programs write JSON, and each request of the client's completes
 * once. */
void transcript_try(char *content);

/* Called by a program: a line of what it has seen. */
void transcript_saw(const char *format, ...) MCP_PRINTF(1, 2);

/* Called by the HTTP side: a line of what was answered. */
void transcript_answered(const char *format, ...) MCP_PRINTF(1, 2);

/* A transport around the program's end, if the option says so: "trace" shows
 * each message, "dialect=N" speaks that one. Else the end; NULL for NULL. */
mcp_transport *transcript_wrap(mcp_loop *loop, mcp_transport *end,
                               const char *option, int is_server);

/* The server of a started server_program. If that is started without a
 * transport, it is connected to nothing. */
mcp_server *server_program_server(void *self);

/* A platform whose randomness counts up, and whose seal is a readable text with
 * a check sum: transcripts are the same at every run. Not secure. */
void fake_platform(mcp_platform *platform);

#endif
