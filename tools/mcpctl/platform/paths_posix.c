/* SPDX-License-Identifier: MIT */
#include "platform/paths.h"

const char ctl_path_separators[] = "/";
const char ctl_path_native_separator[] = "/";
const char ctl_path_list_separator = ':';
const char ctl_program_ending[] = "";

int ctl_path_is_separator(char character) {
  return character == '/';
}

size_t ctl_path_root_len(const char *path) {
  return path[0] == '/' ? 1 : 0;
}

char *ctl_path_with_slashes(char *path) {
  return path;
}

int ctl_path_is_plain_name(const char *name) {
  return name[0] != '\0';
}
