/* SPDX-License-Identifier: MIT */
#include "config/hosts.h"

#include "support/cm.h"
#include <stdio.h>
#include <stdlib.h>

static void expect_file(const ctl_platform *platform, const char *name,
                        const char *path) {
  char *file = ctl_host_user_file_on(platform, ctl_host_find(name));
  if (path == NULL) {
    assert_null(file);
  } else {
    assert_string_equal(file, path);
  }
  free(file);
}

static int begin(void **state) {
  (void)state;
  setenv("HOME", "/home/ada", 1);
  setenv("USERPROFILE", "C:\\Users\\ada", 1);
  unsetenv("XDG_CONFIG_HOME");
  unsetenv("APPDATA");
  return 0;
}

TEST(each_platform_has_its_places) {
  static const struct {
    const char *host, *on_linux, *on_macos, *on_windows;
  } rows[] = {
      {"mcpctl", "/home/ada/.config/mcpctl/mcpctl.json",
       "/home/ada/.config/mcpctl/mcpctl.json",
       "C:\\Users\\ada/.config/mcpctl/mcpctl.json"},
      {"claude-code", "/home/ada/.claude.json", "/home/ada/.claude.json",
       "C:\\Users\\ada/.claude.json"},
      {"vscode", "/home/ada/.config/Code/User/mcp.json",
       "/home/ada/Library/Application Support/Code/User/mcp.json",
       "C:\\Users\\ada/AppData/Roaming/Code/User/mcp.json"},
      {"cursor", "/home/ada/.cursor/mcp.json", "/home/ada/.cursor/mcp.json",
       "C:\\Users\\ada/.cursor/mcp.json"},
      {"claude-desktop", "/home/ada/.config/Claude/claude_desktop_config.json",
       "/home/ada/Library/Application Support/Claude/"
       "claude_desktop_config.json",
       "C:\\Users\\ada/AppData/Roaming/Claude/claude_desktop_config.json"},
      {"windsurf", "/home/ada/.codeium/windsurf/mcp_config.json",
       "/home/ada/.codeium/windsurf/mcp_config.json",
       "C:\\Users\\ada/.codeium/windsurf/mcp_config.json"},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    expect_file(&ctl_linux, rows[i].host, rows[i].on_linux);
    expect_file(&ctl_macos, rows[i].host, rows[i].on_macos);
    expect_file(&ctl_windows, rows[i].host, rows[i].on_windows);
  }
}

TEST(variables_name_other_folders) {
  setenv("XDG_CONFIG_HOME", "/etc/ada", 1);
  setenv("APPDATA", "D:\\Roaming", 1);
  expect_file(&ctl_linux, "vscode", "/etc/ada/Code/User/mcp.json");
  expect_file(&ctl_macos, "vscode",
              "/home/ada/Library/Application Support/Code/User/mcp.json");
  expect_file(&ctl_macos, "mcpctl", "/etc/ada/mcpctl/mcpctl.json");
  expect_file(&ctl_windows, "vscode", "D:\\Roaming/Code/User/mcp.json");
}

TEST(a_relative_folder_does_not_count) {
  setenv("XDG_CONFIG_HOME", "config", 1);
  setenv("APPDATA", "Roaming", 1);
  expect_file(&ctl_linux, "vscode", "/home/ada/.config/Code/User/mcp.json");
  expect_file(&ctl_windows, "vscode",
              "C:\\Users\\ada/AppData/Roaming/Code/User/mcp.json");
  setenv("HOME", "C:ada", 1);
  expect_file(&ctl_linux, "cursor", NULL);
  unsetenv("HOME");
  expect_file(&ctl_linux, "cursor", NULL);
}

TEST(a_path_belongs_to_its_host_on_each_platform) {
  static const char *const folders[] = {"/home/ada/.config",
                                        "/home/ada/Library/Application Support",
                                        "C:/Users/ada/AppData/Roaming"};
  for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
    char path[128];
    snprintf(path, sizeof(path), "%s/Code/User/mcp.json", folders[i]);
    assert_ptr_equal(ctl_host_of_file(path), ctl_host_find("vscode"));
  }
  assert_null(ctl_host_of_file("/home/ada/mcp.json"));
}

int main(void) {
  return tests_run(begin, NULL);
}
