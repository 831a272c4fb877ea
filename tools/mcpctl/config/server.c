/* SPDX-License-Identifier: MIT */
#include "config/server.h"
#include "bundle/bundle.h"
#include "bundle/unpack.h"
#include "common/exit.h"
#include "common/json.h"
#include "common/nearest.h"
#include "common/report.h"
#include "config/bundled.h"
#include "config/env_file.h"
#include "config/expand.h"
#include "line/options.h"
#include "line/target.h"
#include "platform/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* An entry that is being read. */
typedef struct reading {
  const ctl_named *named;
  ctl_expand_rules rules;
  mcp_error *err;
} reading;

/* ---- strings ----------------------------------------------------------- */

static char *fail_no_memory(const reading *r) {
  mcp_error_set(r->err, MCP_ERR_NOMEM, "out of memory");
  return NULL;
}

/* The text of a value, with its references replaced. Hosts also take numbers
 * and booleans. NULL: r->err says why. */
static char *read_text(const reading *r, const char *member,
                       const mcp_json *value) {
  const char *text = mcp_json_string(value);
  int type = mcp_json_type(value);
  if (text != NULL) {
    return ctl_expand(text, &r->rules, r->err);
  }
  if (type == MCP_JSON_NUMBER || type == MCP_JSON_BOOL) {
    char *written = ctl_json_text(value);
    return written != NULL ? written : fail_no_memory(r);
  }
  mcp_error_set(r->err, MCP_ERR_INVALID, "%s must be a string, not %s", member,
                mcp_json_type_name(type));
  return NULL;
}

/* A list with room for that many strings and the NULL. */
static char **make_list(const reading *r, size_t count) {
  char **list = calloc(count + 1, sizeof(char *));
  if (list == NULL) {
    fail_no_memory(r);
  }
  return list;
}

static size_t list_len(const char *const *list) {
  size_t len = 0;
  while (list[len] != NULL) {
    len++;
  }
  return len;
}

static void free_list(char **list) {
  for (char **item = list; item != NULL && *item != NULL; item++) {
    free(*item);
  }
  free(list);
}

/* ---- the command ------------------------------------------------------- */

static int read_args(const reading *r, const mcp_json *args, char **out) {
  mcp_json_iter iter;
  const mcp_json *arg;
  mcp_json_iter_init(&iter, args);
  while ((arg = mcp_json_iter_next(&iter, NULL)) != NULL) {
    *out = read_text(r, "each of args", arg);
    if (*out++ == NULL) {
      return r->err->code;
    }
  }
  return 0;
}

static int read_command(const reading *r, const mcp_json *command,
                        ctl_server *server) {
  const mcp_json *args = mcp_json_get(r->named->entry, "args");
  if (args != NULL && mcp_json_type(args) != MCP_JSON_ARRAY) {
    return mcp_error_set(r->err, MCP_ERR_INVALID,
                         "args must be an array, not %s",
                         mcp_json_type_name(mcp_json_type(args)));
  }
  server->command = make_list(r, mcp_json_size(args) + 1);
  if (server->command == NULL) {
    return r->err->code;
  }
  server->command[0] = read_text(r, "command", command);
  return server->command[0] != NULL ? read_args(r, args, server->command + 1)
                                    : r->err->code;
}

/* ---- pairs ------------------------------------------------------------- */

/* Whether the list has the name, of `len` bytes, before `mark` ('=' or ':'). */
static int has_name(const char *const *list, const char *name, size_t len,
                    char mark) {
  for (; *list != NULL; list++) {
    int is_same = mark == ':' ? strncasecmp(*list, name, len) == 0
                              : strncmp(*list, name, len) == 0;
    if (is_same && (*list)[len] == mark) {
      return 1;
    }
  }
  return 0;
}

static char *read_pair(const reading *r, const char *name,
                       const mcp_json *value, const char *between) {
  char *pair = NULL;
  char *text = read_text(r, name, value);
  if (text != NULL && asprintf(&pair, "%s%s%s", name, between, text) < 0) {
    pair = fail_no_memory(r);
  }
  free(text);
  return pair;
}

/* Reads the object at `member` (NULL: none) as a list of pairs, without the
 * names that are in `given`. A null takes a variable away, which mcpctl does
 * not pass anyway. */
static int read_pairs(const reading *r, const char *member, const char *between,
                      const char *const *given, char ***out) {
  const mcp_json *object =
      member != NULL ? mcp_json_get(r->named->entry, member) : NULL;
  mcp_json_iter iter;
  const mcp_json *key;
  const mcp_json *value;
  char **next = *out = make_list(r, mcp_json_size(object));
  if (*out == NULL) {
    return r->err->code;
  }
  mcp_json_iter_init(&iter, object);
  while ((value = mcp_json_iter_next(&iter, &key)) != NULL) {
    const char *name = mcp_json_string(key);
    if (name == NULL || mcp_json_type(value) == MCP_JSON_NULL ||
        has_name(given, name, strlen(name), between[0])) {
      continue;
    }
    *next = read_pair(r, name, value, between);
    if (*next++ == NULL) {
      return r->err->code;
    }
  }
  return 0;
}

/* Adds a copy of the string. */
static int list_add(const reading *r, char ***list, const char *string) {
  size_t len = list_len((const char *const *)*list);
  char **longer = realloc(*list, (len + 2) * sizeof(*longer));
  if (longer != NULL) {
    *list = longer;
    longer[len] = strdup(string);
    longer[len + 1] = NULL;
  }
  return longer != NULL && longer[len] != NULL
             ? 0
             : mcp_error_set(r->err, MCP_ERR_NOMEM, "out of memory");
}

/* Adds what envFile has (VS Code, Cursor) and nothing else sets. */
static int add_env_file(const reading *r, const char *const *given,
                        ctl_server *server) {
  const mcp_json *member = mcp_json_get(r->named->entry, "envFile");
  char **found = NULL;
  if (member == NULL) {
    return 0;
  }
  char *path = read_text(r, "envFile", member);
  int rc =
      path != NULL ? ctl_env_file_read(&found, path, r->err) : r->err->code;
  for (size_t i = 0; rc == 0 && found != NULL && found[i] != NULL; i++) {
    size_t name_len = strcspn(found[i], "=");
    if (!has_name(given, found[i], name_len, '=') &&
        !has_name((const char *const *)server->env, found[i], name_len, '=')) {
      rc = list_add(r, &server->env, found[i]);
    }
  }
  free_list(found);
  free(path);
  return rc;
}

/* ---- the URL ----------------------------------------------------------- */

static const mcp_json *url_of(const ctl_named *named) {
  static const char *const members[] = {"url", "serverUrl", "httpUrl"};
  for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++) {
    const mcp_json *url = mcp_json_get(named->entry, members[i]);
    if (url != NULL) {
      return url;
    }
  }
  return NULL;
}

const char *ctl_server_url(const ctl_named *named) {
  return mcp_json_string(url_of(named));
}

/* `type` names the transport; a URL for HTTP+SSE says so to mcpctl by its
 * scheme. */
static int read_url(const reading *r, const mcp_json *url, ctl_server *server) {
  const char *type = ctl_json_member(r->named->entry, "type");
  char *text = read_text(r, "url", url);
  if (text == NULL) {
    return r->err->code;
  }
  int is_sse = type != NULL && strcmp(type, "sse") == 0 &&
               strncasecmp(text, "http", strlen("http")) == 0;
  int len = asprintf(&server->url, "%s%s", is_sse ? "sse+" : "", text);
  free(text);
  if (len < 0) {
    server->url = fail_no_memory(r);
    return MCP_ERR_NOMEM;
  }
  if (!ctl_target_read(server->url) || !ctl_target_is_known(server->url)) {
    return mcp_error_set(r->err, MCP_ERR_INVALID,
                         "the url does not begin with " CTL_TARGETS);
  }
  return 0;
}

/* ---- all --------------------------------------------------------------- */

static int read_target(const reading *r, ctl_server *server) {
  const mcp_json *url = url_of(r->named);
  const mcp_json *command = mcp_json_get(r->named->entry, "command");
  if (url != NULL) {
    return read_url(r, url, server);
  }
  if (command != NULL) {
    return read_command(r, command, server);
  }
  return mcp_error_set(r->err, MCP_ERR_INVALID,
                       "the entry has neither command nor url");
}

static int read_cwd(const reading *r, ctl_server *server) {
  const mcp_json *cwd = mcp_json_get(r->named->entry, "cwd");
  if (cwd == NULL || mcp_json_type(cwd) == MCP_JSON_NULL) {
    return 0;
  }
  server->cwd = read_text(r, "cwd", cwd);
  return server->cwd != NULL ? 0 : r->err->code;
}

/* Absolute, if the file is there. */
static char *file_path(const char *path) {
  char *real = ctl_path_real(path);
  return real != NULL ? real : strdup(path);
}

/* The caller frees the server also on failure. */
static int server_read(ctl_server *server, const ctl_named *named,
                       const ctl_options *given, mcp_error *err) {
  const reading r = {
      named, {ctl_config_references(named->file), named->file->folder}, err};
  *server = (ctl_server){.name = strdup(named->name),
                         .file = file_path(named->file->path)};
  if (server->name == NULL || server->file == NULL) {
    fail_no_memory(&r);
    return err->code;
  }
  int rc = read_target(&r, server);
  if (rc == 0 && server->command != NULL) {
    rc = read_cwd(&r, server);
  }
  /* Hosts leave alone what is for the other kind of server. */
  int has_headers =
      server->url != NULL && ctl_target_socket(server->url) == NULL;
  if (rc == 0) {
    rc = read_pairs(&r, server->command != NULL ? "env" : NULL, "=", given->env,
                    &server->env);
  }
  if (rc == 0 && server->command != NULL) {
    rc = add_env_file(&r, given->env, server);
  }
  if (rc == 0) {
    rc = read_pairs(&r, has_headers ? "headers" : NULL, ": ", given->headers,
                    &server->headers);
  }
  return rc;
}

void ctl_server_free(ctl_server *server) {
  if (server == NULL) {
    return;
  }
  free(server->name);
  free(server->file);
  free(server->url);
  free(server->cwd);
  free_list(server->command);
  free_list(server->env);
  free_list(server->headers);
  ctl_unpack_remove(server->unpacked);
  free(server);
}

/* ---- the options ------------------------------------------------------- */

/* Adds a list to one of the options. Returns 0 or MCP_ERR_NOMEM. */
static int join(const char ***list, char *const *more) {
  if (more == NULL) {
    return 0;
  }
  size_t len = list_len(*list);
  size_t more_len = list_len((const char *const *)more);
  const char **joined = realloc(*list, (len + more_len + 1) * sizeof(*joined));
  if (joined == NULL) {
    return MCP_ERR_NOMEM;
  }
  memcpy(joined + len, more, (more_len + 1) * sizeof(*joined));
  *list = joined;
  return 0;
}

int ctl_server_give(ctl_options *options, ctl_server *server) {
  int rc = join(&options->env, server->env);
  if (rc == 0) {
    rc = join(&options->headers, server->headers);
  }
  if (rc != 0) {
    return rc;
  }
  options->server = server;
  options->command = server->command;
  options->url = server->url;
  options->socket = server->url != NULL ? ctl_target_socket(server->url) : NULL;
  options->cwd = options->cwd != NULL ? options->cwd : server->cwd;
  return 0;
}

int ctl_server_take(ctl_options *options, const ctl_named *named,
                    mcp_error *err) {
  ctl_server *server = calloc(1, sizeof(*server));
  int rc =
      server != NULL ? server_read(server, named, options, err) : MCP_ERR_NOMEM;
  if (rc == 0) {
    rc = ctl_server_give(options, server);
  }
  if (rc == MCP_ERR_NOMEM) {
    mcp_error_set(err, rc, "out of memory");
  }
  if (rc != 0) {
    ctl_server_free(server);
  }
  return rc;
}

static int use_named(ctl_options *options, const ctl_named *named) {
  mcp_error err = {0};
  if (ctl_server_take(options, named, &err) != 0) {
    return ctl_report(CTL_USAGE, "server '%s' in %s: %s", named->name,
                      named->file->path, err.message);
  }
  return CTL_GO_ON;
}

/* A project's file may have come with the project. So the user learns it if
 * such a file hides a server of the user's own. */
static void report_hidden(const ctl_config *config, const ctl_named *used) {
  for (size_t i = 0; used->file->folder != NULL && i < config->server_count;
       i++) {
    const ctl_named *other = &config->servers[i];
    if (other->file->folder == NULL && strcmp(other->name, used->name) == 0) {
      ctl_report(0, "'%s' is the server of %s, not that of %s", used->name,
                 used->file->path, other->file->path);
      return;
    }
  }
}

int ctl_server_use(struct ctl_options *options, const char *name,
                   int *is_known) {
  ctl_config config;
  if (ctl_bundle_is_named(name)) {
    *is_known = 1;
    return ctl_bundled_use(options, name);
  }
  int code = ctl_config_read(&config, options->config);
  const ctl_named *named =
      code == CTL_OK ? ctl_config_find(&config, name) : NULL;
  *is_known = named != NULL || code != CTL_OK;
  if (named != NULL) {
    report_hidden(&config, named);
    code = use_named(options, named);
  }
  ctl_config_deinit(&config);
  return code;
}

int ctl_server_is_known(const ctl_options *options, const char *name) {
  ctl_config config;
  if (ctl_bundle_is_named(name)) {
    return 1;
  }
  int is_known = ctl_config_read(&config, options->config) == CTL_OK &&
                 ctl_config_find(&config, name) != NULL;
  ctl_config_deinit(&config);
  return is_known;
}

int ctl_server_refuse(const ctl_options *options, const char *name) {
  ctl_config config;
  ctl_nearest nearest;
  char ending[CTL_ENDING_SIZE];
  int code = ctl_config_read(&config, options->config);
  ctl_nearest_begin(&nearest, name, SIZE_MAX);
  for (size_t i = 0; i < config.server_count; i++) {
    ctl_nearest_offer(&nearest, config.servers[i].name);
  }
  if (code == CTL_OK) {
    ctl_config_report(&config);
    code = ctl_report(CTL_USAGE, "unknown server '%s'%s", name,
                      ctl_nearest_ending(&nearest,
                                         ": mcpctl servers lists those of the "
                                         "configuration files; a command comes "
                                         "after --",
                                         ending));
  }
  ctl_config_deinit(&config);
  return code;
}
