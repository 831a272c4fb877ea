/* SPDX-License-Identifier: MIT */
#include "config/config.h"
#include "common/exit.h"
#include "common/file.h"
#include "common/json.h"
#include "common/jsonc.h"
#include "common/report.h"
#include "platform/files.h"
#include "platform/paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- files ------------------------------------------------------------- */

static int fail_no_memory(void) {
  return ctl_report(CTL_USAGE, "out of memory");
}

/* Reads the file's JSON. Returns 0, or MCP_ERR_* as in err. */
static int file_load(ctl_config_file *file, mcp_error *err) {
  size_t len = 0;
  char *text = ctl_file_read(file->path, &len, err);
  if (text == NULL) {
    return err->code;
  }
  ctl_jsonc_clean(text, len);
  int rc = len == 0 ? 0 : ctl_file_parse(&file->doc, text, len, err);
  free(text);
  return rc;
}

/* Takes the path and the folder. A file without a byte has no servers, but is
 * not wrong: an editor may have made it. */
static int add_file(ctl_config *config, char *path, const ctl_host *host,
                    char *folder) {
  size_t size = (config->file_count + 1) * sizeof(*config->files);
  ctl_config_file *files = path != NULL ? realloc(config->files, size) : NULL;
  mcp_error err = {0};
  if (files == NULL) {
    free(path);
    free(folder);
    return fail_no_memory();
  }
  config->files = files;
  ctl_config_file *file = &files[config->file_count++];
  *file = (ctl_config_file){.path = path, .host = host, .folder = folder};
  if (file_load(file, &err) != 0) {
    file->problem = strdup(err.message);
  }
  return CTL_OK;
}

/* A file of a host in a project's folder. */
static int add_project_file(ctl_config *config, const char *folder,
                            const ctl_host *host) {
  char *path = NULL;
  if (host->project == NULL) {
    return CTL_OK;
  }
  int is_root = folder[ctl_path_root_len(folder)] == '\0';
  if (asprintf(&path, "%s%s%s", folder, is_root ? "" : "/", host->project) <
      0) {
    return fail_no_memory();
  }
  char *user = ctl_host_user_file(host);
  int is_user = user != NULL && strcmp(user, path) == 0;
  free(user);
  if (is_user || !ctl_path_is_there(path)) {
    free(path);
    return CTL_OK;
  }
  return add_file(config, path, host, strdup(folder));
}

/* Cuts the last name of a path off. Returns 0 at the root. */
static int go_up(char *folder) {
  char *after_root = folder + ctl_path_root_len(folder);
  char *slash = strrchr(after_root, '/');
  if (*after_root == '\0') {
    return 0;
  }
  *(slash != NULL ? slash : after_root) = '\0';
  return 1;
}

static int add_project_files(ctl_config *config) {
  char *folder = ctl_folder_current();
  int code = CTL_OK;
  if (folder == NULL) {
    return CTL_OK; /* it was removed: no project is there */
  }
  do {
    for (const ctl_host *host = ctl_hosts; code == CTL_OK && host->name != NULL;
         host++) {
      code = add_project_file(config, folder, host);
    }
  } while (code == CTL_OK && go_up(folder));
  free(folder);
  return code;
}

static int add_user_file(ctl_config *config, const ctl_host *host) {
  char *path = ctl_host_user_file(host);
  if (path == NULL || !ctl_path_is_there(path)) {
    free(path);
    return CTL_OK;
  }
  return add_file(config, path, host, NULL);
}

static int add_known_files(ctl_config *config) {
  int code = add_user_file(config, &ctl_hosts[0]);
  if (code == CTL_OK) {
    code = add_project_files(config);
  }
  for (const ctl_host *host = ctl_hosts + 1;
       code == CTL_OK && host->name != NULL; host++) {
    code = add_user_file(config, host);
  }
  return code;
}

/* ---- servers ----------------------------------------------------------- */

const ctl_host *ctl_config_host(const ctl_config_file *file) {
  return file->host != NULL ? file->host : &ctl_hosts[0];
}

unsigned ctl_config_references(const ctl_config_file *file) {
  return file->host != NULL ? file->host->references : CTL_REF_ALL;
}

static int add_server(ctl_config *config, const ctl_config_file *file,
                      const char *name, const mcp_json *entry) {
  size_t size = (config->server_count + 1) * sizeof(*config->servers);
  ctl_named *servers = realloc(config->servers, size);
  if (servers == NULL) {
    return fail_no_memory();
  }
  config->servers = servers;
  servers[config->server_count] = (ctl_named){
      .name = name,
      .entry = entry,
      .file = file,
      .is_hidden = ctl_config_find(config, name) != NULL,
  };
  config->server_count++;
  return CTL_OK;
}

static int add_servers(ctl_config *config, const ctl_config_file *file,
                       const mcp_json *servers) {
  mcp_json_iter iter;
  const mcp_json *key;
  const mcp_json *entry;
  int code = CTL_OK;
  mcp_json_iter_init(&iter, servers);
  while (code == CTL_OK && (entry = mcp_json_iter_next(&iter, &key)) != NULL) {
    const char *name = mcp_json_string(key);
    if (name != NULL && mcp_json_type(entry) == MCP_JSON_OBJECT) {
      code = add_server(config, file, name, entry);
    }
  }
  return code;
}

/* A file of an unknown host has the member of any. */
static const mcp_json *servers_of(const ctl_config_file *file,
                                  const mcp_json *object) {
  if (file->host != NULL) {
    return mcp_json_get(object, file->host->member);
  }
  const mcp_json *servers = mcp_json_get(object, "mcpServers");
  return servers != NULL ? servers : mcp_json_get(object, "servers");
}

/* What the user's file holds for the folders that the current one is in. */
static int add_folder_servers(ctl_config *config, const ctl_config_file *file) {
  const mcp_json *projects = mcp_json_get(mcp_doc_root(file->doc), "projects");
  char *folder = projects != NULL ? ctl_folder_current() : NULL;
  int code = CTL_OK;
  if (folder == NULL) {
    return CTL_OK;
  }
  do {
    code = add_servers(config, file,
                       servers_of(file, mcp_json_get(projects, folder)));
  } while (code == CTL_OK && go_up(folder));
  free(folder);
  return code;
}

static int add_servers_of(ctl_config *config, const ctl_config_file *file) {
  int code = CTL_OK;
  if (file->host != NULL && file->host->by_folder && file->folder == NULL) {
    code = add_folder_servers(config, file);
  }
  return code == CTL_OK ? add_servers(config, file,
                                      servers_of(file, mcp_doc_root(file->doc)))
                        : code;
}

/* ------------------------------------------------------------------------ */

/* A file that the user names must be right. */
static int check_given_file(const ctl_config_file *file) {
  if (file->problem != NULL) {
    return ctl_report(CTL_USAGE, "--config %s: %s", file->path, file->problem);
  }
  if (mcp_json_type(servers_of(file, mcp_doc_root(file->doc))) !=
      MCP_JSON_OBJECT) {
    return ctl_report(CTL_USAGE,
                      "--config %s: the file has no object mcpServers or "
                      "servers",
                      file->path);
  }
  return CTL_OK;
}

int ctl_config_read(ctl_config *config, const char *path) {
  int code;
  *config = (ctl_config){0};
  if (path != NULL) {
    code = add_file(config, strdup(path), ctl_host_of_file(path), NULL);
    code = code == CTL_OK ? check_given_file(&config->files[0]) : code;
  } else {
    code = add_known_files(config);
  }
  for (size_t i = 0; code == CTL_OK && i < config->file_count; i++) {
    code = add_servers_of(config, &config->files[i]);
  }
  return code;
}

void ctl_config_deinit(ctl_config *config) {
  for (size_t i = 0; i < config->file_count; i++) {
    ctl_config_file *file = &config->files[i];
    free(file->path);
    free(file->folder);
    free(file->problem);
    mcp_doc_free(file->doc);
  }
  free(config->files);
  free(config->servers);
}

const ctl_named *ctl_config_find(const ctl_config *config, const char *name) {
  for (size_t i = 0; i < config->server_count; i++) {
    if (strcmp(config->servers[i].name, name) == 0) {
      return &config->servers[i];
    }
  }
  return NULL;
}

void ctl_config_report(const ctl_config *config) {
  for (size_t i = 0; i < config->file_count; i++) {
    const ctl_config_file *file = &config->files[i];
    if (file->problem != NULL) {
      ctl_report(CTL_USAGE, "%s is left out: %s", file->path, file->problem);
    }
  }
}
