/* SPDX-License-Identifier: MIT */
#include "platform/paths.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

const char ctl_path_separators[] = "/\\";
const char ctl_path_native_separator[] = "\\";
const char ctl_path_list_separator = ';';
const char ctl_program_ending[] = ".exe";

int ctl_path_is_separator(char character) {
  return character == '/' || character == '\\';
}

/* "C:/", and "//" of "//server/share". "C:name" is relative to the current
 * folder of that drive. */
size_t ctl_path_root_len(const char *path) {
  if (ctl_path_is_separator(path[0])) {
    return ctl_path_is_separator(path[1]) ? 2 : 1;
  }
  return isalpha((unsigned char)path[0]) && path[1] == ':' &&
                 ctl_path_is_separator(path[2])
             ? 3
             : 0;
}

char *ctl_path_with_slashes(char *path) {
  for (char *at = path; *at != '\0'; at++) {
    if (*at == '\\') {
      *at = '/';
    }
  }
  return path;
}

/* Whether the first `len` bytes name a device, as in NUL.txt too. */
static int is_device(const char *name, size_t len) {
  static const char *const devices[] = {"CON", "PRN",    "AUX",
                                        "NUL", "CONIN$", "CONOUT$"};
  for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++) {
    if (strlen(devices[i]) == len && strncasecmp(name, devices[i], len) == 0) {
      return 1;
    }
  }
  /* COM1 to COM9, also with a superscript, which has two bytes. */
  return (strncasecmp(name, "COM", 3) == 0 ||
          strncasecmp(name, "LPT", 3) == 0) &&
         ((len == 4 && isdigit((unsigned char)name[3])) ||
          (len == 5 && (unsigned char)name[3] == 0xc2));
}

int ctl_path_is_plain_name(const char *name) {
  size_t len = strlen(name);
  size_t stem = strcspn(name, ".");
  while (stem > 0 && name[stem - 1] == ' ') {
    stem--; /* the system leaves blanks before the point out */
  }
  for (size_t i = 0; i < len; i++) {
    if ((unsigned char)name[i] < ' ') {
      return 0;
    }
  }
  return len > 0 && name[strcspn(name, "\\/:*?\"<>|")] == '\0' &&
         name[len - 1] != '.' && name[len - 1] != ' ' && !is_device(name, stem);
}
