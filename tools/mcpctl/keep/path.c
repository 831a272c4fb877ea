/* SPDX-License-Identifier: MIT */
#include "keep/path.h"
#include "common/format.h"
#include "common/json.h"
#include "config/server.h"
#include "platform/environment.h"
#include "platform/files.h"

#include <errno.h>
#include <mcp/version.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { NAME_MAX_LEN = 32 };

/* ---- folders ----------------------------------------------------------- */

/* A variable that has an absolute path; NULL: it has none. */
static const char *variable(const char *name) {
  const char *value = ctl_env(name);
  return value != NULL && value[0] == '/' ? value : NULL;
}

char *ctl_keep_folder(void) {
  const char *runtime = variable("XDG_RUNTIME_DIR");
  return runtime != NULL ? ctl_format("%s/mcpctl", runtime)
                         : ctl_format("/tmp/mcpctl-%ld", (long)getuid());
}

/* What is wrong with a folder; NULL: nothing. */
static const char *fault_of_folder(const struct stat *info) {
  if (S_ISLNK(info->st_mode)) {
    return "it is a symbolic link";
  }
  if (!S_ISDIR(info->st_mode)) {
    return "it is not a folder";
  }
  if (info->st_uid != getuid()) {
    return "it belongs to another user";
  }
  if ((info->st_mode & 077) != 0) {
    return "other users may enter it; chmod 700 makes it private";
  }
  return NULL;
}

int ctl_keep_folder_check(const char *folder, int makes, mcp_error *err) {
  struct stat info;
  if (makes && mkdir(folder, 0700) != 0 && errno != EEXIST) {
    return mcp_error_set(err, MCP_ERR_REFUSED, "cannot make the folder %s: %s",
                         folder, strerror(errno));
  }
  if (lstat(folder, &info) != 0) {
    int code = errno == ENOENT ? MCP_ERR_NOT_FOUND : MCP_ERR_REFUSED;
    return mcp_error_set(err, code, "%s: %s", folder, strerror(errno));
  }
  const char *fault = fault_of_folder(&info);
  return fault == NULL
             ? 0
             : mcp_error_set(err, MCP_ERR_REFUSED,
                             "the folder %s cannot have the sockets of "
                             "sessions: %s",
                             folder, fault);
}

static char *log_folder(void) {
  const char *state = variable("XDG_STATE_HOME");
  const char *home = ctl_env_home();
  return state != NULL
             ? ctl_format("%s/mcpctl", state)
             : ctl_format("%s/.local/state/mcpctl", home != NULL ? home : "");
}

/* ---- the definition ---------------------------------------------------- */

static void put_text(mcp_builder *out, const char *name, const char *text) {
  if (text != NULL) {
    ctl_json_put_typed(out, name, text);
  }
}

static void put_list(mcp_builder *out, const char *name,
                     const char *const *list) {
  mcp_builder_array(out, name);
  for (; list != NULL && *list != NULL; list++) {
    ctl_json_put_typed(out, NULL, *list);
  }
  mcp_builder_end(out);
}

/* One path may mean another file in another folder. NULL: adds nothing. */
static void put_path(mcp_builder *out, const char *name, const char *path) {
  char *real = path != NULL ? ctl_path_real(path) : NULL;
  put_text(out, name, real != NULL ? real : path);
  free(real);
}

static void put_command(mcp_builder *out, const ctl_options *options) {
  put_list(out, "command", (const char *const *)options->command);
  put_list(out, "env", (const char *const *)options->env);
  mcp_builder_bool(out, "inheritEnv", options->inherit_env);
  /* A command runs in the folder of mcpctl, unless it has one of its own. */
  put_path(out, "cwd", options->cwd != NULL ? options->cwd : ".");
}

static void put_url(mcp_builder *out, const ctl_options *options) {
  put_text(out, "url", options->url);
  put_list(out, "headers", (const char *const *)options->headers);
  mcp_builder_bool(out, "plain", options->is_plain);
  mcp_builder_bool(out, "insecure", options->is_insecure);
  put_path(out, "cacert", options->cacert);
  put_path(out, "cert", options->cert);
}

static void put_login(mcp_builder *out, const ctl_options *options) {
  put_text(out, "scope", options->scope);
  put_text(out, "clientId", options->client_id);
  put_text(out, "clientSecretEnv", options->client_secret_env);
  put_path(out, "clientKey", options->client_key);
  put_text(out, "clientIssuer", options->client_issuer);
  put_text(out, "identity", options->identity);
  mcp_builder_bool(out, "machine", options->is_machine);
  mcp_builder_bool(out, "keyring", options->uses_keyring);
  if (options->token_env != NULL) {
    put_text(out, "token", ctl_env(options->token_env));
  }
}

/* Another version of mcpctl may have other capabilities. */
static char *make_definition(const ctl_options *options) {
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  if (out == NULL) {
    return NULL;
  }
  mcp_builder_object(out, NULL);
  put_text(out, "mcpctl", mcp_version());
  put_text(out, "name", options->server->name);
  put_text(out, "file", options->server->file);
  mcp_builder_int(out, "policy", options->policy);
  put_text(out, "revision", options->revision);
  if (options->url != NULL) {
    put_url(out, options);
    put_login(out, options);
  } else {
    put_command(out, options);
  }
  mcp_builder_array(out, "roots");
  for (const char *const *root = options->roots; *root != NULL; root++) {
    put_path(out, NULL, *root);
  }
  mcp_builder_end(out);
  mcp_builder_end(out);
  const char *text = mcp_builder_text(out, NULL);
  char *copy = text != NULL ? strdup(text) : NULL;
  mcp_builder_free(out);
  return copy;
}

/* FNV-1a. Two definitions with one hash still do not mix: a client compares the
 * definitions. */
static uint64_t hash_of(const char *text) {
  uint64_t hash = 14695981039346656037u;
  for (; *text != '\0'; text++) {
    hash = (hash ^ (unsigned char)*text) * 1099511628211u;
  }
  return hash;
}

/* ---- the paths --------------------------------------------------------- */

/* The beginning of the name, with what a file's name can have. */
static void file_name(char out[NAME_MAX_LEN + 1], const char *name) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  size_t len = 0;
  for (; len < NAME_MAX_LEN && name[len] != '\0'; len++) {
    out[len] = strchr(plain, name[len]) != NULL ? name[len] : '_';
  }
  out[len] = '\0';
}

static int make_files(ctl_keep_path *path, const char *name) {
  char *logs = log_folder();
  char short_name[NAME_MAX_LEN + 1];
  unsigned long long hash = hash_of(path->definition);
  file_name(short_name, name);
  path->folder = ctl_keep_folder();
  if (path->folder != NULL && logs != NULL) {
    path->socket =
        ctl_format("%s/%s-%016llx.sock", path->folder, short_name, hash);
    path->begun =
        ctl_format("%s/%s-%016llx.new", path->folder, short_name, hash);
    path->lock =
        ctl_format("%s/%s-%016llx.lock", path->folder, short_name, hash);
    path->log = ctl_format("%s/%s-%016llx.log", logs, short_name, hash);
  }
  free(logs);
  return path->socket != NULL && path->begun != NULL && path->lock != NULL &&
                 path->log != NULL
             ? 0
             : MCP_ERR_NOMEM;
}

int ctl_keep_path_make(ctl_keep_path *path, const ctl_options *options,
                       mcp_error *err) {
  struct sockaddr_un address;
  *path = (ctl_keep_path){.definition = make_definition(options)};
  if (path->definition == NULL ||
      make_files(path, options->server->name) != 0) {
    return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  if (strlen(path->socket) >= sizeof(address.sun_path)) {
    return mcp_error_set(err, MCP_ERR_LIMIT,
                         "the path %s is too long for a socket: set "
                         "XDG_RUNTIME_DIR to a folder with a shorter one",
                         path->socket);
  }
  return 0;
}

void ctl_keep_path_deinit(ctl_keep_path *path) {
  free(path->definition);
  free(path->folder);
  free(path->socket);
  free(path->begun);
  free(path->lock);
  free(path->log);
}
