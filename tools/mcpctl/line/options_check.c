/* SPDX-License-Identifier: MIT */
/* Checks that the options and words of a command line go together. An option
 * that would have no effect is an error. */
#include "common/exit.h"
#include "common/report.h"
#include "line/options.h"
#include "line/target.h"
#include "platform/files.h"

#include <string.h>

/* ---- the server -------------------------------------------------------- */

static int has_late_url(const ctl_options *options) {
  for (int i = 0; i < options->arg_count; i++) {
    if (ctl_target_is_known(options->args[i])) {
      return 1;
    }
  }
  return 0;
}

/* A user who has read only of -- puts a URL there, too. */
static int check_command(const ctl_options *options) {
  const ctl_verb *verb = options->verb;
  if (options->command == NULL || options->command[0] == NULL ||
      options->server != NULL || !ctl_target_is_known(options->command[0])) {
    return CTL_GO_ON;
  }
  return ctl_report(
      CTL_USAGE, "after -- comes a command, not a URL: write mcpctl %s%s",
      verb->server == CTL_SERVER_ANY ? "URL " : "", verb->synopsis);
}

/* This check comes first: without the --, a server's command looks like
 * arguments. */
static int check_server(const ctl_options *options) {
  const ctl_verb *verb = options->verb;
  int has_command = options->command != NULL && options->command[0] != NULL;
  int uses_server = verb->server == CTL_SERVER_ANY;
  if (options->is_line) {
    return CTL_GO_ON; /* the server is that of the shell */
  }
  if (verb->server == CTL_SERVER_WRITTEN && options->server != NULL) {
    return ctl_report(CTL_USAGE, "write mcpctl %s", verb->synopsis);
  }
  if (verb->server == CTL_SERVER_ITSELF &&
      (options->url != NULL || options->server != NULL)) {
    return ctl_report(CTL_USAGE,
                      "%s uses no server, it is one: write mcpctl %s",
                      verb->name, verb->synopsis);
  }
  if (verb->server == CTL_SERVER_PACKED &&
      (options->url != NULL || options->server != NULL)) {
    return ctl_report(CTL_USAGE,
                      "%s takes a folder or a program after the verb: write "
                      "mcpctl %s",
                      verb->name, verb->synopsis);
  }
  if (verb->server == CTL_SERVER_WORDS &&
      (options->url != NULL || options->server != NULL)) {
    return ctl_report(CTL_USAGE,
                      "%s takes its servers after the verb: write mcpctl %s",
                      verb->name, verb->synopsis);
  }
  if (verb->server == CTL_SERVER_NONE &&
      (options->url != NULL || options->command != NULL)) {
    return ctl_report(CTL_USAGE, "%s uses no server: write mcpctl %s",
                      verb->name, verb->synopsis);
  }
  if ((verb->server == CTL_SERVER_WEB && options->url == NULL) ||
      (verb->server >= CTL_SERVER_WEB &&
       (options->command != NULL || options->socket != NULL))) {
    return ctl_report(CTL_USAGE,
                      "%s needs an HTTP or WebSocket URL: write mcpctl URL %s",
                      verb->name, verb->synopsis);
  }
  if ((verb->server == CTL_SERVER_NAMED && options->server == NULL) ||
      (verb->server == CTL_SERVER_NAMES && options->server == NULL &&
       (options->url != NULL || options->command != NULL))) {
    return ctl_report(CTL_USAGE,
                      "%s needs the name of a server: write mcpctl NAME %s; "
                      "mcpctl add NAME gives a name to a URL or a command",
                      verb->name, verb->synopsis);
  }
  if (options->url != NULL && options->command != NULL) {
    return ctl_report(CTL_USAGE, "two servers given: a URL, and a command "
                                 "after --; give one of them");
  }
  if (!uses_server || options->url != NULL || has_command) {
    return check_command(options);
  }
  if (has_late_url(options)) {
    return ctl_report(CTL_USAGE,
                      "no server given: put the URL before the verb, as in "
                      "mcpctl URL %s",
                      verb->synopsis);
  }
  return ctl_report(CTL_USAGE,
                    "no server given: put its command after --, as in "
                    "mcpctl %s -- COMMAND",
                    verb->synopsis);
}

/* ---- words ------------------------------------------------------------- */

/* What stands before the verb. */
static const char *place_before(const ctl_options *options) {
  if (options->is_line) {
    return "";
  }
  if (options->server != NULL) {
    return "mcpctl NAME ";
  }
  return options->url != NULL ? "mcpctl URL " : "mcpctl ";
}

static int has_own_command(const ctl_options *options) {
  return options->command != NULL && options->server == NULL &&
         !options->is_line;
}

static int check_arg_count(const ctl_options *options) {
  const ctl_verb *verb = options->verb;
  int is_few = options->arg_count < verb->min_args;
  int is_many = verb->max_args >= 0 && options->arg_count > verb->max_args;
  if (is_few || is_many) {
    return ctl_report(CTL_USAGE, "too %s arguments: write %s%s%s",
                      is_few ? "few" : "many", place_before(options),
                      verb->synopsis,
                      has_own_command(options) ? " -- COMMAND" : "");
  }
  return CTL_GO_ON;
}

/* ---- options ----------------------------------------------------------- */

static int is_verb(const ctl_options *options, const char *name) {
  return strcmp(options->verb->name, name) == 0;
}

static int are_for_url(const ctl_options *options) {
  return options->is_plain || options->is_insecure || options->cacert != NULL ||
         options->cert != NULL || options->headers[0] != NULL;
}

static int are_for_command(const ctl_options *options) {
  return options->inherit_env || options->cwd != NULL ||
         options->env[0] != NULL;
}

static int check_target(const ctl_options *options) {
  if ((options->url == NULL || options->socket != NULL) &&
      are_for_url(options)) {
    return ctl_report(CTL_USAGE, "--header, --plain, --insecure, --cacert and "
                                 "--cert are for HTTP and WebSocket URLs");
  }
  if (options->is_plain && strncmp(options->url, "http", 4) != 0) {
    return ctl_report(CTL_USAGE,
                      "--plain works with http:// and https:// URLs, not "
                      "with %s",
                      options->url);
  }
  if (options->verb->server == CTL_SERVER_PACKED) {
    return options->inherit_env || options->cwd != NULL
               ? ctl_report(CTL_USAGE, "--inherit-env and --cwd have no effect "
                                       "on pack: a host would not do so")
               : CTL_GO_ON;
  }
  if ((options->command == NULL ||
       options->verb->server == CTL_SERVER_ITSELF) &&
      are_for_command(options)) {
    return ctl_report(CTL_USAGE, "--env, --inherit-env and --cwd are for a "
                                 "command after --");
  }
  return CTL_GO_ON;
}

static int has_login_options(const ctl_options *options) {
  return options->scope != NULL || options->client_id != NULL ||
         options->client_secret_env != NULL || options->client_key != NULL ||
         options->client_issuer != NULL || options->identity != NULL ||
         options->token_env != NULL || options->is_machine ||
         options->allows_private || options->no_browser;
}

/* login, logout and auth send no MCP request, and use stored logins. */
static int check_login_verb(const ctl_options *options) {
  const char *verb = options->verb->name;
  if (options->verb->server < CTL_SERVER_WEB) {
    return CTL_GO_ON;
  }
  if (options->is_plain || options->is_insecure || options->cert != NULL ||
      options->headers[0] != NULL) {
    return ctl_report(CTL_USAGE,
                      "--header, --plain, --insecure and --cert have no effect "
                      "on %s",
                      verb);
  }
  if (options->token_env != NULL) {
    return ctl_report(CTL_USAGE,
                      "--token-env has no effect on %s: give it to the other "
                      "verbs, which then need no login",
                      verb);
  }
  if (is_verb(options, "logout") &&
      (options->scope != NULL || options->identity != NULL ||
       options->no_browser)) {
    return ctl_report(CTL_USAGE, "--scope, --identity and --no-browser have no "
                                 "effect on logout");
  }
  if (is_verb(options, "auth") && has_login_options(options)) {
    return ctl_report(CTL_USAGE, "--scope, --client-*, --identity, "
                                 "--allow-private-addresses and --no-browser "
                                 "have no effect on auth");
  }
  return CTL_GO_ON;
}

static int check_keyring(const ctl_options *options) {
  int has_url = options->url != NULL && options->socket == NULL;
  if (!options->uses_keyring) {
    return CTL_GO_ON;
  }
  if (!has_url && !is_verb(options, "auth")) {
    return ctl_report(CTL_USAGE, "--keyring is for HTTP and WebSocket URLs, "
                                 "and for auth");
  }
  if (options->token_env != NULL) {
    return ctl_report(CTL_USAGE, "--token-env gives the token itself, so it "
                                 "goes without --keyring");
  }
  return CTL_GO_ON;
}

static int check_login(const ctl_options *options) {
  int has_client = options->client_id != NULL;
  if (has_login_options(options) &&
      (options->url == NULL || options->socket != NULL)) {
    return ctl_report(CTL_USAGE,
                      "--scope, --client-*, --identity, --token-env, "
                      "--allow-private-addresses and --no-browser are for HTTP "
                      "and WebSocket URLs");
  }
  if (!has_client &&
      (options->client_secret_env != NULL || options->client_key != NULL)) {
    return ctl_report(CTL_USAGE, "--client-secret-env and --client-key need "
                                 "--client-id");
  }
  if (options->is_machine && options->client_secret_env == NULL &&
      options->client_key == NULL) {
    return ctl_report(CTL_USAGE, "--client-credentials needs --client-id, and "
                                 "--client-secret-env or --client-key");
  }
  if (options->token_env != NULL &&
      (has_client || options->client_issuer != NULL || options->is_machine ||
       options->identity != NULL)) {
    return ctl_report(CTL_USAGE, "--token-env gives the token itself, so it "
                                 "goes without --client-* and --identity");
  }
  if (options->identity != NULL && options->is_machine) {
    return ctl_report(CTL_USAGE, "--identity and --client-credentials are two "
                                 "ways to get a token: give one of them");
  }
  return CTL_GO_ON;
}

int ctl_options_are_for_server(const ctl_options *options) {
  return are_for_url(options) || are_for_command(options) ||
         has_login_options(options);
}

int ctl_options_check_target(const ctl_options *options) {
  int code = check_target(options);
  code = code == CTL_GO_ON ? check_login(options) : code;
  return code == CTL_GO_ON ? check_keyring(options) : code;
}

/* A verb whose words name servers checks this when it knows them. */
static int check_named_target(const ctl_options *options) {
  return options->verb->server == CTL_SERVER_WORDS
             ? CTL_GO_ON
             : ctl_options_check_target(options);
}

/* mcp-core has tool calls only (docs/TRANSPORTS.md). */
static int check_dialect(const ctl_options *options) {
  if (options->dialect != MCP_DIALECT_MCP &&
      (!options->verb->is_validated || options->arg_count == 0)) {
    return ctl_report(CTL_USAGE, "--dialect: mcp-core can only call tools; use "
                                 "call NAME or bench NAME");
  }
  return CTL_GO_ON;
}

static int check_output(const ctl_options *options) {
  if (options->output == NULL || is_verb(options, "pack")) {
    return CTL_GO_ON;
  }
  int is_for = is_verb(options, "read") ||
               (is_verb(options, "call") && !options->is_detached) ||
               is_verb(options, "generate") ||
               (is_verb(options, "task") && options->is_waiting);
  if (options->is_json || !is_for) {
    return ctl_report(CTL_USAGE,
                      "--output %s: this option is for read, call, generate "
                      "and task --wait, without --json, and for pack; redirect "
                      "standard output instead",
                      options->output);
  }
  return CTL_GO_ON;
}

/* Letters, digits and underscores, as for a name of C. */
static int is_prefix(const char *word) {
  static const char allowed[] =
      "0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  size_t len = strspn(word, allowed);
  return len > 0 && len <= 40 && word[len] == '\0' &&
         strchr("0123456789_", word[0]) == NULL && word[len - 1] != '_' &&
         strstr(word, "__") == NULL;
}

static int check_generate(const ctl_options *options) {
  const char *prefix = options->prefix;
  if (!is_verb(options, "generate")) {
    return prefix == NULL ? CTL_GO_ON
                          : ctl_report(CTL_USAGE,
                                       "--prefix %s: this option is for "
                                       "generate",
                                       prefix);
  }
  if (strcmp(options->args[0], "c") != 0) {
    return ctl_report(CTL_USAGE,
                      "generate %s: the only language is c, as in mcpctl "
                      "generate c",
                      options->args[0]);
  }
  if (options->is_json) {
    return ctl_report(CTL_USAGE, "--json has no effect on generate");
  }
  if (prefix != NULL && !is_prefix(prefix)) {
    return ctl_report(CTL_USAGE,
                      "--prefix %s: not a name of C of at most 40 letters, "
                      "digits and single underscores",
                      prefix);
  }
  if (prefix != NULL &&
      (strcmp(prefix, "mcp") == 0 || strncmp(prefix, "mcp_", 4) == 0)) {
    return ctl_report(CTL_USAGE,
                      "--prefix %s: names of libmcp begin with mcp_; choose "
                      "another prefix",
                      prefix);
  }
  return CTL_GO_ON;
}

static int check_save(const ctl_options *options) {
  if (options->overwrites && options->save == NULL &&
      !is_verb(options, "add") && !is_verb(options, "record") &&
      !is_verb(options, "snapshot") && !is_verb(options, "pack")) {
    return ctl_report(
        CTL_USAGE, "--overwrite is for --save, add, pack, record and snapshot");
  }
  if (options->save != NULL && (!is_verb(options, "skill") ||
                                options->is_json || options->arg_count > 1)) {
    return ctl_report(CTL_USAGE,
                      "--save %s: this option is for skill NAME without a FILE "
                      "and without --json",
                      options->save);
  }
  return CTL_GO_ON;
}

static int check_diff(const ctl_options *options) {
  int has_command = options->command != NULL && options->command[0] != NULL;
  if (is_verb(options, "diff") && options->arg_count + has_command != 2) {
    return ctl_report(CTL_USAGE, "diff compares two: write mcpctl diff A B, or "
                                 "mcpctl diff A -- COMMAND");
  }
  return CTL_GO_ON;
}

static int check_pin(const ctl_options *options) {
  if (options->pin == NULL) {
    return CTL_GO_ON;
  }
  if (!options->verb->is_validated || options->arg_count == 0) {
    return ctl_report(CTL_USAGE, "--pin is for call NAME and bench NAME");
  }
  if (options->dialect != MCP_DIALECT_MCP) {
    return ctl_report(CTL_USAGE,
                      "--pin needs the server's list of tools, which "
                      "mcp-core does not have");
  }
  return CTL_GO_ON;
}

/* The server need not run if its listing cannot be saved. */
static int check_snapshot(const ctl_options *options) {
  if (is_verb(options, "snapshot") && !options->overwrites &&
      strcmp(options->args[0], "-") != 0 &&
      ctl_path_is_there(options->args[0])) {
    return ctl_report(CTL_USAGE, "%s is there already: --overwrite replaces it",
                      options->args[0]);
  }
  return CTL_GO_ON;
}

static int check_task_options(const ctl_options *options) {
  if (options->is_detached && !is_verb(options, "call")) {
    return ctl_report(CTL_USAGE, "--detach is for call");
  }
  if ((options->is_waiting || options->is_cancelling) &&
      !is_verb(options, "task")) {
    return ctl_report(CTL_USAGE, "--wait and --cancel are for task");
  }
  if (options->is_cancelling &&
      (options->is_waiting || options->answers[0] != NULL)) {
    return ctl_report(CTL_USAGE, "--cancel goes without --wait and --answer");
  }
  return CTL_GO_ON;
}

static int check_keep(const ctl_options *options) {
  int is_start = is_verb(options, "start");
  int is_stop = is_verb(options, "stop");
  int is_one = is_start || is_stop || is_verb(options, "status");
  if (options->idle_s != 0 && !is_start) {
    return ctl_report(CTL_USAGE, "--idle is for start");
  }
  if (options->is_all && !is_stop) {
    return ctl_report(CTL_USAGE, "--all is for stop");
  }
  if (is_stop && (options->server == NULL) == (options->is_all == 0)) {
    return ctl_report(CTL_USAGE, "write mcpctl NAME stop, or mcpctl stop "
                                 "--all");
  }
  if (options->no_session && (is_one || options->verb->run != NULL) &&
      options->verb->server != CTL_SERVER_ANY &&
      options->verb->server != CTL_SERVER_WORDS) {
    return ctl_report(CTL_USAGE, "--no-session has no effect on %s",
                      options->verb->name);
  }
  if (is_start && (options->is_json || options->dialect != MCP_DIALECT_MCP)) {
    return ctl_report(CTL_USAGE, "--json and --dialect have no effect on "
                                 "start; status --json shows what runs");
  }
  return CTL_GO_ON;
}

static int check_bench_options(const ctl_options *options) {
  int is_for_bench = options->connections != 0 || options->duration_s != 0 ||
                     options->html != NULL;
  if (is_for_bench && !is_verb(options, "bench")) {
    return ctl_report(CTL_USAGE, "--connections, --duration and --html are for "
                                 "bench");
  }
  return CTL_GO_ON;
}

static int check_schema_options(const ctl_options *options) {
  int is_for_schema = options->has_formats || options->draft != NULL ||
                      options->max_errors != 0 || options->added[0] != NULL;
  if (is_for_schema && !is_verb(options, "schema")) {
    return ctl_report(CTL_USAGE, "--formats, --draft, --add and --max-errors "
                                 "are for schema check");
  }
  if ((options->no_validate || options->no_convert) &&
      !options->verb->is_validated) {
    return ctl_report(CTL_USAGE,
                      "--no-validate and --no-convert are for call and bench");
  }
  return CTL_GO_ON;
}

static int uses_config(const ctl_options *options) {
  return options->server != NULL || is_verb(options, "servers") ||
         options->verb->server == CTL_SERVER_WORDS ||
         is_verb(options, "remove") ||
         options->verb->server == CTL_SERVER_WRITTEN;
}

static int check_config(const ctl_options *options) {
  if (options->config != NULL && !uses_config(options)) {
    return ctl_report(CTL_USAGE,
                      "--config %s: no name of a server is given; write mcpctl "
                      "--config FILE NAME %s",
                      options->config, options->verb->synopsis);
  }
  if ((options->reads || options->shows_diff || options->exec != NULL) &&
      !is_verb(options, "watch")) {
    return ctl_report(CTL_USAGE, "--read, --diff and --exec are for watch");
  }
  if ((options->reads || options->shows_diff) && options->arg_count == 0) {
    return ctl_report(CTL_USAGE,
                      "--read and --diff need the URI of a resource: "
                      "write watch URI");
  }
  if (options->stops_at_once && !is_verb(options, "shell")) {
    return ctl_report(CTL_USAGE, "-e is for shell");
  }
  if (options->is_checking && !is_verb(options, "servers")) {
    return ctl_report(CTL_USAGE, "--check is for servers");
  }
  if ((options->host != NULL || options->shows_secrets) &&
      !is_verb(options, "export")) {
    return ctl_report(CTL_USAGE, "--for and --secrets are for export");
  }
  if (options->verb->server == CTL_SERVER_WRITTEN &&
      (options->era != NULL || options->dialect != MCP_DIALECT_MCP ||
       options->inherit_env || options->is_plain || options->is_insecure ||
       options->cacert != NULL || options->cert != NULL)) {
    return ctl_report(CTL_USAGE,
                      "%s keeps a URL or a command, --env, --cwd and --header; "
                      "give other options with each call",
                      options->verb->name);
  }
  return CTL_GO_ON;
}

/* Verbs for which mcpctl is not the client: it does not choose what is said. */
static int check_passive(const ctl_options *options) {
  int is_passive = is_verb(options, "record") || is_verb(options, "replay") ||
                   is_verb(options, "mock");
  if (is_passive &&
      (options->era != NULL || options->is_trace || options->max_time_ms != 0 ||
       options->answers[0] != NULL || options->roots[0] != NULL)) {
    return ctl_report(CTL_USAGE,
                      "--era, --trace, --max-time, --answer and --root have no "
                      "effect on %s",
                      options->verb->name);
  }
  if (is_passive && options->is_json &&
      (!is_verb(options, "replay") ||
       (options->url == NULL && options->command == NULL))) {
    return ctl_report(CTL_USAGE, "--json has no effect on %s%s",
                      options->verb->name,
                      is_verb(options, "replay") ? " without a server" : "");
  }
  return CTL_GO_ON;
}

static int is_made_of(const char *text, size_t len, const char *others) {
  for (size_t i = 0; i < len; i++) {
    char c = text[i];
    int is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                   (c >= '0' && c <= '9');
    if (!is_plain && strchr(others, c) == NULL) {
      return 0;
    }
  }
  return len > 0;
}

/* Bytes of the longest name that a registry takes. */
enum { REGISTRY_NAME_MAX = 200 };

/* A name in reverse DNS form. */
static int check_registry_name(const char *name) {
  if (name == NULL) {
    return ctl_report(CTL_USAGE, "a registry knows a server by a name such as "
                                 "io.github.you/weather: give --name");
  }
  size_t len = strcspn(name, "/");
  int is_good = strlen(name) <= REGISTRY_NAME_MAX && name[len] == '/' &&
                is_made_of(name, len, ".-") &&
                is_made_of(name + len + 1, strlen(name + len + 1), "._-");
  return is_good ? CTL_GO_ON
                 : ctl_report(CTL_USAGE,
                              "--name %s: not a name in reverse DNS form, such "
                              "as io.github.you/weather",
                              name);
}

static int check_registry(const ctl_options *options) {
  if ((options->is_for_registry || options->registry_name != NULL ||
       options->package != NULL) &&
      !is_verb(options, "describe")) {
    return ctl_report(CTL_USAGE,
                      "--registry, --name and --package are for describe");
  }
  if (!is_verb(options, "describe")) {
    return CTL_GO_ON;
  }
  if (!options->is_for_registry) {
    return ctl_report(CTL_USAGE, "describe needs --registry: it writes "
                                 "server.json for an MCP registry");
  }
  return check_registry_name(options->registry_name);
}

static int check_bundle(const ctl_options *options) {
  int is_pack = is_verb(options, "pack");
  if ((options->platforms[0] != NULL || options->manifest != NULL ||
       options->author != NULL) &&
      !is_pack) {
    return ctl_report(CTL_USAGE,
                      "--platform, --manifest and --author are for pack");
  }
  if (options->settings[0] != NULL && !options->is_line && !is_pack &&
      !is_verb(options, "verify") && !is_verb(options, "diff") &&
      !options->is_bundle) {
    return ctl_report(CTL_USAGE, "--setting is for bundles, FILE.mcpb");
  }
  return CTL_GO_ON;
}

static int check_doctor(const ctl_options *options) {
  if (is_verb(options, "doctor") &&
      (options->answers[0] != NULL || options->roots[0] != NULL)) {
    return ctl_report(CTL_USAGE, "--answer and --root have no effect on "
                                 "doctor, which lets servers ask nothing");
  }
  return CTL_GO_ON;
}

static int check_suite(const ctl_options *options) {
  if (options->junit != NULL && !is_verb(options, "test")) {
    return ctl_report(CTL_USAGE, "--junit is for test");
  }
  if (options->is_json && is_verb(options, "test")) {
    return ctl_report(CTL_USAGE, "--json has no effect on test, which prints "
                                 "TAP; --junit FILE writes XML");
  }
  return CTL_GO_ON;
}

static int check_replay(const ctl_options *options) {
  int is_replay = is_verb(options, "replay");
  if (is_replay && options->command != NULL && options->command[0] == NULL) {
    return ctl_report(CTL_USAGE, "no command after --");
  }
  if (options->ignored[0] != NULL &&
      (!is_replay || (options->url == NULL && options->command == NULL))) {
    return ctl_report(CTL_USAGE, "--ignore is for replay with a server");
  }
  return CTL_GO_ON;
}

int ctl_options_check(const ctl_options *options) {
  static int (*const checks[])(const ctl_options *options) = {
      check_server,         check_named_target, check_login_verb,
      check_arg_count,      check_diff,         check_pin,
      check_dialect,        check_output,       check_save,
      check_snapshot,       check_task_options, check_bench_options,
      check_schema_options, check_config,       check_replay,
      check_passive,        check_suite,        check_doctor,
      check_keep,           check_generate,     check_registry,
      check_bundle,
  };
  int code = CTL_GO_ON;
  for (size_t i = 0; code == CTL_GO_ON && i < sizeof(checks) / sizeof(*checks);
       i++) {
    code = checks[i](options);
  }
  return code;
}
