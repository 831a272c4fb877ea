/* SPDX-License-Identifier: MIT */
/* Completes a command line of mcpctl for another shell.
 *
 * The user has not run the line yet, so completing it does not start what the
 * user may not expect:
 * - No command after "--" is started.
 * - No server is started that a project's file names: that file may have come
 *   with the project.
 * - No bundle is unpacked.
 * - Nothing is printed that a shell would not take as the text that it is, such
 *   as a tool's name with a dollar sign.
 *
 * A child process does the work: it ends the server properly, for which the
 * user need not wait. */
#include "shell/complete_line.h"
#include "bundle/bundle.h"
#include "common/exit.h"
#include "config/config.h"
#include "connection/session.h"
#include "keep/client.h"
#include "line/target.h"
#include "platform/detached.h"
#include "shell/complete.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT_MS = 1000 };

/* A line that is completed. */
typedef struct completing {
  ctl_names names; /* first: connect gets it */
  ctl_session session;
  ctl_options options; /* of the connection */
  ctl_words words;
  const char *config; /* the value of --config; NULL: it was not given */
  char *server;       /* the word that names it; NULL: none */
  ctl_choices choices;
} completing;

static void offer(completing *c, const char *word, const char *typed) {
  if (ctl_complete_fits(word, typed)) {
    ctl_choices_add(&c->choices, word);
  }
}

/* ---- the server -------------------------------------------------------- */

/* Whether the word is a URL, or the name of a server of the user's own. */
static int may_connect(const completing *c) {
  ctl_config config;
  char *url = strdup(c->server);
  int is_url = url != NULL && ctl_target_read(url);
  free(url);
  if (is_url) {
    return 1;
  }
  const ctl_named *named = ctl_config_read(&config, c->config) == CTL_OK
                               ? ctl_config_find(&config, c->server)
                               : NULL;
  int is_own = named != NULL && named->file->folder == NULL;
  ctl_config_deinit(&config);
  return is_own;
}

/* Reads a command line that has those options of the user's that matter to a
 * connection. Returns CTL_GO_ON or an exit code. */
static int read_options(completing *c) {
  static char name[] = "mcpctl";
  static char verb[] = "tools";
  int argc = 0;
  char **argv = calloc(c->words.count + 4, sizeof(*argv));
  if (argv == NULL) {
    return CTL_USAGE;
  }
  argv[argc++] = name;
  for (size_t i = 0; i + 1 < c->words.count; i++) {
    int kind = ctl_options_word(c->words.list[i]);
    int has_value = (kind & CTL_WORD_WANTS_VALUE) != 0;
    if (kind & CTL_WORD_CONNECTS) {
      argv[argc++] = c->words.list[i];
      if (has_value) {
        argv[argc++] = c->words.list[i + 1];
      }
    }
    i += (size_t)has_value;
  }
  argv[argc++] = c->server;
  argv[argc++] = verb;
  int code = ctl_options_parse(&c->options, argc, argv);
  free(argv);
  return code;
}

/* The user has started a session that runs, so it may be that of a project's
 * server. */
static int join_server(completing *c) {
  int fd = ctl_keep_join(&c->options, 0);
  int code = fd > 0 ? ctl_session_begin(&c->session, &c->options, fd) : -1;
  return code == CTL_OK && !c->session.is_connected ? -1 : code;
}

static int connect_server(ctl_names *names) {
  completing *c = (completing *)names;
  if (c->server == NULL || ctl_bundle_is_named(c->server) ||
      read_options(c) != CTL_GO_ON) {
    return -1;
  }
  c->options.timeout_ms = LIMIT_MS;
  c->options.connect_timeout_ms = LIMIT_MS;
  c->options.max_time_ms = LIMIT_MS;
  if (may_connect(c)) {
    return ctl_session_open(&c->session, &c->options);
  }
  return join_server(c);
}

/* ---- words ------------------------------------------------------------- */

static void offer_servers(completing *c, const char *typed) {
  ctl_config config;
  if (ctl_config_read(&config, c->config) == CTL_OK) {
    for (size_t i = 0; i < config.server_count; i++) {
      if (!config.servers[i].is_hidden) {
        offer(c, config.servers[i].name, typed);
      }
    }
  }
  ctl_config_deinit(&config);
}

/* Whether the verb can follow a server. */
static int takes_server(const ctl_verb *verb) {
  return verb->server == CTL_SERVER_ANY || verb->server == CTL_SERVER_EITHER ||
         verb->server >= CTL_SERVER_NAMED;
}

static void offer_verbs(completing *c, const char *typed) {
  for (const ctl_verb *verb = ctl_verbs; verb->name != NULL; verb++) {
    if (c->server == NULL || takes_server(verb)) {
      offer(c, verb->name, typed);
    }
  }
}

/* Completes the argument of a verb that the shell within mcpctl lacks, or has
 * with other words. Returns 0 for any other verb. */
static int complete_own(completing *c, const ctl_typing *typing) {
  const char *verb = typing->words[0];
  int is_first = typing->count == 2;
  int names_server = strcmp(verb, "remove") == 0 || strcmp(verb, "export") == 0;
  int is_diff = strcmp(verb, "diff") == 0;
  int is_help = strcmp(verb, "help") == 0;
  int is_schema = strcmp(verb, "schema") == 0;
  if (is_diff || (names_server && is_first)) {
    offer_servers(c, typing->typed);
  } else if (is_help && is_first) {
    offer_verbs(c, typing->typed);
  } else if (is_schema && is_first) {
    offer(c, "check", typing->typed);
  }
  return names_server || is_diff || is_help || is_schema;
}

/* Completes a word that is not an option. */
static void complete_word(completing *c, ctl_typing typing) {
  if (typing.count > 1 && ctl_verb_find(typing.words[0]) == NULL) {
    c->server = typing.words[0];
    typing.words++;
    typing.count--;
  }
  if (typing.count == 1) {
    if (c->server == NULL) {
      offer_servers(c, typing.typed);
    }
    offer_verbs(c, typing.typed);
  } else if (!complete_own(c, &typing)) {
    ctl_complete_argument(&c->choices, &typing, &c->names);
  }
}

/* ---- the line ---------------------------------------------------------- */

/* Forgets the program's name. The words after a "--" are the server's. Returns
 * whether there is something to complete. */
static int begin_words(completing *c, int is_new) {
  ctl_words *words = &c->words;
  if (words->quote != '\0' || words->count + (size_t)is_new < 2) {
    return 0;
  }
  free(words->list[0]);
  memmove(words->list, words->list + 1, words->count * sizeof(*words->list));
  words->count--;
  size_t before = words->count - (is_new ? 0 : 1);
  for (size_t i = 0; i < before; i++) {
    if (strcmp(words->list[i], "--") == 0) {
      return 0;
    }
    if (strcmp(words->list[i], "--config") == 0 && i + 1 < before) {
      c->config = words->list[i + 1];
    } else if (strncmp(words->list[i], "--config=", 9) == 0) {
      c->config = words->list[i] + 9;
    }
  }
  return 1;
}

/* Whether all shells take the word as the text that it is. */
static int is_plain(const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "_-+./:,@%=";
  return word[strspn(word, plain)] == '\0';
}

static void print_choices(const ctl_choices *choices, FILE *out) {
  for (size_t i = 0; i < choices->count; i++) {
    if (is_plain(choices->list[i])) {
      fprintf(out, "%s\n", choices->list[i]);
    }
  }
}

/* Writes what the word can be, and closes `out`: the user waits for that. */
static void complete(FILE *out, void *argument) {
  const char *line = argument;
  completing c = {0};
  ctl_typing typing = {0};
  size_t len = strlen(line);
  c.names.session = &c.session;
  c.names.connect = connect_server;
  c.session.event_userdata = &c.names;
  if (ctl_words_split(&c.words, line, len) == 0) {
    int is_new = c.words.last_at == len;
    if (begin_words(&c, is_new) &&
        ctl_typing_read(&typing, &c.words, is_new, 0, &c.choices)) {
      complete_word(&c, typing);
    }
  }
  print_choices(&c.choices, out);
  fclose(out);

  ctl_names_forget(&c.names, NULL);
  ctl_session_close(&c.session);
  ctl_options_deinit(&c.options);
  ctl_typing_deinit(&typing);
  ctl_choices_deinit(&c.choices);
  ctl_words_deinit(&c.words);
}

/* ------------------------------------------------------------------------ */

int ctl_complete_line_run(int argc, char **argv) {
  if (argc != 3 || ctl_detached_print(complete, argv[2], LIMIT_MS) < 0) {
    return CTL_USAGE;
  }
  return CTL_OK;
}
