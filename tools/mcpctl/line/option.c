/* SPDX-License-Identifier: MIT */
#include "line/option.h"
#include "common/exit.h"
#include "common/file.h"
#include "common/report.h"
#include "common/term.h"
#include "connection/answer.h"
#include "line/usage.h"
#include "platform/files.h"

#include <errno.h>
#include <mcp/client.h>
#include <mcp/schema.h>
#include <mcp/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The index of a value in the list; -1: it is not there. */
static int find_value(const char *const *values, const char *value) {
  for (int i = 0; values[i] != NULL; i++) {
    if (strcmp(value, values[i]) == 0) {
      return i;
    }
  }
  return -1;
}

/* ---- members of one type ----------------------------------------------- */

static void *member_of(ctl_options *options, const ctl_option *option) {
  return (char *)options + option->member;
}

/* An int. */
static int set_flag(const ctl_option *option, ctl_options *options,
                    const char *value) {
  (void)value;
  *(int *)member_of(options, option) = 1;
  return CTL_GO_ON;
}

/* A const char *. */
static int set_text(const ctl_option *option, ctl_options *options,
                    const char *value) {
  *(const char **)member_of(options, option) = value;
  return CTL_GO_ON;
}

/* A const char *: a file that must be readable. */
static int set_file(const ctl_option *option, ctl_options *options,
                    const char *value) {
  if (!ctl_path_can_be_read(value)) {
    return ctl_report(CTL_USAGE, "--%s %s: %s", option->name, value,
                      strerror(errno));
  }
  return set_text(option, options, value);
}

/* Reads a number of seconds above 0. */
static int read_seconds(const ctl_option *option, const char *value,
                        double *seconds) {
  char *end = NULL;
  *seconds = strtod(value, &end);
  if (end == value || *end != '\0' || !(*seconds > 0) ||
      *seconds > option->max) {
    return ctl_report(CTL_USAGE,
                      "--%s %s: not a number of seconds above 0 and up to %.0f",
                      option->name, value, option->max);
  }
  return CTL_GO_ON;
}

/* A double. */
static int set_seconds(const ctl_option *option, ctl_options *options,
                       const char *value) {
  return read_seconds(option, value, member_of(options, option));
}

/* A uint32_t of milliseconds, which the option gives in seconds. */
static int set_milliseconds(const ctl_option *option, ctl_options *options,
                            const char *value) {
  double seconds = 0;
  int code = read_seconds(option, value, &seconds);
  if (code == CTL_GO_ON) { /* never 0 */
    *(uint32_t *)member_of(options, option) =
        (uint32_t)(seconds * 1000 + 0.999);
  }
  return code;
}

/* A uint32_t: a whole number from 1 on. */
static int set_count(const ctl_option *option, ctl_options *options,
                     const char *value) {
  char *end = NULL;
  long number = strtol(value, &end, 10);
  if (end == value || *end != '\0' || number < 1 ||
      (double)number > option->max) {
    return ctl_report(CTL_USAGE, "--%s %s: not a number from 1 to %.0f",
                      option->name, value, option->max);
  }
  *(uint32_t *)member_of(options, option) = (uint32_t)number;
  return CTL_GO_ON;
}

/* A list. */
static int add_text(const ctl_option *option, ctl_options *options,
                    const char *value) {
  const char **list = *(const char ***)member_of(options, option);
  while (*list != NULL) {
    list++;
  }
  *list = value;
  return CTL_GO_ON;
}

/* A list of values such as NAME=VALUE. */
static int add_pair(const ctl_option *option, ctl_options *options,
                    const char *value) {
  const char *equals = strchr(value, '=');
  if (equals == NULL || equals == value) {
    return ctl_report(CTL_USAGE, "--%s %s: not of the form %s", option->name,
                      value, option->form);
  }
  return add_text(option, options, value);
}

/* ---- options with rules of their own ----------------------------------- */

/* What is in the file, without the end of its last line. Owned; NULL: reported.
 */
static char *read_setting(const char *path) {
  mcp_error err = {0};
  size_t len = 0;
  char *text = ctl_file_read(path, &len, &err);
  if (text == NULL) {
    ctl_report(CTL_USAGE, "%s", err.message);
    return NULL;
  }
  if (memchr(text, '\0', len) != NULL) {
    ctl_report(CTL_USAGE, "%s: a setting is text, but this file has a NUL",
               ctl_file_name(path));
    free(text);
    return NULL;
  }
  len -= len > 0 && text[len - 1] == '\n';
  len -= len > 0 && text[len - 1] == '\r';
  text[len] = '\0';
  return text;
}

/* KEY=VALUE or KEY=@FILE. The file is read once: it may be a pipe. Its text is
 * not quoted anywhere, since it may be a password. */
static int add_setting(const ctl_option *option, ctl_options *options,
                       const char *value) {
  size_t key_len = strcspn(value, "=");
  char *text = NULL;
  char *pair = NULL;
  if (key_len == 0 || value[key_len] == '\0') {
    return add_pair(option, options, value); /* reports it */
  }
  if (value[key_len + 1] == '@') {
    text = read_setting(value + key_len + 2);
    if (text == NULL) {
      return CTL_USAGE;
    }
  }
  int len = asprintf(&pair, "%.*s=%s", (int)key_len, value,
                     text != NULL ? text : value + key_len + 1);
  free(text);
  return len >= 0 ? add_text(option, options, pair)
                  : ctl_report(CTL_USAGE, "out of memory");
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

static int set_era(const ctl_option *option, ctl_options *options,
                   const char *value) {
  int found = find_value(option->values, value);
  options->era = value;
  if (found < 0) {
    return set_revision(options, value);
  }
  options->policy = (uint32_t)found;
  options->revision = NULL;
  return CTL_GO_ON;
}

static int set_timeout(const ctl_option *option, ctl_options *options,
                       const char *value) {
  int code = set_milliseconds(option, options, value);
  if (code == CTL_GO_ON) {
    options->connect_timeout_ms = options->timeout_ms;
  }
  return code;
}

static int set_dialect(const ctl_option *option, ctl_options *options,
                       const char *value) {
  int found = find_value(option->values, value);
  if (found < 0) {
    return ctl_report(CTL_USAGE,
                      "--dialect %s: not mcp, mcp-core, mcp-core-bare or "
                      "mcp-core-rpc",
                      value);
  }
  options->dialect = (uint32_t)found;
  return CTL_GO_ON;
}

/* A built-in draft by its short name, or any by its URI. */
static int set_draft(const ctl_option *option, ctl_options *options,
                     const char *value) {
  (void)option;
  options->draft = strcmp(value, "2020-12") == 0    ? MCP_DRAFT_2020_12
                   : strcmp(value, "draft-07") == 0 ? MCP_DRAFT_07
                                                    : value;
  if (strchr(options->draft, ':') == NULL) {
    return ctl_report(CTL_USAGE, "--draft %s: not 2020-12, draft-07 or a URI",
                      value);
  }
  return CTL_GO_ON;
}

static int set_color(const ctl_option *option, ctl_options *options,
                     const char *value) {
  options->color = find_value(option->values, value);
  if (options->color < 0) {
    return ctl_report(CTL_USAGE, "--color %s: not auto, always or never",
                      value);
  }
  return CTL_GO_ON;
}

/* Checks the action at once: a misspelt one would be ignored when a question
 * comes. */
static int add_answer(const ctl_option *option, ctl_options *options,
                      const char *value) {
  int code = add_pair(option, options, value);
  if (code == CTL_GO_ON && strncmp(value, "action=", 7) == 0 &&
      ctl_answer_find_action(value + 7) == CTL_ACTION_NONE) {
    return ctl_report(CTL_USAGE,
                      "--answer %s: not accept, decline or cancel; for a field "
                      "of that name write action:=JSON",
                      value);
  }
  return code;
}

/* Does not quote a wrong header, which may contain a token. */
static int add_header(const ctl_option *option, ctl_options *options,
                      const char *value) {
  const char *colon = strchr(value, ':');
  if (colon == NULL || colon == value) {
    return ctl_report(CTL_USAGE, "--header: a header is not 'NAME: VALUE'");
  }
  return add_text(option, options, value);
}

static int add_ignored(const ctl_option *option, ctl_options *options,
                       const char *value) {
  if (value[0] != '/') {
    return ctl_report(CTL_USAGE,
                      "--ignore %s: not a JSON pointer such as "
                      "/result/content",
                      value);
  }
  return add_text(option, options, value);
}

/* Plain POSTs lack the headers that repeat parts of the body, and a server of
 * the modern era refuses requests without them. */
static int set_plain(const ctl_option *option, ctl_options *options,
                     const char *value) {
  if (options->era == NULL) {
    options->policy = MCP_POLICY_LEGACY;
  }
  return set_flag(option, options, value);
}

static int print_help(const ctl_option *option, ctl_options *options,
                      const char *value) {
  (void)option;
  (void)options;
  (void)value;
  ctl_usage_print(stdout);
  return CTL_OK;
}

static int print_version(const ctl_option *option, ctl_options *options,
                         const char *value) {
  (void)option;
  (void)options;
  (void)value;
  printf("mcpctl %s\n", mcp_version());
  return CTL_OK;
}

/* ---- the table --------------------------------------------------------- */

enum {
  MAX_TIMEOUT_S = 1000000,
  MAX_DURATION_S = 86400,
  MAX_IDLE_S = 31536000,
  MAX_CONNECTIONS = 10000,
  MAX_ERRORS = 10000
};

#define MEMBER(name) offsetof(ctl_options, name)
#define FLAG(name) .set = set_flag, .member = MEMBER(name)
#define VALUE(how, name) .set = how, .member = MEMBER(name), .has_value = 1
#define BEGUN .when = CTL_WHEN_BEGUN
#define CONNECTS .when = CTL_WHEN_CONNECTS

const ctl_option ctl_option_table[] = {
    {"json", FLAG(is_json)},
    {"era", VALUE(set_era, era), CONNECTS, .values = eras},
    {"timeout", VALUE(set_timeout, timeout_ms), .max = MAX_TIMEOUT_S},
    {"max-time", VALUE(set_milliseconds, max_time_ms), .max = MAX_TIMEOUT_S},
    {"output", VALUE(set_text, output)},
    {"prefix", VALUE(set_text, prefix)},
    {"save", VALUE(set_text, save)},
    {"overwrite", FLAG(overwrites)},
    {"pin", VALUE(set_text, pin)},
    {"detach", FLAG(is_detached)},
    {"wait", FLAG(is_waiting)},
    {"cancel", FLAG(is_cancelling)},
    {"answer", VALUE(add_answer, answers), .form = "KEY=VALUE"},
    {"root", VALUE(add_text, roots), CONNECTS},
    {"env", VALUE(add_pair, env), CONNECTS, .form = "NAME=VALUE"},
    {"inherit-env", FLAG(inherit_env), CONNECTS},
    {"cwd", VALUE(set_text, cwd), CONNECTS},
    {"header", VALUE(add_header, headers), CONNECTS},
    {"plain", .set = set_plain, .member = MEMBER(is_plain), CONNECTS},
    {"insecure", FLAG(is_insecure), CONNECTS},
    {"cacert", VALUE(set_file, cacert), CONNECTS},
    {"cert", VALUE(set_file, cert), CONNECTS},
    {"scope", VALUE(set_text, scope), CONNECTS},
    {"client-id", VALUE(set_text, client_id), CONNECTS},
    {"client-secret-env", VALUE(set_text, client_secret_env), CONNECTS},
    {"client-key", VALUE(set_file, client_key), CONNECTS},
    {"client-issuer", VALUE(set_text, client_issuer), CONNECTS},
    {"client-credentials", FLAG(is_machine), CONNECTS},
    {"identity", VALUE(set_file, identity), CONNECTS},
    {"token-env", VALUE(set_text, token_env), CONNECTS},
    {"allow-private-addresses", FLAG(allows_private), CONNECTS},
    {"no-browser", FLAG(no_browser), CONNECTS},
    {"keyring", FLAG(uses_keyring), CONNECTS},
    {"connections", VALUE(set_count, connections), .max = MAX_CONNECTIONS},
    {"duration", VALUE(set_seconds, duration_s), .max = MAX_DURATION_S},
    {"html", VALUE(set_text, html)},
    {"no-validate", FLAG(no_validate)},
    {"no-convert", FLAG(no_convert)},
    {"formats", FLAG(has_formats)},
    {"dialect", VALUE(set_dialect, dialect), CONNECTS, .values = dialects},
    {"draft", VALUE(set_draft, draft), .values = drafts},
    {"add", VALUE(add_pair, added), .form = "URI=FILE"},
    {"max-errors", VALUE(set_count, max_errors), .max = MAX_ERRORS},
    {"config", VALUE(set_text, config), CONNECTS},
    {"check", FLAG(is_checking)},
    {"for", VALUE(set_text, host)},
    {"secrets", FLAG(shows_secrets)},
    {"read", FLAG(reads)},
    {"diff", FLAG(shows_diff)},
    {"exec", VALUE(set_text, exec)},
    {"junit", VALUE(set_text, junit)},
    {"ignore", VALUE(add_ignored, ignored)},
    {"idle", VALUE(set_seconds, idle_s), .max = MAX_IDLE_S},
    {"setting", VALUE(add_setting, settings), CONNECTS, .form = "KEY=VALUE"},
    {"platform", VALUE(add_pair, platforms), .form = "PLATFORM=FILE"},
    {"manifest", VALUE(set_file, manifest)},
    {"author", VALUE(set_text, author)},
    {"registry", FLAG(is_for_registry)},
    {"name", VALUE(set_text, registry_name)},
    {"package", VALUE(set_text, package)},
    {"all", FLAG(is_all)},
    {"no-session", FLAG(no_session), CONNECTS},
    {"trace", FLAG(is_trace), BEGUN},
    {"trace-file", VALUE(set_text, trace_file), BEGUN},
    {"verbose", FLAG(is_verbose), .letter = 'v'},
    {"color", VALUE(set_color, color), BEGUN, .values = colors},
    {"version", .set = print_version, .letter = 'V'},
    {"help", .set = print_help, .letter = 'h'},
    {NULL, FLAG(stops_at_once), BEGUN, .letter = 'e'},
    {0},
};

const ctl_option *ctl_option_find(const char *word) {
  if (strncmp(word, "--", 2) != 0) {
    return NULL;
  }
  const char *name = word + 2;
  size_t len = strcspn(name, "=");
  for (const ctl_option *one = ctl_option_table; one->set != NULL; one++) {
    if (one->name != NULL && strlen(one->name) == len &&
        strncmp(one->name, name, len) == 0) {
      return one;
    }
  }
  return NULL;
}
