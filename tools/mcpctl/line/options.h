/* SPDX-License-Identifier: MIT */
/* The command line: mcpctl [OPTIONS] VERB [ARGS] -- COMMAND ARGS, mcpctl
 * [OPTIONS] URL VERB [ARGS], mcpctl [OPTIONS] NAME VERB [ARGS] for a server of
 * a configuration, or mcpctl [OPTIONS] VERB [ARGS] for a verb that uses no
 * server. */
#ifndef CTL_OPTIONS_H
#define CTL_OPTIONS_H

#include "line/verbs.h"

#include <stdint.h>

typedef struct ctl_options {
  const ctl_verb *verb;
  char **args; /* what follows the verb */
  int arg_count;
  char **command; /* NULL at the end; NULL: the server is at a URL, or absent */
  const char *url; /* NULL: the server is a command, or absent */
  /* The socket's address, a part of the URL; NULL: the URL is one of HTTP or
   * WebSocket. */
  const char *socket;
  struct ctl_server *server; /* of a configuration, if the command line names
                              * one; owned, and command and url are its */
  char *target; /* the server's name, or the command or the URL without what may
                 * be secret; owned */

  const char *config; /* the only configuration file to read; NULL: all */
  int is_checking;    /* `servers` connects to each */
  const char *host;   /* `export` writes for this host; NULL: mcpctl */
  int shows_secrets;  /* `export` writes literal values, too */

  /* For bundles. */
  int is_bundle;             /* the server is one */
  const char *manifest;      /* what `pack` puts into the manifest; NULL: only
                              * what the server says */
  const char *author;        /* `pack`: the manifest's; NULL: not given */
  int is_for_registry;       /* `describe` writes server.json */
  const char *registry_name; /* its name; NULL: not given */
  const char *package;       /* the URL of the bundle; NULL: not given */

  double idle_s;  /* `start`: the session ends after this time without use */
  int is_all;     /* `stop` ends all sessions */
  int no_session; /* a session that stays is not used */

  int reads;         /* `watch` shows the new content of resources */
  int shows_diff;    /* `watch` shows what has changed in them */
  const char *exec;  /* `watch` runs this for each event; NULL: nothing */
  const char *junit; /* `test` writes XML here; NULL: nowhere */
  int is_line;       /* a line of a shell: the server is that of the shell */
  int stops_at_once; /* `shell` ends at the first line that fails */
  int is_json;
  int is_trace;
  const char *trace_file; /* NULL: none */
  int is_verbose;
  int inherit_env;
  int color;            /* CTL_COLOR_* */
  uint32_t dialect;     /* MCP_DIALECT_* */
  const char *era;      /* as it was given; NULL: it was not */
  uint32_t policy;      /* MCP_POLICY_* */
  const char *revision; /* NULL: any */
  uint32_t timeout_ms;  /* the longest wait for an answer or for progress */
  /* To connect, and for the handshake: --timeout; 0: the library's defaults. */
  uint32_t connect_timeout_ms;
  uint32_t max_time_ms; /* for a whole request; 0: the library's default */
  const char *cwd;      /* NULL: mcpctl's own */
  const char *output;   /* the file or folder that `read`, `call` and `task`
                         * write; NULL: none */
  const char *prefix; /* of the names that `generate` writes; NULL: made of the
                         * server's name */
  const char *save;   /* the folder that `skill` writes in; NULL: none */
  int overwrites;     /* files that are there already, too */
  const char *pin; /* a snapshot: `call` and `bench` call the tool only if it is
                    * as there; NULL: none */

  int is_detached;   /* `call` leaves a task */
  int is_waiting;    /* `task` waits for the end */
  int is_cancelling; /* `task` cancels */

  /* For bench. */
  uint32_t connections; /* 0: the default for a URL or a command */
  double duration_s;    /* 0: the default */
  const char *html;     /* NULL: none */

  int no_validate; /* send arguments without validation (call and bench) */
  int no_convert;  /* send key=value as a string always (call and bench) */

  /* For schema check. */
  int has_formats;
  const char *draft;   /* NULL: 2020-12 */
  uint32_t max_errors; /* 0: the default */

  /* For a URL. */
  int is_plain; /* by plain POSTs (mcp_transport_post) */
  int is_insecure;
  const char *cacert;
  const char *cert; /* the key is in the same file */

  /* For logging in at a URL. */
  const char *scope;             /* NULL: what the server demands */
  const char *client_id;         /* NULL: mcpctl registers */
  const char *client_secret_env; /* a variable; NULL: not given */
  const char *client_key;        /* a file; NULL: not given */
  const char *client_issuer;     /* a URL; NULL: what the server names */
  const char *identity;          /* a file with a JWT; NULL: none */
  const char *token_env;         /* a variable; NULL: none */
  int is_machine;                /* --client-credentials */
  int allows_private;            /* --allow-private-addresses */
  int no_browser;
  int uses_keyring; /* logins are in the keyring, not in files */

  /* Owned arrays of borrowed strings, NULL at the end. */
  const char **env;
  const char **answers;
  const char **roots;
  const char **headers;
  const char **added;     /* URI=FILE */
  const char **ignored;   /* JSON pointers, for replay */
  const char **platforms; /* NAME=FILE, of `pack` */

  /* KEY=VALUE, of a bundle. An owned array of owned strings, NULL at the end:
   * a value may come from a file. */
  const char **settings;

  /* For each of the answers: whether it has answered a question. Owned; the run
   * sets it (answer.h). */
  char *used_answers;
  /* For each of them: the name in a question that is like its name. NULL: there
   * was none. Owned; the run sets it. */
  char **meant_answers;
} ctl_options;

/* The program continues; all other codes end it. */
enum { CTL_GO_ON = -1 };

/* Reads the command line, and reports an error in it. Returns CTL_GO_ON, or the
 * exit code to end with. The caller calls ctl_options_deinit in both cases. */
int ctl_options_parse(ctl_options *options, int argc, char **argv);
void ctl_options_deinit(ctl_options *options);

/* Reads a line of a shell, which has the options of the shell as defaults. Else
 * as ctl_options_parse; argv[0] does not count. */
int ctl_options_parse_line(ctl_options *line, const ctl_options *shell,
                           int argc, char **argv);

/* Offers the options that begin with the word; `is_line`: those of a line of a
 * shell. */
struct ctl_choices;
void ctl_options_offer(const char *word, int is_line,
                       struct ctl_choices *choices);
/* Offers the values of an option such as "--era" that begin with `typed`, after
 * `before`. An option may have any value: then there is nothing to offer. */
void ctl_options_offer_values(const char *option, const char *before,
                              const char *typed, struct ctl_choices *choices);

/* What a word before "--" is. */
enum {
  CTL_WORD_OPTION = 1,
  CTL_WORD_WANTS_VALUE = 2, /* the next word is the option's value */
  CTL_WORD_CONNECTS = 4     /* the option matters to a connection that asks for
                             * names only */
};
/* Returns CTL_WORD_*; 0: it is not an option. */
int ctl_options_word(const char *word);

/* Makes a copy for another server, without a server of a configuration. It has
 * lists of variables and headers of its own; all else is borrowed. Returns 0 or
 * MCP_ERR_NOMEM; the caller calls ctl_options_copy_deinit in both cases. */
int ctl_options_copy(ctl_options *copy, const ctl_options *options);
void ctl_options_copy_deinit(ctl_options *copy);

/* Sets the target, the name of the server in messages. A verb that uses no
 * server has none. Returns what ctl_options_parse does. */
int ctl_options_name_target(ctl_options *options);

/* Reports options and words that do not go together. Returns what
 * ctl_options_parse does. */
int ctl_options_check(const ctl_options *options);

/* Whether there are options that say how to start or reach a server. */
int ctl_options_are_for_server(const ctl_options *options);
/* Checks that these go with the server of the options. Returns what
 * ctl_options_parse does. */
int ctl_options_check_target(const ctl_options *options);

#endif
