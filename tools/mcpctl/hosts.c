/* SPDX-License-Identifier: MIT */
#include "hosts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char in_config[] = "config:";

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
     .user = "config:Code/User/mcp.json",
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
     .user = "config:Claude/claude_desktop_config.json",
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
  return len == end_len || path[len - end_len - 1] == '/';
}

/* The user's file without the folder that it is sought in. */
static const char *user_path(const ctl_host *host) {
  size_t len = strlen(in_config);
  return strncmp(host->user, in_config, len) == 0 ? host->user + len
                                                  : host->user;
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

char *ctl_host_user_file(const ctl_host *host) {
  const char *path = user_path(host);
  const char *home = getenv("HOME");
  const char *config = getenv("XDG_CONFIG_HOME");
  char *file = NULL;
  int is_in_config = path != host->user;
  int len;
  if (is_in_config && config != NULL && config[0] == '/') {
    len = asprintf(&file, "%s/%s", config, path);
  } else if (home != NULL && home[0] == '/') {
    len =
        asprintf(&file, "%s/%s%s", home, is_in_config ? ".config/" : "", path);
  } else {
    return NULL;
  }
  return len >= 0 ? file : NULL;
}
