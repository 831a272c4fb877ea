/* SPDX-License-Identifier: MIT */
#include "config/hosts.h"
#include "platform/environment.h"
#include "platform/paths.h"
#include "platform/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char in_config[] = "config:";
static const char in_data[] = "data:";

const ctl_platform ctl_linux = {
    .home = "HOME",
    .data_variable = "XDG_CONFIG_HOME",
    .data = ".config",
};

const ctl_platform ctl_macos = {
    .home = "HOME",
    .data = "Library/Application Support",
};

const ctl_platform ctl_windows = {
    .home = "USERPROFILE",
    .data_variable = "APPDATA",
    .data = "AppData/Roaming",
    .has_drives = 1,
};

static const ctl_platform *const platforms[] = {
    [CTL_SYSTEM_POSIX] = &ctl_linux,
    [CTL_SYSTEM_MACOS] = &ctl_macos,
    [CTL_SYSTEM_WINDOWS] = &ctl_windows,
};

const ctl_host ctl_hosts[] = {
    {.name = "mcpctl",
     .title = "mcpctl",
     .user = "config:mcpctl/mcpctl.json",
     .member = "mcpServers",
     .url_member = "url",
     .references = CTL_REF_SHELL},
    {.name = "claude-code",
     .title = "Claude Code",
     .user = ".claude.json",
     .project = ".mcp.json",
     .member = "mcpServers",
     .url_member = "url",
     .references = CTL_REF_SHELL,
     .by_folder = 1},
    {.name = "vscode",
     .title = "VS Code",
     .user = "data:Code/User/mcp.json",
     .project = ".vscode/mcp.json",
     .member = "servers",
     .url_member = "url",
     .references = CTL_REF_ENV | CTL_REF_FOLDERS | CTL_REF_INPUT},
    {.name = "cursor",
     .title = "Cursor",
     .user = ".cursor/mcp.json",
     .project = ".cursor/mcp.json",
     .member = "mcpServers",
     .url_member = "url",
     .references = CTL_REF_ENV | CTL_REF_FOLDERS},
    {.name = "claude-desktop",
     .title = "Claude Desktop",
     .user = "data:Claude/claude_desktop_config.json",
     .member = "mcpServers",
     .url_member = "url"},
    {.name = "windsurf",
     .title = "Windsurf",
     .user = ".codeium/windsurf/mcp_config.json",
     .member = "mcpServers",
     .url_member = "serverUrl",
     .references = CTL_REF_ENV | CTL_REF_FILE},
    {.name = NULL},
};

const ctl_host *ctl_host_find(const char *name) {
  for (const ctl_host *host = ctl_hosts; host->name != NULL; host++) {
    if (strcmp(host->name, name) == 0) {
      return host;
    }
  }
  return NULL;
}

/* Whether the path is `end`, or ends with it after a slash. */
static int ends_with(const char *path, const char *end) {
  size_t len = strlen(path);
  size_t end_len = strlen(end);
  if (len < end_len || strcmp(path + len - end_len, end) != 0) {
    return 0;
  }
  return len == end_len || ctl_path_is_separator(path[len - end_len - 1]);
}

/* What follows the prefix; NULL: the path does not begin with it. */
static const char *after(const char *path, const char *prefix) {
  size_t len = strlen(prefix);
  return strncmp(path, prefix, len) == 0 ? path + len : NULL;
}

/* The user's file without the folder that it is sought in. */
static const char *user_path(const ctl_host *host) {
  const char *path = after(host->user, in_config);
  if (path == NULL) {
    path = after(host->user, in_data);
  }
  return path != NULL ? path : host->user;
}

const ctl_host *ctl_host_of_file(const char *path) {
  for (const ctl_host *host = ctl_hosts; host->name != NULL; host++) {
    if (ends_with(path, user_path(host)) ||
        (host->project != NULL && ends_with(path, host->project))) {
      return host;
    }
  }
  return NULL;
}

/* The folder that a variable names; NULL: it names none. A relative path does
 * not count. */
static const char *folder_in(const ctl_platform *platform,
                             const char *variable) {
  const char *folder = variable != NULL ? ctl_env(variable) : NULL;
  int is_absolute =
      folder != NULL &&
      (folder[0] == '/' ||
       (platform->has_drives && folder[0] != '\0' && folder[1] == ':'));
  return is_absolute ? folder : NULL;
}

/* A variable may name the folder. Without it, the folder is `inside` the home
 * folder. */
static char *join(const ctl_platform *platform, const char *variable,
                  const char *inside, const char *path) {
  const char *folder = folder_in(platform, variable);
  const char *home = folder_in(platform, platform->home);
  char *file = NULL;
  int len = -1;
  if (folder != NULL) {
    len = asprintf(&file, "%s/%s", folder, path);
  } else if (home != NULL) {
    len = asprintf(&file, "%s/%s%s%s", home, inside,
                   inside[0] != '\0' ? "/" : "", path);
  }
  return len >= 0 ? file : NULL;
}

char *ctl_host_user_file_on(const ctl_platform *platform,
                            const ctl_host *host) {
  const char *path = user_path(host);
  if (after(host->user, in_config) != NULL) {
    return join(platform, "XDG_CONFIG_HOME", ".config", path);
  }
  if (after(host->user, in_data) != NULL) {
    return join(platform, platform->data_variable, platform->data, path);
  }
  return join(platform, NULL, "", path);
}

char *ctl_host_user_file(const ctl_host *host) {
  return ctl_host_user_file_on(platforms[ctl_system()], host);
}
