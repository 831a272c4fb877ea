/* SPDX-License-Identifier: MIT */
#include "config/servers.h"
#include "common/exit.h"
#include "common/json.h"
#include "common/report.h"
#include "common/table.h"
#include "config/check.h"
#include "config/masked.h"
#include "config/server.h"
#include "line/verbs.h"
#include "platform/environment.h"
#include "platform/paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ------------------------------------------------------------- */

/* A path with ~ for the home folder. */
static void path_shown(char *out, size_t size, const char *path) {
  const char *home = ctl_env_home();
  size_t len = home != NULL ? strlen(home) : 0;
  int is_in_home = len > 1 && strncmp(path, home, len) == 0 &&
                   ctl_path_is_separator(path[len]);
  snprintf(out, size, "%s%s", is_in_home ? "~" : "",
           is_in_home ? path + len : path);
}

/* Why a command line cannot name the server; NULL: it can. */
static const char *why_unusable(const ctl_named *named) {
  if (named->is_hidden) {
    return "an earlier file has the name";
  }
  return ctl_verb_find(named->name) != NULL ? "the name is that of a verb"
                                            : NULL;
}

static const char *why_not_answered(const ctl_check *check) {
  return check->error.code != 0 ? check->error.message : "it was not tried";
}

/* ---- the table --------------------------------------------------------- */

static void table_add_state(ctl_table *table, const ctl_check *check) {
  char *text = NULL;
  if (why_unusable(check->named) != NULL) {
    ctl_table_add(table, why_unusable(check->named));
    return;
  }
  int len =
      check->server != NULL
          ? asprintf(&text, "answers: %s (%s)", check->server, check->revision)
          : asprintf(&text, "fails: %s", why_not_answered(check));
  ctl_table_add(table, len >= 0 ? text : NULL);
  if (len >= 0) {
    free(text);
  }
}

static void table_add_server(ctl_table *table, const ctl_check *check,
                             int is_checked) {
  const ctl_named *named = check->named;
  char path[512];
  char *target = ctl_masked_target(named);
  path_shown(path, sizeof(path), named->file->path);
  ctl_table_add(table, named->name);
  if (is_checked) {
    table_add_state(table, check);
  } else {
    ctl_table_add(table, why_unusable(named));
  }
  ctl_table_add(table, target);
  ctl_table_add(table, path);
  free(target);
}

static int print_table(const ctl_check *checks, size_t count, int is_checked) {
  static const char *const headings[] = {"NAME", "STATE", "SERVER", "FILE",
                                         NULL};
  ctl_table table;
  if (count == 0) {
    puts("(no servers)");
    return CTL_OK;
  }
  ctl_table_init(&table, headings);
  for (size_t i = 0; i < count; i++) {
    table_add_server(&table, &checks[i], is_checked);
  }
  return ctl_table_print(&table);
}

/* ---- JSON -------------------------------------------------------------- */

static void json_put_check(mcp_builder *out, const ctl_check *check) {
  mcp_builder_bool(out, "answers", check->server != NULL);
  if (check->server != NULL) {
    mcp_builder_string(out, "server", check->server);
    mcp_builder_string(out, "protocolVersion", check->revision);
  } else {
    ctl_json_put_typed(out, "error", why_not_answered(check));
  }
}

static void json_put_server(mcp_builder *out, const ctl_check *check,
                            int is_checked) {
  const ctl_named *named = check->named;
  const char *problem = why_unusable(named);
  char *target = ctl_masked_target(named);
  mcp_builder_object(out, NULL);
  mcp_builder_string(out, "name", named->name);
  ctl_json_put_typed(out, ctl_server_url(named) != NULL ? "url" : "command",
                     target != NULL ? target : "");
  mcp_builder_string(out, "host", ctl_config_host(named->file)->name);
  ctl_json_put_typed(out, "file", named->file->path);
  if (problem != NULL) {
    mcp_builder_string(out, "problem", problem);
  } else if (is_checked) {
    json_put_check(out, check);
  }
  mcp_builder_end(out);
  free(target);
}

static int print_json(const ctl_check *checks, size_t count, int is_checked) {
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  mcp_builder_object(out, NULL);
  mcp_builder_array(out, "servers");
  for (size_t i = 0; i < count; i++) {
    json_put_server(out, &checks[i], is_checked);
  }
  mcp_builder_end(out);
  mcp_builder_end(out);
  return ctl_json_print_built(out);
}

/* ---- the verb ---------------------------------------------------------- */

static int has_failed(const ctl_check *check) {
  return check->server == NULL && why_unusable(check->named) == NULL;
}

/* Checks the servers that can be named, which it moves to the front. */
static int check_usable(ctl_check *checks, size_t count,
                        const ctl_options *options) {
  size_t usable = 0;
  for (size_t i = 0; i < count; i++) {
    if (why_unusable(checks[i].named) == NULL) {
      ctl_check first = checks[usable];
      checks[usable++] = checks[i];
      checks[i] = first;
    }
  }
  return ctl_check_all(checks, usable, options);
}

static int show_servers(ctl_check *checks, const ctl_config *config,
                        const ctl_options *options) {
  size_t count = config->server_count;
  int code = CTL_OK;
  for (size_t i = 0; i < count; i++) {
    checks[i].named = &config->servers[i];
  }
  if (options->is_checking) {
    code = check_usable(checks, count, options);
  }
  if (code != CTL_OK) {
    return code;
  }
  code = options->is_json ? print_json(checks, count, options->is_checking)
                          : print_table(checks, count, options->is_checking);
  for (size_t i = 0; options->is_checking && i < count; i++) {
    code = code == CTL_OK && has_failed(&checks[i]) ? CTL_FAILED : code;
  }
  if (code == CTL_FAILED && !options->is_json) {
    ctl_report_aside("mcpctl NAME info shows all that a server says when it "
                     "fails");
  }
  return code;
}

static int list_servers(const ctl_config *config, const ctl_options *options) {
  ctl_check *checks = calloc(config->server_count + 1, sizeof(*checks));
  if (checks == NULL) {
    return ctl_report(CTL_USAGE, "out of memory");
  }
  int code = show_servers(checks, config, options);
  for (size_t i = 0; i < config->server_count; i++) {
    ctl_check_deinit(&checks[i]);
  }
  free(checks);
  return code;
}

int ctl_servers_run(const ctl_options *options) {
  ctl_config config;
  int code = ctl_config_read(&config, options->config);
  if (code == CTL_OK) {
    ctl_config_report(&config);
    code = list_servers(&config, options);
  }
  ctl_config_deinit(&config);
  return code;
}
