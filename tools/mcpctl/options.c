/* SPDX-License-Identifier: MIT */
/* The command line.
 *
 * Everything behind the first "--" is the server's command and is not looked
 * at; in front of it options and words may stand in any order. */
#include "options.h"
#include "answer.h"
#include "exit.h"
#include "report.h"
#include "term.h"
#include "usage.h"

#include <errno.h>
#include <getopt.h>
#include <mcp/client.h>
#include <mcp/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  DEFAULT_TIMEOUT_MS = 60000,
  MAX_TIMEOUT_S = 1000000,
  DEFAULT_DURATION_S = 10,
  MAX_DURATION_S = 86400,
  MAX_CONNECTIONS = 10000
};

enum {
  OPT_JSON = 1,
  OPT_ERA,
  OPT_TIMEOUT,
  OPT_OUTPUT,
  OPT_ANSWER,
  OPT_ROOT,
  OPT_ENV,
  OPT_INHERIT_ENV,
  OPT_CWD,
  OPT_HEADER,
  OPT_INSECURE,
  OPT_CACERT,
  OPT_CERT,
  OPT_CONNECTIONS,
  OPT_DURATION,
  OPT_HTML,
  OPT_TRACE,
  OPT_VERBOSE,
  OPT_COLOR,
  OPT_VERSION,
  OPT_HELP
};

static const struct option long_options[] = {
    {"json", no_argument, NULL, OPT_JSON},
    {"era", required_argument, NULL, OPT_ERA},
    {"timeout", required_argument, NULL, OPT_TIMEOUT},
    {"output", required_argument, NULL, OPT_OUTPUT},
    {"answer", required_argument, NULL, OPT_ANSWER},
    {"root", required_argument, NULL, OPT_ROOT},
    {"env", required_argument, NULL, OPT_ENV},
    {"inherit-env", no_argument, NULL, OPT_INHERIT_ENV},
    {"cwd", required_argument, NULL, OPT_CWD},
    {"header", required_argument, NULL, OPT_HEADER},
    {"insecure", no_argument, NULL, OPT_INSECURE},
    {"cacert", required_argument, NULL, OPT_CACERT},
    {"cert", required_argument, NULL, OPT_CERT},
    {"connections", required_argument, NULL, OPT_CONNECTIONS},
    {"duration", required_argument, NULL, OPT_DURATION},
    {"html", required_argument, NULL, OPT_HTML},
    {"trace", no_argument, NULL, OPT_TRACE},
    {"verbose", no_argument, NULL, OPT_VERBOSE},
    {"color", required_argument, NULL, OPT_COLOR},
    {"version", no_argument, NULL, OPT_VERSION},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0},
};

/* ---- values ------------------------------------------------------------ */

/* Where a value stands in a list of names; -1: nowhere. */
static int find_name(const char *const *names, int count, const char *value) {
  for (int i = 0; i < count; i++) {
    if (strcmp(value, names[i]) == 0) {
      return i;
    }
  }
  return -1;
}

static int set_revision(ctl_options *options, const char *value) {
  static const char *const revisions[] = {
      MCP_REVISION_2024_11_05, MCP_REVISION_2025_03_26, MCP_REVISION_2025_06_18,
      MCP_REVISION_2025_11_25, MCP_REVISION_2026_07_28,
  };
  int found = find_name(revisions, 5, value);
  if (found < 0) {
    return ctl_report(CTL_USAGE,
                      "--era %s: neither auto, legacy, modern nor a revision "
                      "such as " MCP_REVISION_LATEST,
                      value);
  }
  options->policy = found == 4 ? MCP_POLICY_MODERN : MCP_POLICY_LEGACY;
  options->revision = revisions[found];
  return CTL_GO_ON;
}

static int set_era(ctl_options *options, const char *value) {
  static const char *const eras[] = {
      [MCP_POLICY_AUTO] = "auto",
      [MCP_POLICY_LEGACY] = "legacy",
      [MCP_POLICY_MODERN] = "modern",
  };
  int found = find_name(eras, 3, value);
  options->era = value;
  if (found < 0) {
    return set_revision(options, value);
  }
  options->policy = (uint32_t)found;
  options->revision = NULL;
  return CTL_GO_ON;
}

/* A number of seconds over 0. */
static int read_seconds(const char *option, const char *value, double max,
                        double *seconds) {
  char *end = NULL;
  *seconds = strtod(value, &end);
  if (end == value || *end != '\0' || !(*seconds > 0) || *seconds > max) {
    return ctl_report(CTL_USAGE, "--%s %s: not a number of seconds up to %.0f",
                      option, value, max);
  }
  return CTL_GO_ON;
}

static int set_timeout(ctl_options *options, const char *value) {
  double seconds = 0;
  int code = read_seconds("timeout", value, MAX_TIMEOUT_S, &seconds);
  options->timeout_ms = (uint32_t)(seconds * 1000 + 0.999); /* never 0 */
  return code;
}

static int set_connections(ctl_options *options, const char *value) {
  char *end = NULL;
  long count = strtol(value, &end, 10);
  if (end == value || *end != '\0' || count < 1 || count > MAX_CONNECTIONS) {
    return ctl_report(CTL_USAGE, "--connections %s: not a number from 1 to %d",
                      value, MAX_CONNECTIONS);
  }
  options->connections = (size_t)count;
  return CTL_GO_ON;
}

static int set_color(ctl_options *options, const char *value) {
  static const char *const names[] = {
      [CTL_COLOR_AUTO] = "auto",
      [CTL_COLOR_ALWAYS] = "always",
      [CTL_COLOR_NEVER] = "never",
  };
  options->color = find_name(names, 3, value);
  if (options->color < 0) {
    return ctl_report(CTL_USAGE, "--color %s: not auto, always or never",
                      value);
  }
  return CTL_GO_ON;
}

static void append(const char **list, const char *value) {
  while (*list != NULL) {
    list++;
  }
  *list = value;
}

/* Adds a NAME=VALUE to one of the lists. */
static int add_setting(const char **list, const char *option,
                       const char *value) {
  const char *equals = strchr(value, '=');
  if (equals == NULL || equals == value) {
    return ctl_report(CTL_USAGE, "--%s %s: not NAME=VALUE", option, value);
  }
  append(list, value);
  return CTL_GO_ON;
}

/* A misspelt consent would else be none, and a refusal be no refusal. */
static int add_answer(ctl_options *options, const char *value) {
  int code = add_setting(options->answers, "answer", value);
  if (code == CTL_GO_ON && strncmp(value, "action=", 7) == 0 &&
      ctl_answer_find_action(value + 7) == CTL_ACTION_NONE) {
    return ctl_report(CTL_USAGE,
                      "--answer %s: not accept, decline or cancel; for a field "
                      "of that name write action:=JSON",
                      value);
  }
  return code;
}

/* ---- options ----------------------------------------------------------- */

static int print_help(void) {
  ctl_usage_print(stdout);
  return CTL_OK;
}

static int print_version(void) {
  printf("mcpctl %s\n", mcp_version());
  return CTL_OK;
}

static int add_header(ctl_options *options, const char *value) {
  const char *colon = strchr(value, ':');
  if (colon == NULL || colon == value) {
    return ctl_report(CTL_USAGE, "--header: one is not 'Name: value'");
  }
  append(options->headers, value);
  return CTL_GO_ON;
}

/* What is said of an HTTPS server, or of a file for it. */
static int set_file(ctl_options *options, int option, const char *value) {
  const char **file = option == OPT_CACERT ? &options->cacert : &options->cert;
  if (access(value, R_OK) != 0) {
    return ctl_report(CTL_USAGE, "--%s %s: %s",
                      option == OPT_CACERT ? "cacert" : "cert", value,
                      strerror(errno));
  }
  *file = value;
  return CTL_GO_ON;
}

static int set_value(ctl_options *options, int option, const char *value) {
  switch (option) {
  case OPT_ERA:
    return set_era(options, value);
  case OPT_TIMEOUT:
    return set_timeout(options, value);
  case OPT_CONNECTIONS:
    return set_connections(options, value);
  case OPT_DURATION:
    return read_seconds("duration", value, MAX_DURATION_S,
                        &options->duration_s);
  case OPT_HTML:
    options->html = value;
    return CTL_GO_ON;
  case OPT_COLOR:
    return set_color(options, value);
  case OPT_ANSWER:
    return add_answer(options, value);
  case OPT_ENV:
    return add_setting(options->env, "env", value);
  case OPT_HEADER:
    return add_header(options, value);
  case OPT_CACERT:
  case OPT_CERT:
    return set_file(options, option, value);
  case OPT_OUTPUT:
    options->output = value;
    return CTL_GO_ON;
  case OPT_ROOT:
    append(options->roots, value);
    return CTL_GO_ON;
  default:
    options->cwd = value;
    return CTL_GO_ON;
  }
}

static int set_option(ctl_options *options, int option, const char *value) {
  switch (option) {
  case OPT_JSON:
    options->is_json = 1;
    return CTL_GO_ON;
  case OPT_TRACE:
    options->is_trace = 1;
    return CTL_GO_ON;
  case OPT_VERBOSE:
    options->is_verbose = 1;
    return CTL_GO_ON;
  case OPT_INHERIT_ENV:
    options->inherit_env = 1;
    return CTL_GO_ON;
  case OPT_INSECURE:
    options->is_insecure = 1;
    return CTL_GO_ON;
  case OPT_HELP:
    return print_help();
  case OPT_VERSION:
    return print_version();
  default:
    return set_value(options, option, value);
  }
}

/* What getopt_long could not read. It would say so itself, but by the name that
 * the program was called by, and without what to do. */
static int complain(int option, const char *word) {
  if (option == ':') {
    return ctl_report(CTL_USAGE, "%s needs a value: see mcpctl --help", word);
  }
  if (optopt >= OPT_JSON && optopt <= OPT_HELP) {
    return ctl_report(CTL_USAGE, "%s: this option takes no value", word);
  }
  if (optopt != 0) { /* one letter of a word that may have more */
    return ctl_report(CTL_USAGE, "no option '-%c': mcpctl --help lists them",
                      optopt);
  }
  return ctl_report(CTL_USAGE, "no option '%s': mcpctl --help lists them",
                    word);
}

static int read_options(ctl_options *options, int argc, char **argv) {
  int option = 0;
  int code = CTL_GO_ON;
  opterr = 0;
  while (code == CTL_GO_ON &&
         (option = getopt_long(argc, argv, ":", long_options, NULL)) != -1) {
    code = option == '?' || option == ':' ? complain(option, argv[optind - 1])
                                          : set_option(options, option, optarg);
  }
  return code;
}

/* ---- words ------------------------------------------------------------- */

static int check_arg_count(const ctl_options *options) {
  const ctl_verb *verb = options->verb;
  int is_few = options->arg_count < verb->min_args;
  int is_many = verb->max_args >= 0 && options->arg_count > verb->max_args;
  if (is_few || is_many) {
    return ctl_report(CTL_USAGE, "too %s words: mcpctl %s%s%s",
                      is_few ? "few" : "many",
                      options->url != NULL ? "URL " : "", verb->synopsis,
                      options->url != NULL ? "" : " -- COMMAND");
  }
  return CTL_GO_ON;
}

static int check_output(const ctl_options *options) {
  if (options->output == NULL) {
    return CTL_GO_ON;
  }
  if (options->is_json || strcmp(options->verb->name, "read") != 0) {
    return ctl_report(CTL_USAGE,
                      "--output %s: that is for read, without --json; else "
                      "redirect standard output",
                      options->output);
  }
  return CTL_GO_ON;
}

static int check_bench(ctl_options *options) {
  int is_for_bench = options->connections != 0 || options->duration_s != 0 ||
                     options->html != NULL;
  if (is_for_bench && strcmp(options->verb->name, "bench") != 0) {
    return ctl_report(CTL_USAGE, "--connections, --duration and --html are for "
                                 "bench");
  }
  if (options->duration_s == 0) {
    options->duration_s = DEFAULT_DURATION_S;
  }
  return CTL_GO_ON;
}

static int is_target(const char *word) {
  return strstr(word, "://") != NULL || strncmp(word, "unix:", 5) == 0;
}

/* "tcp://HOST:PORT" or "unix:PATH". */
static const char *socket_of(const char *url) {
  if (strncmp(url, "tcp://", 6) == 0) {
    return url + 6;
  }
  return strncmp(url, "unix:", 5) == 0 ? url : NULL;
}

static int read_words(ctl_options *options, int count, char **words) {
  if (count > 0 && is_target(words[0])) {
    options->url = *words++;
    options->socket = socket_of(options->url);
    count--;
  }
  if (count == 0) {
    return ctl_report(CTL_USAGE, "no verb: mcpctl --help lists them");
  }
  options->verb = ctl_verb_find(words[0]);
  if (options->verb == NULL) {
    return ctl_report(CTL_USAGE, "no verb '%s': mcpctl --help lists them%s",
                      words[0],
                      strpbrk(words[0], ":/") != NULL
                          ? "; a URL begins with http:// or https://"
                          : "");
  }
  options->args = words + 1;
  options->arg_count = count - 1;
  return CTL_GO_ON;
}

/* ---- all --------------------------------------------------------------- */

/* How many words stand in front of the first "--". */
static int own_argc(int argc, char **argv) {
  int count = 1;
  while (count < argc && strcmp(argv[count], "--") != 0) {
    count++;
  }
  return count < argc ? count : argc;
}

/* No list can have more entries than the command line has words. */
static int make_lists(ctl_options *options, int argc) {
  size_t count = (size_t)argc + 1;
  options->env = calloc(count, sizeof(char *));
  options->answers = calloc(count, sizeof(char *));
  options->roots = calloc(count, sizeof(char *));
  options->headers = calloc(count, sizeof(char *));
  if (options->env == NULL || options->answers == NULL ||
      options->roots == NULL || options->headers == NULL) {
    return ctl_report(CTL_USAGE, "out of memory");
  }
  return CTL_GO_ON;
}

/* Those of its kind alone: what is said in vain is a mistake. */
static int check_target(const ctl_options *options) {
  int is_for_url = options->is_insecure || options->cacert != NULL ||
                   options->cert != NULL || options->headers[0] != NULL;
  int is_for_command =
      options->inherit_env || options->cwd != NULL || options->env[0] != NULL;
  if ((options->url == NULL || options->socket != NULL) && is_for_url) {
    return ctl_report(CTL_USAGE, "--header, --insecure, --cacert and --cert "
                                 "are for a URL of HTTP");
  }
  if (options->url != NULL && is_for_command) {
    return ctl_report(CTL_USAGE, "--env, --inherit-env and --cwd are for a "
                                 "command");
  }
  return CTL_GO_ON;
}

static int has_late_url(const ctl_options *options) {
  for (int i = 0; i < options->arg_count; i++) {
    const char *arg = options->args[i];
    if (strncmp(arg, "http://", 7) == 0 || strncmp(arg, "https://", 8) == 0) {
      return 1;
    }
  }
  return 0;
}

/* First of all: without its --, a server's command looks like arguments. `rest`
 * begins with the "--", if there is one. */
static int take_server(ctl_options *options, int count, char **rest) {
  if (options->url == NULL && count < 2 && has_late_url(options)) {
    return ctl_report(CTL_USAGE,
                      "no server: a URL stands in front, as in "
                      "mcpctl URL %s",
                      options->verb->synopsis);
  }
  if (options->url == NULL && count < 2) {
    return ctl_report(CTL_USAGE,
                      "no server: put its command behind --, as in "
                      "mcpctl %s -- COMMAND",
                      options->verb->synopsis);
  }
  if (options->url != NULL && count > 0) {
    return ctl_report(CTL_USAGE, "two servers: a URL, and a command behind --");
  }
  options->command = options->url == NULL ? rest + 1 : NULL;
  return check_target(options);
}

static int read_all(ctl_options *options, int argc, char **argv) {
  int count = own_argc(argc, argv);
  int code = read_options(options, count, argv);
  if (code == CTL_GO_ON) {
    code = read_words(options, count - optind, argv + optind);
  }
  if (code != CTL_GO_ON) {
    return code;
  }
  code = take_server(options, argc - count, argv + count);
  code = code == CTL_GO_ON ? check_arg_count(options) : code;
  code = code == CTL_GO_ON ? check_output(options) : code;
  return code == CTL_GO_ON ? check_bench(options) : code;
}

int ctl_options_parse(ctl_options *options, int argc, char **argv) {
  *options = (ctl_options){.timeout_ms = DEFAULT_TIMEOUT_MS};
  int code = make_lists(options, argc);
  return code == CTL_GO_ON ? read_all(options, argc, argv) : code;
}

void ctl_options_deinit(ctl_options *options) {
  free(options->env);
  free(options->answers);
  free(options->roots);
  free(options->headers);
}
