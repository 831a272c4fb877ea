/* SPDX-License-Identifier: MIT */
#include "bundle/systems.h"

#include <string.h>

/* In the order of ctl_manifest_platforms. */
enum { DARWIN = 1, LINUX = 2, WIN32_ = 4 };

unsigned ctl_systems_of(const char *bytes, size_t len) {
  /* ELF, Mach-O (also of several processors), PE, and a script. */
  static const struct {
    const char *begin;
    size_t len;
    unsigned systems;
  } known[] = {{"\x7f"
                "ELF",
                4, LINUX},
               {"\xcf\xfa\xed\xfe", 4, DARWIN},
               {"\xce\xfa\xed\xfe", 4, DARWIN},
               {"\xca\xfe\xba\xbe", 4, DARWIN},
               {"MZ", 2, WIN32_},
               {"#!", 2, LINUX | DARWIN}};
  for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
    if (len >= known[i].len &&
        memcmp(bytes, known[i].begin, known[i].len) == 0) {
      return known[i].systems;
    }
  }
  return 0;
}

const char *ctl_systems_words(unsigned systems) {
  switch (systems) {
  case DARWIN:
    return "a program for macOS";
  case LINUX:
    return "a program for Linux";
  case WIN32_:
    return "a program for Windows";
  case DARWIN | LINUX:
    return "a script for Linux and macOS";
  default:
    return "not a program by its first bytes";
  }
}
