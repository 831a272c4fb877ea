/* SPDX-License-Identifier: MIT */
/* Reads the command line.
 *
 * All words after the first "--" are the server's command, which this file does
 * not read. Before the "--", options and words may come in any order. */
#include "line/options.h"
#include "common/exit.h"
#include "common/nearest.h"
#include "common/report.h"
#include "config/server.h"
#include "connection/answer.h"
#include "line/option.h"
#include "line/target.h"
#include "line/usage.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_TIMEOUT_MS = 60000 };

/* ---- getopt's tables --------------------------------------------------- */

enum {
  FIRST_LONG = 256, /* no character: getopt_long also returns those */
  MAX_OPTIONS = 128
};

typedef struct getopt_tables {
  struct option longs[MAX_OPTIONS];
  char letters[MAX_OPTIONS];
} getopt_tables;

/* The value of a long option is FIRST_LONG and its row. A leading ':' makes
 * getopt_long tell a missing value from an unknown option. */
static void make_tables(getopt_tables *tables) {
  size_t longs = 0;
  size_t letters = 0;
  tables->letters[letters++] = ':';
  for (int row = 0; ctl_option_table[row].set != NULL; row++) {
    const ctl_option *one = &ctl_option_table[row];
    if (one->name != NULL) {
      tables->longs[longs++] = (struct option){
          one->name, one->has_value ? required_argument : no_argument, NULL,
          FIRST_LONG + row};
    }
    if (one->letter != 0) {
      tables->letters[letters++] = one->letter;
    }
  }
  tables->longs[longs] = (struct option){NULL, 0, NULL, 0};
  tables->letters[letters] = '\0';
}

/* The option that getopt_long has found. */
static const ctl_option *found_option(int value) {
  const ctl_option *one = ctl_option_table;
  if (value >= FIRST_LONG) {
    return one + (value - FIRST_LONG);
  }
  while (one->letter != value) {
    one++;
  }
  return one;
}

/* ---- options ----------------------------------------------------------- */

static void find_nearest_option(ctl_nearest *nearest, const char *name,
                                size_t len) {
  ctl_nearest_begin(nearest, name, len);
  nearest->sign = "--";
  for (const ctl_option *one = ctl_option_table; one->set != NULL; one++) {
    if (one->name != NULL) {
      ctl_nearest_offer(nearest, one->name);
    }
  }
}

/* Whether a word is a verb that takes arguments, such as call. */
static int takes_arguments(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const ctl_verb *verb = ctl_verb_find(argv[i]);
    if (verb != NULL && verb->arguments_at > 0) {
      return 1;
    }
  }
  return 0;
}

/* The word is argv[optind - 1]. Its value may be the next word. */
static int refuse_long_option(int argc, char **argv) {
  const char *word = argv[optind - 1];
  const char *name = word + 2;
  size_t len = strcspn(name, "=");
  ctl_nearest nearest;
  char ending[CTL_ENDING_SIZE];
  find_nearest_option(&nearest, name, len);
  if (nearest.name == NULL && takes_arguments(argc, argv)) {
    const char *next = optind < argc ? argv[optind] : "VALUE";
    return ctl_report(
        CTL_USAGE, "unknown option '%s'; for an argument write %.*s=%s", word,
        (int)len, name, name[len] == '=' ? name + len + 1 : next);
  }
  return ctl_report(CTL_USAGE, "unknown option '%s'%s", word,
                    ctl_nearest_ending(
                        &nearest, ": mcpctl --help lists the options", ending));
}

/* Reports an option that getopt_long could not read. Its own message would not
 * say what to do. */
static int refuse_option(int option, int argc, char **argv) {
  const char *word = argv[optind - 1];
  if (option == ':') {
    return ctl_report(CTL_USAGE, "%s needs a value: see mcpctl --help", word);
  }
  if (optopt >= FIRST_LONG) {
    return ctl_report(CTL_USAGE, "%s: this option takes no value", word);
  }
  if (optopt != 0) { /* one letter of a word that may have more */
    return ctl_report(CTL_USAGE,
                      "unknown option '-%c': mcpctl --help lists the options",
                      optopt);
  }
  return refuse_long_option(argc, argv);
}

static int set_option(ctl_options *options, const ctl_option *option,
                      char **argv) {
  if (options->is_line && option->when != CTL_WHEN_RUN) {
    return ctl_report(CTL_USAGE,
                      "%s: the shell is connected already; give this option "
                      "before the verb shell",
                      argv[optind - 1 - (optarg == argv[optind - 1])]);
  }
  return option->set(option, options, optarg);
}

static int read_options(ctl_options *options, int argc, char **argv) {
  getopt_tables tables;
  int found = 0;
  int code = CTL_GO_ON;
  make_tables(&tables);
  opterr = 0;
  optind = 0; /* begins anew: a shell has many lines */
  while (code == CTL_GO_ON && (found = getopt_long(argc, argv, tables.letters,
                                                   tables.longs, NULL)) != -1) {
    code = found == '?' || found == ':'
               ? refuse_option(found, argc, argv)
               : set_option(options, found_option(found), argv);
  }
  return code;
}

/* ---- words ------------------------------------------------------------- */

/* Takes a URL. Returns CTL_GO_ON or an exit code. */
static int read_url_word(ctl_options *options, char *word) {
  if (!ctl_target_is_known(word)) {
    return ctl_report(CTL_USAGE,
                      "unknown scheme '%.*s': a server's URL begins "
                      "with " CTL_TARGETS,
                      (int)strcspn(word, "/"), word);
  }
  options->url = word;
  options->socket = ctl_target_socket(word);
  return CTL_GO_ON;
}

/* Takes the name of a server, which stands where a verb could. `next` is the
 * word after it; NULL: there is none. */
static int read_name(ctl_options *options, const char *word, const char *next,
                     int has_command) {
  int is_known = 0;
  int code = ctl_server_use(options, word, &is_known);
  if (is_known) {
    return code;
  }
  int is_name = strpbrk(word, ":/") == NULL && next != NULL && !has_command &&
                ctl_verb_find(next) != NULL;
  return is_name ? ctl_server_refuse(options, word)
                 : ctl_usage_refuse_verb(word, has_command);
}

static int read_words(ctl_options *options, int count, char **words,
                      int has_command) {
  int code = CTL_GO_ON;
  int has_server = 0;
  if (count > 0 && ctl_target_read(words[0])) {
    has_server = 1;
    code = read_url_word(options, words[0]);
  } else if (count > 0 && ctl_verb_find(words[0]) == NULL) {
    has_server = 1;
    code =
        read_name(options, words[0], count > 1 ? words[1] : NULL, has_command);
  }
  count -= has_server;
  words += has_server;
  if (code == CTL_GO_ON && count == 0) {
    code =
        ctl_report(CTL_USAGE, "no verb given: mcpctl --help lists the verbs");
  }
  if (code != CTL_GO_ON) {
    return code;
  }
  options->verb = ctl_verb_find(words[0]);
  if (options->verb == NULL) {
    return ctl_usage_refuse_verb(words[0], has_server || has_command);
  }
  options->args = words + 1;
  options->arg_count = count - 1;
  return CTL_GO_ON;
}

/* mcpctl tools NAME: the name of a server stands after the verb. */
static int refuse_late_name(const ctl_options *options) {
  const ctl_verb *verb = options->verb;
  if (verb->server != CTL_SERVER_ANY || options->url != NULL ||
      options->command != NULL || options->arg_count == 0 ||
      !ctl_server_is_known(options, options->args[0])) {
    return CTL_GO_ON;
  }
  return ctl_report(CTL_USAGE,
                    "no server given: the name of a server stands before the "
                    "verb, as in mcpctl %s %s",
                    options->args[0], verb->synopsis);
}

/* mcpctl add NAME URL: for a server that goes into a configuration, the URL may
 * stand after the name. */
static int read_late_url(ctl_options *options) {
  if (options->verb->server != CTL_SERVER_WRITTEN || options->arg_count != 2) {
    return CTL_GO_ON;
  }
  char *word = options->args[1];
  if (!ctl_target_read(word)) {
    return ctl_report(
        CTL_USAGE,
        "'%s' is not a URL; a command goes after --, as in mcpctl "
        "%s %s -- %s",
        word, options->verb->name, options->args[0], word);
  }
  options->arg_count = 1;
  return read_url_word(options, word);
}

/* Takes the command after "--"; NULL: there is none. */
static int read_command(ctl_options *options, char **command) {
  if (command != NULL && options->server != NULL) {
    return ctl_report(CTL_USAGE,
                      "two servers given: '%s', and a command after --; give "
                      "one of them",
                      options->server->name);
  }
  if (command != NULL) {
    options->command = command;
  }
  return CTL_GO_ON;
}

/* ---- all --------------------------------------------------------------- */

/* The number of words before the first "--". */
static int own_argc(int argc, char **argv) {
  int count = 1;
  while (count < argc && strcmp(argv[count], "--") != 0) {
    count++;
  }
  return count < argc ? count : argc;
}

int ctl_options_name_target(ctl_options *options) {
  if (options->server != NULL) {
    options->target = strdup(options->server->name);
  } else if (options->url != NULL) {
    options->target = ctl_target_shown(options->url);
  } else if (options->command != NULL) {
    options->target = strdup(options->command[0]);
  } else {
    return CTL_GO_ON;
  }
  return options->target != NULL ? CTL_GO_ON
                                 : ctl_report(CTL_USAGE, "out of memory");
}

/* Each list has room for as many entries as the command line has words. */
static int make_lists(ctl_options *options, int argc) {
  size_t count = (size_t)argc + 1;
  options->env = calloc(count, sizeof(char *));
  options->answers = calloc(count, sizeof(char *));
  options->used_answers = calloc(count, 1);
  options->meant_answers = calloc(count, sizeof(char *));
  options->roots = calloc(count, sizeof(char *));
  options->headers = calloc(count, sizeof(char *));
  options->added = calloc(count, sizeof(char *));
  options->ignored = calloc(count, sizeof(char *));
  options->settings = calloc(count, sizeof(char *));
  options->platforms = calloc(count, sizeof(char *));
  if (options->env == NULL || options->answers == NULL ||
      options->used_answers == NULL || options->meant_answers == NULL ||
      options->roots == NULL || options->headers == NULL ||
      options->added == NULL || options->ignored == NULL ||
      options->settings == NULL || options->platforms == NULL) {
    return ctl_report(CTL_USAGE, "out of memory");
  }
  return CTL_GO_ON;
}

int ctl_options_parse(ctl_options *options, int argc, char **argv) {
  if (argc < 2) {
    *options = (ctl_options){0};
    ctl_usage_print(stderr);
    return CTL_USAGE;
  }
  int own = own_argc(argc, argv);
  *options = (ctl_options){.timeout_ms = DEFAULT_TIMEOUT_MS};
  int code = make_lists(options, argc);
  if (code == CTL_GO_ON) {
    code = read_options(options, own, argv);
  }
  if (code == CTL_GO_ON) {
    code = read_words(options, own - optind, argv + optind, own < argc);
  }
  if (code == CTL_GO_ON) {
    code = read_late_url(options);
  }
  if (code == CTL_GO_ON) {
    code = read_command(options, own < argc ? argv + own + 1 : NULL);
  }
  if (code == CTL_GO_ON) {
    code = refuse_late_name(options);
  }
  if (code == CTL_GO_ON) {
    code = ctl_options_check(options);
  }
  return code == CTL_GO_ON ? ctl_options_name_target(options) : code;
}

/* Copies the list, not the strings. NULL: out of memory. */
static const char **copy_list(const char *const *list) {
  size_t count = 1;
  while (list[count - 1] != NULL) {
    count++;
  }
  const char **copied = malloc(count * sizeof(*copied));
  if (copied != NULL) {
    memcpy(copied, list, count * sizeof(*copied));
  }
  return copied;
}

int ctl_options_copy(ctl_options *copy, const ctl_options *options) {
  *copy = *options;
  copy->server = NULL;
  copy->target = NULL;
  copy->env = copy_list(options->env);
  copy->headers = copy_list(options->headers);
  return copy->env != NULL && copy->headers != NULL ? 0 : MCP_ERR_NOMEM;
}

void ctl_options_copy_deinit(ctl_options *copy) {
  ctl_server_free(copy->server);
  free(copy->target);
  free(copy->env);
  free(copy->headers);
}

/* What a line has from its shell. */
static void begin_line(ctl_options *line, const ctl_options *shell) {
  *line = *shell;
  line->is_line = 1;
  line->stops_at_once = 0;
  line->target = NULL;
  line->env = NULL;
  line->answers = NULL;
  line->used_answers = NULL;
  line->meant_answers = NULL;
  line->roots = NULL;
  line->headers = NULL;
  line->added = NULL;
  line->ignored = NULL;
  line->settings = NULL;
  line->platforms = NULL;
}

/* The verb is the first word: the server is that of the shell. */
static int read_line_words(ctl_options *line, int count, char **words) {
  line->verb = count > 0 ? ctl_verb_find(words[0]) : NULL;
  if (count == 0) {
    return ctl_report(CTL_USAGE, "no verb given: help lists the verbs");
  }
  if (line->verb == NULL) {
    return ctl_usage_refuse_verb(words[0], 1);
  }
  if (!ctl_verb_is_for_shell(line->verb)) {
    return ctl_report(CTL_USAGE,
                      "%s does not work in a shell: run it by itself",
                      line->verb->name);
  }
  line->args = words + 1;
  line->arg_count = count - 1;
  return CTL_GO_ON;
}

int ctl_options_parse_line(ctl_options *line, const ctl_options *shell,
                           int argc, char **argv) {
  begin_line(line, shell);
  int code = make_lists(line, argc);
  if (code == CTL_GO_ON) {
    code = read_options(line, argc, argv);
  }
  if (code == CTL_GO_ON) {
    code = read_line_words(line, argc - optind, argv + optind);
  }
  if (code == CTL_GO_ON) {
    code = ctl_options_check(line);
  }
  if (code == CTL_GO_ON) {
    line->target = strdup(shell->target);
    code = line->target != NULL ? CTL_GO_ON
                                : ctl_report(CTL_USAGE, "out of memory");
  }
  return code;
}

void ctl_options_deinit(ctl_options *options) {
  ctl_answer_forget(options);
  if (!options->is_line) {
    ctl_server_free(options->server);
  }
  free(options->target);
  free(options->env);
  free(options->answers);
  free(options->used_answers);
  free(options->meant_answers);
  free(options->roots);
  free(options->headers);
  free(options->added);
  free(options->ignored);
  for (const char **one = options->settings; one != NULL && *one != NULL;
       one++) {
    free((char *)*one);
  }
  free(options->settings);
  free(options->platforms);
}
