/* SPDX-License-Identifier: MIT */
/* Reads the command line.
 *
 * All words after the first "--" are the server's command, which this file does
 * not read. Before the "--", options and words may come in any order. */
#include "line/options.h"
#include "common/choices.h"
#include "common/exit.h"
#include "common/nearest.h"
#include "common/report.h"
#include "common/term.h"
#include "config/hosts.h"
#include "config/server.h"
#include "connection/answer.h"
#include "line/target.h"
#include "line/usage.h"

#include <errno.h>
#include <getopt.h>
#include <mcp/client.h>
#include <mcp/schema.h>
#include <mcp/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  DEFAULT_TIMEOUT_MS = 60000,
  MAX_TIMEOUT_S = 1000000,
  MAX_DURATION_S = 86400,
  MAX_IDLE_S = 31536000,
  MAX_CONNECTIONS = 10000,
  MAX_ERRORS = 10000
};

enum {
  OPT_JSON = 256, /* no character: getopt_long also returns those */
  OPT_ERA,
  OPT_TIMEOUT,
  OPT_MAX_TIME,
  OPT_OUTPUT,
  OPT_SAVE,
  OPT_OVERWRITE,
  OPT_PIN,
  OPT_DETACH,
  OPT_WAIT,
  OPT_CANCEL,
  OPT_ANSWER,
  OPT_ROOT,
  OPT_ENV,
  OPT_INHERIT_ENV,
  OPT_CWD,
  OPT_HEADER,
  OPT_PLAIN,
  OPT_INSECURE,
  OPT_CACERT,
  OPT_CERT,
  OPT_SCOPE,
  OPT_CLIENT_ID,
  OPT_CLIENT_SECRET_ENV,
  OPT_CLIENT_KEY,
  OPT_CLIENT_ISSUER,
  OPT_ALLOW_PRIVATE,
  OPT_CLIENT_CREDENTIALS,
  OPT_IDENTITY,
  OPT_TOKEN_ENV,
  OPT_NO_BROWSER,
  OPT_KEYRING,
  OPT_CONNECTIONS,
  OPT_DURATION,
  OPT_HTML,
  OPT_NO_VALIDATE,
  OPT_NO_CONVERT,
  OPT_FORMATS,
  OPT_DIALECT,
  OPT_DRAFT,
  OPT_ADD,
  OPT_MAX_ERRORS,
  OPT_CONFIG,
  OPT_CHECK,
  OPT_FOR,
  OPT_SECRETS,
  OPT_READ,
  OPT_DIFF,
  OPT_EXEC,
  OPT_JUNIT,
  OPT_IGNORE,
  OPT_IDLE,
  OPT_ALL,
  OPT_NO_SESSION,
  OPT_TRACE,
  OPT_TRACE_FILE,
  OPT_VERBOSE,
  OPT_COLOR,
  OPT_VERSION,
  OPT_HELP
};

static const struct option long_options[] = {
    {"json", no_argument, NULL, OPT_JSON},
    {"era", required_argument, NULL, OPT_ERA},
    {"timeout", required_argument, NULL, OPT_TIMEOUT},
    {"max-time", required_argument, NULL, OPT_MAX_TIME},
    {"output", required_argument, NULL, OPT_OUTPUT},
    {"save", required_argument, NULL, OPT_SAVE},
    {"overwrite", no_argument, NULL, OPT_OVERWRITE},
    {"pin", required_argument, NULL, OPT_PIN},
    {"detach", no_argument, NULL, OPT_DETACH},
    {"wait", no_argument, NULL, OPT_WAIT},
    {"cancel", no_argument, NULL, OPT_CANCEL},
    {"answer", required_argument, NULL, OPT_ANSWER},
    {"root", required_argument, NULL, OPT_ROOT},
    {"env", required_argument, NULL, OPT_ENV},
    {"inherit-env", no_argument, NULL, OPT_INHERIT_ENV},
    {"cwd", required_argument, NULL, OPT_CWD},
    {"header", required_argument, NULL, OPT_HEADER},
    {"plain", no_argument, NULL, OPT_PLAIN},
    {"insecure", no_argument, NULL, OPT_INSECURE},
    {"cacert", required_argument, NULL, OPT_CACERT},
    {"cert", required_argument, NULL, OPT_CERT},
    {"scope", required_argument, NULL, OPT_SCOPE},
    {"client-id", required_argument, NULL, OPT_CLIENT_ID},
    {"client-secret-env", required_argument, NULL, OPT_CLIENT_SECRET_ENV},
    {"client-key", required_argument, NULL, OPT_CLIENT_KEY},
    {"client-issuer", required_argument, NULL, OPT_CLIENT_ISSUER},
    {"client-credentials", no_argument, NULL, OPT_CLIENT_CREDENTIALS},
    {"identity", required_argument, NULL, OPT_IDENTITY},
    {"token-env", required_argument, NULL, OPT_TOKEN_ENV},
    {"allow-private-addresses", no_argument, NULL, OPT_ALLOW_PRIVATE},
    {"no-browser", no_argument, NULL, OPT_NO_BROWSER},
    {"keyring", no_argument, NULL, OPT_KEYRING},
    {"connections", required_argument, NULL, OPT_CONNECTIONS},
    {"duration", required_argument, NULL, OPT_DURATION},
    {"html", required_argument, NULL, OPT_HTML},
    {"no-validate", no_argument, NULL, OPT_NO_VALIDATE},
    {"no-convert", no_argument, NULL, OPT_NO_CONVERT},
    {"formats", no_argument, NULL, OPT_FORMATS},
    {"dialect", required_argument, NULL, OPT_DIALECT},
    {"draft", required_argument, NULL, OPT_DRAFT},
    {"add", required_argument, NULL, OPT_ADD},
    {"max-errors", required_argument, NULL, OPT_MAX_ERRORS},
    {"config", required_argument, NULL, OPT_CONFIG},
    {"check", no_argument, NULL, OPT_CHECK},
    {"for", required_argument, NULL, OPT_FOR},
    {"secrets", no_argument, NULL, OPT_SECRETS},
    {"read", no_argument, NULL, OPT_READ},
    {"diff", no_argument, NULL, OPT_DIFF},
    {"exec", required_argument, NULL, OPT_EXEC},
    {"junit", required_argument, NULL, OPT_JUNIT},
    {"ignore", required_argument, NULL, OPT_IGNORE},
    {"idle", required_argument, NULL, OPT_IDLE},
    {"all", no_argument, NULL, OPT_ALL},
    {"no-session", no_argument, NULL, OPT_NO_SESSION},
    {"trace", no_argument, NULL, OPT_TRACE},
    {"trace-file", required_argument, NULL, OPT_TRACE_FILE},
    {"verbose", no_argument, NULL, OPT_VERBOSE},
    {"color", required_argument, NULL, OPT_COLOR},
    {"version", no_argument, NULL, OPT_VERSION},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0},
};

/* ---- values ------------------------------------------------------------ */

/* Lists of values end with NULL. */
static const char *const eras[] = {
    [MCP_POLICY_AUTO] = "auto",
    [MCP_POLICY_LEGACY] = "legacy",
    [MCP_POLICY_MODERN] = "modern",
    NULL,
};

static const char *const dialects[] = {
    [MCP_DIALECT_MCP] = "mcp",
    [MCP_DIALECT_MCP_CORE] = "mcp-core",
    [MCP_DIALECT_MCP_CORE_BARE] = "mcp-core-bare",
    [MCP_DIALECT_MCP_CORE_RPC] = "mcp-core-rpc",
    NULL,
};

static const char *const colors[] = {
    [CTL_COLOR_AUTO] = "auto",
    [CTL_COLOR_ALWAYS] = "always",
    [CTL_COLOR_NEVER] = "never",
    NULL,
};

static const char *const drafts[] = {"2020-12", "draft-07", NULL};

/* The index of a value in a list of names; -1: it is not there. */
static int find_name(const char *const *names, int count, const char *value) {
  for (int i = 0; i < count; i++) {
    if (strcmp(value, names[i]) == 0) {
      return i;
    }
  }
  return -1;
}

static int set_revision(ctl_options *options, const char *value) {
  uint32_t era = mcp_revision_era(value);
  if (era == 0) {
    return ctl_report(CTL_USAGE,
                      "--era %s: not auto, legacy, modern or a revision "
                      "such as " MCP_REVISION_LATEST,
                      value);
  }
  options->policy =
      era == MCP_ERA_MODERN ? MCP_POLICY_MODERN : MCP_POLICY_LEGACY;
  options->revision = value;
  return CTL_GO_ON;
}

static int set_era(ctl_options *options, const char *value) {
  int found = find_name(eras, 3, value);
  options->era = value;
  if (found < 0) {
    return set_revision(options, value);
  }
  options->policy = (uint32_t)found;
  options->revision = NULL;
  return CTL_GO_ON;
}

/* Reads a number of seconds above 0. */
static int read_seconds(const char *option, const char *value, double max,
                        double *seconds) {
  char *end = NULL;
  *seconds = strtod(value, &end);
  if (end == value || *end != '\0' || !(*seconds > 0) || *seconds > max) {
    return ctl_report(CTL_USAGE,
                      "--%s %s: not a number of seconds above 0 and up to %.0f",
                      option, value, max);
  }
  return CTL_GO_ON;
}

static int read_timeout(const char *option, const char *value,
                        uint32_t *timeout_ms) {
  double seconds = 0;
  int code = read_seconds(option, value, MAX_TIMEOUT_S, &seconds);
  if (code == CTL_GO_ON) {
    *timeout_ms = (uint32_t)(seconds * 1000 + 0.999); /* never 0 */
  }
  return code;
}

/* Reads a whole number from 1 to max. */
static int read_count(const char *option, const char *value, long max,
                      uint32_t *count) {
  char *end = NULL;
  long number = strtol(value, &end, 10);
  if (end == value || *end != '\0' || number < 1 || number > max) {
    return ctl_report(CTL_USAGE, "--%s %s: not a number from 1 to %ld", option,
                      value, max);
  }
  *count = (uint32_t)number;
  return CTL_GO_ON;
}

static int set_dialect(ctl_options *options, const char *value) {
  int found = find_name(dialects, 4, value);
  if (found < 0) {
    return ctl_report(CTL_USAGE,
                      "--dialect %s: not mcp, mcp-core, mcp-core-bare or "
                      "mcp-core-rpc",
                      value);
  }
  options->dialect = (uint32_t)found;
  return CTL_GO_ON;
}

/* Reads a built-in draft by its short name, or any by its URI. */
static int set_draft(ctl_options *options, const char *value) {
  options->draft = strcmp(value, "2020-12") == 0    ? MCP_DRAFT_2020_12
                   : strcmp(value, "draft-07") == 0 ? MCP_DRAFT_07
                                                    : value;
  if (strchr(options->draft, ':') == NULL) {
    return ctl_report(CTL_USAGE, "--draft %s: not 2020-12, draft-07 or a URI",
                      value);
  }
  return CTL_GO_ON;
}

static int set_color(ctl_options *options, const char *value) {
  options->color = find_name(colors, 3, value);
  if (options->color < 0) {
    return ctl_report(CTL_USAGE, "--color %s: not auto, always or never",
                      value);
  }
  return CTL_GO_ON;
}

static void append_value(const char **list, const char *value) {
  while (*list != NULL) {
    list++;
  }
  *list = value;
}

/* Adds a value to one of the lists. `form` says how it must look, such as
 * NAME=VALUE. */
static int add_setting(const char **list, const char *option, const char *form,
                       const char *value) {
  const char *equals = strchr(value, '=');
  if (equals == NULL || equals == value) {
    return ctl_report(CTL_USAGE, "--%s %s: not of the form %s", option, value,
                      form);
  }
  append_value(list, value);
  return CTL_GO_ON;
}

/* Checks the action at once: a misspelt one would be ignored when a question
 * comes. */
static int add_answer(ctl_options *options, const char *value) {
  int code = add_setting(options->answers, "answer", "KEY=VALUE", value);
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

/* Does not quote a wrong header, which may contain a token. */
static int add_header(ctl_options *options, const char *value) {
  const char *colon = strchr(value, ':');
  if (colon == NULL || colon == value) {
    return ctl_report(CTL_USAGE, "--header: a header is not 'NAME: VALUE'");
  }
  append_value(options->headers, value);
  return CTL_GO_ON;
}

static int add_ignored(ctl_options *options, const char *value) {
  if (value[0] != '/') {
    return ctl_report(CTL_USAGE,
                      "--ignore %s: not a JSON pointer such as "
                      "/result/content",
                      value);
  }
  append_value(options->ignored, value);
  return CTL_GO_ON;
}

/* Sets a file that must be readable. `name` is the option's. */
static int set_file(const char **file, const char *name, const char *value) {
  if (access(value, R_OK) != 0) {
    return ctl_report(CTL_USAGE, "--%s %s: %s", name, value, strerror(errno));
  }
  *file = value;
  return CTL_GO_ON;
}

/* Sets an option of logging in that has a value. */
static int set_login_value(ctl_options *options, int option,
                           const char *value) {
  switch (option) {
  case OPT_CLIENT_KEY:
    return set_file(&options->client_key, "client-key", value);
  case OPT_IDENTITY:
    return set_file(&options->identity, "identity", value);
  case OPT_SCOPE:
    options->scope = value;
    break;
  case OPT_CLIENT_ID:
    options->client_id = value;
    break;
  case OPT_CLIENT_ISSUER:
    options->client_issuer = value;
    break;
  case OPT_CLIENT_SECRET_ENV:
    options->client_secret_env = value;
    break;
  default:
    options->token_env = value;
    break;
  }
  return CTL_GO_ON;
}

static int set_timeout(ctl_options *options, const char *value) {
  int code = read_timeout("timeout", value, &options->timeout_ms);
  if (code == CTL_GO_ON) {
    options->connect_timeout_ms = options->timeout_ms;
  }
  return code;
}

static int set_value(ctl_options *options, int option, const char *value) {
  switch (option) {
  case OPT_DIALECT:
    return set_dialect(options, value);
  case OPT_ERA:
    return set_era(options, value);
  case OPT_TIMEOUT:
    return set_timeout(options, value);
  case OPT_MAX_TIME:
    return read_timeout("max-time", value, &options->max_time_ms);
  case OPT_CONNECTIONS:
    return read_count("connections", value, MAX_CONNECTIONS,
                      &options->connections);
  case OPT_DURATION:
    return read_seconds("duration", value, MAX_DURATION_S,
                        &options->duration_s);
  case OPT_HTML:
    options->html = value;
    return CTL_GO_ON;
  case OPT_DRAFT:
    return set_draft(options, value);
  case OPT_ADD:
    return add_setting(options->added, "add", "URI=FILE", value);
  case OPT_MAX_ERRORS:
    return read_count("max-errors", value, MAX_ERRORS, &options->max_errors);
  case OPT_COLOR:
    return set_color(options, value);
  case OPT_ANSWER:
    return add_answer(options, value);
  case OPT_ENV:
    return add_setting(options->env, "env", "NAME=VALUE", value);
  case OPT_HEADER:
    return add_header(options, value);
  case OPT_CACERT:
    return set_file(&options->cacert, "cacert", value);
  case OPT_CERT:
    return set_file(&options->cert, "cert", value);
  case OPT_SCOPE:
  case OPT_CLIENT_ID:
  case OPT_CLIENT_SECRET_ENV:
  case OPT_CLIENT_KEY:
  case OPT_CLIENT_ISSUER:
  case OPT_IDENTITY:
  case OPT_TOKEN_ENV:
    return set_login_value(options, option, value);
  case OPT_OUTPUT:
    options->output = value;
    return CTL_GO_ON;
  case OPT_TRACE_FILE:
    options->trace_file = value;
    return CTL_GO_ON;
  case OPT_SAVE:
    options->save = value;
    return CTL_GO_ON;
  case OPT_PIN:
    options->pin = value;
    return CTL_GO_ON;
  case OPT_CONFIG:
    options->config = value;
    return CTL_GO_ON;
  case OPT_EXEC:
    options->exec = value;
    return CTL_GO_ON;
  case OPT_JUNIT:
    options->junit = value;
    return CTL_GO_ON;
  case OPT_FOR:
    options->host = value;
    return CTL_GO_ON;
  case OPT_IGNORE:
    return add_ignored(options, value);
  case OPT_IDLE:
    return read_seconds("idle", value, MAX_IDLE_S, &options->idle_s);
  case OPT_ROOT:
    append_value(options->roots, value);
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
  case 'v':
    options->is_verbose = 1;
    return CTL_GO_ON;
  case 'e':
    options->stops_at_once = 1;
    return CTL_GO_ON;
  case OPT_INHERIT_ENV:
    options->inherit_env = 1;
    return CTL_GO_ON;
  case OPT_PLAIN:
    options->is_plain = 1;
    /* Plain POSTs lack the headers that repeat parts of the body, and a server
     * of the modern era refuses requests without them. */
    if (options->era == NULL) {
      options->policy = MCP_POLICY_LEGACY;
    }
    return CTL_GO_ON;
  case OPT_INSECURE:
    options->is_insecure = 1;
    return CTL_GO_ON;
  case OPT_OVERWRITE:
    options->overwrites = 1;
    return CTL_GO_ON;
  case OPT_DETACH:
    options->is_detached = 1;
    return CTL_GO_ON;
  case OPT_WAIT:
    options->is_waiting = 1;
    return CTL_GO_ON;
  case OPT_CANCEL:
    options->is_cancelling = 1;
    return CTL_GO_ON;
  case OPT_NO_VALIDATE:
    options->no_validate = 1;
    return CTL_GO_ON;
  case OPT_NO_CONVERT:
    options->no_convert = 1;
    return CTL_GO_ON;
  case OPT_CLIENT_CREDENTIALS:
    options->is_machine = 1;
    return CTL_GO_ON;
  case OPT_ALLOW_PRIVATE:
    options->allows_private = 1;
    return CTL_GO_ON;
  case OPT_NO_BROWSER:
    options->no_browser = 1;
    return CTL_GO_ON;
  case OPT_KEYRING:
    options->uses_keyring = 1;
    return CTL_GO_ON;
  case OPT_ALL:
    options->is_all = 1;
    return CTL_GO_ON;
  case OPT_NO_SESSION:
    options->no_session = 1;
    return CTL_GO_ON;
  case OPT_CHECK:
    options->is_checking = 1;
    return CTL_GO_ON;
  case OPT_READ:
    options->reads = 1;
    return CTL_GO_ON;
  case OPT_DIFF:
    options->shows_diff = 1;
    return CTL_GO_ON;
  case OPT_SECRETS:
    options->shows_secrets = 1;
    return CTL_GO_ON;
  case OPT_FORMATS:
    options->has_formats = 1;
    return CTL_GO_ON;
  case OPT_HELP:
  case 'h':
    ctl_usage_print(stdout);
    return CTL_OK;
  case OPT_VERSION:
  case 'V':
    printf("mcpctl %s\n", mcp_version());
    return CTL_OK;
  default:
    return set_value(options, option, value);
  }
}

static void find_nearest_option(ctl_nearest *nearest, const char *name,
                                size_t len) {
  ctl_nearest_begin(nearest, name, len);
  nearest->sign = "--";
  for (const struct option *one = long_options; one->name != NULL; one++) {
    ctl_nearest_offer(nearest, one->name);
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
  if (optopt >= OPT_JSON && optopt <= OPT_HELP) {
    return ctl_report(CTL_USAGE, "%s: this option takes no value", word);
  }
  if (optopt != 0) { /* one letter of a word that may have more */
    return ctl_report(CTL_USAGE,
                      "unknown option '-%c': mcpctl --help lists the options",
                      optopt);
  }
  return refuse_long_option(argc, argv);
}

/* Options that have their effect when mcpctl connects. */
static int is_for_connection(int option) {
  return option == OPT_ERA || option == OPT_DIALECT || option == OPT_TRACE ||
         option == OPT_TRACE_FILE || option == OPT_COLOR ||
         option == OPT_CONFIG || option == OPT_ROOT ||
         option == OPT_NO_SESSION ||
         (option >= OPT_ENV && option <= OPT_KEYRING) || option == 'e';
}

/* ---- completion -------------------------------------------------------- */

void ctl_options_offer(const char *word, int is_line, ctl_choices *choices) {
  char text[64];
  for (const struct option *one = long_options; one->name != NULL; one++) {
    snprintf(text, sizeof(text), "--%s", one->name);
    if (!(is_line && is_for_connection(one->val)) &&
        strncmp(text, word, strlen(word)) == 0) {
      ctl_choices_add(choices, text);
    }
  }
}

/* The option that a word names before a "=", if it has one. NULL: the word
 * names none. */
static const struct option *find_option(const char *word) {
  if (strncmp(word, "--", 2) != 0) {
    return NULL;
  }
  size_t len = strcspn(word + 2, "=");
  for (const struct option *one = long_options; one->name != NULL; one++) {
    if (strlen(one->name) == len && strncmp(one->name, word + 2, len) == 0) {
      return one;
    }
  }
  return NULL;
}

int ctl_options_word(const char *word) {
  const struct option *option = find_option(word);
  if (option == NULL) {
    return word[0] == '-' && word[1] != '\0' ? CTL_WORD_OPTION : 0;
  }
  int kind = CTL_WORD_OPTION;
  if (option->has_arg == required_argument && strchr(word, '=') == NULL) {
    kind |= CTL_WORD_WANTS_VALUE;
  }
  if (is_for_connection(option->val) && option->val != OPT_TRACE &&
      option->val != OPT_TRACE_FILE && option->val != OPT_COLOR) {
    kind |= CTL_WORD_CONNECTS;
  }
  return kind;
}

/* Offers a value if it begins with what is typed. */
static void offer_value(const char *before, const char *typed,
                        const char *value, ctl_choices *choices) {
  char text[128];
  if (strncmp(value, typed, strlen(typed)) == 0) {
    snprintf(text, sizeof(text), "%s%s", before, value);
    ctl_choices_add(choices, text);
  }
}

void ctl_options_offer_values(const char *option, const char *before,
                              const char *typed, ctl_choices *choices) {
  const struct option *found = find_option(option);
  int val = found != NULL ? found->val : 0;
  const char *const *list = val == OPT_ERA       ? eras
                            : val == OPT_DIALECT ? dialects
                            : val == OPT_COLOR   ? colors
                            : val == OPT_DRAFT   ? drafts
                                                 : NULL;
  const char *name;
  for (; list != NULL && *list != NULL; list++) {
    offer_value(before, typed, *list, choices);
  }
  for (size_t i = 0; val == OPT_ERA && (name = mcp_revision_name(i)) != NULL;
       i++) {
    offer_value(before, typed, name, choices);
  }
  for (const ctl_host *host = ctl_hosts; val == OPT_FOR && host->name != NULL;
       host++) {
    offer_value(before, typed, host->name, choices);
  }
}

/* ---- reading ----------------------------------------------------------- */

static int read_options(ctl_options *options, int argc, char **argv) {
  int option = 0;
  int code = CTL_GO_ON;
  opterr = 0;
  optind = 0; /* begins anew: a shell has many lines */
  while (code == CTL_GO_ON &&
         (option = getopt_long(argc, argv, ":ehvV", long_options, NULL)) !=
             -1) {
    if (option == '?' || option == ':') {
      return refuse_option(option, argc, argv);
    }
    if (options->is_line && is_for_connection(option)) {
      return ctl_report(CTL_USAGE,
                        "%s: the shell is connected already; give this option "
                        "before the verb shell",
                        argv[optind - 1 - (optarg == argv[optind - 1])]);
    }
    code = set_option(options, option, optarg);
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
  if (options->env == NULL || options->answers == NULL ||
      options->used_answers == NULL || options->meant_answers == NULL ||
      options->roots == NULL || options->headers == NULL ||
      options->added == NULL || options->ignored == NULL) {
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
}
