/* SPDX-License-Identifier: MIT */
/* Wire transcripts: what goes over the wire, byte for byte, in files that read
 * like a conversation. README.md is their manual; this is what runs them. */
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
  /* Takes one end of another pair, for the client of that number; options are
   * "name=value" words. NULL: there is only one connection. */
  void (*connect)(void *self, mcp_transport *end, size_t number,
                  const char *options);
} program;

extern const program server_program;
extern const program client_program;

/* Runs the transcript, each of its scenes by itself. Returns the number of
 * differences, which it prints under that name. With rewritten, which is then
 * owned (or NULL), what came takes the place of what was expected, and nothing
 * differs. */
int transcript_run(const char *path, const char *content, char **rewritten);

/* Runs any text as a transcript, and expects nothing but what must hold for
 * each: both programs write JSON, and each request of the client's completes
 * once. */
void transcript_try(char *content);

/* Called by a program: a line of what it has seen. */
void transcript_saw(const char *format, ...) MCP_PRINTF(1, 2);

/* Called by the HTTP side: a line of what was answered. */
void transcript_answered(const char *format, ...) MCP_PRINTF(1, 2);

/* The code of a name such as "MCP_ERR_IO"; 0: there is no such name. */
int transcript_error_code(const char *name);

/* A transport around the program's end, if the option says so: "trace" shows
 * each message, "dialect=N" speaks that one. Else the end; NULL for NULL, and
 * without memory. */
mcp_transport *transcript_wrap(mcp_loop *loop, mcp_transport *end,
                               const char *option, int is_server);

/* What server programs that are started from now on allocate with; NULL: the
 * default. */
extern const mcp_allocator *server_program_allocator;
/* 1: their transports are ends of memory pairs. */
extern int server_program_has_pairs;

/* The server of a started server_program. If that is started without a
 * transport, it is connected to nothing. */
mcp_server *server_program_server(void *self);

/* A platform whose randomness counts up, and whose seal is a readable text with
 * a check sum: transcripts are the same at every run. Not secure. */
void fake_platform(mcp_platform *platform);
/* Gives it a pool that keeps so many works waiting, ... */
void fake_platform_pool(mcp_platform *platform, size_t max);
/* ... of which this runs the first, as if on a thread. 0: there is none. */
int fake_platform_work(void);

#endif
