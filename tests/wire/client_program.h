/* SPDX-License-Identifier: MIT */
/* The parts of the transcripts' client: client_program.c starts and stops it
 * and has its handlers, client_commands.c runs its commands, and client_end.c
 * is its end of the wire. There is one client at a time. */
#ifndef TESTS_WIRE_CLIENT_PROGRAM_H
#define TESTS_WIRE_CLIENT_PROGRAM_H

#include <mcp/mcp.h>

enum { CLIENT_MAX_QUESTIONS = 16 };

typedef struct client_self {
  mcp_client *client; /* NULL: there was no memory for it */
  mcp_error why;      /* the last request that did not start */
  mcp_loop *loop;
  char **options; /* as program.start got them */
  size_t option_count;
  uint64_t last_request;
  /* Those that wait for the command `answer`; NULL: has been answered. */
  mcp_question *questions[CLIENT_MAX_QUESTIONS];
  size_t question_count;
} client_self;

/* client_program.c */

/* Makes the client, which is not connected; program.stop ends it. `options`
 * must stay. */
client_self *client_begin(mcp_loop *loop, const char *revision, char **options,
                          size_t option_count);

/* client_commands.c */

/* Begins to connect a client in some way; returns what its function did. */
typedef int client_connect_fn(mcp_client *client, mcp_done_cb on_done,
                              void *userdata, const void *how, mcp_error *err);

/* Connects in that way. */
void client_connect_by(client_self *me, client_connect_fn *begin,
                       const void *how);
/* Connects through this end, which is taken; NULL: it does not. */
void client_connect(client_self *me, mcp_transport *end);
/* program.command */
int client_run_command(void *self, char *line);
/* Aborts unless each request has completed. */
void client_check_ended(void);
/* Value as JSON, in the builder. */
const char *client_json_text(mcp_builder *builder, const mcp_json *value);

/* client_skills.c, and client_no_skills.c where it fails: the commands
 * "list_skills", "get_skill URI", "read_skill FILE ENTRY" and
 * "list_skill_folder FOLDER ENTRY". The verb is static. */
int client_skills_run(client_self *me, const char *verb, char *const words[2],
                      const mcp_request_options *options, mcp_done_cb on_done);

/* client_end.c */

/* Prepares an end of a memory pair, by the options, for the commands below.
 * Returns what the client gets: the end, or a transport around it. */
mcp_transport *client_end_prepare(const client_self *me, mcp_transport *end);
/* Runs "open", "restart", "failed", "refused" or "broken". 1, or 0: there is
 * no such command. */
int client_end_command(const char *line);

#endif
