/* SPDX-License-Identifier: MIT */
/* The parts of the transcripts' server: server_program.c starts and stops it,
 * server_samples.c has one of everything, server_commands.c runs its commands,
 * and handler.c is the handlers that a transcript writes itself. */
#ifndef TESTS_WIRE_SERVER_PROGRAM_H
#define TESTS_WIRE_SERVER_PROGRAM_H

#include <mcp/mcp.h>

enum { SERVER_MAX_CLIENTS = 9, SERVER_MAX_KEPT = 16 };

typedef struct handler handler;
typedef struct server_self server_self;

/* One connection, while it is open. */
typedef struct server_client {
  server_self *program;
  mcp_transport *end;
  mcp_connection *connection;
} server_client;

struct server_self {
  mcp_server *server; /* NULL: it has been freed */
  mcp_loop *loop;
  server_client clients[SERVER_MAX_CLIENTS];
  mcp_session *session;            /* the last one opened */
  mcp_call *deferred;              /* by the sample tool `later` */
  mcp_call *kept[SERVER_MAX_KEPT]; /* by handlers; NULL: has been answered */
  size_t kept_count;
  handler *handlers; /* all that transcripts wrote */
  char *when_opened; /* a command; NULL: none */
  int may_block;     /* handlers, on a pool that the transcript runs */
  int shows_hooks;   /* report on_request and on_reply */
};

/* One of everything; and parts that only some transcripts want. */
void server_add_samples(server_self *me);
void server_add_route(mcp_server *server);
void server_add_schemas(mcp_server *server);
void server_add_booleans(mcp_server *server);
void server_add_more(mcp_server *server);
void server_add_methods(mcp_server *server);
int server_on_add(mcp_call *call, void *userdata);
/* Answers the sample tool `wait`. */
void server_finish(const char *text);

/* Runs a command line, which it changes. 1, or 0 when it knows no such
 * command. */
int server_command(server_self *me, char *line);
int server_run_command(void *self, char *line);
/* Shows a failure: "= NAME CODE". */
void server_saw_code(const char *name, int rc);

/* Serves the skills of a folder: "DIR" or "DIR directory_read". It is in
 * server_skills.c, and in server_no_skills.c where it fails. */
int server_skills(server_self *me, char *rest);
/* Takes numbers of mcp_tasks_options as an object, or nothing. */
int server_enable_tasks(server_self *me, char *rest);
/* "optional" or "required"; NULL or another word: forbidden. */
int server_task_support(const char *word);

/* A level by its name, or any number. */
int server_log_level(const char *name);

/* A handler whose steps are separated by " | ". Lives as long as the program.
 * Its mcp_call_cb is handler_run, and it is the userdata. */
handler *handler_new(server_self *me, const char *steps);
int handler_run(mcp_call *call, void *userdata);
/* The steps that complete for it, as its mcp_complete_cb; NULL: none. h may be
 * NULL. */
void handler_set_complete(handler *h, const char *steps);
int handler_complete(mcp_call *call, void *userdata);
/* Runs steps on the kept call of that number, from 1. */
void handler_run_kept(server_self *me, size_t number, const char *steps);
/* The call has its reply. */
void handler_forget(server_self *me, const mcp_call *call);
/* Drops what is kept, and frees all handlers. */
void handlers_free(server_self *me);

/* Texts for one call of the library. */
typedef struct scratch {
  char *texts[16];
  size_t count;
} scratch;

/* A string member, or NULL; and the text of a member's JSON, or of a string
 * that it is, or NULL. Borrowed until scratch_free. */
const char *member_string(scratch *s, const mcp_json *object, const char *name);
const char *member_json(scratch *s, const mcp_json *object, const char *name);
void scratch_free(scratch *s);

#endif
